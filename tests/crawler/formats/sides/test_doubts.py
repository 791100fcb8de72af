"""Decks of which one side is in doubt."""

import pytest

from crawler.cards.outcome import Card, Deck, Fields
from crawler.formats.reading import read
from crawler.formats.sides import doubts as module
from crawler.formats.sides.doubts import MIN_CARDS, doubt_cards, doubt_notes
from data.texts.markup import plain_text

FIELDS = ("Organ", "Task", "Source")
KEEPS = "keeps these sides, though"
ROW = '`x,,,,,,,"Organ,Task"`'


def rows(n, organ="organ {}", task="task {}", source="a book"):
    return [[organ.format(at), task.format(at), source] for at in range(n)]


def doubts(front, back, values):
    """The kinds, details and rows of the findings for notes of which two fields are the sides."""
    fields = Fields(kind="Organs", front=FIELDS[front], back=FIELDS[back])
    texts = [[plain_text(value)[0] for value in row] for row in values]
    cards = [Card(front=row[front], back=row[back], position=at, fields=fields) for at, row in enumerate(texts)]
    return details(doubt_notes("x", "x", FIELDS, values, cards))


def details(found):
    return [(finding.kind, finding.detail, finding.show_offers()) for finding in found]


def test_sides_with_texts_of_their_own_are_not_in_doubt():
    assert doubts(0, 1, rows(MIN_CARDS)) == []


def test_a_blank_side_is_named_with_the_fields_that_are_better():
    some = [["<img src=a.png>", task, source] for _, task, source in rows(12)]
    remedy = "no two of its fields have texts of their own on most notes (Organ 0, Task 12, Source 1)"
    assert doubts(0, 1, some) == [("blank_side", f"x: its front, Organ, is blank on 12 of 12 notes; {remedy}", "")]


def test_a_side_that_is_always_the_same_is_named_with_the_fields_that_are_better():
    remedy = "different texts in its fields: Organ 12, Task 12, Source 1"
    assert doubts(2, 1, rows(12)) == [
        ("repeated_side", f"x: its front, Source, is «a book» on 12 of 12 notes; {remedy}", f"{ROW} reads others")
    ]


def test_a_few_cards_and_a_few_blanks_are_no_doubt():
    some = rows(20)
    for row in some[:6]:
        row[0] = ""
    assert doubts(0, 1, some) == []
    assert doubts(2, 1, rows(MIN_CARDS - 1)) == []


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ((0, 1), f'`d,,,,,,,,,"1,2"` {KEEPS} its front is blank on 20 of 20 cards; write others for others, '),
        (None, ""),
    ],
)
def test_decks_without_notes_are_doubted_too(columns, row):
    cards = tuple(Card(front="", back=f"{at}", position=at) for at in range(20))
    deck = Deck(set_id="d", title="", cards=cards, file="d", columns=columns)
    assert details(doubt_cards(deck)) == [
        ("blank_side", "d: its front is blank on 20 of 20 cards", f"{row}`d,,,,,yes` leaves it out")
    ]


def test_a_table_with_the_same_text_behind_each_term_is_a_finding():
    outcome = read("a.tsv", "".join(f"term number {at}\tsee the book\n" for at in range(20)).encode())
    assert [finding.kind for finding in outcome.findings] == ["repeated_side"]


def test_a_few_labels_behind_many_terms_are_a_finding():
    text = "".join(f"bone {n},{n % 2}\n" for n in range(60))
    (finding,) = read("bones.csv", f"term,definition\n{text}".encode()).findings
    assert (finding.kind, "one of 2 texts on 60 of 60 cards" in finding.detail) == ("repeated_side", True)


def test_cards_with_the_same_text_on_both_sides_are_a_finding():
    same = "".join(f"organ {at}\torgan {at}\n" for at in range(12))
    (found,) = details(read("x", same.encode()).findings)
    assert found == (
        "same_sides",
        "x: both sides are the same on 12 of 12 cards",
        f'`x,,,,,,,,,"1,2"` {KEEPS} both sides are the same on 12 of 12 cards; write others for others, '
        "`x,,,,,yes` leaves it out",
    )
    (found,) = doubts(0, 1, rows(12, task="organ {}"))
    assert found[0] == "same_sides"
    assert found[1].startswith("x: both sides, Organ and Task, are the same on 12 of 12 notes; ")
    assert not read("x", same.replace("\torgan", "\tbone").encode()).findings


def test_many_notes_are_sampled_once_for_both_sides(monkeypatch):
    n_read = []
    monkeypatch.setattr(module, "plain_text", lambda text: n_read.append(text) or (text, ()))
    fields = Fields(kind="Organs", front="Source", back="Source")
    cards = [Card(front="a book", back="a book", position=at, fields=fields) for at in range(5000)]
    found = details(doubt_notes("x", "x", FIELDS, rows(5000), cards))
    assert [kind for kind, *_ in found] == ["repeated_side", "repeated_side"]
    remedy = "different texts in its fields in 1,000 of 5,000 notes: "
    assert all(detail.endswith(remedy + "Organ 1,000, Task 1,000, Source 1") for _, detail, _ in found)
    assert len(n_read) == 3 * 1000
