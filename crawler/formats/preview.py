"""How files of cards would be read, for a person to look at before anything is stored."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crawler.cards.advice import WHERE_ROWS_GO
from crawler.cards.outcome import Card, Deck, Fields, Outcome
from crawler.cards.survey import BEGINNING, survey
from crawler.formats.deck_sheet import Manner
from data.console.errors import Findings
from data.console.messages import quantity
from data.files.sheets import name_unread
from data.texts.languages.base import Language
from data.texts.reading import fold

_WIDTH = 60
"""Characters of a side that are shown."""


def preview(files: dict[Path, str], manner: Manner, language: Language, *, is_chosen: bool) -> Iterator[str]:
    """One line with a card per file and kind of note, and what each file lacks, with the reasons; then the sums.

    Raises Findings at the end if any file has some, or where most cards are in another language and none was
    chose.
    """
    n_cards = n_unread = n_found = 0
    backs: list[str] = []
    for path, name in files.items():
        outcome = manner.read(name, path.read_bytes())
        n_cards += sum(len(deck.cards) for deck in outcome.decks)
        n_unread += not outcome.decks
        n_found += len(outcome.findings)
        backs += [card.back[:BEGINNING] for deck in outcome.decks for card in deck.cards]
        yield from _describe(name, outcome)
    read = f"{len(files) - n_unread:,} of {quantity(len(files), 'file')}"
    yield f"{quantity(n_cards, 'card')} in {read}; nothing was stored"
    if n_found:
        yield WHERE_ROWS_GO
    languages = survey(backs, language)
    yield from languages.describe("cards")
    doubt = None if is_chosen else languages.doubt("cards", "read them")
    found = [f"{n_found:,}, listed above; {quantity(n_unread, 'file')} cannot be read"] if n_found else []
    if doubt or found:
        raise Findings("; ".join([*found, *([doubt] if doubt else [])]))


def _describe(name: str, outcome: Outcome) -> Iterator[str]:
    for deck in outcome.decks:
        label = deck.set_id if deck.set_id.startswith(name) else name
        kinds: dict[Fields | None, list[Card]] = {None: []} if not deck.cards else {}
        for card in deck.cards:
            kinds.setdefault(None if deck.read_as else card.fields, []).append(card)
        for fields, cards in kinds.items():
            yield f"{label}: {_way(deck, fields)}: {quantity(len(cards), 'card')}{_example(cards)}"
        if unread := name_unread(deck.unread):
            yield f"  {unread}"
    for reason, n in Counter(reason for _, reason in outcome.skipped).items():
        yield f"  {n:,} skipped: {reason}"
    if outcome.n_dropped:
        yield f"  {quantity(outcome.n_dropped, 'control character')} dropped"
    for finding in outcome.findings:
        margin = "  " if outcome.decks else ""
        yield f"{margin}{finding.kind}: {finding.detail}"
        yield from (f"{margin}  {offer}" for offer in finding.list_offers())


def _way(deck: Deck, fields: Fields | None) -> str:
    if fields is None:
        return deck.read_as or "a format that names the sides"
    kind = f"note type {fields.kind}, " if fields.kind else ""
    return f"{kind}front {fields.front}, back {fields.back}"


def _example(cards: list[Card]) -> str:
    return f": «{fold(cards[0].front)[:_WIDTH]}» -> «{fold(cards[0].back)[:_WIDTH]}»" if cards else ""
