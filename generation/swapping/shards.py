"""Word swaps of many sentences, shard by shard: the same rows whatever the number of processes, and none done twice."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.files.whole import write_whole
from data.models.causal_models import CausalModel
from data.storage.engine import run_shards
from generation.config import SwapConfig
from generation.engines.ngrams import NGrams
from generation.engines.spacy_tagger import SpacyTagger
from generation.engines.tokenizers import tokenizer
from generation.swapping.candidates import Swapped, swap
from generation.swapping.units import Units

PER_SHARD = 2_000
RANKED_PER_SHARD = 200
JOB, TEXTS = "job.json", "texts.parquet"
CANDIDATES, OUTCOMES, SCORES = "candidates.parquet", "outcomes.parquet", "scores.parquet"
CANDIDATE_SCHEMA = pa.schema(
    {
        "sentence_id": pa.string(),
        "text": pa.string(),
        "margin": pa.float64(),
        "log_score": pa.float64(),
        "steps": pa.list_(pa.string()),
        "moves_content": pa.bool_(),
    }
)
"""Stated, so that a shard without candidates has the same types."""
NUMBERS = {"margin": float, "log_score": float, "moves_content": bool}

Watch = Callable[..., Iterator[Any]]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is done to every sentence."""

    lm: str
    """The path of the n-gram model."""
    tagger: str
    config: SwapConfig
    terms: tuple[str, ...]
    """Phrases that no word leaves."""
    ranker: str | None = None
    """The folder of the second model."""


@dataclass(frozen=True)
class ShardResult:
    """What was found for the sentences of a shard; read from its files each time, since all shards are too much."""

    folder: Path

    def sources(self, columns: Sequence[str] = ("sentence_id", "text", "entity")) -> pd.DataFrame:
        """The sentences."""
        return pd.read_parquet(self.folder.parent / TEXTS, columns=list(columns), dtype_backend="pyarrow")

    def outcomes(self) -> pd.DataFrame:
        """What became of each: sentence_id, reason, n_lists, per_word."""
        return pd.read_parquet(self.folder / OUTCOMES)

    def candidates(self, columns: Sequence[str] = tuple(CANDIDATE_SCHEMA.names)) -> pd.DataFrame:
        """These columns of the candidates; texts in Arrow's types."""
        rows = pd.read_parquet(self.folder / CANDIDATES, columns=list(columns), dtype_backend="pyarrow")
        return rows.astype({name: NUMBERS[name] for name in columns if name in NUMBERS})


def swap_in_shards(sentences: pd.DataFrame, job: Job, folder: Path, engine: str, watch: Watch) -> list[ShardResult]:
    """The results for all sentences (columns sentence_id, text, entity), shard by shard.

    Results in the folder from an interrupted run are used again.
    """
    return [ShardResult(done) for done in _run(sentences, job, folder / "swap", (swap_shard, PER_SHARD, engine, watch))]


def rank_in_shards(texts: "pd.Series[str]", job: Job, folder: Path, engine: str, watch: Watch) -> "pd.Series[float]":
    """The second model's scores of these distinct texts; the shorter ones are asked first."""
    rows = texts.to_frame("text").assign(length=texts.str.len()).sort_values(["length", "text"])
    results = _run(rows[["text"]], job, folder / "rank", (rank_shard, RANKED_PER_SHARD, engine, watch))
    scores = [pd.read_parquet(result / SCORES, columns=["score"])["score"] for result in results]
    return pd.Series(np.concatenate([np.empty(0), *scores]), rows.index).reindex(texts.index)


def _run(rows: pd.DataFrame, job: Job, folder: Path, how: tuple[Any, int, str, Watch]) -> list[Path]:
    work, size, engine, watch = how
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / JOB, json.dumps(asdict(job)))
    shards = []
    for number, start in enumerate(range(0, len(rows), size)):
        shard = folder / f"shard-{number:06d}"
        shard.mkdir(exist_ok=True)
        if not (shard / TEXTS).exists():
            part = shard / f"{TEXTS}.part"
            rows.iloc[start : start + size].to_parquet(part, index=False)
            part.rename(shard / TEXTS)
        shards.append(shard)
    return run_shards(work, shards, engine, watch)


def remove(folder: Path) -> None:
    """Remove the folder of finished work."""
    shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def _engines(job: str) -> tuple[SpacyTagger, NGrams, SwapConfig, Units]:
    """What every shard of a job needs, opened once per process."""
    record = json.loads(job)
    tagger = SpacyTagger(record["tagger"])
    terms = Units.of(record["terms"], tokenizer(tagger.language))
    return tagger, NGrams(Path(record["lm"]), tagger.language), SwapConfig(**record["config"]), terms


def swap_shard(shard: Path, out: Path) -> None:
    """Write the candidates of the shard's sentences, and what became of each sentence."""
    tagger, model, config, terms = _engines((shard.parent / JOB).read_text(encoding="utf-8"))
    rows = pd.read_parquet(shard / TEXTS)
    analysed = tagger.tag(list(rows["text"]))
    results = [swap(tagged, model, config, terms) for tagged in analysed]
    pq.write_table(_candidates(rows["sentence_id"], results), out / CANDIDATES)
    outcomes = pd.DataFrame(
        {
            "sentence_id": rows["sentence_id"],
            "reason": pd.Series([result.reason for result in results], rows.index, dtype="string"),
            "n_lists": [result.n_lists for result in results],
            "per_word": [result.per_word for result in results],
        }
    )
    outcomes.to_parquet(out / OUTCOMES, index=False)


def _candidates(ids: pd.Series, results: list[Swapped]) -> pa.Table:
    rows = [
        vars(candidate) | {"sentence_id": sentence_id}
        for sentence_id, result in zip(ids, results, strict=True)
        for candidate in result.candidates
    ]
    return pa.Table.from_pylist(rows, schema=CANDIDATE_SCHEMA)


@lru_cache(maxsize=1)
def _ranker(folder: str) -> CausalModel:
    return CausalModel(Path(folder), "--ranker")


def rank_shard(shard: Path, out: Path) -> None:
    """Write the second model's scores of the shard's texts."""
    job = json.loads((shard.parent / JOB).read_text(encoding="utf-8"))
    rows = pd.read_parquet(shard / TEXTS)
    scores = _ranker(job["ranker"]).score(list(rows["text"]))
    rows.assign(score=scores).to_parquet(out / SCORES, index=False)
