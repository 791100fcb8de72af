"""What the sheet of decks states about their licences: the decks that its rows mean, and the table `licences`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from crawler.cards.advice import STATED, write_row
from crawler.formats.deck_sheet import DeckSheet, Paths, call
from data.console.messages import quantity
from data.contract import licences
from data.contract.licences import DECK
from data.contract.tables.definitions import Licences
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant
from data.texts.identity import file_digest

EXAMPLES = 3
"""Decks named where more have no row."""
MAX_SHOWN_ROWS = 20
"""Rows shown where more mean no deck."""


def of_site(decks: pd.DataFrame) -> pd.DataFrame:
    """The decks of `Ledger.decks` with the column names: what a row of the CSV may call each, its address or number."""
    return decks.assign(names=pd.Series(decks[["url", "set_id"]].to_numpy().tolist(), decks.index, dtype=object))


def of_files(decks: pd.DataFrame, keys: Sequence[tuple[str, str]], files: Mapping[Path, str]) -> pd.DataFrame:
    """The decks of `Ledger.decks` that were read from the files, with the column names.

    `keys`: the key of each page that this run read or knew, with the name of its file; `files`: path -> name. A file is
    called by its name, with or without the folder that the name begins with; or by its path, from here or from `/`.
    A deck within an archive is also called FILE!MEMBER.
    """
    paths = {name: path for path, name in files.items()}
    read = pd.DataFrame(keys, columns=["key", "name"], dtype="str").drop_duplicates()
    found = decks.fillna("").astype("str").merge(read, on="key")
    named = [
        [own + member for own in call(paths[name], name) for member in dict.fromkeys((_member(set_id), ""))]
        for name, set_id in found[["name", "set_id"]].itertuples(index=False)
    ]
    grouped = found.assign(names=pd.Series(named, found.index, dtype=object)).groupby(["url", "set_id"], sort=True)
    return grouped.agg({"names": "sum", "licence_note": "last"}).reset_index()


def as_decks(files: Mapping[Path, str]) -> pd.DataFrame:
    """The files as decks that have not been read: columns set_id, names."""
    return pd.DataFrame({"set_id": [*files.values()], "names": [list(call(*file)) for file in files.items()]})


def _member(set_id: str) -> str:
    _, mark, member = set_id.partition("!")
    return mark + member


def match(decks: pd.DataFrame, rows: pd.DataFrame) -> "pd.Series[int]":
    """The line of the row that counts for each deck (column names), as `Paths.choose`; null where none does."""
    lines = {str(path): int(line) for line, path in zip(rows.index, rows["path"], strict=True)}
    paths = Paths([*lines])
    found: list[int | None] = [lines.get(paths.choose(names)) for names in decks["names"]]
    return pd.Series(found, index=decks.index, dtype="Int64")


@dataclass(frozen=True, kw_only=True)
class StatementAccount:
    """What became of a run's statements."""

    lines: tuple[str, ...]
    """For the screen."""
    faults: tuple[str, ...]
    """What needs a look."""


def check(decks: pd.DataFrame, sheet: DeckSheet, files: Mapping[Path, str] | None = None) -> StatementAccount:
    """The rows that mean none of the decks (columns set_id, names), and the decks without a licence.

    A row that means one of the `files` from which no deck was read is right: why it was not is another finding.
    """
    if sheet.file is None:
        return StatementAccount(lines=(), faults=())
    idle = sheet.idle([*decks["names"], *as_decks(files or {})["names"]])
    rows = [f"  {sheet.file} line {line}: no deck is {path!r}" for line, path in idle.items()]
    licensed = sheet.rows[sheet.rows["licence"] != ""]
    unlicensed = decks[match(decks, licensed).isna()] if len(licensed) else decks[:0]
    return StatementAccount(
        lines=(
            *rows[:MAX_SHOWN_ROWS],
            *_more(len(rows) - MAX_SHOWN_ROWS, "rows"),
            *_name_decks(unlicensed, "without a licence in a row"),
        ),
        faults=(f"{quantity(len(idle), 'row')} of {sheet.file.name} without a deck",) if len(idle) else (),
    )


