"""Senses of any glossary: which only refer to another entry."""

import pytest

from crawler.cards.outcome import Deck
from crawler.glossaries.entries import Sense, read_senses


@pytest.mark.parametrize(
    ("text", "is_definition"),
    [
        ("See: access control list.", False),
        ("see also: secondary definition under attack, in the part on networks", False),
        ("See spam and velveeta.", False),
        ("Compare stack, which is read from the other end once it has been filled", False),
        ("See stack. The word is rarely used by people who were not there.", False),
        ("Synonym for stack", False),
        ('See "pile of plates" in the chapter on kitchens and on what stands in them', False),
        ("compare and exchange", True),
        ("compare and exchange the contents of two places in one step", True),
        ("compare two texts word by word and mark where they differ", True),
        ("see how a program behaves by reading what it writes to its log", True),
        ("Compare-and-swap is an instruction that writes if nobody wrote before", True),
    ],
)
def test_a_reference_names_another_entry_or_is_short(text, is_definition):
    outcome = read_senses(
        Deck(set_id="g", title="g", cards=()),
        [Sense(term="Stack", text="A pile of plates."), Sense(term="cas", text=text)],
    )
    assert [card.front for card in outcome.decks[0].cards] == (["Stack", "cas"] if is_definition else ["Stack"])
    assert outcome.skipped == (() if is_definition else (("cas 1", "cross_reference"),))
