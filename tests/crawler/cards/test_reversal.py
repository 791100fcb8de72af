"""Cards with a name behind: recognised, reported and turned."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards.outcome import Card, Deck, Fields
from crawler.cards.reversal import kind_of, turn
from crawler.formats.deck_sheet import read_decks
from crawler.formats.reading import read
from tests.crawler.tools.anki_files import legacy_1
from tests.crawler.tools.crawling import cards, crawl
from tests.crawler.tools.decks import sheet_of

REVERSED = [
    ("the bone between hip and knee", "femur"),
    ("a joint that moves in one plane", "Hinge joint."),
    ("which bone protects the brain best?", "skull"),
    ("___ is the soft tissue inside of bones", "marrow"),
    ("The bone of the upper arm is called", "humerus"),
]
FORWARD = [
    ("femur", "the bone between hip and knee"),
    ("What is a hinge joint?", "A joint in one plane"),
    ("hinge joint (of two bones)", "A door"),
    ("the strongest bone of all", "the femur, which no fall breaks"),
    ("how many bones has a hand?", "27"),
    ("is the skull one bone only?", "No"),
    ("the bone between hip and knee", "бедренная кость"),
    ("flat bone with a long name", "See scapula."),
    ("to hold together what would fall", ""),
    ("bones of the hand and wrist", "carpals\nmetacarpals"),
]


def deck(pairs):
    return Deck(set_id="bones.tsv", title="", cards=tuple(card(*pair, at) for at, pair in enumerate(pairs)))


def card(front, back, position=0):
    return Card(front=front, back=back, position=position)


def test_what_is_in_front_of_a_name():
    kinds = ["description", "description", "question", "gap", "gap"]
    assert [kind_of(card(*pair)) for pair in REVERSED] == kinds
    assert [kind_of(card(*pair)) for pair in FORWARD] == [None] * len(FORWARD)


@pytest.mark.parametrize(
    ("front", "kind"),
    [
        ("State of a bone with a crack", "description"),
        ("List that names all of the bones", "description"),
        ("Name for the bone of the thigh", "description"),
        ("Name the bone of the thigh", "question"),
        ("State which bone protects the brain", "question"),
    ],
)
def test_nouns_that_are_also_requests(front, kind):
    assert kind_of(card(front, "femur")) == kind


@pytest.mark.parametrize(
    ("turning", "n_turned", "offer", "row"),
    [
        ("", 0, "5 of 15 cards have a name on the back and on the front a description (2), a question (1), "
         "a gap (2)", "`bones.tsv,,,,,,,,,,,yes` turns 5, `bones.tsv,,,,,,,,,,,descriptions` turns 2"),
        ("descriptions", 2, "3 of 15 cards have a name on the back and on the front a question (1), a gap (2)",
         "`bones.tsv,,,,,,,,,,,yes` turns 3"),
        ("yes", 5, None, None),
        ("no", 0, None, None),
    ],
)  # fmt: skip
def test_a_deck_is_turned_as_far_as_asked_and_the_rest_reported(turning, n_turned, offer, row):
    turned, findings = turn(deck([*REVERSED, *FORWARD]), turning)
    fronts = [card.front for card in turned.cards]
    assert sum(front == back for front, (_, back) in zip(fronts, REVERSED, strict=False)) == n_turned
    assert fronts[5:] == [front for front, _ in FORWARD]
    expected = [("reversed_cards", f"bones.tsv: {offer}", row)] if offer else []
    assert [(finding.kind, finding.detail, finding.show_offers()) for finding in findings] == expected


def test_a_few_among_many_are_chance():
    many = [(f"bone {n}", f"the bone with the number {n}") for n in range(300)]
    assert turn(deck([*REVERSED, *many]), "")[1] == ()


def test_a_reversed_note_type_in_a_large_deck_is_found():
    many = [(f"bone {n}", f"the bone with the number {n}") for n in range(300)]
    notes = [
        replace(card, fields=Fields(kind=kind, front="Front", back="Back"))
        for kind, pairs in (("Basic", many), ("Clues", REVERSED), ("Old", FORWARD))
        for card in deck(pairs).cards
    ]
    _, (finding,) = turn(replace(deck([]), cards=tuple(notes)), "descriptions")
    assert finding.detail.startswith("bones.tsv: note type Clues: 3 of 5 cards have a name on the back")
    assert finding.show_offers() == "`bones.tsv,,,,,,,,,,,yes,Clues` turns 3"


NOTE_TYPES = ("Clues", "Clues, old", 'The "same"')


def notes(*names):
    """A deck with the reversed cards in a note type of each name."""
    cards = [
        replace(card(*pair), fields=Fields(kind=name, front="Front", back="Back"))
        for name in names
        for pair in REVERSED
    ]
    return replace(deck([]), cards=tuple(cards))


def test_only_the_named_note_types_are_turned_and_the_others_offered_with_them():
    turned, findings = turn(notes(*NOTE_TYPES), "yes", NOTE_TYPES[:1])
    assert [card.front == back for card, (_, back) in zip(turned.cards, REVERSED * 3, strict=True)] == (
        [True] * 5 + [False] * 10
    )
    second, third = (finding.show_offers() for finding in findings)
    cell = '"Clues,""Clues, old"""'
    assert second == f"`bones.tsv,,,,,,,,,,,yes,{cell}` turns 5, `bones.tsv,,,,,,,,,,,descriptions,{cell}` turns 2"
    assert third.startswith('`bones.tsv,,,,,,,,,,,yes,"Clues,""The """"same"""""""` turns 5')


