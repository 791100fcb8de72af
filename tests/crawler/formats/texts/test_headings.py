"""Notes with light markup: a heading per term, in Markdown, reStructuredText and Org."""

import pytest

from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus into two that are alike"),
    ("osmosis", "movement of water through a membrane"),
    ("cell wall", "what stands around the cells of a plant"),
    ("RNA", "a nucleic acid with a single strand"),
]
DRAWER = "  :PROPERTIES:\n  :ID: 12-3\n  :END:\n"


def each(form):
    return "".join(form.format(*cell) for cell in CELLS)


@pytest.mark.parametrize(
    "text",
    [
        "# Glossary\n\n" + each("## {}\n\n{}\n\n"),
        each("### {}\n{}\n"),
        "# Terms\n\n" + each("## {{{{< fa ruler >}}}} {}\n\n{}\n\n"),
        "# Glossary\nAll of them.\n" + each("## A to Z\n\n### {}\n\n{}\n\n"),
        each("## **{}** ##\n\n{}\n\n[more](https://cells.example)\n\n").replace("[more](https://cells.example)\n", ""),
        "# Glossary\n\n" + each("## 1. {}\n\n---\n<!-- x -->\n![a](b.png)\n\n{}\n\nThere is more below.\n\n"),
        each("{}\n----------\n\n{}\n\n"),
        "Cells\n=====\n\n" + each("{}\n~~~~~~~~~~\n{}\n\n"),
        "#+TITLE: Cells\n\n" + each("* {}\n{}\n"),
        "* Words\n" + each(f"** TODO {{}}  :drill:\n{DRAWER}  {{}}\n"),
        each("## Question\n{}\n\n## Answer\n{}\n\n"),
        each("* Item\n** Front\n{}\n** Back\n{}\n"),
        each("* Item :drill:\n{}\n** Answer\n{}\n"),
    ],
)
def test_a_heading_and_what_is_below_it(text):
    outcome = read("cells", text.encode())
    assert (sides(outcome), outcome.findings, outcome.skipped) == (CELLS, (), ())


def test_headings_that_ask():
    text = "# Quiz\n" + each("## What do people in the laboratory next door call a {}?\n\n{}\n\nMore.\n\nMore.\n\n")
    asked = [(f"What do people in the laboratory next door call a {term}?", text) for term, text in CELLS]
    assert sides(read("quiz.md", text.encode())) == asked


def test_the_screen_says_that_the_first_paragraph_counts():
    text = "".join(f"## {term}\n\n{text}\n\nMore about it.\n\n" for term, text in CELLS)
    outcome = read("glossary.md", text.encode())
    assert (sides(outcome), outcome.decks[0].read_as) == (CELLS, "headings with the first paragraph below each")


def test_the_markup_of_a_text_is_no_part_of_it():
    text = each("## {}\n\n*It* is a `thing`, [called](https://cells.example) {}\n\n")
    assert sides(read("x", text.encode()))[0][1] == f"It is a thing, called {CELLS[0][1]}"


def test_headings_within_code_are_none_and_terms_without_a_text_are_skipped():
    text = each("## {}\n\n{}\n\n```\n# a remark\n```\n\n").replace("```\n# a remark\n```", "", 3) + "## vacuole\n"
    outcome = read("x", text.encode())
    assert sides(outcome) == CELLS
    assert [reason for _, reason in outcome.skipped] == ["no_text"]


@pytest.mark.parametrize(
    "text",
    [
        "# tool\n\nIt does a thing for you.\n\n## Installation\n\nRun this in a shell.\n\n## Usage\n\nCall it so.\n\n"
        "## License\n\nThe one that is called MIT.\n",
        "# Changes\n\n## 1.2.0\n\nA thing is new.\n\n## 1.1.0\n\nA thing was new.\n\n## 1.0.0\n\nThe first one.\n",
        "# A letter\n\nThat goes on.\n\n## To whom it was written\n\nIt goes on.\n",
        "".join(f"## Chapter {n} of the book\n\n" + "A sentence.\n\n" * 9 for n in "abcd"),
        "# a\n# b\n# c\n",
    ],
)
def test_manuals_and_changes_are_no_decks(text):
    outcome = read("x.md", text.encode())
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])


def test_labels_in_alphabetical_order_are_names_and_any_other_label_is_told():
    names = ["Cache", "Context", "Coverage", "Hints", "Identify", "Notes", "Layer"]
    text = "# Glossary\n\n" + "".join(f"## {name}\n\nIt tells what people call {name.lower()}s.\n\n" for name in names)
    outcome = read("x.md", text.encode())
    assert [front for front, _ in sides(outcome)] == [name for name in names if name != "Notes"]
    assert outcome.skipped == (("line 23", "label"),)


def test_a_glossary_most_of_which_is_to_be_written_has_a_row_that_reads_the_rest():
    text = "# Glossary\n\n" + each("## {}\n\n{}\n\n") + "".join(f"## bone {n} of the arm\n\n" for n in range(20))
    (finding,) = read("x.md", text.encode()).findings
    assert finding.offers[0].cells == {"shape": "headings"}


def test_a_table_below_a_question_belongs_to_its_answer_and_an_example_is_no_name():
    table = "| bone | place |\n|---|---|\n| ulna | arm |\n\n"
    text = "".join(f"## Where is the {name}?\n\n{table}It is not in the {name}.\n\n" for name in ("ulna", "rib", "hip"))
    assert sides(read("quiz.md", text.encode()))[1][1] == "bone | place\nulna | arm\nIt is not in the rib."
    names = ("ulna", "radius", "tibia")
    text = "".join(f"* {name}\nA bone of the body\n\nEx:\nthe {name} of a dog\n\n" for name in names)
    assert [name for name, _ in sides(read("glossary.org", text.encode()))] == [*names]
