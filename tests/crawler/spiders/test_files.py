"""scrapy crawl files: decks from disk, once each."""

import gzip
import json

import pandas as pd
import pytest

from crawler.cards.advice import WHERE_ROWS_GO
from crawler.commands.crawl import Command
from crawler.terms.lists import read_terms
from data.console.commands import run
from data.console.errors import InputError
from data.contract.tables.definitions import Cards, Licences
from data.contract.tables.removals import Rejects
from data.files.folders import find_files
from data.guidance.commands.rejects import Arguments as ListRejects
from data.guidance.commands.rejects import main as list_rejects
from data.recorded.cards import latest_cards
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.crawler.tools.anki_files import BASIC, legacy_2, package  # noqa: F401
from tests.crawler.tools.crawling import cards, crawl, rejects, sets
from tests.crawler.tools.decks import sheet_of

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "decks"
    (root / "more" / ".hidden").mkdir(parents=True)
    (root / "a.tsv").write_text("hash table\tmaps keys to values\nstack\tlast in, first out\n")
    (root / "more" / "b.tsv.gz").write_bytes(
        gzip.compress(b"hash table\tan array and a hash function\nqueue\tfirst in, first out\n")
    )
    (root / "more" / "copy of a.tsv").write_bytes((root / "a.tsv").read_bytes())
    (root / "picture.png").write_bytes(PICTURE)
    (root / "more" / ".hidden" / "c.tsv").write_text("hash table\thidden\n")
    return root


def test_a_folder_a_file_and_a_pattern_name_their_files_alike(folder, monkeypatch):
    expected = {"decks/a.tsv", "decks/more/b.tsv.gz", "decks/more/copy of a.tsv", "decks/picture.png"}
    assert set(find_files(str(folder)).values()) == expected
    monkeypatch.chdir(folder)
    assert set(find_files(".").values()) == expected
    assert list(find_files("a.tsv").values()) == ["decks/a.tsv"]
    assert sorted(find_files("**/*.tsv*").values()) == ["decks/a.tsv", "more/b.tsv.gz", "more/copy of a.tsv"]


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


@pytest.mark.sweep
def test_files_become_cards_once(folder, tmp_path):
    store = tmp_path / "store"
    done = crawl("files", "-a", f"path={folder}", "-a", "terms=any", store=store)
    assert done.returncode == 1, done.stderr
    assert "unknown_format" in done.stderr
    assert "  1 file not read: decks/picture.png\n" in done.stdout
    dropped = Store(store).read(Rejects, part="files").set_index("reason")["stage"].to_dict()
    assert dropped == {"unknown_format": "crawler.decks"}
    table = cards(store)
    assert sorted(table["term"]) == ["hash table", "hash table", "queue", "stack"]
    assert set(table["url"]) == {"file:decks/a.tsv", "file:decks/more/b.tsv.gz"} or len(set(table["url"])) == 2
    assert rejects(store, "files") == {"unknown_format": 1}
    assert table["licence_note"].isna().all()
    assert str(tmp_path) not in table.to_csv()

    (folder / "picture.png").unlink()
    (folder / "more" / "new.tsv").write_text("hash table\ta new wording of it\nstack\tlast in, first out\n")
    again = crawl("files", "-a", f"path={folder}", "-a", "terms=any", store=store)
    assert "2 new in" in again.stdout
    assert cards(store).shape[0] == 6
    assert Store(store).version(Cards) == 1


@pytest.mark.sweep
def test_a_file_read_again_replaces_what_it_gave_whatever_it_is_called(folder, tmp_path):
    store, file = tmp_path / "store", folder / "more" / "b.tsv.gz"
    (folder / "picture.png").unlink()
    crawl("files", "-a", f"path={folder}", "-a", "terms=any", store=store)
    file.write_bytes(gzip.compress(b"queue\tpeople who wait\nheap\ta tree in order\n"))
    again = crawl("files", "-a", f"path={file}", "-a", "terms=any", store=store)
    assert "4 cards in" in again.stdout
    assert again.returncode == 0, again.stderr
    now = latest_cards(Store(store).read(Cards))
    assert sorted(now["back"]) == ["a tree in order", "last in, first out", "maps keys to values", "people who wait"]
    assert set(now["url"]) <= {f"file:decks/{name}" for name in ("a.tsv", "more/b.tsv.gz", "more/copy%20of%20a.tsv")}


