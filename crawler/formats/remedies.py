"""The rows of the sheet of decks that answer a finding: tried on its file before they are offered."""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from crawler.cards.advice import OfferedRow, offer_skip
from crawler.cards.outcome import Card, Finding, Outcome
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags, read_flags
from crawler.formats.sides.doubts import doubt_cards
from crawler.formats.texts.names import asks, is_name
from data.console.messages import quantity
from data.files.deadline import DeadlineError, deadline
from data.texts.reading import fold

_MAX_TRIALS, _MAX_SHOWN = 4, 3
"""Rows for a finding that are tried, and those that are offered."""
_NAME, _TEXT = 30, 40
"""Characters of the sides of the cards that show what a row gives."""
_SHARE, _NAMES = 0.25, 0.6
"""Shares of a text of unknown format that its entries must have, and of these entries that must have a name."""
_FEW = 5
"""Cards of which some may have one name."""
_NO_LOSS = frozenset({"above_the_header", "label", "no_text"})
"""Reasons of what has no text to lose."""
_TABLE = "columns"
"""The shape of tables, whose rows are entries by their form."""

Attempt = Callable[[LayoutFlags], Outcome]
"""How a file is read again by other flags."""


def try_offers(outcome: Outcome, layout: LayoutFlags, attempt: Attempt, n_characters: int) -> Outcome:
    """The outcome with the best of those offers of its findings that give more cards than it has, and what they give.

    `layout` is how the file was read, and `n_characters` what a text has.
    """
    n_cards = sum(len(deck.cards) for deck in outcome.decks)

    def is_help(offer: OfferedRow, cards: Sequence[Card], kind: str) -> bool:
        is_text = "separator" in offer.cells or offer.cells.get("shape", _TABLE) != _TABLE
        n_all = n_characters if kind == "unknown_format" else 0
        is_apart = len(cards) < _FEW or len({card.front for card in cards}) >= _NAMES * len(cards)
        return len(cards) > n_cards and is_apart and (not is_text or _are_entries(cards, n_all))

    def follow(finding: Finding) -> Iterator[OfferedRow]:
        ways = [offer for offer in finding.offers if "skip" not in offer.cells]
        tried = ((offer, _read_again(offer.cells, layout, attempt)) for offer in ways[:_MAX_TRIALS])
        known: set[str] = set()
        for offer, cards in itertools.islice((one for one in tried if is_help(*one, finding.kind)), _MAX_SHOWN):
            yield _with_cards(offer, cards, known)
            known |= {card.front for card in cards}
        yield from (offer for offer in finding.offers if "skip" in offer.cells)

    findings = (
        finding if n_cards and finding.kind != "nested_sides" else replace(finding, offers=tuple(follow(finding)))
        for finding in outcome.findings
    )
    return replace(outcome, findings=tuple(findings))


def _with_cards(offer: OfferedRow, cards: Sequence[Card], known: Collection[str]) -> OfferedRow:
    """The offer with the number of its cards, the first one, and the next one, if there is any, whose name the offers
    before lack.
    """
    others = [card for card in cards[1:] if card.front not in known] or cards[1:]
    shown = (f"«{fold(one.front)[:_NAME]}» -> «{fold(one.back)[:_TEXT]}»" for one in (cards[0], *others[:1]))
    return replace(offer, effect=f"{offer.effect} ({quantity(len(cards), 'card')}: {', '.join(shown)})")


def with_offer(name: str, finding: Finding) -> Finding:
    """The finding, with the row that leaves the file out where it has no other."""
    return finding if finding.offers else replace(finding, offers=(offer_skip(name),))


def _read_again(cells: Mapping[str, str], layout: LayoutFlags, attempt: Attempt) -> list[Card]:
    """The cards that these cells give; none where they are of fewer than half of the entries, or in doubt."""
    flags = read_flags({column: [cell] for column, cell in cells.items()})
    changed = {name: value for name, value in vars(flags).items() if value != getattr(DETECT_ALL, name)}
    try:
        with deadline():
            found = attempt(replace(layout, **changed))
    except DeadlineError:
        return []
    cards = [card for deck in found.decks for card in deck.cards]
    n_lost = sum(reason not in _NO_LOSS for _, reason in found.skipped)
    return [] if len(cards) < n_lost or any(any(doubt_cards(deck)) for deck in found.decks) else cards


def _are_entries(cards: Sequence[Card], n_characters: int) -> bool:
    """Whether cards have different names with texts, and a fair part of the file."""
    names, texts = {card.front for card in cards}, {card.back for card in cards}
    if min(len(names), len(texts)) < _NAMES * len(cards) or 2 * len(names & texts) > len(names):
        return False
    n_named = sum(is_name(card.front) or asks(card.front) for card in cards)
    n_told = sum(len(card.front) + len(card.back) for card in cards)
    return len(cards) > 1 and n_named >= _NAMES * len(cards) and n_told >= _SHARE * n_characters
