"""Whether a release is what it says: python -m analysis.verify DIR."""

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import tyro

from analysis.datasets import releases
from data.console import run, say
from data.errors import Findings, TableError

TOLERANCE = 1e-9
"""Numbers may differ by this share: another kernel moves the last bits."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Recompute every checksum, every number of the card, the text files and the metadata of a release."""

    folder: tyro.conf.Positional[Path]
    """The release's folder."""


def main(arguments: Arguments) -> None:
    """Says what was checked; raises Findings where something is not what it says."""

    path = arguments.folder
    faults = list(check_files(path)) if (path / releases.CHECKSUMS).is_file() else []
    if faults:
        _fail(faults)
    release = releases.read(path)
    checks = {
        "numbers": check_numbers,
        "card and citation": check_card,
        "votes and measures from the ratings": check_ratings,
        "text files": check_texts,
        "leaks": check_leaks,
        "Croissant metadata": check_metadata,
    }
    say(f"{len(releases.digests(path)):,} files have their checksums")
    if "ratings" not in release.tables:
        del checks["votes and measures from the ratings"]
        say("no single ratings are in it: votes stand as they are")
    for name, check in checks.items():
        found = list(check(path, release))
        faults += found
        say(f"{name}: {'as recomputed' if not found else f'{len(found)} differ'}")
    _fail(faults)


def _fail(faults: list[str]) -> None:
    for fault in faults:
        say(f"  {fault}")
    if faults:
        raise Findings(f"{len(faults)} thing{'s are' if len(faults) > 1 else ' is'} not what the release says")


def check_files(path: Path) -> Iterator[str]:
    """Every file that was changed, is missing, or is not listed."""

    listed, found = releases.read_checksums(path), releases.digests(path)
    for name in sorted(listed.keys() | found.keys()):
        if name not in found:
            yield f"{name}: missing"
        elif name not in listed:
            yield f"{name}: not listed in {releases.CHECKSUMS}"
        elif found[name] != listed[name]:
            yield f"{name}: changed (its SHA-256 is {found[name][:16]}…, not {listed[name][:16]}…)"


def check_numbers(path: Path, release: Any) -> Iterator[str]:
    """Every number that the tables do not give."""
    from analysis.publishing import card_numbers as numbers
    from data.manifest import plain

    stated = json.loads((path / "numbers.json").read_text(encoding="utf-8"))
    counted = plain(numbers.count(release.tables, release.facts["synonyms"], release.facts["rule"]["paraphrase_from"]))
    yield from compare(stated, counted, "numbers.json")


def compare(stated: Any, counted: Any, where: str) -> Iterator[str]:
    """Where two values of JSON differ by more than TOLERANCE."""
    if isinstance(stated, dict) and isinstance(counted, dict):
        for name in sorted(stated.keys() | counted.keys()):
            yield from compare(stated.get(name), counted.get(name), f"{where}.{name}")
    elif isinstance(stated, list) and isinstance(counted, list) and len(stated) == len(counted):
        for place, (one, other) in enumerate(zip(stated, counted, strict=True)):
            yield from compare(one, other, f"{where}[{place}]")
    elif not _same(stated, counted):
        yield f"{where}: {stated}, but the tables give {counted}"


def _same(stated: Any, counted: Any) -> bool:
    if isinstance(stated, float) and isinstance(counted, float):
        return math.isclose(stated, counted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stated == counted)


def check_ratings(_: Path, release: Any) -> Iterator[str]:
    """The votes, majorities and measures that the single ratings do not give; says which measures they cannot."""
    from analysis.publishing import discrepancies
    from analysis.statistics import recount

    yield from discrepancies.differ(release.tables, recount.Rule(**release.facts["rule"]))
    unknown = discrepancies.list_unknown(release.tables["quality"])
    if unknown:
        say(f"not determined by the ratings alone, and not on the card (drawn by chance): {', '.join(unknown)}")


def check_card(path: Path, release: Any) -> Iterator[str]:
    """The card's and the citation's lines that the numbers and statements do not give."""
    from analysis.publishing import card
    from analysis.publishing import writer as folder

    numbers = json.loads((path / "numbers.json").read_text(encoding="utf-8"))
    expected = {
        "README.md": card.render(
            release.said, numbers, folder.shown(release.facts, release.tables, releases.read_manifests(path))
        ),
        "CITATION.cff": card.cite(release.said),
    }
    for name, content in expected.items():
        yield from differing_lines(name, (path / name).read_text(encoding="utf-8"), content)


def differing_lines(name: str, stated: str, expected: str) -> Iterator[str]:
    """The first line in which two texts differ."""
    pairs = zip(stated.split("\n"), expected.split("\n"), strict=False)
    for number, (one, other) in enumerate(pairs, start=1):
        if one != other:
            yield f"{name}, line {number}: {one[:80]!r}, expected {other[:80]!r}"
            return
    if stated != expected:
        yield f"{name}: {len(stated.splitlines())} lines, expected {len(expected.splitlines())}"


def check_texts(path: Path, release: Any) -> Iterator[str]:
    """The lines of the text files that the Parquet files do not give."""
    from analysis.publishing import tsv
    from data.labelled.parade import SPLITS, read

    for file in sorted((path / "tsv").glob("*.tsv")):
        table = release.tables["pairs" if file.stem in SPLITS else file.stem]
        rows = table[table["split"] == file.stem] if file.stem in SPLITS else table
        yield from differing_lines(f"tsv/{file.name}", file.read_text(encoding="utf-8"), tsv.as_tsv(rows))
    if (path / "published").is_dir():
        stated, pairs = read(path / "published"), tsv.publishable(release.tables["pairs"])
        ordered = pd.concat([pairs[pairs["split"] == split] for split in SPLITS])
        columns = list(stated.columns)
        yield from differing_lines("published", _lines(stated), _lines(ordered[columns]))


def _lines(rows: pd.DataFrame) -> str:
    buffer = io.StringIO()
    rows.to_csv(buffer, sep="\t", index=False, quoting=csv.QUOTE_NONE)
    return buffer.getvalue()


def check_leaks(_: Path, release: Any) -> Iterator[str]:
    """What two splits share."""
    from analysis.splitting import leaks
    from data.labelled.pairs import LabelledPairs

    if "first" in release.tables["pairs"]:
        for row in leaks.compare_splits(LabelledPairs(release.tables["pairs"], release.facts["synonyms"])):
            yield from (
                f"{row['split']} shares {row[kind]} {kind} with {row['against']}" for kind in leaks.KINDS if row[kind]
            )


def check_metadata(path: Path, release: Any) -> Iterator[str]:
    """What is wrong with croissant.json: other than it would be written now, or not to be loaded."""
    from analysis.publishing import croissant
    from analysis.publishing import writer as folder

    stated = (path / "croissant.json").read_text(encoding="utf-8")
    yield from differing_lines("croissant.json", stated, folder.describe(path, release.said))
    try:
        croissant.check(path, folder.record_sets(path))
    except TableError as fault:
        yield str(fault)


if __name__ == "__main__":
    run(main, prog="python -m analysis.verify")