@pytest.mark.sweep
def test_the_rows_that_a_run_shows_end_its_findings(folder, tmp_path):
    store, here = tmp_path / "store", ["files", "-a", f"path={folder}", "-a", "terms=any"]
    (folder / "cells.tsv").write_text(
        "nr\tkurz\tlang\tmehr\n" + "".join(f"{n}\ta {n}\tb b {n}\tc c {n}\n" for n in range(9))
    )
    first = crawl(*here, store=store)
    assert first.returncode == 1
    rows = [part for line in first.stdout.splitlines() if "; row: " in line for part in line.split("`")[1::2]]
    assert rows == [*(f'decks/cells.tsv,,,,,,,"kurz,{back}"' for back in ("lang", "mehr")), "decks/picture.png,,,,,yes"]
    second = crawl(*here, "-a", f"decks={sheet_of(tmp_path, rows[0], rows[2])}", store=store)
    assert second.returncode == 0, second.stderr
    assert "1 file left out by the sheet of decks: decks/picture.png" in second.stdout
    assert rejects(store, "files") == {}


def test_a_preview_shows_how_files_are_read_and_writes_nothing(folder, tmp_path, capsys):
    arguments = ["--path", str(folder), "--preview", "yes", "--store", str(tmp_path / "store")]
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 1
    shown = capsys.readouterr()
    way = "tab, front in column 1, back in column 2, no header: 2 cards"
    refusal = f"no text in UTF-8, UTF-16 or Windows-1252, and of no known kind; begins with {PICTURE[:16]!r}"
    assert shown.out.splitlines() == [
        "decks/more/copy of a.tsv: the same as decks/a.tsv, byte for byte; its cards count once",
        f"decks/a.tsv: {way}: «hash table» -> «maps keys to values»",
        f"decks/more/b.tsv.gz: {way}: «hash table» -> «an array and a hash function»",
        f"decks/more/copy of a.tsv: {way}: «hash table» -> «maps keys to values»",
        f"unknown_format: decks/picture.png: {refusal}",
        "  none reads it; convert it to a table with a column for names and one for texts, or "
        "`decks/picture.png,,,,,yes` leaves it out",
        "6 cards in 3 of 4 files; nothing was stored",
        WHERE_ROWS_GO,
    ]
    assert shown.err == "findings: 1, listed above; 1 file cannot be read\n"
    assert not (tmp_path / "store").exists()


def test_a_preview_shows_a_card_per_note_type_and_what_was_dropped(bones, capsys):
    arguments = ["--path", str(bones), "--preview", "yes"]
    assert run(Command().main_of("files"), prog="scrapy crawl files", args=arguments) == 1
    doubt = f"blank_side: {bones.parent.name}/bones.json: note type Bones: its front, Place, is blank on 12 of 12 notes"
    counts, name = "Place 0, Bone 12, Task 12", f"{bones.parent.name}/bones.json"
    assert capsys.readouterr().out.splitlines() == [
        f"{bones.parent.name}/bones.json: note type Bones, front Place, back Bone: 12 cards: «» -> «bone 0»",
        f"{bones.parent.name}/bones.json: note type Basic, front Front, back Back: 1 card: «stack» -> «a pile»",
        "  not read: Task",
        "  1 skipped: cloze",
        "  1 control character dropped",
        f"  {doubt}; different texts in its fields: {counts}",
        f'    `{name},,,,,,,"Bone,Task"` reads others',
        "13 cards in 1 of 1 file; nothing was stored",
        WHERE_ROWS_GO,
    ]


def test_the_operator_names_the_fields(bones, tmp_path, capsys):
    path = ["--path", str(bones), "--preview", "yes", "--decks"]
    sheet = sheet_of(tmp_path, 'bones.json,,,,,,,"bone, Task"')
    assert run(Command().main_of("files"), prog="scrapy", args=[*path, str(sheet)]) == 0
    assert "note type Bones, front Bone, back Task: 12 cards: «bone 0» -> «task 0»" in capsys.readouterr().out
    for fields, fault in (
        ("Bone", "line 2: expected under fields two fields, such as Question,Answer, found 'Bone'"),
        ('"Bone,Joy"', "line 2: expected fields of bones.json: some of back, bone, front, place, found Bone,Joy"),
    ):
        sheet_of(tmp_path, f"bones.json,,,,,,,{fields}")
        assert run(Command().main_of("files"), prog="scrapy", args=[*path, str(sheet)]) == 2
        assert fault in capsys.readouterr().err


