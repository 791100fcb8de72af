"""A row that a finding offers has been tried: it reads the file; where none does, the finding says what to do."""

import json

import pytest

from crawler.formats.layout_flags import read_flags
from crawler.formats.reading import read
from tests.workbooks import workbook

TERMS = ("ulna", "radius", "femur", "tibia", "fibula", "patella")
PROSE = "This page tells how the bones of a leg were drawn, by whom, and what was left out in the end. "
CONVERT = (
    "none reads it; convert it to a table with a column for names and one for texts, or `{},,,,,yes` leaves it out"
)


def follow(name: str, content: bytes) -> list[int]:
    """The number of cards that each row gives that the finding of a file offers."""
    (finding,) = read(name, content).findings
    flags = [read_flags({column: [cell] for column, cell in offer.cells.items()}) for offer in finding.offers]
    outcomes = [read(name, content, one) for one in flags if not one.skip]
    return [sum(len(deck.cards) for deck in outcome.decks) for outcome in outcomes]


@pytest.mark.parametrize(
    "text",
    [
        PROSE * 30 + "\n\n- **Deck**: Flashcards\n",
        "\\begin{bone}[Ulna]\nIt is a bone of the arm\n\\end{bone}\n\n" * 3,
        ":toc-title: Contents\n:icons: font\n:lang: de\n\n" + f"{PROSE}\n\n" * 20,
    ],
)
def test_a_row_that_reads_hardly_anything_of_a_text_is_not_offered(text):
    (finding,) = read("bones.txt", text.encode()).findings
    assert (finding.kind, finding.show_offers()) == ("unknown_format", CONVERT.format("bones.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            f"de: __Wort {n}__\nen: __word {n}__\nThe word {n} is what is told here at length, in a line.\n\n"
            for n in range(6)
        ),
        "".join(f"The bone named {name}{n}\n" for n in range(9) for name in TERMS),
    ],
)
def test_labels_and_lists_of_names_are_not_offered_as_entries(text):
    (finding,) = read("bones.txt", text.encode()).findings
    assert finding.show_offers().startswith("none reads it")


def test_a_row_that_reads_no_record_is_not_offered():
    records = [{"a.b": {"c": f"bone {n}"}, "d": [f"a part of leg {n}"]} for n in range(9)]
    assert all(follow("bones.json", json.dumps(records).encode()))


def test_a_row_that_names_most_records_alike_is_not_offered():
    levels = ("easy", "easy", "easy", "hard", "hard", "hard")
    records = [{"headline": f"Some bones of the leg, part {n}", "level": level} for n, level in enumerate(levels)]
    assert follow("bones.json", json.dumps(records).encode()) == []


def test_the_shape_that_reads_most_of_a_text_is_offered():
    entries = "".join(
        f"## {term}\n\nThe {term} is one of the bones, and this is told at some length here.\n\n- a: b\n\n"
        for term in TERMS
    )
    text = f"{PROSE}\n\n" * 4 + entries + f"{PROSE}\n\n" * 4
    (finding,) = read("atlas.md", text.encode()).findings
    assert "headings" in finding.show_offers()
    assert follow("atlas.md", text.encode()) == [len(TERMS)]


def test_a_sheet_of_a_workbook_is_tried_too():
    rows = [[f"bone {n}", f"a place {n}", f"a part of leg {n}"] for n in range(9)]
    assert follow("bones.xlsx", workbook(Bones=rows)) == [9, 9]


LONG = "It is one of the bones, and this is told at some length here, so that it is no list of names."
PARTS = "".join(
    f"- **{part}**: a part of it that has a name and a text of its own\n" for part in ("Head", "Neck", "Body")
)
TWO_KINDS = "# Glossary\n\n" + "".join(
    f"**{term.title()}**: {LONG} It is number {n}.\n\n{PARTS if n == 3 else ''}\n" for n, term in enumerate(TERMS)
)


def test_entries_of_two_kinds_are_not_mixed_in_silence():
    """Names in bold within the text of another name may be entries or parts of it: the operator chooses."""
    outcome = read("glossary.md", TWO_KINDS.encode())
    assert (outcome.decks, [finding.kind for finding in outcome.findings]) == ((), ["unknown_shape"])
    assert "of two kinds" in outcome.findings[0].detail
    assert {6, 9} <= set(follow("glossary.md", TWO_KINDS.encode()))


def test_each_row_says_how_many_cards_it_gives_and_shows_the_first_ones():
    (finding,) = read("glossary.md", TWO_KINDS.encode()).findings
    *ways, skip = finding.list_offers()
    assert skip == "`glossary.md,,,,,yes` leaves it out"
    assert 2 <= len(ways) <= 3
    for way, n in zip(ways, follow("glossary.md", TWO_KINDS.encode()), strict=True):
        assert f"({n} cards: «Ulna» -> «It is one of the bones" in way


def test_a_way_is_chosen_by_a_shape_and_a_number():
    chosen = [read("glossary.md", TWO_KINDS.encode(), read_flags({"shape": [way]})) for way in ("bold", "bold 2")]
    assert sorted(len(deck.cards) for outcome in chosen for deck in outcome.decks) == [6, 9]
    (beyond,) = read("glossary.md", TWO_KINDS.encode(), read_flags({"shape": ["bold 9"]})).findings
    assert beyond.kind == "unknown_format"


