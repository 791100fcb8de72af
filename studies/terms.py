"""How good the terms are, and how fast: `python -m studies.terms --papers FILES --phrases FILES --released DIR`.

The sample is fixed: the first 55,171 papers (the paper's number) after shuffling all of them with Python's generator,
seed 0. For the first 3,813 phrases of a ranking (the paper's number) the table gives the share that other lists call
quality phrases, and the share of PARADE's entities that they include, separately for two halves of all phrases, by the
parity of their crc32. A ranking is chosen on the even half and judged on the odd one.
"""

import gzip
import itertools
import json
import random
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from crawler.config import TermConfig
from crawler.terms import extraction, termhood
from crawler.terms.tokens import tokenise
from data.console.commands import run
from data.console.messages import say
from data.labelled import parade
from data.texts.languages.en import ENGLISH

PAPERS, TERMS, QUALITY = 55_171, 3_813, 0.5


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Rank the phrases of a fixed sample in every way, and compare with other lists and PARADE's entities."""

    papers: tuple[Path, ...]
    """JSON lines of papers, gzip, in order."""
    phrases: tuple[Path, ...]
    """Lists of `quality<TAB>phrase`, gzip; a phrase's best quality counts."""
    released: Path
    """The folder of the published PARADE files."""


def main(arguments: Arguments) -> None:
    """Print one row per combination of the scores, the best on the even half first."""
    sample = _sample(arguments.papers)
    started = time.perf_counter()
    table = pa.table(
        {"title": [paper["title"] for paper in sample], "abstract": [paper["abstract"] for paper in sample]}
    )
    with tempfile.TemporaryDirectory() as folder:
        tokens = tokenise(table.to_batches(max_chunksize=1_000), Path(folder))
        found = extraction.find_terms(tokens, len(sample), TermConfig.paper(), ENGLISH)
    say(f"{len(sample)} papers, {len(found)} phrases in more than 20, {time.perf_counter() - started:.1f} s")
    good = {phrase for phrase, quality in _qualities(arguments.phrases) if quality >= QUALITY}
    entities = set(parade.read(arguments.released)["entity"])
    rows = {name: _figures(found, places, good, entities) for name, places in _rankings(found)}
    say(f"{'ranking':52} {'even: quality':>13} {'entities':>8} {'odd: quality':>13} {'entities':>8}")
    for name in sorted(rows, key=lambda name: -sum(rows[name][:2])):
        quality, held, odd_quality, odd_held = rows[name]
        say(f"{name:52} {quality:13.3f} {held:8.3f} {odd_quality:13.3f} {odd_held:8.3f}")


def _sample(paths: tuple[Path, ...]) -> list[dict[str, str]]:
    papers = [json.loads(line) for path in paths for line in _lines(path)]
    random.Random(0).shuffle(papers)
    return papers[:PAPERS]


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from file


def _qualities(paths: tuple[Path, ...]) -> Iterator[tuple[str, float]]:
    for path in paths:
        for line in _lines(path):
            quality, phrase = line.rstrip("\n").split("\t")[:2]
            yield phrase, float(quality)


def _rankings(found: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """By document frequency, and by the mean place in the orders of each combination of scores."""
    yield "document_frequency", termhood.order(found, "document_frequency")
    places = found[list(termhood.SCORES)].rank(pct=True)
    for n in range(1, len(termhood.SCORES) + 1):
        for some in itertools.combinations(termhood.SCORES, n):
            yield ", ".join(some), termhood.order(found.assign(some=places[list(some)].mean(axis=1)), "some")


def _figures(found: pd.DataFrame, places: pd.Series, good: set[str], entities: set[str]) -> list[float]:
    """Shares of quality phrases and of entities, for the even and for the odd half."""
    top = set(found.loc[places < TERMS, "term"])
    figures = []
    for parity in (0, 1):
        ranked, known = (
            [name for name in names if zlib.crc32(name.encode()) % 2 == parity] for names in (top, entities)
        )
        figures += [float(np.mean([name in good for name in ranked])), float(np.mean([name in top for name in known]))]
    return figures


if __name__ == "__main__":
    run(main, prog="python -m studies.terms")
