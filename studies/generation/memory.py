"""The memory that `generation swap` takes: `python -m studies.generation.memory --lm FILE`.

The sentences and their candidates are made, so that no search runs: on average 23 words and 8 candidates, as seen on
abstracts. Everything else is the command itself: shards on disk, the choice, the tables. Peak memory of its process
and processor seconds, by the number of sentences; with `--ranked` a second model judges, whose scores are made.
"""

import os
import random
import tempfile
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.console.commands import run
from data.console.messages import say
from data.contract.tables.generated import Sentences
from data.models import causal_models
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import text_id
from generation.commands import swap
from generation.config import SwapConfig
from generation.swapping import shards

N_WORDS, N_CANDIDATES = (12, 34), (5, 11)
N_WORDS_KNOWN = 50_000
AT_ONCE = 50_000


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure the memory of word swapping over made sentences."""

    lm: Path
    """Any model of KenLM: it is opened and not asked."""
    sentences: tuple[int, ...] = (100_000, 200_000)
    """How many."""
    budget: int | None = None
    """As for `swap`; by default every sentence gets its pair."""
    ranked: bool = False
    """Let a second model judge."""


class MadeRanker:
    """A second model whose scores are made."""

    name = "causal made 0"

    def __init__(self, folder: Path, flag: str) -> None:
        pass

    def score(self, texts: list[str]) -> list[float]:
        """The scores follow from the texts."""
        return [-100 - zlib.crc32(text.encode()) % 1000 / 100 for text in texts]


def make_sentences(store: Store, n: int) -> None:
    """Write this many sentences, in parts, so that making them takes little memory."""
    draw = random.Random(n)
    for part, start in enumerate(range(0, n, AT_ONCE)):
        texts = [_sentence(draw) for _ in range(min(AT_ONCE, n - start))]
        frame = pd.DataFrame({"text": texts}).assign(
            source=f"part{part}", sentence_id=[text_id(text) for text in texts],
            source_id=[str(number) for number in range(len(texts))], position=0, entity=None,
            n_words=[text.count(" ") + 1 for text in texts], licence="CC0",
        )  # fmt: skip
        store.replace(Sentences, frame, Manifest(stage="made", language="en"), source=f"part{part}")


def _sentence(draw: random.Random) -> str:
    words = [f"w{draw.randrange(N_WORDS_KNOWN):05d}" for _ in range(draw.randint(*N_WORDS))]
    return " ".join(words).capitalize() + "."


def make_candidates(shard: Path, out: Path) -> None:
    """Candidates as the search would write them, each with two words exchanged."""
    rows = pd.read_parquet(shard / shards.TEXTS)
    made = [
        (sentence_id, *_candidate(draw, text.split()))
        for sentence_id, text in zip(rows["sentence_id"], rows["text"], strict=True)
        for draw in [random.Random(sentence_id)]
        for _ in range(draw.randint(*N_CANDIDATES))
    ]
    schema = shards.CANDIDATE_SCHEMA
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in made], schema=schema)
    pq.write_table(table, out / shards.CANDIDATES)
    reasons = pd.Series(pd.NA, rows.index, dtype="string")
    outcomes = rows[["sentence_id"]].assign(reason=reasons, n_lists=1, per_word=-5.0)
    outcomes.to_parquet(out / shards.OUTCOMES, index=False)


def _candidate(draw: random.Random, words: list[str]) -> tuple[Any, ...]:
    first, second = draw.sample(range(len(words)), 2)
    words[first], words[second] = words[second], words[first]
    steps = [f"{first} NN {words[second]} > {words[first]}", f"{second} NN {words[first]} > {words[second]}"]
    return " ".join(words), draw.uniform(-9, 9), draw.uniform(-200, -100), steps, draw.random() < 0.9


def measure(folder: Path, arguments: Arguments) -> tuple[float, float]:
    """Peak memory in MB and processor seconds of `swap` over the folder's store."""
    shards.swap_shard = make_candidates
    for module in (causal_models, shards):
        vars(module)["Causal"] = MadeRanker
    started = time.process_time()
    config = SwapConfig(limit=arguments.budget)
    ranker = folder if arguments.ranked else None
    swap.main(swap.Arguments(lm=arguments.lm.absolute(), ranker=ranker, config=config, store=folder / "store"))
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024, time.process_time() - started


def _in_another_process(function: Callable[[], Any]) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function).result()


def main(arguments: Arguments) -> None:
    """Print one row per number of sentences."""
    for n in arguments.sentences:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
            _in_another_process(partial(make_sentences, Store(Path(folder) / "store"), n))
            peak, seconds = _in_another_process(partial(measure, Path(folder), arguments))
        say(f"{n:>9,} sentences: {peak:,.0f} MB, {seconds:,.0f} s")


if __name__ == "__main__":
    run(main, prog="python -m studies.generation.memory")
