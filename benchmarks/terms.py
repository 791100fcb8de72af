"""How good the terms are, and how fast: `python -m benchmarks.terms --papers FILES --phrases FILES --released DIR`.

The sample is fixed: all papers in the order of the files, shuffled by Python's generator with seed 0, the first 55,171
(the paper's number). Of the first 3,813 phrases of a ranking (the paper's number) it shows the share that other lists
call phrases of quality, and the share of PARADE's entities held, for the two halves of all phrases apart: by the parity
of their crc32. A ranking is chosen on the even half; the odd one says what it is worth.
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
from data.console import run, say
from data.labelled import parade as released

PAPERS, TERMS, QUALITY = 55_171, 3_813, 0.5


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Ranks the phrases of a fixed sample in every way and compares with other lists and PARADE's entities."""

    papers: tuple[Path, ...]
    """JSON lines of papers, gzip, in their order."""
    phrases: tuple[Path, ...]
    """Lists of `quality<TAB>phrase`, gzip; a phrase's best quality counts."""
    released: Path
    """The folder of the published PARADE files."""


def main(arguments: Arguments) -> None:
    """Prints the table: every combination of the scores, best first on the even half."""
    sample = _sample(arguments.papers)
    started = time.perf_counter()
    table = pa.table({"title": [one["title"] for one in sample], "abstract": [one["abstract"] for one in sample]})
    with tempfile.TemporaryDirectory() as folder:
        tokens = tokenise(table.to_batches(max_chunksize=1_000), Path(folder))
        found = extraction.find_terms(tokens, len(sample), TermConfig.paper())
    say(f"{len(sample)} papers, {len(found)} phrases in more than 20, {time.perf_counter() - started:.1f} s")
    good = {phrase for phrase, quality in _qualities(arguments.phrases) if quality >= QUALITY}
    entities = set(released.read(arguments.released)["entity"])
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
    """Quality and entities held, of the even and of the odd half."""
    top = set(found.loc[places < TERMS, "term"])
    figures = []
    for parity in (0, 1):
        mine, known = ([one for one in some if zlib.crc32(one.encode()) % 2 == parity] for some in (top, entities))
        figures += [float(np.mean([one in good for one in mine])), float(np.mean([one in top for one in known]))]
    return figures


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.terms")
