"""scrapy crawl files: decks from disk, once each."""

import gzip

import pytest

from crawler.commands.arguments import FilesArguments, read_manner
from crawler.commands.crawl import Command
from crawler.formats.files import find_files
from data.console import run
from data.errors import InputError
from data.store import Store
from data.tables.definitions import Cards
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
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "store").exists()


def test_a_single_file_that_is_no_deck_is_bad_input_and_leaves_nothing(tmp_path, capsys):
    (tmp_path / "deck.apkg").write_text("not a zip")
    arguments = ["--path", str(tmp_path / "deck.apkg"), "--terms", "any", "--store", str(tmp_path / "store")]
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 2
    assert "expected a deck in a known format, found named like an Anki package" in capsys.readouterr().err
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
    again = crawl("files", "-a", f"path={folder}", "-a", "terms=any", "-a", "licence=CC BY 4.0", store=store)
    assert "2 new in" in again.stdout
    assert cards(store)["licence_note"].value_counts().to_dict() == {"CC BY 4.0": 2}
    assert cards(store).shape[0] == 6
    assert Store(store).version(Cards) == 1


def test_a_preview_shows_how_files_are_read_and_writes_nothing(folder, tmp_path, capsys):
    arguments = ["--path", str(folder), "--preview", "yes", "--store", str(tmp_path / "store")]
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 0
    told = capsys.readouterr().out
    assert "tab, front in column 1, back in column 2, no header: 6 cards of 3 files, such as decks/a.tsv" in told
    assert "«hash table» -> «maps keys to values»" in told
    assert not (tmp_path / "store").exists()


def test_what_the_operator_says_about_columns_and_licence_counts():
    arguments = FilesArguments(path="", columns="2,3", separator="semicolon", licence="CC BY 4.0")
    text = b"7;hash table;maps keys to values\n8;stack;last in, first out\n"
    (deck,) = read_manner(arguments).read("deck.txt", text).decks
    assert [(card.front, card.back) for card in deck.cards] == [
        ("hash table", "maps keys to values"),
        ("stack", "last in, first out"),
    ]
    assert deck.licence_note == "CC BY 4.0"


def test_a_layout_that_cannot_be_is_bad_input(folder, tmp_path, capsys):
    arguments = ["--path", str(folder), "--columns", "1", "--store", str(tmp_path / "store")]
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 2
    assert "found two columns, such as 1,2, not '1'; see --help" in capsys.readouterr().err
