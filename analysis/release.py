"""A data set to publish: python -m analysis.release DIR."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pandas as pd

from data.console.errors import Findings, InputError
from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.contract.vocabulary import CAMPAIGN, SPLITS
from data.labelled import releases
from data.labelled.dataset import Dataset
from data.labelled.releases import Release
from data.labelled.sources import OfDataset


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Write a campaign's data set as a folder to publish, with its data card, or refuse and say why."""

    out: Positional[Path]
    """The folder to write, new or empty; with --statements-template the file."""

    name: str = CAMPAIGN
    """The release's name; it must contain `simulated` where a rating is."""

    statements: Path | None = None
    """What only you can state: a TOML file with title, description, version, licence, authors, contact, url, date,
    recruitment, levels, pay, consent, guide, recipe, limits."""

    statements_template: bool = False
    """Write a file of statements to fill in to OUT instead, with a hint for each field."""

    permission: tuple[str, ...] = ()
    """LICENCE=REASON or SOURCE=REASON, once per licence or source: by what right texts without an open licence may be
    published (`CC BY-NC 4.0=the release is not commercial`); for the published files the source is `published`."""

    without_text: bool = False
    """Publish ids, addresses and labels alone."""

    not_personal: tuple[str, ...] = ()
    """What looks like personal data and is not (`@override`)."""


def main(arguments: Arguments) -> None:
    """Write the release; raises Findings, and writes nothing, where it is refused."""
    from analysis.publishing import contents, from_store, personal_data, statements

    if arguments.statements_template:
        _write_template(arguments.out)
        return
    statements.read(arguments.statements)  # a wrong file is reported before the work
    permissions = dict(_parse_permission(permission) for permission in arguments.permission)
    dataset = arguments.open()
    gathered = from_store.gather(dataset, arguments.label_set, arguments.name, permissions)
    defines = bool(gathered.tables["pairs"]["entity"].notna().any())
    simulated = bool(gathered.facts.simulated)
    words = statements.read(arguments.statements, gathered.question, defines=defines, simulated=simulated)
    words = replace(words, language=words.language or gathered.language.code)
    words = statements.with_documents(words, gathered.tables)
    _require_publishable(gathered, dataset, arguments)
    tables, hits = personal_data.mask_tables(gathered.tables, arguments.not_personal)
    for line in _describe_hits(hits):
        say(line)
    release = replace(gathered, tables=tables, statements=asdict(words))
    release = release.without_text() if arguments.without_text else release
    with releases.new_folder(arguments.out) as folder:
        releases.write_texts(contents.make(releases.write_tables(release, folder), folder), folder)
    for line in (*_list_uncredited(release.tables), *_list_unknown(release.tables)):
        say(line)
    if missing := statements.list_not_stated(words):
        say(f"note: the card says nothing of {', '.join(missing)}: --statements FILE")
    sizes = ", ".join(f"{name} {len(table):,}" for name, table in release.tables.items())
    say(f"written to {arguments.out}; mlcroissant reads its metadata and the first records of each table")
    say(f"rows: {sizes}")
    say_next("python -m analysis.verify", arguments.out)


def _write_template(path: Path) -> None:
    from analysis.publishing import statements

    if path.exists():
        raise InputError(path, expected="a new file", found="one that exists", remedy="give another name")
    path.write_text(statements.template(), encoding="utf-8")
    say(f"a file of statements to fill in: {path}")
    say_next("python -m analysis.release DIR --statements", path)


def _require_publishable(release: Release, dataset: Dataset, arguments: Arguments) -> None:
    """Raises Findings where a reason speaks against publishing."""
    from analysis.publishing import refusals

    for name in refusals.find_idle(release):
        say(f"note: no text is of the source, and none under the licence, that --permission {name!r} names")
    reasons = [*refusals.find(release, dataset, arguments.label_set, without_text=arguments.without_text)]
    for reason in reasons:
        say(f"refused: {reason}")
    if reasons:
        raise Findings(f"nothing is written: {len(reasons)} reason{'s' if len(reasons) > 1 else ''} against it")
    for split in SPLITS:
        if not (release.tables["pairs"]["split"] == split).any():
            say(f"note: no pair is in {split}")


def _parse_permission(permission: str) -> tuple[str, str]:
    from analysis.publishing.licences import read_key

    name, sign, reason = permission.partition("=")
    if not sign or not name.strip() or not reason.strip():
        raise InputError(
            "--permission", expected="LICENCE=REASON or SOURCE=REASON", found=repr(permission), remedy="give both"
        )
    return read_key(name.strip()), reason.strip()


def _list_uncredited(tables: dict[str, pd.DataFrame]) -> Iterator[str]:
    from analysis.publishing import licences

    for licence, n in licences.count_uncredited(tables["sources"]).items() if "sources" in tables else ():
        yield f"note: {quantity(n, 'deck')} under {licence} without a credit: state it (`scrapy crawl … -a decks=FILE`)"


def _list_unknown(tables: dict[str, pd.DataFrame]) -> Iterator[str]:
    from analysis.publishing import card_numbers

    if "generated_texts" in tables and (n := card_numbers.count_unknown(tables)):
        yield (
            f"note: texts were made from {n:,} whose place and licence are not known: if they were sentences, "
            "`generation sentences` with the same files brings these back"
        )


def _describe_hits(hits: pd.DataFrame) -> Iterator[str]:
    for (where, kind), some in hits.groupby(["where", "kind"]):
        yield f"{len(some):,} {kind} masked in {where}"
        for hit in some.head(5).itertuples():
            yield f"  {hit.found} (pair {hit.id})"


if __name__ == "__main__":
    run(main, prog="python -m analysis.release")
