"""Word swaps of many sentences, shard by shard: the same rows whatever the number of processes, and none done twice."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from data.causal_models import Causal
from data.engine import run_shards
from data.files import write_whole
from generation.config import SwapConfig
from generation.engines.ngrams import NGrams
from generation.engines.spacy_tagger import SpacyTagger
from generation.engines.tokenizers import tokenizer
from generation.swapping.candidates import Swapped, swap
from generation.swapping.units import Terms

PER_SHARD = 2_000
RANKED_PER_SHARD = 200
JOB, TEXTS = "job.json", "texts.parquet"
CANDIDATES, OUTCOMES, SCORES = "candidates.parquet", "outcomes.parquet", "scores.parquet"
CANDIDATE_COLUMNS = ["sentence_id", "text", "margin", "log_score", "steps", "moves_content"]

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


def swap_in_shards(
    sentences: pd.DataFrame, job: Job, folder: Path, engine: str, watch: Watch
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The candidates of all sentences (columns sentence_id, text), and what became of each sentence.

    Results in the folder from an interrupted run are used again.
    """
    results = _run(sentences, job, folder / "swap", (swap_shard, PER_SHARD, engine, watch))
    candidates, outcomes = (
        pd.concat([pd.read_parquet(result / name) for result in results], ignore_index=True)
        for name in (CANDIDATES, OUTCOMES)
    )
    return candidates, outcomes


def rank_in_shards(texts: pd.Series, job: Job, folder: Path, engine: str, watch: Watch) -> pd.Series:
    """The second model's scores of the texts, each asked once; the index is that of the texts."""
    distinct = pd.DataFrame({"text": sorted(set(texts), key=lambda text: (len(text), text))})
    results = _run(distinct, job, folder / "rank", (rank_shard, RANKED_PER_SHARD, engine, watch))
    scores = pd.concat([pd.read_parquet(result / SCORES) for result in results], ignore_index=True)
    return texts.map(dict(zip(scores["text"], scores["score"], strict=True)))


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
def _engines(job: str) -> tuple[SpacyTagger, NGrams, SwapConfig, Terms]:
    """What every shard of a job needs, opened once per process."""
    record = json.loads(job)
    tagger = SpacyTagger(record["tagger"])
    terms = Terms.of(record["terms"], tokenizer(tagger.language))
    return tagger, NGrams(Path(record["lm"]), tagger.language), SwapConfig(**record["config"]), terms


def swap_shard(shard: Path, out: Path) -> None:
    """Write the candidates of the shard's sentences, and what became of each sentence."""
    tagger, model, config, terms = _engines((shard.parent / JOB).read_text(encoding="utf-8"))
    rows = pd.read_parquet(shard / TEXTS)
    analysed = tagger.tag(list(rows["text"]))
    results = [swap(tagged, model, config, terms) for tagged in analysed]
    _candidates(rows["sentence_id"], results).to_parquet(out / CANDIDATES, index=False)
    outcomes = pd.DataFrame(
        {
            "sentence_id": rows["sentence_id"],
            "reason": pd.Series([result.reason for result in results], rows.index, dtype="string"),
            "n_lists": [result.n_lists for result in results],
            "per_word": [result.per_word for result in results],
        }
    )
    outcomes.to_parquet(out / OUTCOMES, index=False)


def _candidates(ids: pd.Series, results: list[Swapped]) -> pd.DataFrame:
    rows = [
        (sentence_id, c.text, c.margin, c.log_score, list(c.steps), c.moves_content)
        for sentence_id, result in zip(ids, results, strict=True)
        for c in result.candidates
    ]
    frame = pd.DataFrame(rows, columns=CANDIDATE_COLUMNS)
    return frame.astype({"margin": float, "log_score": float, "moves_content": bool})


@lru_cache(maxsize=1)
def _ranker(folder: str) -> Causal:
    return Causal(Path(folder), "--ranker")


def rank_shard(shard: Path, out: Path) -> None:
    """Write the second model's scores of the shard's texts."""
    job = json.loads((shard.parent / JOB).read_text(encoding="utf-8"))
    rows = pd.read_parquet(shard / TEXTS)
    scores = _ranker(job["ranker"]).score(list(rows["text"]))
    rows.assign(score=scores).to_parquet(out / SCORES, index=False)
