"""Labels before texts, fronts within backs, and decks without a card."""

import json

import pytest

from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus"),
    ("osmosis", "movement of water"),
    ("RNA", "a nucleic acid"),
    ("vacuole", "a space in a cell"),
]


@pytest.mark.parametrize("label", ["Definition: ", "**Definition**: ", "Meaning - ", "_Definition:_ ", "In short:\n"])
def test_a_label_of_most_texts_is_dropped_and_said(label):
    for content in (
        json.dumps([{"term": term, "definition": label + text} for term, text in CELLS]),
        "term\tdefinition\n" + "".join(f'{term}\t"{label}{text}"\n' for term, text in CELLS),
    ):
        outcome = read("cells", content.encode())
        assert sides(outcome) == CELLS
        assert outcome.decks[0].unread == (f"the label «{label.strip(' :*_-' + chr(10))}»",)


@pytest.mark.parametrize(
    ("ending", "times", "is_dropped"),
    [("See a picture", 12, True), ("See a picture", 8, False), ("gas", 12, False)],
)
def test_a_last_line_of_many_texts_is_dropped_and_said(ending, times, is_dropped):
    texts = [(f"term {n}", f"division {n} of a nucleus" + f"\n{ending}" * (n < times)) for n in range(60)]
    outcome = read("cells.json", json.dumps([{"term": term, "definition": text} for term, text in texts]).encode())
    assert sides(outcome) == ([(term, text.split("\n")[0]) for term, text in texts] if is_dropped else texts)
    assert outcome.decks[0].unread == ((f"the last line «{ending}»",) if is_dropped else ())


def test_what_few_texts_begin_with_is_no_label():
    pairs = [("RNA", "In short: a nucleic acid"), *CELLS]
    content = json.dumps([{"term": term, "definition": text} for term, text in pairs])
    assert sides(read("cells", content.encode())) == pairs


def test_the_marks_of_rows_and_records_are_resolved():
    marked = [("_osmosis_", "the **movement** of a cell\\'s water"), ("RNA", ":term:`acid <nucleic acid>`")]
    expected = [("osmosis", "the movement of a cell's water"), ("RNA", "acid")]
    assert sides(read("a.json", json.dumps([{"front": f, "back": b} for f, b in marked]).encode())) == expected
    assert sides(read("a.txt", "".join(f"{f}\t{b}\n" for f, b in marked).encode())) == expected


@pytest.mark.parametrize("back", ["{0}\n\n<hr id=answer>\n\n{1}", '<b>{0}</b><hr id="answer">{1}', "{0}<br>{1}"])
def test_a_back_that_repeats_its_front_loses_it(back):
    backs = [back.format(term, text).replace('"', '""') for term, text in CELLS]
    rows = "".join(f'{term}\t"{text}"\n' for (term, _), text in zip(CELLS, backs, strict=True))
    assert sides(read("a.txt", f"#separator:tab\n#html:true\n{rows}".encode())) == CELLS


@pytest.mark.parametrize(("before", "left"), [
    ("(also, karyokinesis) ", ""), ("(plural = mitoses) ", ""), ("(plural) ", ""), ("(also known as M): ", ""),
    ("(also used of plants) ", "(also used of plants) "), ("(in biology) ", "(in biology) "),
])  # fmt: skip
def test_other_forms_of_a_name_before_a_text_leave(before, left):
    cells = [(term, before * (term == "mitosis") + text) for term, text in CELLS]
    expected = [(term, left * (term == "mitosis") + text) for term, text in CELLS]
    assert sides(read("a.txt", "".join(f"{term}\t{text}\n" for term, text in cells).encode())) == expected


def test_a_broken_tag_ends_a_line():
    content = json.dumps([{"front": "bombastic", "back": "1. pompous</br>2. swollen"}] * 2)
    assert sides(read("a.json", content.encode()))[0] == ("bombastic", "1. pompous\n2. swollen")


def test_a_deck_without_a_card_is_a_finding():
    outcome = read("gaps.txt", b"{{c1::mitosis}} divides a nucleus\tx\n{{c1::RNA}} is an acid\ty\n")
    assert (sides(outcome), kinds(outcome)) == ([], ["no_cards"])
    assert outcome.findings[0].detail == "gaps.txt: 2 entries, no card (2 cloze); a text with gaps names no term"


def test_headings_and_remarks_of_markdown_leave_rows():
    text = "".join(
        f"# Cells<br>## {term}\t### About {term} <!-- id:{at} --><br>{text}\n" for at, (term, text) in enumerate(CELLS)
    )
    found = sides(read("cells", text.encode()))
    assert found == [(f"Cells\n{term}", f"About {term}\n{text}") for term, text in CELLS]
    numbers = "".join(f"# of {term} in {at}\t{text}\n" for at, (term, text) in enumerate(CELLS))
    assert sides(read("cells", numbers.encode()))[0][0] == "# of mitosis in 0"


def test_a_lone_star_behind_a_name_is_dropped():
    rows = [
        ("osmosis*", "movement of water"),
        ("A*", "a search"),
        ("RNA*", "an acid"),
        ("times *", "a sign"),
        ("**DNA**", "another acid"),
    ]
    outcome = read("a.tsv", "".join(f"{front}\t{back}\n" for front, back in rows).encode())
    assert [front for front, _ in sides(outcome)] == ["osmosis", "A*", "RNA", "times *", "DNA"]


def test_a_dash_that_joined_a_name_to_its_text_is_dropped():
    backs = ("— division of a nucleus", "– movement\nof water", "– not this\n– nor that", "—")
    records = [{"term": term, "definition": back} for (term, _), back in zip(CELLS, backs, strict=True)]
    told = [back for _, back in sides(read("cells.json", json.dumps(records).encode()))]
    assert told == ["division of a nucleus", "movement\nof water", *backs[2:]]
