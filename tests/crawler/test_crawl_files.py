"""scrapy crawl files: decks from disk, once each."""

import gzip

import pytest

from crawler.commands.crawl import Command
from crawler.spiders.files import find_files
from data import schemas
from data.console import run
from data.errors import InputError
from data.store import Store
from tests.crawler.anki_files import BASIC, legacy_2, package  # noqa: F401
from tests.crawler.crawling import cards, crawl, rejects


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "decks"
    (root / "more" / ".hidden").mkdir(parents=True)
    (root / "a.tsv").write_text("hash table\tmaps keys to values\nstack\tlast in, first out\n")
    (root / "more" / "b.tsv.gz").write_bytes(
        gzip.compress(b"hash table\tan array and a hash function\nqueue\tfirst in, first out\n")
    )
    (root / "more" / "copy of a.tsv").write_bytes((root / "a.tsv").read_bytes())
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (root / "more" / ".hidden" / "c.tsv").write_text("hash table\thidden\n")
    return root


def test_a_folder_a_file_and_a_pattern_name_their_files_alike(folder, monkeypatch):
    expected = {"decks/a.tsv", "decks/more/b.tsv.gz", "decks/more/copy of a.tsv", "decks/picture.png"}
    assert set(find_files(str(folder)).values()) == expected
    monkeypatch.chdir(folder)
    assert set(find_files(".").values()) == expected
    assert list(find_files("a.tsv").values()) == ["a.tsv"]
    assert sorted(find_files("**/*.tsv*").values()) == ["a.tsv", "b.tsv.gz", "copy of a.tsv"]


@pytest.mark.parametrize("path", ["nowhere", "*.nothing"])
def test_no_file_is_bad_input(tmp_path, monkeypatch, path, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="expected a file, a folder with files, or a pattern, found no file"):
        find_files(path)
    arguments = ["--path", path, "--terms", "any", "--store", str(tmp_path / "store")]
    assert run(Command().files, prog="scrapy crawl files", args=arguments) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "store").exists()


def test_a_single_file_that_is_no_deck_is_bad_input_and_leaves_nothing(tmp_path, capsys):
    (tmp_path / "deck.apkg").write_text("not a zip")
    arguments = ["--path", str(tmp_path / "deck.apkg"), "--terms", "any", "--store", str(tmp_path / "store")]
    assert run(Command().files, prog="scrapy crawl files", args=arguments) == 2
    assert "expected a deck in a format that is known, found named like an Anki package" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


def test_files_become_cards_once(folder, tmp_path):
    store = tmp_path / "store"
    done = crawl("files", "-a", f"path={folder}", "-a", "terms=any", store=store)
    assert done.returncode == 1, done.stderr
    assert "unknown_format" in done.stderr
    table = cards(store)
    assert sorted(table["term"]) == ["hash table", "hash table", "queue", "stack"]
    assert set(table["url"]) == {"file:decks/a.tsv", "file:decks/more/b.tsv.gz"} or len(set(table["url"])) == 2
    assert rejects(store, "crawler.files") == {"unknown_format": 1}
    assert table["licence_note"].isna().all()
    assert str(tmp_path) not in table.to_csv()

    (folder / "picture.png").unlink()
    (folder / "more" / "new.tsv").write_text("hash table\ta new wording of it\nstack\tlast in, first out\n")
    again = crawl("files", "-a", f"path={folder}", "-a", "terms=any", store=store)
    assert "2 new in" in again.stdout
    assert cards(store).shape[0] == 6
    assert Store(store).version(schemas.Cards) == 1
