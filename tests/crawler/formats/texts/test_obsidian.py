"""Notes for Obsidian's spaced repetition."""

import pytest

from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus into two that are alike"),
    ("osmosis", "movement of water through a membrane"),
    ("cell wall", "what stands around the cells of a plant"),
    ("RNA", "a nucleic acid with a single strand"),
]
SCHEDULE = "<!--SR:!2021-08-20,3,250-->"


def each(form):
    return "".join(form.format(*cell) for cell in CELLS)


@pytest.mark.parametrize(
    "text",
    [
        "#flashcards\n\n" + each("{}::{}\n"),
        "---\ntags: [flashcards/cells]\n---\n# Cells\n\nSome words of the writer.\n\n" + each("{}::{}\n\n"),
        each(f"- {{}} :: {{}} {SCHEDULE}\n"),
        each(f"{{}}::{{}}\n{SCHEDULE}\n\n"),
        "#flashcards/cells\n" + each("{}:::{}\n"),
        each("{}:::{}\n"),
        "# Cells\n\n" + each("{}::{}\n"),
        "#flashcards\n\n" + each("{}\n?\n{}\n\n"),
        each("{} #card\n?\n{}\n\n"),
        each(f"{{}}\n??\n{{}}\n{SCHEDULE}\n\n"),
        "#flashcards\n```\na::b\n```\nAnd `std::map` is code.\n\n" + each("{}::{}\n"),
    ],
)
def test_marks_between_the_sides(text):
    outcome = read("cells.md", text.encode())
    assert (sides(outcome), outcome.findings, outcome.skipped) == (CELLS, (), ())


def test_sides_of_several_lines_and_both_kinds_in_one_note():
    text = "#flashcards\nWhat is\n**mitosis**?\n?\na division\n- of a nucleus\n\nSome words.\n\nRNA::an acid\n"
    assert sides(read("x", text.encode())) == [("What is mitosis?", "a division\nof a nucleus"), ("RNA", "an acid")]


def test_a_card_without_a_back_is_skipped():
    assert read("x", b"#flashcards\na cell\n?\n\nRNA::an acid\n").skipped == (("line 2", "no_text"),)


@pytest.mark.parametrize(
    "text",
    [
        "use std::io;\nlet a = b::c(d);\nstd::cout << e;\nlet f = g::h;\n",
        "Did you see it\n?\nNo.\n",
        "Words of `a::b` and more of them.\nWords that say nothing.\n\nOther words.\n",
    ],
)
def test_code_and_prose_are_no_decks(text):
    outcome = read("x", text.encode())
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])


def test_directives_of_asciidoc_are_no_cards():
    text = "= Terms\n:toc: left\n\ntoc::[]\n\n" + "".join(f"include::{part}/terms.adoc[{{a}}]\n\n" for part in "abcd")
    assert read("terms.adoc", text.encode()).decks == ()
