"""What the lead states about the licences of decks: a CSV, the decks that its rows mean, and the table `licences`."""

import csv
import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import pandas as pd

from data.console.messages import quantity
from data.contract import licences
from data.contract.licences import DECK
from data.contract.tables.definitions import LINK, Licences
from data.files.sheets import read_header, read_sheet
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant
from data.texts.identity import file_digest

NEEDED = ("path", "licence")
OPTIONAL = ("credit", "title", "link")
REMEDY = "columns: path, licence, and if need be credit (whom to name), title and link (of the work); one row per path"
STATED = ["licence", *OPTIONAL]

EXAMPLES = 3
"""Decks named where more have no row."""
MAX_SHOWN_ROWS = 20
"""Rows shown where more mean no deck."""


@dataclass(frozen=True, kw_only=True)
class LicenceStatements:
    """What one run states about licences."""

    rows: pd.DataFrame
    """Columns path, licence, credit, title, link, without nulls; the index is the line of the CSV."""
    otherwise: str | None = None
    """The licence of every deck without a row; None where nothing is stated about those."""
    file: Path | None = None
    """The CSV."""


def read(file: Path | None, otherwise: str | None = None) -> LicenceStatements:
    """The statements of a CSV. Raises InputError for missing and unknown columns, empty cells, paths given twice."""
    if file is None:
        return LicenceStatements(rows=pd.DataFrame(columns=[*NEEDED, *OPTIONAL], dtype="str"), otherwise=otherwise)
    sheet = read_sheet(file, "a CSV of licences", REMEDY)
    sheet = replace(sheet, rows=sheet.rows.rename(columns=_column))
    sheet.require_columns(NEEDED, (*NEEDED, *OPTIONAL))
    rows = sheet.rows.reindex(columns=[*NEEDED, *OPTIONAL], fill_value="").apply(lambda column: column.str.strip())
    given = (rows["path"].replace("", "no path") + " for " + rows["licence"]).str.strip()
    rows["path"] = rows["path"].str.removeprefix("./").str.rstrip("/")
    anything = "a path, an address or a pattern (`*` for every deck)"
    sheet.require_rows(~rows["path"].isin(["", "."]), anything, given)
    sheet.require_rows(rows["licence"] != "", "a licence, or `none stated`", "none for " + rows["path"])
    sheet.require_rows(~rows["path"].duplicated(), "each path once", rows["path"] + " again")
    sheet.require_rows(rows["link"].str.contains(LINK) | (rows["link"] == ""), "an address as https://…", rows["link"])
    return LicenceStatements(rows=rows, otherwise=otherwise, file=file)


def is_sheet(file: Path) -> bool:
    """Whether a file is called `licences.csv` and begins as a CSV of licences: it is no deck."""
    if file.name.casefold() not in ("licences.csv", "licenses.csv"):
        return False
    with file.open("rb") as content:
        beginning = content.read(1_000).decode("utf-8-sig", "replace")
    return set(NEEDED) <= {*map(_column, read_header(beginning))}


def _column(header: str) -> str:
    """The name of the column with this header, which may be written `license` as well."""
    return "licence" if header == "license" else header


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
        [own + member for own in _call(paths[name], name) for member in dict.fromkeys((_member(set_id), ""))]
        for name, set_id in found[["name", "set_id"]].itertuples(index=False)
    ]
    grouped = found.assign(names=pd.Series(named, found.index, dtype=object)).groupby(["url", "set_id"], sort=True)
    return grouped.agg({"names": "sum", "licence_note": "last"}).reset_index()


def as_decks(files: Mapping[Path, str]) -> pd.DataFrame:
    """The files as decks that have not been read: columns set_id, names."""
    return pd.DataFrame({"set_id": [*files.values()], "names": [list(_call(*file)) for file in files.items()]})


def _call(path: Path, name: str) -> Iterator[str]:
    yield name
    if "/" in name:
        yield name.partition("/")[2]
    yield path.as_posix()
    if path.is_relative_to(Path.cwd()):
        yield path.relative_to(Path.cwd()).as_posix()


def _member(set_id: str) -> str:
    _, mark, member = set_id.partition("!")
    return mark + member


def match(decks: pd.DataFrame, rows: pd.DataFrame) -> "pd.Series[int]":
    """The line of the row that counts for each deck; null where none does.

    A path means what has that name, everything below a folder of that name, and, with `*`, `?` or `[…]`, whatever fits
    (`*` also fits `/`). The exact name counts first, then the longest path.
    """
    lines = {str(path): int(line) for line, path in zip(rows.index, rows["path"], strict=True)}
    patterns = {
        path: re.compile(fnmatch.translate(path)).match for path in lines if not {"*", "?", "["}.isdisjoint(path)
    }
    found: list[int | None] = [lines.get(_choose(names, lines, patterns)) for names in decks["names"]]
    return pd.Series(found, index=decks.index, dtype="Int64")


