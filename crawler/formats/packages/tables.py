"""SQLite decks: an Anki collection outside its package, or tables with two columns named like the sides of a card."""

import sqlite3
from collections.abc import Sequence

from crawler.cards.advice import OfferedRow
from crawler.cards.outcome import Card, Deck, Fields, Finding, Outcome, gather
from crawler.formats.packages.anki import read_collection_file
from crawler.formats.packages.database import DatabaseError, open_database, quoted, real_tables, select_texts
from crawler.formats.sides.cards import card_of, title_of
from crawler.formats.sides.columns import offer_fields
from crawler.formats.sides.headers import Named, find_sides

_COLLECTION = frozenset({"notes", "col", "cards"})


def read_database(name: str, content: bytes, named: Named = ()) -> Outcome:
    """One deck per real table with a column for the front and one for the back, as `named` or as people name them.

    Rows without a front are skipped (`empty_front`), as are those with a value of more than a mebibyte
    (`too_long`). Findings: `unknown_format` (no such table), `corrupt_deck`.
    """
    try:
        with open_database(content) as database:
            tables = real_tables(database)
            if not _COLLECTION.issubset(tables):
                return _read_tables(name, database, tables, named)
    except DatabaseError as error:
        return Outcome(findings=(Finding(kind="corrupt_deck", detail=f"{name}: {error}"),))
    return read_collection_file(name, content, named)


def _read_tables(name: str, database: sqlite3.Connection, tables: list[str], named: Named) -> Outcome:
    sides = {table: columns for table in tables if (columns := _find_columns(database, table, named))}
    if not sides:
        detail = f"{name}: SQLite, but no table has columns named like the sides of a card"
        offers = (_offer(name, database, table) for table in tables)
        return Outcome(findings=(Finding(kind="unknown_format", detail=detail, offers=next(filter(None, offers), ())),))
    decks: list[Deck] = []
    skipped: list[tuple[str, str]] = []
    for table, columns in sides.items():
        fields = Fields(front=columns[0], back=columns[1])
        rows = enumerate(select_texts(database, table, columns), 1)
        cards, others = gather((f"{table} row {number}", _card(row, fields)) for number, row in rows)
        set_id, title = (f"{name}!{table}", table) if len(sides) > 1 else (name, title_of(name))
        decks.append(Deck(set_id=set_id, title=title, cards=cards))
        skipped.extend(others)
    return Outcome(decks=tuple(decks), skipped=tuple(skipped))


def _offer(name: str, database: sqlite3.Connection, table: str) -> tuple[OfferedRow, ...]:
    """The row that names two columns of a table; none where it has no two with texts."""
    names = [str(row[1]) for row in database.execute(f"PRAGMA table_info({quoted(table)})")]
    columns = [*zip(*select_texts(database, table, names), strict=True)] if names else []
    return offer_fields(name, names, [[text or "" for text in texts] for texts in columns])


def _card(row: Sequence[str | None], fields: Fields) -> Card | str:
    front, back = row
    return "too_long" if front is None or back is None else card_of(front, back, fields=fields)


def _find_columns(database: sqlite3.Connection, table: str, named: Named) -> tuple[str, str] | None:
    """The names of the columns of front and back; None where there are none."""
    names = [str(row[1]) for row in database.execute(f"PRAGMA table_info({quoted(table)})")]
    sides = find_sides(names, named)
    return (names[sides[0]], names[sides[1]]) if sides else None