@pytest.mark.parametrize("name", NOTE_TYPES)
def test_the_row_offered_turns_what_it_says(name, tmp_path):
    _, (finding,) = turn(notes(name), "")
    manner = read_decks(sheet_of(tmp_path, finding.offers[0].row())).options(["bones.tsv"])
    assert manner.note_types == (name,)
    turned, findings = turn(notes(name, "Other"), manner.reversed, manner.note_types)
    assert sum(card.front == back for card, (_, back) in zip(turned.cards, REVERSED * 2, strict=True)) == 5
    assert len(findings) == 1


@given(st.lists(st.tuples(st.text(), st.text())))
def test_turning_loses_no_card(pairs):
    turned, _ = turn(deck(pairs), "yes")
    assert [{card.front, card.back} for card in turned.cards] == [set(pair) for pair in pairs]
    assert [card.position for card in turned.cards] == list(range(len(pairs)))


@pytest.mark.sweep
def test_a_deck_read_before_is_turned_by_the_sheet(tmp_path):
    folder, store = tmp_path / "decks", tmp_path / "store"
    folder.mkdir()
    (folder / "bones.tsv").write_text("".join(f"{front}\t{back}\n" for front, back in REVERSED))
    (folder / "more.tsv").write_text("tibia\tthe bone of the shin\nulna\ta bone of the forearm\n")
    terms = tmp_path / "terms.txt"
    terms.write_text("femur\nhinge joint\nskull\ntibia\n")
    arguments = ("-a", f"path={folder}", "-a", f"terms={terms}")
    first = crawl("files", *arguments, store=store)
    assert (first.returncode, list(cards(store)["term"])) == (1, ["tibia"])
    assert "5 of 5 cards have a name on the back" in first.stderr + first.stdout
    assert "0 to be asked again" in first.stdout
    second = crawl("files", *arguments, "-a", f"decks={sheet_of(tmp_path, '*,,,,,,,,,,,yes')}", store=store)
    assert second.returncode == 0, second.stderr
    found = cards(store).set_index("term")["back"].to_dict()
    assert found == {
        "femur": "the bone between hip and knee",
        "hinge joint": "a joint that moves in one plane",
        "skull": "which bone protects the brain best?",
        "tibia": "the bone of the shin",
    }


def test_note_types_that_no_file_has_are_refused(tmp_path):
    (tmp_path / "deck.apkg").write_bytes(legacy_1())
    for row, message in (
        ('deck.apkg,,,,,,,,,,,yes,"B,Cluse"', "found B,Cluse"),
        ("deck.apkg,,,,,,,,,,,,Basic", "expected `yes` or `descriptions` under reversed beside note_types"),
    ):
        sheet = f"decks={sheet_of(tmp_path, row)}"
        refused = crawl("files", "-a", f"path={tmp_path / 'deck.apkg'}", "-a", sheet, store=tmp_path / "store")
        assert refused.returncode == 2
        assert message in refused.stderr


def test_decks_of_strangers(shared_data):
    found = {}
    for path in ("decks/neet_anubis/deck.json", "decks/rsos_psychology.tsv", "decks/openstax_psychology.tsv"):
        outcome = read(path, (shared_data / "biomedicine" / path).read_bytes())
        found[path] = [re.findall("[0-9]+ of", offer.detail)[0] for offer in turn(outcome.decks[0], "")[1]]
    assert found == {
        "decks/neet_anubis/deck.json": ["143 of"],
        "decks/rsos_psychology.tsv": ["194 of"],
        "decks/openstax_psychology.tsv": [],
    }
