"""The names that the operator gives the two sides count wherever sides have names."""

import json

import pytest

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from tests.crawler.tools.decks import built, kinds, sides

ROWS = [("7", "femur", "bone", "the bone of the thigh"), ("9", "tibia", "bone", "the shin bone")]
NAMES = ("Nr", "Label", "Front", "Gloss")
RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
NAMED = LayoutFlags(fields=(("label", "Gloss "),))
LINES = ["\t".join(row) for row in ROWS]
FILES = {
    "a.tsv": "\n".join(["\t".join(NAMES), *LINES]),
    "a.csv": "\n".join([",".join(NAMES), *map(",".join, ROWS)]),
    "a.txt": "\n".join(["#separator:tab", "#columns:" + "\t".join(NAMES), *LINES]),
    "a.json": json.dumps(RECORDS),
    "b.json": json.dumps({"bones": {"legs": RECORDS}}),
    "a.jsonl": "\n".join(map(json.dumps, RECORDS)),
    "a.yaml": "items:\n" + "".join(f"- Nr: {n}\n  Label: {a}\n  Front: {b}\n  Gloss: {c}\n" for n, a, b, c in ROWS),
    "a.db": built(
        "CREATE TABLE bones (Nr INT, Label TEXT, Front TEXT, Gloss TEXT)",
        *(f"INSERT INTO bones VALUES {row}" for row in ROWS),
    ),
    "a.md": "# Note\n```\nguid: 1\n```\n" + "".join(f"## {name}\n{text}\n" for name, text in RECORDS[0].items()),
}


@pytest.mark.parametrize("name", FILES)
def test_named_sides_are_read_from_every_kind_of_file(name):
    content = FILES[name] if isinstance(FILES[name], bytes) else FILES[name].encode()
    outcome = read(name, content, NAMED)
    cards = [(label, gloss) for _, label, _, gloss in ROWS]
    assert sides(outcome) == (cards[:1] if name == "a.md" else cards)
    fields = {(card.fields.front, card.fields.back) for deck in outcome.decks for card in deck.cards}
    assert fields == {("Label", "Gloss")}
    assert sides(read(name, content)) != sides(outcome)


@pytest.mark.parametrize("content", [b"stack\ta pile\nqueue\ta row\n", b'[{"front": "stack", "back": "a pile"}]'])
def test_files_without_these_names_are_read_as_ever(content):
    assert sides(read("a", content, NAMED)) == sides(read("a", content))


@pytest.mark.parametrize(
    "content",
    [
        FILES["b.json"].encode(),
        built("CREATE TABLE bones (Latin, What)", "INSERT INTO bones VALUES ('ulna', 'a bone')"),
    ],
)
def test_a_file_whose_sides_nothing_names_says_how_to_name_them(content):
    outcome = read("a", content)
    assert kinds(outcome) == ["unknown_format"]
    assert outcome.findings[0].list_offers()[0] in (
        '`a,,,,,,,"Front,Gloss"` reads these two '
        "(2 cards: «bone» -> «the bone of the thigh», «bone» -> «the shin bone»)",
        '`a,,,,,,,"Latin,What"` reads these two (1 card: «ulna» -> «a bone»)',
    )


def test_the_two_names_are_of_one_language():
    names = ["En_Term", "DE_Term", "En_Text", "DE_Text"]
    rows = [[f"oak {n}", f"Eiche {n}", f"a tree of {n} years", f"ein Baum von {n} Jahren"] for n in range(9)]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    assert '"En_Term,En_Text"' in read("a.json", json.dumps(records).encode()).findings[0].show_offers()


def test_an_identifier_is_not_offered():
    names = ["id", "bone", "symbol", "text", "example_en"]
    rows = [[f"ch{n}", f"bone {n}", f"T{n}", f"一个人{n}", f"the age of {n} people in years"] for n in range(9)]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    (finding,) = read("a.json", json.dumps(records).encode()).findings
    assert '"bone,example_en"' in finding.list_offers()[0]


def test_columns_without_a_name_of_their_own_are_not_offered():
    rows = [f"bone {n},what {n} is and where,why we say so of {n},page {n} of it" for n in range(9)]
    (finding,) = read("a.csv", "\n".join([",Latin word,Latin Word,Place of it", *rows]).encode()).findings
    assert '"Latin word,Place of it"' in finding.list_offers()[0]


def test_the_two_names_are_those_that_end_like_names_of_sides():
    names = ["Phrase", "Covert (in-group) meaning", "Words of the source"]
    rows = [[f"oak {n}", f"a tree {n}", f"an old tree of {n} years, with leaves"] for n in range(9)]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    assert (
        '"Phrase,Covert (in-group) meaning"' in read("a.json", json.dumps(records).encode()).findings[0].show_offers()
    )


def test_a_text_before_its_name_is_offered_as_the_text_unless_it_asks():
    for end, names in (("", '"Nomen,Lore"'), ("?", '"Lore,Nomen"')):
        records = [{"Lore": f"the long part {n} of a leg or arm{end}", "Nomen": f"bone {n}"} for n in range(9)]
        assert names in read("a.json", json.dumps(records).encode()).findings[0].show_offers()


def test_a_doubt_says_which_keys_were_read():
    outcome = read("a.json", json.dumps([{"front": f"bone {n}", "back": "", "gloss": "x"} for n in range(20)]).encode())
    assert outcome.findings[0].detail.endswith("; it was read from front and back")
    kept = '`a.json,,,,,,,"front,back"` keeps these sides, though its back is blank on 20 of 20 cards'
    assert outcome.findings[0].show_offers().startswith(kept)


def test_texts_within_records_are_offered_too():
    records = [
        {"model": "base", "fields": {"meant": f"the part {n} of a leg", "creole": f"bone {n}"}} for n in range(9)
    ]
    content = json.dumps(records).encode()
    shown = read("a.json", content).findings[0].show_offers()
    assert shown.startswith('`a.json,,,,,,,"fields.creole,fields.meant"` reads these two (9 cards: «bone 0» -> ')
    assert len(sides(read("a.json", content, LayoutFlags(fields=(("fields.creole", "fields.meant"),))))) == 9
