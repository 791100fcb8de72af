"""A text taken down: gone from every table, its past versions and the ledgers, for ever; pay for its ratings stays."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd

from data.contract.base import Table
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Answers, Assignments, Documents, Ratings, SimulatedTruth
from data.contract.tables.definitions import Cards, Definitions, Sightings
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.labels import Inconsistencies, Labels, Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Gold
from data.contract.tables.removals import Rejects, Tombstones
from data.contract.tables.shown import Shown
from data.contract.vocabulary import CARD, SOURCE, TEXT
from data.provenance import paid_work as worked
from data.provenance.removal import Removal, is_removed
from data.provenance.tombstones import holds, text_digest
from data.storage import kept_overlap
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant

STAGE = "data.takedown"
PAIRED = (
    Labels, Splits, Inconsistencies, Predictions, SimulatedTruth, Gold, Shown, PairMeasures, Attacks,
)  # fmt: skip
"""Tables with one row per pair."""

WITHOUT_TEXTS = (Ratings, Answers, Assignments, *PAIRED, Rejects)
MADE_TEXTS = (Pairs, GeneratedTexts, Attempts, Prompts)
BEFORE_DOCUMENTS = (*WITHOUT_TEXTS, *MADE_TEXTS, Sentences, Definitions)
AFTER_DOCUMENTS = (Sightings, Cards)
ALL_WITH_TEXTS = (*BEFORE_DOCUMENTS, Documents, *AFTER_DOCUMENTS)
"""Tables that texts are removed from, in this order: each comes before the one that its rows are found by."""

_END_OF_QUOTE = re.compile(r"”(?=\.| and “|$)")
"""What follows a text among a guide's examples, as written by `annotation pilot settle` and `control plan`."""
BLANK = "“(taken down)”"
TAKEN = "(taken down)"
"""The text in place of a game's attempt: its pay stays owed to the player."""


def take_down(store: Store, removal: Removal, reason: str) -> Iterator[tuple[str, int]]:
    """Remove everything, after writing the tombstones and the cards last; yield each place with its number of rows.

    Run again after an interruption, it completes the work.
    Raises TableError before the first write where one of the tables cannot be read.
    """
    for table in ALL_WITH_TEXTS:
        store.read(table, table.key_columns())
    _mark(store, removal, reason)
    shutil.rmtree(store.shards, ignore_errors=True)
    (store.root / kept_overlap.FILE).unlink(missing_ok=True)
    for path in sorted((store.root / "ledgers").glob("*.sqlite")):
        yield f"ledgers/{path.name}", _scrub(path, removal.texts)
    marked = store.read(Tombstones, ["id", "at"], kind=TEXT)
    worked.note_deleted(store, removal.assignments, marked.loc[marked["id"].isin(removal.texts), "at"].max(), STAGE)
    for table in BEFORE_DOCUMENTS:
        yield table.table_name(), _erase(store, table, removal)
    yield "documents no longer in force", _blank(store, removal.texts)
    for table in AFTER_DOCUMENTS:
        yield table.table_name(), _erase(store, table, removal)


def remove_written(store: Store, removal: Removal) -> Iterator[tuple[str, int]]:
    """Remove what `find_written` found, the texts last; yield each place with its number of rows.

    Leaves no tombstone: another player may write such a text. Run again after an interruption, it completes the work.
    """
    for table in WITHOUT_TEXTS:
        yield table.table_name(), _erase(store, table, removal)
    yield "documents no longer in force", _blank(store, removal.texts)
    for made in MADE_TEXTS:
        yield made.table_name(), _erase(store, made, removal)


def _mark(store: Store, removal: Removal, reason: str) -> None:
    prompts = store.read(Prompts, ["prompt_id"])["prompt_id"]
    sources = removal.sources.union(prompts[prompts.isin(removal.definitions)])
    named = ((TEXT, removal.texts), (CARD, removal.cards), (SOURCE, sources))
    ids = [(kind, id_) for kind, some in named for id_ in sorted(some)]
    at = next_instant(store.read(Tombstones, columns=["at"])["at"])
    rows = pd.DataFrame(ids, columns=["kind", "id"]).assign(study="", reason=reason, at=at)
    if len(rows):
        store.append(Tombstones, rows, Manifest(stage=STAGE, counts={"texts": len(removal.texts)}))


def _erase(store: Store, table: type[Table], removal: Removal) -> int:
    """Erase the rows to remove from a table and its past; return their number. Attempts lose their texts alone."""
    if table is Attempts:
        return _blank_attempts(store, removal)
    return store.erase(table, lambda rows: rows[~is_removed(table, rows, removal)], STAGE)


def _blank_attempts(store: Store, removal: Removal) -> int:
    def find(rows: pd.DataFrame) -> "pd.Series[bool]":
        return is_removed(Attempts, rows, removal) & (rows["text"] != TAKEN)

    n = int(find(store.read(Attempts)).sum())
    store.erase(Attempts, lambda rows: rows.assign(text=rows["text"].where(~find(rows), TAKEN)), STAGE)
    return n


def _scrub(path: Path, texts: frozenset[str]) -> int:
    """Remove the texts from a ledger's cards and from its file's free pages; return the number of cards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as ledger:
        ledger.execute("PRAGMA secure_delete = ON")
        rows = pd.read_sql_query("SELECT rowid AS id, front, back FROM cards", ledger)
        affected = rows.loc[holds(rows, texts), "id"]
        ledger.executemany("DELETE FROM cards WHERE rowid = ?", [(int(row),) for row in affected])
        ledger.execute("VACUUM")
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(affected)


def quoting(store: Store, texts: frozenset[str]) -> pd.DataFrame:
    """The documents that quote one of the texts: rows of the table, and `in_force` (the latest of its campaign)."""
    return _quoting(store.read(Documents), texts)


def _quoting(documents: pd.DataFrame, texts: frozenset[str]) -> pd.DataFrame:
    rows = documents.sort_values("at")
    rows["in_force"] = ~rows.duplicated(["campaign", "kind"], keep="last")
    found = [any(text_digest(quote) in texts for quote in _quotes(text)[1::2]) for text in rows["text"]]
    return rows[pd.Series(found, rows.index, dtype=bool)]


def _quotes(text: str) -> list[str]:
    """The text in pieces, every second of which is a quote without its marks.

    Takes linear time: the rest of a line in which no quote ends is skipped.
    """
    pieces, kept, at = [], 0, 0
    while (start := text.find("“", at)) >= 0:
        line = text.find("\n", start)
        line = len(text) if line < 0 else line
        end = _END_OF_QUOTE.search(text, start + 1, line)
        at = end.end() if end else line
        if end:
            pieces += [text[kept:start], text[start + 1 : end.start()]]
            kept = at
    return [*pieces, text[kept:]]


def _without(text: str, texts: frozenset[str]) -> str:
    """The text with BLANK in place of those quotes."""
    pieces = _quotes(text)
    pieces[1::2] = [BLANK if text_digest(quote) in texts else f"“{quote}”" for quote in pieces[1::2]]
    return "".join(pieces)


def _blank(store: Store, texts: frozenset[str]) -> int:
    """Remove the texts from documents no longer in force, and from the table's past; return the number of documents."""

    def blank(rows: pd.DataFrame) -> pd.DataFrame:
        clean = [_without(text, texts) for text in rows["text"]]
        is_old = rows.index.isin(_quoting(rows, texts).query("not in_force").index)
        return rows.assign(text=rows["text"].where(~is_old, pd.Series(clean, rows.index)))

    n = int((~quoting(store, texts)["in_force"]).sum())
    store.erase(Documents, blank, STAGE)
    return n
