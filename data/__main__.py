"""`python -m data`: a store's status, a pair's origin, a table's versions, plain files, takedowns and packs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import pandas as pd
import tyro

from data.console.commands import run
from data.console.errors import InputError
from data.console.messages import quantity, say, say_next
from data.console.paths import existing_file
from data.contract import register
from data.contract.base import Table
from data.contract.dictionary import write_dictionary
from data.contract.tables.removals import Rejects
from data.files.spreadsheets import without_formulas
from data.files.whole import whole_file
from data.guidance import next_steps, status
from data.provenance import lineage, takedown
from data.provenance.removal import find_named
from data.storage import pack
from data.storage.store import LOCKS, Store
from data.texts.identity import file_digest

TABLE_NAMES = [table.table_name() for table in register.TABLES]


@dataclass(frozen=True, kw_only=True)
class InStore:
    """What every subcommand takes."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""


@dataclass(frozen=True, kw_only=True)
class Status(InStore):
    """Show the store's status: tables, rows, age, rejects by reason, and what to run next (the default)."""


@dataclass(frozen=True, kw_only=True)
class Trace(InStore):
    """Follow a pair to its definitions, cards, addresses and times."""

    pair_id: tyro.conf.Positional[str]
    """The pair's id, or its beginning."""


@dataclass(frozen=True, kw_only=True)
class History(InStore):
    """List the versions of a table with their manifests."""

    table: tyro.conf.Positional[str]
    """The table's name."""


@dataclass(frozen=True, kw_only=True)
class Export(InStore):
    """Write a table as a plain file."""

    table: tyro.conf.Positional[str]
    """The table's name."""
    out: Path
    """The file to write, in the format of its ending: .parquet, .csv, .tsv or .jsonl."""
    as_of: int | None = None
    """The version to read; the latest by default."""


@dataclass(frozen=True, kw_only=True)
class ListRejects(InStore):
    """List what a stage dropped or found fault with, each with its reason."""

    stage: tyro.conf.Positional[str]
    """The stage, as `status` shows it, or its beginning: `crawler.files`."""
    reason: str | None = None
    """Only what has this reason."""


@dataclass(frozen=True, kw_only=True)
class Takedown(InStore):
    """Remove texts for good, with all that was made from them: from the tables, their history and the ledgers.

    Later crawls and runs skip them. Who rated a pair that falls is still paid for it; collect answers first.
    """

    cards: tyro.conf.Positional[tuple[str, ...]] = ()
    """Ids of cards, or their beginnings."""
    texts: tuple[str, ...] = ()
    """Ids of definitions, sentences or generated texts, or their beginnings."""
    sources: tuple[str, ...] = ()
    """`papers:ID`, the sentences of a paper; the name of a file of sentences; or the set_id of a deck of cards."""
    reason: str = "asked for"
    """The reason, for the table of tombstones; name no person."""


@dataclass(frozen=True, kw_only=True)
class Pack(InStore):
    """Write the store as one file for a colleague: tables with their past, and ledgers; never accounts or keys."""

    out: tyro.conf.Positional[Path]
    """The file to write, such as store.tar.gz."""
    ratings: bool = True
    """Include the ratings and everything computed from them; --no-ratings leaves them out."""


@dataclass(frozen=True, kw_only=True)
class Unpack(InStore):
    """Make a store from a pack, checking every byte and table; nothing that exists is overwritten."""

    file: tyro.conf.Positional[Path]
    """The pack."""


@dataclass(frozen=True, kw_only=True)
class Dictionary:
    """Print what the tables and their columns mean, as Markdown: the content of data/README.md."""