@pytest.mark.sweep
def test_findings_are_kept_shortened_and_listed_and_fields_repair_what_was_read(bones, tmp_path, capsys):
    store = tmp_path / "store"
    for number in range(5):
        (tmp_path / "more" / f"{number}.png").parent.mkdir(exist_ok=True)
        (tmp_path / "more" / f"{number}.png").write_bytes(PICTURE + bytes([number]))
    bones.rename(tmp_path / "more" / "bones.json")
    files = ("files", "-a", f"path={tmp_path / 'more'}", "-a", "terms=any")
    done = crawl(*files, store=store)
    assert done.returncode == 1
    assert "1 control character dropped, in 1 of 1 page" in done.stdout
    command = f"python -m data rejects crawler.decks.files --store {store}"
    assert f"unknown_format: 2 more; all: {command} --reason unknown_format" in done.stdout
    list_rejects(ListRejects(stage="crawler.decks.files", reason="unknown_format", store=store))
    listed = capsys.readouterr().out.splitlines()
    assert [line.partition(" (")[0] for line in listed[:-1]] == [f"unknown_format: file:more/{n}.png" for n in range(5)]
    assert listed[-1] == "5 rejects"
    assert rejects(store, "files")["blank_side"] == 1
    assert rejects(store, "files")["empty_front"] == 12

    sheet = sheet_of(tmp_path, 'bones.json,,,,,,,"Bone,Task"')
    corrected = crawl(*files, "-a", f"decks={sheet}", store=store)
    assert "blank_side" not in corrected.stdout
    assert sets(store)["more/bones.json"][0] == ("bone 0", "task 0")


@pytest.mark.parametrize(("stage", "reason", "found"), [("nothing", None, "'nothing'"), ("crawler.files", "x", "'x'")])
def test_a_stage_or_reason_without_rejects_is_bad_input(folder, tmp_path, stage, reason, found):
    store = Store(tmp_path / "store")
    rows = pd.DataFrame({"id": ["a"], "reason": "cloze", "detail": None})
    store.reject("crawler", rows, Manifest(stage="crawler.files"), part="files")
    with pytest.raises(InputError, match=f"found {found}; choose one of them"):
        list_rejects(ListRejects(stage=stage, reason=reason, store=store.root))


@pytest.fixture
def bones(tmp_path):
    """A deck of which one kind of notes shows a blank field first."""
    kinds = {
        "Bones": (("Place", "Bone", "Task"), "{{Place}}", "{{Bone}}"),
        "Basic": (("Front", "Back"), "{{Front}}", "{{Back}}"),
        "Cloze": (("Text", "Extra"), "{{cloze:Text}}", "{{cloze:Text}}"),
    }
    models = [
        {
            "crowdanki_uuid": kind,
            "name": kind,
            "flds": [{"name": field, "ord": place} for place, field in enumerate(fields)],
            "tmpls": [{"ord": 0, "qfmt": question, "afmt": answer}],
        }
        for kind, (fields, question, answer) in kinds.items()
    ]
    notes = [("Bones", "", f"bone {at}", f"task {at}") for at in range(12)]
    notes += [("Basic", "st\x1fack", "a pile"), ("Cloze", "{{c1::a}}", "")]
    rows = [{"guid": f"g{at}", "note_model_uuid": kind, "fields": fields} for at, (kind, *fields) in enumerate(notes)]
    path = tmp_path / "bones.json"
    deck = {"__type__": "Deck", "name": "Bones", "note_models": models, "notes": rows}
    path.write_text(json.dumps(deck), encoding="utf-8")
    return path


@pytest.mark.sweep
def test_licences_given_later_reach_the_decks_without_reading_them_again(folder, tmp_path):
    store, sheet = tmp_path / "store", folder / "licences.csv"
    (folder / "picture.png").unlink()
    here = ["files", "-a", f"path={folder}", "-a", "terms=any"]
    assert "2 decks without a licence (state them with -a decks=FILE): decks/" in crawl(*here, store=store).stdout
    before = Store(store).read(Cards)

    again = crawl(*here, "-a", f"decks={sheet_of(tmp_path, '*,cc-by-4.0')}", store=store)
    assert again.returncode == 0, again.stderr
    assert "licences of 2 decks stated, 2 of them new or changed\n  2 decks: CC BY 4.0\n" in again.stdout
    assert "0 new in" in again.stdout

    sheet.write_text("path,licence,credit\nmore/,CC BY-SA 4.0,A. Author\nb.tsv,MIT,\n")
    unused = crawl(*here, store=store)
    assert f"decks/licences.csv is no deck, and nothing that it says of decks is used: give -a decks={sheet}" in (
        unused.stdout
    )
    third = crawl(*here, "-a", f"decks={sheet}", store=store)
    assert third.returncode == 1
    assert "line 3: no deck is 'b.tsv'" in third.stdout
    assert "1 row of licences.csv without a deck" in third.stderr

    rows = Store(store).read(Licences).sort_values("at")
    assert rows.groupby("set_id")["licence"].agg(list).map(len).tolist() in ([1, 2], [2, 2])
    assert rows.loc[rows["credit"].notna(), "licence"].unique().tolist() == ["CC BY-SA 4.0"]
    assert Store(store).read(Cards).equals(before)
    assert set(before["url"]).isdisjoint({"file:decks/licences.csv"})


