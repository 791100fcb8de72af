"""Archives of decks: read in memory, with caps; nothing is extracted."""

import gzip
import io
import tarfile
import zipfile
from dataclasses import replace

import pytest

from crawler.formats import archive
from crawler.formats.layout_flags import DETECT_ALL
from crawler.formats.reading import read
from tests.crawler.tools.anki_files import legacy_1, package
from tests.crawler.tools.decks import TABLE, kinds, note, sides, tar
from tests.workbooks import OLD, workbook

OLD_WORKBOOK = OLD.read_bytes()


@pytest.mark.parametrize("pack", [tar, package, lambda entries: gzip.compress(tar(entries))])
def test_members_are_read_under_their_own_names(pack):
    members = {"CS/one.md": note(), "CS/two.md": note(front="queue"), "CS/Trees/three.md": note(), "t.tsv": TABLE,
               "deep/deck.apkg": legacy_1(), "README": b"hello", "p.png": b"\x89P\0", ".git/x.tsv": TABLE}  # fmt: skip
    outcome = read("a.tar", pack(members))
    decks = {deck.set_id: len(deck.cards) for deck in outcome.decks}
    assert decks == {"a.tar!CS": 2, "a.tar!CS/Trees": 1, "a.tar!t.tsv": 2, "a.tar!deep/deck.apkg": 4}
    assert [card.position for card in outcome.decks[0].cards] == [0, 1]
    assert outcome.decks[0].title == "CS"
    assert not outcome.findings
    assert set(outcome.skipped) == {
        ("deep/deck.apkg!3", "cloze"), ("README", "unknown_format"), ("p.png", "unknown_format"),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["../../etc/deck.tsv", "/etc/deck.tsv", "a/../../deck.tsv", "..\\deck.tsv"])
def test_names_that_lead_out_are_skipped(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for pack in (tar, package):
        outcome = read("a", pack({name: TABLE, "b.tsv": TABLE}))
        assert [deck.set_id for deck in outcome.decks] == ["a!b.tsv"]
        assert tuple(reason for _, reason in outcome.skipped) == ("unsafe_name",)
    assert not list(tmp_path.iterdir())


def test_links_and_devices_in_a_tar_are_no_members():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as opened:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"deck{kind.decode()}.tsv")
            info.type, info.linkname = kind, "/etc/passwd"
            opened.addfile(info)
    assert kinds(read("a.tar", content.getvalue())) == ["unknown_format"]


def test_a_member_that_cannot_be_read_keeps_the_others():
    torn = tar({"a.tsv": TABLE, "b.tsv": TABLE * 100})[:2000]
    outcome = read("a.tar", torn)
    assert (len(sides(outcome)), kinds(outcome)) == (2, ["corrupt_archive"])
    content = bytearray(package({"a.tsv": TABLE, "b.apkg": b"PK\3\4 no package"}))
    assert kinds(read("a.zip", bytes(content))) == ["corrupt_package"]


def test_an_archive_without_decks_and_one_in_too_many_others_are_findings():
    assert kinds(read("a.tar", tar({"p.png": b"\x89PNG\0"}))) == ["unknown_format"]
    nested = TABLE
    for _ in range(3):
        nested = package({"x": nested})
    assert kinds(read("a.zip", nested)) == ["nested_archive"]


def test_an_office_document_is_no_archive_of_decks():
    parts = {"[Content_Types].xml": b"<?xml version='1.0'?><Types/>", "word/document.xml": b"<?xml version='1.0'?><w/>"}
    (finding,) = read("terms.docx", package(parts)).findings
    assert finding.detail == "terms.docx: an Office document; save its table as CSV, or its text as plain text"


def test_each_sheet_of_a_workbook_is_a_deck():
    trees = [["Term", "Definition"], ["oak", "A tree, with acorns."], ["elm", "Another tree."], ["ash", "A third one."]]
    found = read("a.xlsx", workbook(Trees=trees, empty=[], Plants=[*trees[:1], ["ivy", "A plant."], ["fern", "Old."]]))
    assert kinds(found) == []
    assert [deck.set_id for deck in found.decks] == ["a.xlsx!Trees", "a.xlsx!Plants"]
    assert sides(found)[:2] == [("oak", "A tree, with acorns."), ("elm", "Another tree.")]
    for content in (workbook(Trees=trees)[:3000], OLD_WORKBOOK[:512] + OLD_WORKBOOK[600:]):
        assert kinds(read("a.xlsx", content)) == ["corrupt_archive"]


def test_the_columns_of_a_sheet_are_known_and_of_a_text_are_guessed():
    rows = [
        [59, "Oak", "A tree of the beech family.", "Old.", "https://example.org/doi/10.1/214", "A. (2014). Oaks."],
        [312, "Elm", "A tree with rough leaves.", "", "https://example.org/trees/five-appendices/of-terms"],
    ]
    assert sides(read("a.xlsx", workbook(Trees=rows))) == [(row[1], row[2]) for row in rows]


def test_a_workbook_of_before_2007_is_one_too():
    found = read("a.xls", OLD_WORKBOOK, replace(DETECT_ALL, fields=(("Article Title", "Abstract"),)))
    assert sides(found) == [("On stacks", 'A "pile",\nof things.')]
    assert found.skipped[-1] == ("savedrecs!row 4", "no_text")


def test_the_caps_hold(monkeypatch):
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 60)
    assert (len(sides(read("a", tar({"a.tsv": TABLE, "b.tsv": TABLE * 2})))),) == (2,)
    for pack in (tar, package):
        assert kinds(read("a", pack({"a.tsv": TABLE * 3}))) == ["too_large"]
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    assert kinds(read("a", package({"a.tsv": b"", "b.tsv": b"", "c.tsv": b""}))) == ["too_large"]


def test_a_zip_that_lies_about_sizes_is_a_finding():
    content = bytearray(package({"a.tsv": TABLE * 50}))
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (10**6).to_bytes(4, "little")
    outcome = read("a.zip", bytes(content))
    assert outcome.decks or outcome.findings
    assert zipfile.is_zipfile(io.BytesIO(content))