Command = (
    Annotated[Status, tyro.conf.subcommand("status")]
    | Annotated[Trace, tyro.conf.subcommand("lineage")]
    | Annotated[History, tyro.conf.subcommand("history")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[ListRejects, tyro.conf.subcommand("rejects")]
    | Annotated[Takedown, tyro.conf.subcommand("takedown")]
    | Annotated[Pack, tyro.conf.subcommand("pack")]
    | Annotated[Unpack, tyro.conf.subcommand("unpack")]
    | Annotated[Dictionary, tyro.conf.subcommand("dictionary")]
)


def main(command: Command) -> None:
    """Run the subcommand."""
    if isinstance(command, Dictionary):
        say(write_dictionary().rstrip("\n"))
        return
    store = Store(command.store)
    if isinstance(command, Trace):
        _show_lineage(lineage.trace(store, command.pair_id))
    elif isinstance(command, History):
        _show_history(store, _table(command.table))
    elif isinstance(command, Export):
        _export(store, command)
    elif isinstance(command, ListRejects):
        _list_rejects(store, command)
    elif isinstance(command, Takedown):
        _take_down(store, command)
    elif isinstance(command, Pack):
        _pack(store, command)
    elif isinstance(command, Unpack):
        _unpack(command)
    else:
        _show_status(store)


def _table(name: str) -> type[Table]:
    if name not in TABLE_NAMES:
        raise InputError(name, expected="one of " + ", ".join(TABLE_NAMES), found="no such table", remedy="choose one")
    return register.TABLES[TABLE_NAMES.index(name)]


def _show_status(store: Store) -> None:
    tables = status.tables(store)
    if tables.empty:
        say(f"{store.root}: no tables yet")
    else:
        say(tables.assign(at=tables["at"].map(_age)).rename(columns={"at": "age"}).to_string(index=False))
        dropped = status.rejects(store)
        if not dropped.empty:
            say("\nrejects\n" + dropped.to_string(index=False))
    for command in next_steps.next_commands(store):
        say_next(next_steps.of_store(command, store))


def _age(then: datetime) -> str:
    seconds = int((datetime.now(UTC) - then).total_seconds())
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return quantity(max(seconds, 0), "second")


def _show_lineage(origin: lineage.Lineage) -> None:
    pair = origin.pairs.iloc[0]
    of_entity = "" if pd.isna(pair["entity"]) else f" of «{pair['entity']}»"
    say(f"pair {pair['pair_id']}{of_entity}, proposed by {', '.join(origin.pairs['generator'])}")
    for label in origin.labels.to_dict("records"):
        by = f"{label['votes']} of {label['n_votes']} votes, {label['method']}, campaign {label['campaign']}"
        say(f"label {label['binary']} ({by})")
    for text in origin.generated.to_dict("records"):
        model = "" if pd.isna(text["model"]) else f" with {text['model']}"
        say(f"\ngenerated text {text['text_id']}\n  {text['text']}")
        say(f"    {text['generator']}, {text['method']}{model}, from {text['source_id']}")
    for sentence in origin.sentences.to_dict("records"):
        licence = "none stated" if pd.isna(sentence["licence"]) else sentence["licence"]
        say(f"\nsentence {sentence['sentence_id']}\n  {sentence['text']}")
        say(
            f"    {sentence['source']} {sentence['source_id']}, sentence {sentence['position'] + 1}; licence: {licence}"
        )
    for definition in origin.definitions.to_dict("records"):
        say(f"\ndefinition {definition['definition_id']}\n  {definition['text']}")
        for card in origin.cards[origin.cards["definition_id"] == definition["definition_id"]].to_dict("records"):
            place = f"card {card['position'] + 1} of «{card['set_title']}» (set {card['set_id']})"
            copied = "" if pd.isna(card["copied_from"]) else f", copied from set {card['copied_from']}"
            say(f"    {card['fetched_at']:%Y-%m-%d %H:%M:%S} UTC  {card['url']}")
            say(f"      {card['source']}: {place}{copied}")
            say(f"      front «{card['front']}»  back «{card['back']}»")
            credit = "" if pd.isna(card["credit"]) else f", credit to {card['credit']}"
            say(f"      licence: {'none stated' if pd.isna(card['licence']) else card['licence']}{credit}")


def _show_history(store: Store, table: type[Table]) -> None:
    if not store.exists(table):
        say(f"{store.root}: no table {table.table_name()} yet")
        return
    for manifest in store.history(table):
        at = datetime.fromtimestamp(manifest.pop("at") / 1000, UTC)
        say(f"version {manifest.pop('version')}  {at:%Y-%m-%d %H:%M:%S} UTC  by {manifest.pop('stage')}")
        for part, value in sorted(manifest.items()):
            if value not in (None, {}, []):
                say(f"  {part}: {value}")


def _export(store: Store, command: Export) -> None:
    frame = store.read(_table(command.table), version=command.as_of)
    writers: dict[str, Callable[[Path], object]] = {
        ".parquet": lambda path: frame.to_parquet(path, index=False),
        ".csv": lambda path: without_formulas(frame).to_csv(path, index=False),
        ".tsv": lambda path: without_formulas(frame).to_csv(path, index=False, sep="\t"),
        ".jsonl": lambda path: frame.to_json(path, orient="records", lines=True, date_format="iso"),
    }
    if command.out.suffix not in writers:
        raise InputError(
            command.out, expected="an ending of " + ", ".join(writers), found=repr(command.out.suffix), remedy="rename"
        )
    with whole_file(command.out) as unfinished:
        writers[command.out.suffix](unfinished)
    say(f"{quantity(len(frame), 'row')} of {command.table} written to {command.out}")


def _list_rejects(store: Store, command: ListRejects) -> None:
    rejects = store.read(Rejects)
    column, value = "stage", command.stage
    some = rejects[rejects["stage"].str.startswith(command.stage)]
    if command.reason is not None and not some.empty:
        rejects, column, value = some, "reason", command.reason
        some = some[some["reason"] == command.reason]
    if some.empty:
        known = ", ".join(sorted(rejects[column].unique())) or "no rejects at all"
        raise InputError(f"the {column}s of rejects", expected=known, found=repr(value), remedy="choose one of them")
    for reject in some.to_dict("records"):
        say(f"{reject['reason']}: {reject['id']}" + ("" if pd.isna(reject["detail"]) else f" ({reject['detail']})"))
    say(quantity(len(some), "reject"))


@contextmanager
def _all_locks(store: Store) -> Iterator[None]:
    """Hold all locks of the store, so that nobody else writes it."""
    with ExitStack() as locks:
        for path in sorted((store.root / LOCKS).glob("*.lock")):
            locks.enter_context(store.lock(path.stem))
        yield


def _pack(store: Store, command: Pack) -> None:
    with _all_locks(store):
        contents = pack.pack(store, command.out, ratings=command.ratings)
    ratings = "with ratings" if contents.ratings else "without ratings"
    tables, files = quantity(len(contents.tables), "table"), quantity(len(contents.files), "file")
    say(f"{tables} {ratings}, {files}, written to {command.out}")
    say(f"blake2b digest, to be sent separately: {file_digest(command.out)}")
    say("accounts, passwords and campaigns' keys are not in it: if need be, hand over private/ by hand")
    say_next("python -m data unpack", command.out, "--store", "FOLDER")


def _unpack(command: Unpack) -> None:
    path = existing_file(command.file, "a pack")
    say(f"blake2b digest: {file_digest(path)}")
    contents = pack.unpack(path, command.store)
    ratings = "with ratings" if contents.ratings else "without ratings"
    rows, tables = quantity(sum(contents.tables.values()), "row"), quantity(len(contents.tables), "table")
    say(f"{rows} in {tables} {ratings}: {command.store}")
    say_next("python -m data status", "--store", command.store)


def _take_down(store: Store, command: Takedown) -> None:
    if not (command.cards or command.texts or command.sources):
        expected = "ids of cards, --texts or --sources"
        raise InputError("arguments", expected=expected, found="none", remedy="name at least one")
    with _all_locks(store):
        removal = find_named(store, command.cards, command.texts, command.sources)
        say(
            f"{quantity(len(removal.cards), 'card holds', 'cards hold')} the texts; "
            f"{quantity(len(removal.pairs), 'pair is', 'pairs are')} removed with them"
        )
        for pair_id, entity in removal.pairs.itertuples(index=False):
            say(f"  pair {pair_id}" + ("" if pd.isna(entity) else f" ({entity})"))
        for place, n_rows in takedown.take_down(store, removal, command.reason):
            if n_rows:
                say(f"  {quantity(n_rows, 'row')} removed from {place}")
        for document in takedown.quoting(store, removal.texts).to_dict("records"):
            name = f"{document['kind']} version {document['version']} of campaign {document['campaign']}"
            say(f"{name} is in force and quotes it:")
            say("  set one without it (python -m annotation guide FILE), open, then run this again")
    if removal.assignments:
        fallen = quantity(len(removal.assignments), "assignment falls", "assignments fall")
        say(f"{fallen}; what people worked on them stays in the pay list")
    say("exported files, reports, releases and Label Studio's own data are not changed: see to them yourself")


if __name__ == "__main__":
    if (sys.argv[1:2] or ["--store"])[0].startswith("-") and sys.argv[1:2] not in (["-h"], ["--help"]):
        sys.argv.insert(1, "status")
    run(main, prog="python -m data")
