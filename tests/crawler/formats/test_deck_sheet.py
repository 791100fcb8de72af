"""The sheet of decks: what its rows mean, and that the row of each finding makes its file read."""

import json
from pathlib import Path

import pytest

from crawler.cards.advice import COLUMNS, write_row
from crawler.formats.deck_sheet import Manner, ReadOptions, read_decks
from crawler.formats.layout_flags import LayoutFlags
from data.console.errors import InputError
from tests.crawler.tools.decks import built, kinds, sheet_of, sides, zipped

CELLS = [
    ("Cell wall", "a layer around the cells of a plant that gives them their form"),
    ("Mitosis", "a division of a nucleus into two nuclei that are alike"),
    ("Osmosis", "the movement of water through a membrane that holds other things back"),
    ("Vacuole", "a space in a cell that is filled with sap and grows with its age"),
]
MANY = [(f"{name} {number}", f"{text}, seen {number} times") for number in range(2, 7) for name, text in CELLS]


def manner_of(folder, *rows, name="cells.txt"):
    return Manner(read_decks(sheet_of(folder, *rows) if rows else None), {Path("/elsewhere") / name: name})


def each(form, cells=CELLS):
    return "".join(form.format(*cell) for cell in cells)


def two_shapes():
    parts = "".join(
        f"# {name}\n\n{text}. It is told here at some length, with all that belongs to it and what does not.\n\n"
        f"- **A use of {name.lower()}**: {other} and more of the same kind\n"
        for (name, text), (_, other) in zip(CELLS, reversed(CELLS), strict=True)
    )
    return f"# Glossary\n\n{parts}"


