"""Markdown notes."""

from crawler.formats.reading import read
from tests.crawler.tools.decks import note, sides


def test_a_markdown_note_is_a_card_of_its_folder():
    outcome = read("decks/CS/what-is-a-stack.md", note())
    assert sides(outcome) == [("What is a stack?", "a pile\nof plates")]
    assert (outcome.decks[0].set_id, outcome.decks[0].title) == ("decks/CS", "CS")
    turned = read("n.md", note(back="Kellerspeicher", names=("Rückseite", "Vorderseite")))
    assert (sides(turned), turned.decks[0].set_id) == ([("Kellerspeicher", "What is a stack?")], "n.md")


def test_markdown_notes_that_are_no_card_are_skipped_by_their_guid():
    assert read("a.md", note(front="a {{c1::cloze}}")).skipped == (("g-1", "cloze"),)
    assert read("a.md", note().partition(b"## Back")[0]).skipped == (("g-1", "no_back_field"),)
    assert sides(read("a.md", note(back='<img src="x.png">'))) == [("What is a stack?", "")]
    assert read("a.md", note(back='<img src="x.png">')).decks[0].cards[0].media == ("image",)