def record(
    store: Store,
    source: str,
    decks: pd.DataFrame,
    sheet: DeckSheet,
    files: Mapping[Path, str] | None = None,
) -> StatementAccount:
    """Append to `licences` what is new about the decks (columns url, set_id, names), and say what became of it.

    Decks from files also have the column licence_note, and what they state themselves is offered as rows to write.
    `files`: those that the decks were looked for in, as in `check`.
    """
    stated = _state(decks, sheet).assign(source=source)
    earlier = store.read(Licences, source=source)
    latest = earlier.sort_values("at").drop_duplicates(DECK, keep="last")
    new = stated[~_keys(stated, [*DECK, *STATED]).isin(_keys(latest, [*DECK, *STATED]))]
    if len(new):
        counts = {"rows_in": len(decks), "rows_out": len(new)}
        file = {} if sheet.file is None else {sheet.file.name: file_digest(sheet.file)}
        manifest = Manifest(stage="crawler", part=source, inputs=file, counts=counts)
        store.append(Licences, new.assign(at=next_instant(earlier["at"])), manifest)
    checked = check(decks, sheet, files)
    lines = [*_count(stated, len(new)), *checked.lines]
    known = _keys(pd.concat([latest, stated]), ["url", "set_id"])
    unknown = decks[~_keys(decks, ["url", "set_id"]).isin(known)]
    if sheet.file is None and files is not None:
        lines += _name_decks(unknown, "without a licence (state them with -a decks=FILE)")
    if source == "files":
        lines += _offer(unknown[unknown["licence_note"] != ""])
    return StatementAccount(lines=tuple(lines), faults=checked.faults)


def _offer(decks: pd.DataFrame) -> Iterator[str]:
    """The rows to write where decks (with the column licence_note) state their licence themselves."""
    for names, note in decks[["names", "licence_note"]].head(MAX_SHOWN_ROWS).itertuples(index=False):
        yield f"  {names[0]} says «{note}»; if so, write into a CSV for -a decks: {row_for(names[0], note)}"
    yield from _more(len(decks) - MAX_SHOWN_ROWS, "that say their licence")


def row_for(path: str, statement: str) -> str:
    """The row of a sheet of decks for a statement, with the licence's usual name where it is a well-known one."""
    known = licences.find(statement)
    return write_row(path, licence=licences.name(known) if known else statement)


def _state(decks: pd.DataFrame, sheet: DeckSheet) -> pd.DataFrame:
    """What is stated: url, set_id and STATED, one row per deck that something is stated about."""
    rows = sheet.rows[sheet.rows["licence"] != ""]
    lines = match(decks, rows)
    found = decks[["url", "set_id"]].join(rows.reindex(lines.fillna(0).astype(int)).set_index(lines.index)[[*STATED]])
    return found[found["licence"].notna()].replace("", pd.NA)


def _keys(rows: pd.DataFrame, columns: list[str]) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(rows[columns].astype(object).fillna(""))


def _count(stated: pd.DataFrame, n_new: int) -> Iterator[str]:
    if stated.empty:
        return
    yield f"licences of {quantity(len(stated), 'deck')} stated, {n_new} of them new or changed"
    for name, n in stated["licence"].map(_describe).value_counts().sort_index().items():
        yield f"  {quantity(n, 'deck')}: {name}"


def _describe(licence: str) -> str:
    known = licences.recognise(licence)
    return licences.name(known) if known else f"{licence} (no well-known licence)"


def _name_decks(decks: pd.DataFrame, what: str) -> Iterator[str]:
    if len(decks):
        names = decks["set_id"].astype(str)
        shown = ", ".join([*names.head(EXAMPLES), *_more(len(names) - EXAMPLES)])
        yield f"  {quantity(len(decks), 'deck')} {what}: {shown}"


def _more(n: int, what: str = "") -> Iterator[str]:
    if n > 0:
        yield f"  … and {n:,} more {what}" if what else f"and {n:,} more"