THREE = "nr,kurz,lang,mehr\n" + "".join(f'{n},{name},"{text}","{text} again"\n' for n, (name, text) in enumerate(MANY))
FINDINGS = {
    "prose amid bold names": (
        "unknown_format",
        "A day in the laboratory begins with the slides. " * 30 + "\n\n" + each("{} means {}\n\n"),
    ),
    "a table of other columns": (
        "unknown_format",
        "| Ding | Was | Nr |\n|--|--|--|\n" + each("| {} | {} | 7 |\n"),
    ),
    "keys that are not known": (
        "unknown_format",
        json.dumps([{"ding": name, "was es ist": text, "nr": "7"} for name, text in CELLS]),
    ),
    "three columns that may be the sides": (
        "unknown_columns",
        THREE,
    ),
    "two ways to read it": ("unknown_shape", two_shapes()),
    "objects on the sides": (
        "nested_sides",
        json.dumps([{"term": name, "definition": {"fr": text, "de": "…"}} for name, text in CELLS]),
    ),
    "the name behind": ("reversed_cards", each("{1}\t{0}\n")),
    "one text on most backs": ("repeated_side", each("{}\tsee the book\n", MANY)),
    "the same on both sides": ("same_sides", each("{0}\t{0}\n", MANY)),
    "a column of SQLite": (
        "unknown_format",
        built("CREATE TABLE t (ding, was)", *(f"INSERT INTO t VALUES ('{name}', '{text}')" for name, text in CELLS)),
    ),
    "a blank side": (
        "blank_side",
        each("{0}\t\n", MANY[:12]) + each("{0}\t{1}\n", MANY[:12]),
    ),
    "a member of an archive": (
        "unknown_columns",
        zipped({"cells.csv": THREE, "b.tsv": each("{}\t{}\n")}),
    ),
}
SKIPPED = {
    "gaps alone": ("no_cards", "#separator:tab\n" + "".join(f"{{{{c1::{n}}}}} x\t{n}\n" for n in range(4))),
    "nothing": ("empty_file", " \n"),
    "a picture": ("unknown_format", b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "half a packed file": ("corrupt_gzip", b"\x1f\x8b\x08\x00half"),
    "half an archive": ("corrupt_archive", b"PK\x03\x04half"),
}


def bytes_of(content):
    return content if isinstance(content, bytes) else content.encode()


def rows_of(outcome, kind):
    """The rows that the findings of a kind offer."""
    return [offer.row() for finding in outcome.findings if finding.kind == kind for offer in finding.offers]


@pytest.mark.parametrize("case", FINDINGS)
def test_the_row_of_a_finding_makes_the_file_read(case, tmp_path):
    kind, content = FINDINGS[case]
    first = manner_of(tmp_path).read("cells.txt", bytes_of(content))
    assert kind in kinds(first)
    rows = rows_of(first, kind)
    assert rows
    for row in rows:
        again = manner_of(tmp_path, row).read("cells.txt", bytes_of(content))
        assert kind not in kinds(again)
        assert sides(again) or ",yes" in row


@pytest.mark.parametrize("case", SKIPPED)
def test_the_row_of_a_file_that_cannot_be_read_leaves_it_out(case, tmp_path):
    kind, content = SKIPPED[case]
    first = manner_of(tmp_path).read("cells.txt", bytes_of(content))
    assert kinds(first) == [kind]
    (row,) = rows_of(first, kind)
    manner = manner_of(tmp_path, row)
    assert manner.options("cells.txt").layout.skip
    assert manner.read("cells.txt", bytes_of(content)).findings == ()


def test_a_row_may_be_pasted_below_a_short_header(tmp_path):
    file = tmp_path / "decks.csv"
    file.write_text(f"path,licence\ncells.txt,MIT\n{write_row('cells.txt', fields='a,b')}\n")
    sheet = read_decks(file)
    assert sheet.options(["cells.txt"]).layout == LayoutFlags(fields=(("a", "b"),))
    assert list(sheet.rows["licence"]) == ["MIT", ""]


def test_each_column_counts_by_the_closest_row_that_fills_it(tmp_path):
    rows = [
        write_row("*", separator="tab", header="yes", language="de"),
        write_row("more", separator="semicolon"),
        write_row("more/b.txt", header="no", reversed="yes", note_types="Old"),
        write_row("more/b.txt", note_types='"Clues, new"'),
    ]
    options = read_decks(sheet_of(tmp_path, *rows)).options
    assert options(["x/a.txt", "a.txt"]) == ReadOptions(layout=LayoutFlags(separator="\t", header=True), language="de")
    assert options(["x/more/b.txt", "more/b.txt"]) == ReadOptions(
        layout=LayoutFlags(separator=";", header=False), reversed="yes", note_types=("Old", "Clues, new"), language="de"
    )


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"separator": "tabs"}, "line 2: expected under separator a separator such as } or ::, or tab"),
        ({"columns": "1"}, "line 2: expected under columns two columns, such as 1,2, found '1'"),
        ({"columns": "2,2"}, "two columns"),
        ({"columns": "0,1"}, "two columns"),
        ({"header": "maybe"}, "line 2: expected under header yes or no, found 'maybe'"),
        ({"fields": "Front,front"}, "line 2: expected under fields two fields, such as Question,Answer"),
        ({"shape": "round"}, "line 2: expected under shape sections, labels"),
        ({"shape": "bold 1"}, "line 2: expected under shape a shape, also with a number from 2 to 9, found 'bold 1'"),
        ({"skip": "1"}, "line 2: expected under skip yes or no"),
        ({"reversed": "all"}, "line 2: expected under reversed yes, descriptions or no"),
        ({"language": "xx"}, "line 2: expected under language"),
        ({"note_types": "Basic"}, "line 2: expected `yes` or `descriptions` under reversed beside note_types"),
    ],
)
def test_a_cell_that_cannot_be_is_one_line(cells, message, tmp_path):
    with pytest.raises(InputError) as refusal:
        read_decks(sheet_of(tmp_path, write_row("a.txt", **cells)))
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_path_has_one_cell_of_what_counts_once(tmp_path):
    rows = [write_row("a.txt", shape="bold"), write_row("./a.txt", shape="marks")]
    with pytest.raises(InputError, match=r"line 3: expected each path once with a shape, found a\.txt again"):
        read_decks(sheet_of(tmp_path, *rows))


def test_a_site_has_no_use_for_what_is_about_files(tmp_path):
    read_decks(sheet_of(tmp_path, write_row("*", licence="MIT"))).require_licences_only()
    with pytest.raises(InputError, match="line 2: expected nothing under shape, which is for files, found bold"):
        read_decks(sheet_of(tmp_path, write_row("*", shape="bold"))).require_licences_only()


def test_the_header_has_every_column_once():
    assert len(set(COLUMNS)) == len(COLUMNS)
