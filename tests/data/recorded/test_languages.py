"""The language that stages record and follow."""

from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import InputError
from data.contract.tables.definitions import Cards, Definitions, Terms
from data.recorded.languages import followed, recorded
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH


def write_terms(store: Store, code: str | None) -> None:
    rows = pd.DataFrame({"term": ["haut"], "canonical": ["haut"], "variants": [["haut"]]})
    store.replace(Terms, rows.reindex(columns=Terms.arrow_schema().names), Manifest(stage="test", language=code))


def test_nothing_is_english(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert recorded(store, Terms) is None
    assert followed(store, Terms, Cards) is ENGLISH


def test_the_first_table_is_followed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    write_terms(store, "de")
    assert followed(store, Definitions, Terms, Cards).code == "de"
    assert followed(store, Terms, chosen="de").code == "de"


def test_another_language_than_the_table_s_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    write_terms(store, "de")
    with pytest.raises(InputError, match=r"^language: expected de, the language of .*terms, found en; "):
        followed(store, Terms, chosen="en")


def test_a_table_of_a_release_without_languages_is_english(tmp_path: Path) -> None:
    store = Store(tmp_path)
    write_terms(store, None)
    assert recorded(store, Terms) is ENGLISH


def test_an_erasure_leaves_the_language(tmp_path: Path) -> None:
    store = Store(tmp_path)
    write_terms(store, "de")
    store.erase(Terms, lambda rows: rows.iloc[:0], "test")
    assert recorded(store, Terms) is language("de")
