"""Cards whose sides are on lines of their own, and marks that only some people put between them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from crawler.formats.texts.entries import find_entries
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus into two that are alike"),
    ("meiosis", "two divisions that give four gametes"),
    ("osmosis", "movement of water through a membrane"),
    ("vacuole", "a space in a cell, filled with sap: large in plants"),
    ("RNA", "a nucleic acid with a single strand"),
]
MARKS = (*"}~^¦§*@$&%+", ":::", "::", "=>", "->", "→", " = ", " - ", " – ", " — ", "=", ": ")
PAIRS = [f"{term}\n{text}\n" for term, text in CELLS]
GLOSSARY = """\
prokaryote
    A cell without a nucleus.
    "bacteria are
    prokaryotes"

    The word is from the Greek.

flagella
flagellum
    [organelle]
    [#motion]

    https://cells.example/flagellum
    A whip that drives a cell.
ribosome

cilia
    See "flagella".
Remember that this line is a sentence.
    eg. of nothing
"""


def _wrap(text):
    return text.replace(" ", "\n\t", 2)


def read_text(text):
    return read("cells.txt", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(PAIRS),
        "\n" + "\n\n".join(PAIRS),
        "".join(PAIRS),
        "\n".join(PAIRS).replace("\n", "\n\n"),
        "Cells\n3 of 5 learned\n\nTerms in this set (5)\n" + "\n\n".join(PAIRS),
        "".join(f"{at}. {pair}" for at, pair in enumerate(PAIRS, 1)),
        "".join(f"{term}\n   {text}\n" for term, text in CELLS),
        "".join(f"{term}\n\n\t{_wrap(text)}\n\n\tMore about it.\n\n" for term, text in CELLS),
        "".join(f"Q: {term}\nA: {text}\n\n" for term, text in CELLS),
        "".join(f"Term 3: {term}\nDefinition: {_wrap(text)}\n" for term, text in CELLS),
        "".join(f"({at}) {term} - {text}\n" for at, (term, text) in enumerate(CELLS, 1)),
        ";".join(f"{term}\t{text}" for term, text in CELLS) + ";",
        *("".join(f"{term}{mark}{text}\n" for term, text in CELLS) for mark in MARKS),
    ],
)
def test_shapes_that_hold_the_same_cards(text):
    outcome = read_text(text)
    folded = [(front, " ".join(back.split())) for front, back in sides(outcome)]
    assert folded == [(term, " ".join(text.split())) for term, text in CELLS]
    assert (outcome.findings, outcome.skipped) == ((), ())
    assert outcome.decks[0].read_as


@pytest.mark.parametrize("form", ["{}\n: {}\n", "; {}\n: {}\n", "Q. {}\nA. {}\n", "Q1) {}\nA1) {}\n"])
def test_marks_before_the_lines_of_a_pair_are_no_part_of_it(form):
    assert sides(read("x", "\n".join(form.format(*pair) for pair in CELLS).encode())) == CELLS


@pytest.mark.parametrize("mark", [" - ", " – ", " — ", ": "])
@pytest.mark.parametrize(
    "form", ["{}{}{}\n", "{}{}{}\n\n", "- {}{}{}\n", "3. {}{}{}\n", "* **{}**{}{}\n", "  {}{}{}\n"]
)
@pytest.mark.parametrize("indent", ["    ", "\t\t"])
def test_a_text_behind_a_mark_continues_on_indented_lines(mark, form, indent):
    cells = [(term, f"{text}, as the book says where it speaks of cells") for term, text in CELLS]
    text = "".join(form.format(term, mark, f"\n{indent}".join(text.rsplit(" ", 7))) for term, text in cells)
    outcome = read_text(text)
    assert (sides(outcome), outcome.findings, outcome.skipped) == (cells, (), ())


@pytest.mark.parametrize("between", [" ", "\n    "])
def test_dashes_of_several_lengths_are_one_mark(between):
    cells = [(term, f"{text} – or - so it seems") for term, text in CELLS]
    marks = itertools.cycle([" - ", " – ", " — "])
    lines = (term + next(marks) + text.replace(" ", between, 1) for term, text in cells)
    assert sides(read_text("\n".join(lines))) == cells


def test_a_text_behind_a_mark_continues_up_to_the_next_blank_line():
    text = "".join(f"{term}: {text}\nas the book says\n\n" for term, text in CELLS)
    assert sides(read_text(text)) == [(term, f"{text} as the book says") for term, text in CELLS]


@pytest.mark.parametrize("form", ["**{}**: {}\n\n", "_{}_: {}\n\n"])
def test_a_name_without_a_text_takes_none_of_the_next_entry(form):
    text = form.format("cell", "") + "".join(form.format(*cell) for cell in CELLS)
    assert sides(read_text(text)) == CELLS


def test_marks_within_the_indented_texts_divide_no_term():
    text = "".join(f"{term}\n    {text} - as the book says: so\n" for term, text in CELLS)
    assert sides(read_text(text)) == [(term, f"{text} - as the book says: so") for term, text in CELLS]


@pytest.mark.parametrize("mark", [" - ", "::", " = "])
def test_a_mark_before_the_commas_of_sentences_counts(mark):
    cells = [
        ("mitosis", "a division, of a nucleus"),
        ("osmosis", "movement, of water"),
        ("RNA", "a strand, and single"),
    ]
    assert sides(read_text("".join(f"{term}{mark}{text}\n" for term, text in cells))) == cells


@pytest.mark.parametrize(
    "form",
    ["{}\n: {}\n\n", "{}\n:   {}\n", "**{}**\n\n: {}\n\n", "**{}**  \n{}\n\n", ".. glossary::\n  {}\n    {}\n"],
)
def test_lists_of_definitions_in_markdown_and_sphinx(form):
    text = "".join(form.format(*pair).replace(".. glossary::\n", "") for pair in CELLS)
    titled = f"Cells\n=====\n\n.. glossary::\n   :sorted:\n\n{text}" if "glossary" in form else f"{text}"
    assert sides(read_text(titled)) == CELLS


def test_a_list_of_definitions_has_titles_wrapped_lines_and_several_texts_per_term():
    text = "# Cells\n\n" + "".join(f"{term}\n:   {text}\n    and so on\n:   {text}\n\n" for term, text in CELLS)
    expected = [(term, f"{text}{end}") for term, text in CELLS for end in (" and so on", "")]
    assert sides(read_text(text)) == expected


@pytest.mark.parametrize("form", ["- **{}**: {}\n", "* {} - {}\n", "1. {} :: {}\n", "- {}: {}\n\n", "**{}:** {}\n\n"])
def test_titles_above_a_list_of_terms(form):
    text = "# Cells\n\nThe words of the week.\n\n" if form[0] in "-1" else "# Cells\n\n"
    assert sides(read_text(text + "".join(form.format(*pair) for pair in CELLS))) == CELLS


def test_choices_below_a_question_are_not_its_answer():
    text = "".join(f"Q. {text}?\nA. {term}\nB. no\nC. none\n\n" for term, text in CELLS)
    assert not sides(read("x", text.encode()))


def test_the_buttons_of_a_copied_page_are_no_cards():
    for buttons in (
        "Original\nAlphabetical\n",
        "Still learning (5)\nYou've started learning these terms. Keep it up!\n",
    ):
        text = f"Cells Flashcards\nTerms in this set (5)\n{buttons}{''.join(PAIRS)}"
        assert sides(read("x", text.encode())) == CELLS


def test_a_copied_page_with_more_cards_than_it_announces_is_a_finding():
    outcome = read("x", f"Terms in this set (5)\nUp next\nthe bones of the hand\n{''.join(PAIRS)}".encode())
    assert kinds(outcome) == ["surplus_cards"]
    assert outcome.findings[0].detail.startswith("x: announces 5 cards and has 6")


def test_an_indented_glossary_gives_the_first_paragraph_to_every_name_above_it():
    outcome = read_text(GLOSSARY)
    whip = "A whip that drives a cell."
    assert sides(outcome) == [
        ("prokaryote", 'A cell without a nucleus. "bacteria are prokaryotes"'),
        ("flagella", whip),
        ("flagellum", whip),
    ]
    assert outcome.skipped == (("line 15", "no_text"), ("line 17", "cross_reference"), ("line 19", "no_text"))


@pytest.mark.parametrize("place", ["/home/anna/cells/flagellum.txt", "**/flagellum.swf", "file:///cells/flagellum"])
def test_the_place_of_a_file_is_no_explanation(place):
    text = GLOSSARY.replace("https://cells.example/flagellum", place)
    assert sides(read_text(text)) == sides(read_text(GLOSSARY))


def test_a_copied_page_that_announces_more_cards_than_it_has_is_a_finding():
    outcome = read_text("Terms in this set (6)\n" + "\n".join(PAIRS))
    assert len(sides(outcome)) == 5
    assert [(finding.kind, finding.detail) for finding in outcome.findings] == [
        ("truncated", "cells.txt: announces 6 cards and has 5")
    ]


def test_a_picture_s_term_is_reported():
    assert read_text("\n".join([*PAIRS, "cell wall\n"])).skipped == (("line 16", "no_text"),)


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return n + 1 if n else 0\n\ndef g(n):\n    return f(n) - 1 if n else 0\n",
        "[mail]\n    name = a server that sends mail\n[web]\n    name = a server that sends pages\n",
        "all: build\n\tcp the output to where it goes\nbuild: source\n\tmake what is to be made here\n",
        "Shopping\n    milk\n    eggs\nGarden\n    seeds\n",
        "The rose is red\nand it has thorns\n\nThe sky is blue\nand has no end\n\nMy heart is true\nand it has you\n",
        "INFO: the server has started now\nINFO: the server has stopped now\nINFO: the server has failed here\n",
        "a = 1\nb = 2\nc = 3\n",
        "FORM\n  a page of no deck at all",
        "The first paragraph of a letter that goes on and on.\n\nYours\n\nThe second one of it, which is as long.\n",
        "".join(PAIRS) + "a definition that has lost its term and shifts all others\n",
    ],
)
def test_code_settings_verses_and_shifted_lines_are_no_decks(text):
    outcome = read_text(text)
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])
    assert outcome.findings[0].show_offers().endswith("`cells.txt,,,,,yes` leaves it out")


@given(st.text())
def test_entries_have_terms_in_the_order_of_their_lines(text):
    found = find_entries("cells.txt", text)
    entries = found.entries if found else ()
    assert [entry.line for entry in entries] == sorted(entry.line for entry in entries)
    assert all(entry.term.strip() for entry in entries)


def test_glossaries_and_a_copied_set_of_strangers(shared_data):
    root = shared_data / "biomedicine"
    found = {
        path.name: len(sides(read(path.name, path.read_bytes())))
        for path in (
            root / "decks/nan3333_txt/anatomy.txt",
            root / "decks/nan3333_txt/biochemistry.txt",
            root / "quizletlike/quizlet_copied_blocks.txt",
        )
    }
    assert found == {"anatomy.txt": 5, "biochemistry.txt": 1020, "quizlet_copied_blocks.txt": 84}


@pytest.mark.parametrize("form", ["Q: {}\nA: {}\n", "{}\n{}\n\n"])
def test_answers_that_begin_like_references_are_cards(form):
    some = [("cmp of files", "Compare two files byte by byte"), ("vi of text", "See and edit a file"), *CELLS]
    outcome = read_text("".join(form.format(*pair) for pair in some))
    assert sides(outcome)[:2] == some[:2]
    assert outcome.skipped == ()


@pytest.mark.parametrize(
    ("text", "is_card"),
    [
        ("see how a cell divides before it is in two parts", True),
        ("Compare two cells", True),
        ("Same as nothing else that is known", True),
        ("see Flagellum, prokaryote", False),
        ("See also: prokaryote.", False),
        ("Compare «eukaryote»", False),
    ],
)
def test_a_reference_names_another_entry(text, is_card):
    assert (sides(read_text(GLOSSARY + f"mitosis\n    {text}\n"))[-1] == ("mitosis", text)) == is_card


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_rare_line_ends_end_no_line(mark):
    text = "".join(f"Q: {term}\nA: {text}\n" for term, text in CELLS)
    outcome = read_text(text.replace("\nA: ", f"{mark}\nA: {mark}", 1))
    assert len(sides(outcome)) == len(CELLS)
    found = find_entries("x", "".join(f"Q: a {n}\nA: b{mark}Q: c\n" for n in range(3)))
    assert found is not None
    assert len(found.entries) == 3


@pytest.mark.parametrize(("old", "new"), [("\n", "\r"), ("\n", "\r\n"), ("\nflagellum", "\n\fflagellum")])
def test_line_ends_of_other_machines_and_page_breaks(old, new):
    text = GLOSSARY.replace(old, new)
    assert text != GLOSSARY
    assert sides(read_text(text)) == sides(read_text(GLOSSARY))


PROSE = "This part of the manual is about something else, and goes on for quite some time.\n\n" * 6
NAMED = "".join(f"- **{term}**: {text}\n" for term, text in CELLS)


@pytest.mark.parametrize("text", [PROSE + NAMED, NAMED + "\n" + PROSE, PROSE + NAMED + "\n" + PROSE])
def test_a_text_of_another_kind_is_read_only_if_it_or_the_operator_says_that_it_is_a_glossary(text):
    """Instructions, templates and reports have names in bold, too."""
    outcome = read("manual.md", text.encode())
    assert (outcome.decks, [finding.kind for finding in outcome.findings]) == ((), ["unknown_shape"])
    assert "reads names in bold with their texts (5 cards: «mitosis» -> «division" in outcome.findings[0].show_offers()
    assert {"shape": "bold"} in [offer.cells for offer in outcome.findings[0].offers]
    chosen = read("manual.md", text.encode(), LayoutFlags(shape="bold"))
    assert (sides(chosen), chosen.findings) == (CELLS, ())


@pytest.mark.parametrize("name", ["biology/flashcards.md", "glossary.md", "my anki notes.md", "my_deck.md"])
def test_a_name_says_that_a_text_is_a_deck(name):
    text = NAMED + "\n" + PROSE.splitlines()[0] + "\n"
    assert sides(read(name, text.encode())) == CELLS
    for other in ("chapter 3.md", "ranking.md", "banking.md"):
        assert read(other, (text + PROSE).encode()).findings[0].kind == "unknown_shape"


def test_a_few_names_in_a_long_text_are_taken_for_its_terms_where_it_is_called_so_and_a_finding_says_it():
    outcome = read("Definitions.md", (PROSE * 3 + NAMED).encode())
    assert (sides(outcome), [finding.kind for finding in outcome.findings]) == (CELLS, ["guessed_sides"])
    assert (
        outcome.findings[0].show_offers().startswith("`Definitions.md,,,,,,bold` confirms this (5 cards: «mitosis» -> ")
    )
    for name in ("Text.md", "README of definitions.md"):
        assert read(name, (PROSE * 3 + NAMED).encode()).findings[0].kind == "unknown_shape"


def test_directives_of_restructuredtext_are_no_cards():
    text = "".join(f".. tab:: part {n}\n\n   .. code-block:: console\n\n      run {n}\n\n" for n in range(9))
    assert read("manual.rst", text.encode()).decks == ()


def test_what_has_another_label_on_each_card_is_on_no_side():
    text = "".join(f"QUESTION: {term}\nANSWER: {text}\nCLASS: biology\nlesson 2\n\n" for term, text in CELLS)
    assert sides(read_text(text)) == CELLS
