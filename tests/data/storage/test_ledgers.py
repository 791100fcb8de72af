"""A ledger from elsewhere is checked before anything is read from it or asked for it."""

import sqlite3
from contextlib import closing

import pytest

from data.console.errors import InputError
from data.storage import ledgers


def made(path, *statements):
    with closing(sqlite3.connect(path)) as ledger:
        ledger.execute("CREATE TABLE pages (kind TEXT, key TEXT)")
        for statement in statements:
            ledger.execute(statement)
        ledger.commit()
    return path


def test_pages_on_one_site_and_files_are_accepted(tmp_path):
    pages = "INSERT INTO pages VALUES ('set', '/1/'), ('search', '/search?query=a//b'), ('file', 'c0ffee')"
    ledgers.check(made(tmp_path / "a.sqlite", pages), "a.sqlite")


@pytest.mark.parametrize("key", ["2/1/", ".evil.example/1/", "@evil.example/", "//evil.example/", "/\\evil", "", ":8/"])
def test_a_page_off_the_site_is_refused(tmp_path, key):
    path = made(tmp_path / "a.sqlite", f"INSERT INTO pages VALUES ('set', '/1/'), ('set', '{key}')")
    with pytest.raises(InputError, match="expected the ledger of a crawl, found a page"):
        ledgers.check(path, "a.sqlite")


@pytest.mark.parametrize(
    "statement",
    ["CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END"],
)
def test_a_ledger_with_code_of_its_own_is_refused(tmp_path, statement):
    with pytest.raises(InputError, match="views or triggers"):
        ledgers.check(made(tmp_path / "a.sqlite", statement), "a.sqlite")


@pytest.mark.parametrize("content", [b"not sqlite", b"SQLite format 3\0" + bytes(90)])
def test_what_is_no_database_is_refused(tmp_path, content):
    (tmp_path / "a.sqlite").write_bytes(content)
    with pytest.raises(InputError, match="expected the ledger of a crawl"):
        ledgers.check(tmp_path / "a.sqlite", "a.sqlite")