@pytest.mark.sweep
def test_licences_that_decks_state_are_offered_as_rows_to_write(tmp_path):
    folder, store = tmp_path / "decks", tmp_path / "store"
    folder.mkdir()
    deck = {"license": "Creative Commons Attribution 4.0", "cards": [{"front": "stack", "back": "a pile"}]}
    (folder / "a.json").write_text(json.dumps(deck))
    (folder / "b.tsv").write_text("queue\ta row of things\nheap\ta tree in order\n")
    (folder / "LICENSE").write_text("MIT License\n\nCopyright")
    here = ["files", "-a", f"path={folder}", "-a", "terms=any"]
    first = crawl(*here, store=store)
    assert first.returncode == 0, first.stderr
    rows = [line.rpartition(": ")[2] for line in first.stdout.splitlines() if "-a decks" in line and " is " in line]
    rows += [line.rpartition(": ")[2] for line in first.stdout.splitlines() if "if so, write" in line]
    assert rows == ["decks,MIT", "decks/a.json,CC BY 4.0"]
    (tmp_path / "l.csv").write_text("\n".join(["path,licence", *rows]))
    second = crawl(*here, "-a", f"decks={tmp_path / 'l.csv'}", store=store)
    assert "if so, write" not in second.stdout
    stated = Store(store).read(Licences).set_index("set_id")["licence"].to_dict()
    assert stated == {"decks/a.json": "CC BY 4.0", "decks/b.tsv": "MIT"}


def test_a_preview_checks_the_licences_and_a_wrong_csv_is_bad_input(folder, tmp_path, capsys):
    sheet, store = tmp_path / "l.csv", tmp_path / "store"
    arguments = ["--path", str(folder), "--store", str(store), "--decks", str(sheet)]
    sheet.write_text("path,licence\na.tsv,MIT\nc.tsv,MIT\n")
    assert run(Command().main_of("files"), prog="crawl", args=[*arguments, "--preview", "yes"]) == 1
    out = capsys.readouterr().out
    assert f"{sheet} line 3: no deck is 'c.tsv'" in out
    assert "3 decks without a licence in a row: decks/more/b.tsv.gz, decks/more/copy of a.tsv, decks/picture.png" in out
    sheet.write_text("path,rights\na.tsv,MIT\n")
    assert run(Command().main_of("files"), prog="crawl", args=arguments) == 2
    assert "l.csv: expected the columns path and none but path, licence" in capsys.readouterr().err
    assert not store.exists()


def test_cards_mostly_in_another_language_are_a_finding_where_no_one_chose_one(tmp_path, capsys):
    german = "baum\tein Graph ohne Kreise, in dem jeder Knoten erreicht wird\n"
    german += "kante\teine Linie, die zwei Knoten eines Graphen miteinander verbindet\n"
    (tmp_path / "graphen.tsv").write_text(german + "tree\ta graph without cycles in which each node is reached\n")
    path, store = tmp_path / "graphen.tsv", tmp_path / "store"
    share, remedy = "67% of the {} are not in English, most of these in German: {}", "-a language=de, or with -a "
    preview = ["--path", str(path), "--terms", "any", "--store", str(store), "--preview", "yes"]
    assert run(Command().main_of("files"), prog="scrapy", args=preview) == 1
    assert share.format("cards", f"read them with {remedy}language=en if that is meant") in capsys.readouterr().err
    for code in ("en", "de"):
        assert run(Command().main_of("files"), prog="scrapy", args=[*preview, "--language", code]) == 0
    done = crawl("files", "-a", f"path={path}", "-a", "terms=any", store=store)
    assert done.returncode == 1
    assert share.format("kept cards", f"read them into another --store with {remedy}") in done.stderr
    assert [read_terms(Store(store), "any", code).language_is_chosen for code in ("en", None)] == [True, False]