def test_columns_whose_names_say_nothing_are_offered_in_several_pairs():
    records = [{"ding": name, "was": f"a bone {n} of a leg", "wo": f"in place {n}"} for n, name in enumerate(TERMS)]
    (finding,) = read("bones.json", json.dumps(records).encode()).findings
    assert [offer.cells["fields"] for offer in finding.offers] == ["ding,was", "ding,wo"]
    assert follow("bones.json", json.dumps(records).encode()) == [6, 6]


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        (
            "bones.json",
            json.dumps([{"term": t, "definition": LONG} for t in TERMS] + [{"id": 1}, {"id": 2}]),
            "no_sides",
        ),
        (
            "bones.csv",
            "term;definition;x\n" + ";a bone;1\n" * 2 + "".join(f"{t};{LONG};1\n" for t in TERMS),
            "empty_front",
        ),
    ],
)
def test_many_entries_without_a_card_are_a_finding_that_a_row_confirms(name, text, lost):
    outcome = read(name, text.encode())
    found = [finding for finding in outcome.findings if finding.kind == "lost_entries"]
    assert [finding.detail.split(" gave")[0] for finding in found] == [f"{name}: 2 of 8 entries"]
    assert f"(2 {lost}; r" in found[0].detail
    (offer,) = found[0].offers
    again = read(name, text.encode(), read_flags({column: [cell] for column, cell in offer.cells.items()}))
    assert ([len(deck.cards) for deck in again.decks], again.findings) == ([6], ())


NEAR = [f"bone {n}\t{'' if n % 8 else f'limb {n}'}\t{'' if n % 3 else f'part {n} of a leg'}\t" for n in range(40)]
BELOW = [f"{'' if n % 4 else f'limb {n}'}\t{f'bone {n}' if n % 4 else ''}\tpart {n} of a leg" for n in range(40)]


@pytest.mark.parametrize(
    ("rows", "pair", "lack"),
    [
        (["Term\tPronunciation\tContext\tTags", *NEAR], "1,3", "its back is blank on 26 of 40 cards"),
        (["Entity\tFeature\tDescription", *BELOW], "2,3", "10 of 40 entries gave no card"),
    ],
)
def test_the_columns_that_give_most_whole_cards_are_offered_first_where_sides_are_in_doubt(rows, pair, lack):
    outcome = read("bones.tsv", "\n".join(rows).encode())
    first, *_ = [offer for finding in outcome.findings for offer in finding.offers]
    assert first.cells["columns"] == pair
    assert first.effect.startswith(f"reads these two, though {lack} (")


def test_labels_that_come_again_are_no_names():
    parts = "".join(
        f"- kind {n}: what kind of a thing part {n} is, whatever it holds\n"
        f"- name: what the part {n} is called by those who use it\n"
        f"- size {n}: how large part {n} may be at most\n"
        for n in range(5)
    )
    outcome = read("glossary.md", f"# Glossary\n\n{parts}".encode())
    assert outcome.decks == ()
    assert "come again" in outcome.findings[0].detail


def test_the_columns_of_tables_are_offered_where_they_say_more_than_the_text_around_them():
    rows = [f"| {t}{n} | {t}{n} | It is bone {n} of {t}, and more. |\n" for n in range(2) for t in TERMS]
    tables = "".join(f"## Part\n\nA few words.\n\n| Own | Other | About |\n|--|--|--|\n{row}\n" for row in rows)
    (finding,) = read("glossary.md", f"# Glossary\n\n{tables}".encode()).findings
    assert finding.offers[0].cells == {"fields": "Own,About"}
    assert follow("glossary.md", f"# Glossary\n\n{tables}".encode())[0] == 12


def test_the_list_with_most_texts_is_offered():
    words = {"towns": {"label": "Towns", "kind": "place"}, "hills": {"label": "Hills", "kind": "place"}}
    bones = [{"ding": term, "was": f"bone {n} of a leg"} for n, term in enumerate(TERMS)]
    (finding,) = read("game.json", json.dumps({"search": words, "guess": {"bones": bones}}).encode()).findings
    assert finding.offers[0].cells == {"fields": "ding,was"}


def test_a_row_for_records_within_records_that_have_the_same_names_reads_the_inner_ones():
    bones = [{"name": f"bone {n}", "description": f"a part of the leg, {n}"} for n in range(9)]
    parts = [
        {"name": f"part {n}", "description": "a leg", "terms": [*bones, {"name": "a"}, {"name": "b"}]} for n in (1, 2)
    ]
    assert follow("bones.json", json.dumps({"nodes": parts}).encode()) == [18]


def test_entries_that_a_sheet_loses_are_counted_among_its_own():
    whole = [[f"bone {n}", f"a place {n}"] for n in range(90)]
    torn = [["" if n % 2 else f"organ {n}", f"its task {n}"] for n in range(20)]
    (finding,) = read("body.xlsx", workbook(Bones=whole, Organs=torn)).findings
    assert finding.detail == "body.xlsx!Organs: 10 of 20 entries gave no card (10 empty_front; row 2)"
    assert [offer.path for offer in finding.offers] == ["body.xlsx!Organs"]