def _choose(names: Sequence[str], lines: Mapping[str, int], patterns: Mapping[str, Callable[[str], object]]) -> str:
    """The path that counts for a deck of these names; empty where none does."""
    exact = [name for name in names if name in lines]
    if exact:
        return exact[0]
    folders = [above for name in names for above in _folders(name) if above in lines]
    fitting = [path for path, fits in patterns.items() if any(map(fits, names))]
    return max([*folders, *fitting], key=lambda path: (len(path), path), default="")


def _folders(name: str) -> Iterator[str]:
    """The folders above a name, and the archive that it lies in."""
    for place in re.finditer("[/!]", name):
        yield name[: place.start()]


@dataclass(frozen=True, kw_only=True)
class StatementAccount:
    """What became of a run's statements."""

    lines: tuple[str, ...]
    """For the screen."""
    faults: tuple[str, ...]
    """What needs a look."""


def check(
    decks: pd.DataFrame, statements: LicenceStatements, files: Mapping[Path, str] | None = None
) -> StatementAccount:
    """The rows that mean none of the decks (columns set_id, names), and the decks without a row.

    A row that means one of the `files` from which no deck was read is right: why it was not is another finding.
    """
    if statements.file is None:
        return StatementAccount(lines=(), faults=())
    matched = match(decks, statements.rows)
    others = match(as_decks(files or {}), statements.rows)
    idle = statements.rows.loc[~statements.rows.index.isin({*matched.dropna(), *others.dropna()}), "path"]
    rows = [f"  {statements.file} line {line}: no deck is {path!r}" for line, path in idle.items()]
    return StatementAccount(
        lines=(
            *rows[:MAX_SHOWN_ROWS],
            *_more(len(rows) - MAX_SHOWN_ROWS, "rows"),
            *_name_decks(decks[matched.isna()], "without a row"),
        ),
        faults=(f"{quantity(len(idle), 'row')} of {statements.file.name} without a deck",) if len(idle) else (),
    )


def record(
    store: Store,
    source: str,
    decks: pd.DataFrame,
    statements: LicenceStatements,
    files: Mapping[Path, str] | None = None,
) -> StatementAccount:
    """Append to `licences` what is new about the decks (columns url, set_id, names), and say what became of it.

    Decks from files also have the column licence_note, and what they state themselves is offered as rows to write.
    `files`: those that the decks were looked for in, as in `check`.
    """
    stated = _state(decks, statements).assign(source=source)
    earlier = store.read(Licences, source=source)
    latest = earlier.sort_values("at").drop_duplicates(DECK, keep="last")
    new = stated[~_keys(stated, [*DECK, *STATED]).isin(_keys(latest, [*DECK, *STATED]))]
    if len(new):
        counts = {"rows_in": len(decks), "rows_out": len(new)}
        file = {} if statements.file is None else {statements.file.name: file_digest(statements.file)}
        manifest = Manifest(stage=f"crawler.{source}", inputs=file, counts=counts)
        store.append(Licences, new.assign(at=next_instant(earlier["at"])), manifest)
    checked = check(decks, statements, files)
    lines = [*_count(stated, len(new)), *checked.lines]
    known = _keys(pd.concat([latest, stated]), ["url", "set_id"])
    unknown = decks[~_keys(decks, ["url", "set_id"]).isin(known)]
    if statements.file is None and files is not None:
        lines += _name_decks(unknown, "without a licence (state them with -a licences=FILE)")
    if source == "files":
        lines += _offer(unknown[unknown["licence_note"] != ""])
    return StatementAccount(lines=tuple(lines), faults=checked.faults)


def _offer(decks: pd.DataFrame) -> Iterator[str]:
    """The rows to write where decks (with the column licence_note) state their licence themselves."""
    for names, note in decks[["names", "licence_note"]].head(MAX_SHOWN_ROWS).itertuples(index=False):
        yield f"  {names[0]} says «{note}»; if so, write into a CSV for -a licences: {row_for(names[0], note)}"
    yield from _more(len(decks) - MAX_SHOWN_ROWS, "that say their licence")


def row_for(path: str, statement: str) -> str:
    """The row of a CSV of licences for a statement, with the licence's usual name where it is a well-known one."""
    known = licences.find(statement)
    row = StringIO()
    csv.writer(row).writerow([path, licences.name(known) if known else statement])
    return row.getvalue().rstrip()


def _state(decks: pd.DataFrame, statements: LicenceStatements) -> pd.DataFrame:
    """What is stated: url, set_id and STATED, one row per deck that something is stated about."""
    lines = match(decks, statements.rows).fillna(0).astype(int)
    rows = statements.rows.reindex(lines).set_index(lines.index)
    rows["licence"] = rows["licence"].fillna(statements.otherwise)
    found = decks[["url", "set_id"]].join(rows[STATED])
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
