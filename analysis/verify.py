"""Whether a release is what it says: python -m analysis.verify FOLDER."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.publishing import contents
from data.console.errors import Findings, ParadeError, TableError
from data.console.marks import Positional
from data.console.messages import say
from data.labelled import releases
from data.labelled.releases import Release

TOLERANCE = 1e-9
"""Numbers may differ by this share: another numeric kernel moves the last bits."""
SHOWN = 200
"""At most this many characters of a fault, and this many faults of a kind."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Recompute every checksum, every number of the card, the text files and the metadata of a release.

    Nothing that came with the release is run, fetched or unpacked: what it should hold is written again from its
    tables, and compared.
    """

    release: Positional[Path]
    """The release's folder."""


def main(arguments: Arguments) -> None:
    """Say what was checked; raises Findings where something is not what the release says."""
    folder = arguments.release
    releases.require_folder(folder)
    _conclude(list(releases.find_changed(folder)))
    release = releases.read(folder)
    say(f"{len(releases.digests(folder)):,} files have their checksums")
    stated, counted = releases.read_json(folder / "numbers.json"), _count_numbers(folder, release)
    wrong_numbers = list(compare(stated, counted, "numbers.json"))
    expected = contents.derive(release, counted if wrong_numbers else stated, folder)
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "numbers": lambda: iter(wrong_numbers),
        "facts": lambda: check_facts(release),
        "votes and measures from the ratings": lambda: check_ratings(release),
        "leaks": lambda: check_leaks(release),
        "sources of the texts": lambda: check_sources(release),
        "card, text files and metadata": lambda: check_texts(folder, expected),
        "Croissant metadata": lambda: check_metadata(folder, expected["croissant.json"]),
    }
    faults: list[str] = []
    for name, check in checks.items():
        found = _list(check)
        faults += found
        say(f"{name}: {'as recomputed' if not found else f'{len(found)} differ'}")
    _conclude(faults)
    say(f"all is as it says: {folder} is ready to publish")


UNCOUNTABLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What counting raises where tables of the right form contradict one another."""


def _count_numbers(folder: Path, release: Release) -> dict[str, Any]:
    try:
        return contents.count_numbers(release)
    except UNCOUNTABLE as fault:
        found = f"{type(fault).__name__}: {fault}".splitlines()[0][:SHOWN]
        raise TableError(
            folder / "data", expected="tables that agree with one another", found=found, remedy="ask for it again"
        ) from fault


def _list(check: Callable[[], Iterator[str]]) -> list[str]:
    """What the check finds, or why it cannot be made."""
    try:
        return list(check())
    except UNCOUNTABLE as fault:
        return [f"the tables contradict one another ({type(fault).__name__}: {fault})".splitlines()[0]]


def _conclude(faults: list[str]) -> None:
    for fault in faults[:SHOWN]:
        say(f"  {fault[:SHOWN]}")
    if faults:
        raise Findings(f"{len(faults)} thing{'s are' if len(faults) > 1 else ' is'} not what the release says")


def compare(stated: Any, counted: Any, where: str) -> Iterator[str]:
    """Where two values of JSON differ by more than TOLERANCE."""
    if isinstance(stated, dict) and isinstance(counted, dict) and stated.keys() == counted.keys():
        for name in sorted(counted):
            yield from compare(stated[name], counted[name], f"{where}.{name}")
    elif isinstance(stated, list) and isinstance(counted, list) and len(stated) == len(counted):
        for place, values in enumerate(zip(stated, counted, strict=True)):
            yield from compare(*values, f"{where}[{place}]")
    elif not _same(stated, counted):
        yield f"{where}: {_shorten(stated)}, but the tables give {_shorten(counted)}"


def _same(stated: Any, counted: Any) -> bool:
    if isinstance(stated, float) and isinstance(counted, float):
        return math.isclose(stated, counted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(stated) is type(counted) and bool(stated == counted)


def _shorten(value: Any) -> str:
    return f"{value!r}"[:60]


def check_facts(release: Release) -> Iterator[str]:
    """The facts that the tables contradict."""
    from data.contract.vocabulary import SIMULATED

    rated = [release.tables[name] for name in ("ratings", "campaign_ratings") if name in release.tables]
    simulated = sum(int((ratings["role"] == SIMULATED).sum()) for ratings in rated)
    if release.facts.simulated != simulated:
        yield f"statements.json: {release.facts.simulated} simulated ratings, but the tables have {simulated}"


def check_ratings(release: Release) -> Iterator[str]:
    """The votes, majorities and measures that do not follow from the single ratings; say which cannot."""
    from analysis.publishing import discrepancies

    if "flow" not in release.tables:  # made from files, not from a store
        yield from discrepancies.differ_in_shares(release.tables, release.question, None)
        say("the release has no single ratings: its votes cannot be recomputed")
        return
    yield from discrepancies.list_discrepancies(release.tables, release.rule, release.question)
    if unknown := discrepancies.list_unknown(release.tables, release.question):
        say(f"of texts that were left out, so not recomputed: {', '.join(unknown)[:SHOWN]}")


def check_sources(release: Release) -> Iterator[str]:
    """The decks that lack a row of `sources`, and what no text is from: decks, made texts and sentences."""
    from data.contract.licences import DECK
    from data.provenance.descent import ways_back

    tables = release.tables
    if ("sources" in tables) != ("provenance" in tables):
        yield "one of the tables provenance and sources is missing"
    elif "sources" in tables:
        used, listed = (pd.MultiIndex.from_frame(tables[name][DECK]) for name in ("provenance", "sources"))
        yield from (f"sources: nothing of the deck {deck}" for deck in used.difference(listed))
        yield from (f"sources: no text is from the deck {deck}" for deck in listed.difference(used))
    if ("generated_texts" in tables) != ("sentences" in tables):
        yield "one of the tables generated_texts and sentences is missing"
    elif "sentences" in tables:
        pairs = tables["pairs"]
        origins = {*ways_back([*pairs["first_id"], *pairs["second_id"]], tables["generated_texts"])["origin"]}
        for name, column in (("generated_texts", "text_id"), ("sentences", "sentence_id")):
            ids = tables[name][column]
            yield from (f"{name}: no text of a pair was made from {one}" for one in ids[~ids.isin(origins)])


def check_leaks(release: Release) -> Iterator[str]:
    """What two splits share."""
    from analysis.splitting import leaks
    from data.labelled.dataset import Dataset

    if not release.facts.without_text:
        for row in leaks.compare_splits(Dataset(release.tables["pairs"], release.facts.synonyms, release.language)):
            yield from (
                f"{row['split']} shares {row[kind]} {kind} with {row['against']}" for kind in leaks.KINDS if row[kind]
            )


def check_texts(folder: Path, expected: dict[str, str]) -> Iterator[str]:
    """The text files that are missing, superfluous, or differ from those that follow from the tables."""
    data = {f"data/{path.name}" for path in (folder / "data").glob("*.parquet")}
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(present - data - expected.keys() - {releases.CHECKSUMS}):
        yield f"{name}: no file of a release"
    for name in sorted(expected.keys() - {"numbers.json"}):
        if name not in present:
            yield f"{name}: missing"
            continue
        try:
            yield from differing_lines(name, (folder / name).read_text(encoding="utf-8"), expected[name])
        except ValueError:
            yield f"{name}: no UTF-8 text"


def differing_lines(name: str, stated: str, expected: str) -> Iterator[str]:
    """The first line in which two texts differ."""
    pairs = zip(stated.split("\n"), expected.split("\n"), strict=False)
    for number, (line, other) in enumerate(pairs, start=1):
        if line != other:
            yield f"{name}, line {number}: {line[:80]!r}, expected {other[:80]!r}"
            return
    if stated != expected:
        yield f"{name}: {len(stated.splitlines())} lines, expected {len(expected.splitlines())}"


def check_metadata(folder: Path, metadata: str) -> Iterator[str]:
    """Why mlcroissant cannot load the release with the metadata that we write for it."""
    from analysis.publishing import croissant

    try:
        croissant.load(folder, metadata)
    except ParadeError as fault:
        yield str(fault)


if __name__ == "__main__":
    run(main, prog="python -m analysis.verify")
