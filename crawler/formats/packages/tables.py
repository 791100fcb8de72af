"""SQLite decks: an Anki collection outside its package, or tables with two columns named like the sides of a card."""

from dataclasses import replace
from itertools import chain

from crawler.cards.outcome import Finding, Outcome
from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.packages.anki import read_collection_file
from crawler.formats.packages.database import DatabaseError, open_database, read_table, real_tables
from crawler.formats.sides.columns import offer_fields
from crawler.formats.texts.records import find_records, first_texts, read_records

_COLLECTION = frozenset({"notes", "col", "cards"})


def read_database(name: str, content: bytes, choice: LayoutFlags) -> Outcome:
    """One deck per real table whose rows are records with a front and a back, by `records.read_records`.

    Findings: its, `unknown_format` (no such table), `corrupt_deck`.
    """
    try:
        with open_database(content) as database:
            tables = real_tables(database)
            is_collection = _COLLECTION.issubset(tables)
            rows = {} if is_collection else {table: list(read_table(database, table)) for table in tables}
    except DatabaseError as error:
        return Outcome(findings=(Finding(kind="corrupt_deck", detail=f"{name}: {error}"),))
    if is_collection:
        return read_collection_file(name, content, choice.fields)
    found = [(table, one) for table, some in rows.items() for one in find_records(some, choice.fields)]
    if not found:
        detail = f"{name}: SQLite, but no table has columns named like the sides of a card"
        offers = offer_fields(name, *first_texts(list(chain(*rows.values()))))
        return Outcome(findings=(Finding(kind="unknown_format", detail=detail, offers=offers),))
    about = [{"id": table, "title": table} if len(found) > 1 else {} for table, _ in found]
    records = [replace(one, about=said) for (_, one), said in zip(found, about, strict=True)]
    return read_records(name, records, choice)
