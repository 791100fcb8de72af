"""The language of a store: chosen once, recorded by every stage, and followed by the later ones."""

from data.console.errors import InputError
from data.contract.base import Table
from data.contract.tables.definitions import Terms
from data.storage.store import Store
from data.texts.languages.base import Language, language
from data.texts.languages.en import ENGLISH

STANDARD = ENGLISH
"""The language where none was chosen, and in the tables of a release that recorded none."""


def recorded(store: Store, table: type[Table]) -> Language | None:
    """The language of the table's rows; None where the table was never written."""
    records = store.history(table)
    codes = (record["language"] for record in records if record.get("language"))
    return language(next(codes, STANDARD.code)) if records else None


def followed(store: Store, *tables: type[Table], chosen: str | None = None) -> Language:
    """The chosen language, by default the language of the first table that exists, or else English.

    Raises InputError where it is unknown or one of the tables has another.
    """
    known = {table: found for table in tables if (found := recorded(store, table))}
    wanted = language(chosen) if chosen else next(iter(known.values()), STANDARD)
    for table, found in known.items():
        if found is not wanted:
            raise InputError(
                "language",
                expected=f"{found.code}, the language of {store.path(table)}",
                found=wanted.code,
                remedy="leave the language out to follow the table, or use another --store",
            )
    return wanted


def with_terms(store: Store, language: Language) -> Language:
    """The language with the headwords by which the store's table of terms merges variants; the same without a table.

    Files and the papers' capitals may name others than the language knows.
    """
    terms = store.read(Terms, columns=["canonical", "variants"]).explode("variants").dropna()
    headwords: dict[str, str] = {}
    alone: dict[str, str] = {}
    for canonical, variant in zip(terms["canonical"], terms["variants"], strict=True):
        pairs = list(zip(variant.split(" "), canonical.split(" "), strict=False))
        (headwords if len(pairs) > 1 else alone).update(pairs)
    return language.with_headwords(headwords, alone)
