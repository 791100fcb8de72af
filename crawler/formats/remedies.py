"""The rows of the sheet of decks that answer a finding: tried on its file before they are offered; and which of them
is followed without the operator's word.
"""

import csv
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from crawler.cards.advice import OfferedRow, offer_skip
from crawler.cards.outcome import Card, Finding, Outcome
from crawler.cards.texts import count_words
from crawler.formats.layout_flags import LayoutFlags, with_cells
from crawler.formats.sides.columns import is_apart
from crawler.formats.sides.doubts import doubt_cards, find_lack
from crawler.formats.texts.names import MOST, begins_question, is_name, without_numbers
from data.console.messages import quantity
from data.files.deadline import DeadlineError, deadline
from data.texts.reading import fold

_MAX_TRIALS, _MAX_SHOWN = 4, 3
"""Rows for a finding that are tried, and those that are offered."""
_NAME, _TEXT = 30, 40
"""Characters of the sides of the cards that show what a row gives."""
_MAX_COLUMNS = 6
"""The first columns, which are tried instead of a side in doubt."""
_SHARE, _NAMES = 0.25, 0.6
"""Shares of a text of unknown format that its entries must have, and of these entries that must have a name."""
_FEW = 5
"""Cards of which some may have one name, and from which a way to read a file may be guessed."""
_NO_LOSS = frozenset({"above_the_header", "label", "no_text"})
"""Reasons of what has no text to lose."""
_CLOSE = 0.8
"""Share of the words of the likeliest way to read a file from which another way is as likely."""
_LONGEST, _RATIO, _LEAD = 12, 2.0, 4
"""Words of a name; words of a text for each of its name; characters before the name in a text that defines it."""
_TABLE = "columns"
"""The shape of tables, whose rows are entries by their form."""

Attempt = Callable[[LayoutFlags], Outcome]
"""How a file is read again by other flags."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One way to read a file, as an offer has it."""

    offer: OfferedRow
    outcome: Outcome
    cards: Sequence[Card]
    """The cards of its decks; none where they are fewer than half of the entries, or in doubt."""

    def count_right(self) -> int:
        """The cards that are a short name, or a question, with a longer text of its own and no example of its use."""
        pairs = {card.back: card.front for card in self.cards}
        return sum(
            (count_words(front) <= _LONGEST or begins_question(front))
            and len(front) < len(back)
            and not _is_example(front, back)
            for back, front in pairs.items()
        )

    def count_told(self) -> int:
        """The words told about names, where almost all cards are a short name with a text of its own that is longer and
        no example of its use, or a question; else 0.
        """
        names = without_numbers([card.front for card in self.cards])
        pairs = {name: card.back for name, card in zip(names, self.cards, strict=True)}
        n, most = len(pairs), MOST * len(self.cards)
        words = [(count_words(front), count_words(back)) for front, back in pairs.items()]
        n_short = sum(of_front <= _LONGEST for of_front, _ in words)
        n_longer = sum(of_back > of_front for of_front, of_back in words)
        n_odd = sum(any(map(str.isdecimal, front)) or _is_example(front, back) for front, back in pairs.items())
        of_names, of_texts = map(sum, zip(*words, strict=True)) if n else (0, 0)
        is_asked = sum(map(begins_question, pairs)) >= _NAMES * n
        n_fit = n if is_asked else min(n_short, n_longer)
        is_told = min(n_fit, len({*pairs.values()})) >= most and 2 * n_odd < n
        return of_texts if n >= _FEW and is_told and (is_asked or of_texts > _RATIO * of_names) else 0


def settle(outcome: Outcome, layout: LayoutFlags, attempt: Attempt, n_characters: int) -> Outcome:
    """What is meant, where one of the ways to read a file that a finding offers is clearly the likeliest: its cards,
    with a finding that says so and offers the others. Else the outcome, whose findings offer those ways that give more
    cards than it has, and say what they give.

    A table whose sides are often blank, or lost, has in front the rows that give more whole cards by other columns.

    `layout` is how the file was read, and `n_characters` what a text has.
    """
    if not layout.names_sides() and len(outcome.decks) == 1:
        outcome = _with_other_sides(outcome, layout, attempt)
    n_cards = sum(len(deck.cards) for deck in outcome.decks)
    findings = []
    for finding in outcome.findings:
        is_open = not n_cards or finding.kind == "nested_sides"
        n_all = n_characters if finding.kind == "unknown_format" else 0
        ways = [offer for offer in finding.offers if is_open and "skip" not in offer.cells]
        tried = (_read_again(offer, layout, attempt) for offer in ways[:_MAX_TRIALS])
        trials = [*itertools.islice((one for one in tried if _is_help(one, n_cards, n_all)), _MAX_SHOWN)]
        best = _find_best(trials) if finding.may_guess and not n_cards else None
        shown = [*_show(trials, best), *(one for one in finding.offers if not is_open or "skip" in one.cells)]
        if best:
            detail = f"{finding.detail}; the likeliest way was taken"
            guess = Finding(kind="guessed_sides", detail=detail, offers=tuple(shown))
            return replace(best.outcome, findings=(*best.outcome.findings, guess))
        findings.append(replace(finding, offers=tuple(shown)))
    return replace(outcome, findings=tuple(findings))


def _with_other_sides(outcome: Outcome, layout: LayoutFlags, attempt: Attempt) -> Outcome:
    """The outcome, where the sides of its table are in doubt, with the rows for the pairs of one of them with another
    column that give more whole cards, the best one first; the row that confirms them says what is in doubt.
    """
    (deck,) = outcome.decks
    lack = find_lack(outcome) if deck.columns else ""
    if not deck.columns or not lack:
        return outcome
    header = next((finding for finding in outcome.findings if finding.kind == "guessed_header"), None)
    kept = {"header": header.offers[0].cells["header"]} if header else {}
    front, back = deck.columns
    places = [at for at in range(_MAX_COLUMNS) if at not in deck.columns]
    pairs = [*((front, at) for at in places), *((at, back) for at in places if at < back)]
    n_now, better = len(_find_whole(outcome)), []
    for one, two in pairs:
        cells = {"columns": f"{one + 1},{two + 1}", **kept}
        trial = _read_again(OfferedRow(path=deck.set_id, cells=cells, effect="reads these two"), layout, attempt)
        if len(cards := _find_whole(trial.outcome)) > n_now:
            offer = _with_lack(trial.offer, find_lack(trial.outcome))
            better.append(replace(trial, offer=offer, cards=cards))
    better.sort(key=lambda trial: -len(trial.cards))
    shown = tuple(_show(better[:_MAX_SHOWN], None))
    if header:
        keep, *others = header.offers
        told = replace(header, offers=(*shown, _with_lack(keep, lack), *others))
        return replace(outcome, findings=tuple(told if one is header else one for one in outcome.findings))
    detail = f"{deck.set_id}: columns {front + 1} and {back + 1} were read; others give more cards with two sides"
    found = Finding(kind="guessed_sides", detail=detail, offers=shown)
    return replace(outcome, findings=(found, *outcome.findings)) if shown else outcome


def _with_lack(offer: OfferedRow, lack: str) -> OfferedRow:
    return replace(offer, effect=f"{offer.effect}, though {lack}") if lack else offer


def _find_whole(outcome: Outcome) -> list[Card]:
    """The cards with a name and a text; none where either side groups or numbers them, or is often the same."""
    cards = [card for deck in outcome.decks for card in deck.cards if card.front.strip() and card.back.strip()]
    sides = [[card.front for card in cards], [card.back for card in cards]]
    are_own = all(2 * len({*side}) > len(cards) and not is_apart(side) for side in sides)
    return cards if are_own else []


def _show(trials: Sequence[Trial], best: Trial | None) -> Iterator[OfferedRow]:
    """The offers, those first whose cards seem right, each with the number of its cards, the first one, and the next
    one, if there is any, whose name the offers before lack.
    """
    known: set[str] = set()
    n_right = max((one.count_right() for one in trials), default=0)
    for one in sorted(trials, key=lambda one: (one is not best, 2 * one.count_right() < n_right)):
        others = [card for card in one.cards[1:] if card.front not in known] or one.cards[1:]
        some = (one.cards[0], *others[:1])
        shown = (f"«{fold(card.front)[:_NAME]}» -> «{fold(card.back)[:_TEXT]}»" for card in some)
        effect = "confirms this" if one is best else one.offer.effect
        yield replace(one.offer, effect=f"{effect} ({quantity(len(one.cards), 'card')}: {', '.join(shown)})")
        known |= {card.front for card in one.cards}


def _find_best(trials: Sequence[Trial]) -> Trial | None:
    """The first trial that seems to be meant; None where one with a side in common tells as much or has far more cards,
    or one before it has not far fewer.
    """
    best = next((one for one in trials if one.count_told()), None)
    if best is None:
        return None
    least, n_cards = _CLOSE * best.count_told(), len(best.cards)
    others = [(at, one) for at, one in enumerate(trials) if one is not best and _are_alike(one.offer, best.offer)]
    is_less = all(
        one.count_told() < least and len(one.cards) <= n_cards * (0.5 if at < trials.index(best) else 2)
        for at, one in others
    )
    return best if is_less else None


def _are_alike(one: OfferedRow, other: OfferedRow) -> bool:
    """Whether two rows name the same column, or shapes, which may find the same lines."""
    names = [{name for cell in row.cells.values() for name in next(csv.reader([cell]))} for row in (one, other)]
    return "shape" in one.cells or not names[0].isdisjoint(names[1])


def _is_example(front: str, back: str) -> bool:
    """Whether a text has the name in its middle, as a sentence that shows how it is used has."""
    return back.lower().find(front.lower()) > _LEAD


def _is_help(trial: Trial, n_cards: int, n_characters: int) -> bool:
    cells, cards = trial.offer.cells, trial.cards
    is_text = "separator" in cells or cells.get("shape", _TABLE) != _TABLE
    is_apart = len(cards) < _FEW or len({card.front for card in cards}) >= _NAMES * len(cards)
    return len(cards) > n_cards and is_apart and (not is_text or _are_entries(cards, n_characters))


def with_offer(name: str, finding: Finding) -> Finding:
    """The finding, with the row that leaves the file out where it has no other."""
    return finding if finding.offers else replace(finding, offers=(offer_skip(name),))


def _read_again(offer: OfferedRow, layout: LayoutFlags, attempt: Attempt) -> Trial:
    try:
        with deadline():
            found = attempt(with_cells(layout, {column: [cell] for column, cell in offer.cells.items()}))
    except DeadlineError:
        found = Outcome()
    cards = [card for deck in found.decks for card in deck.cards]
    n_lost = sum(reason not in _NO_LOSS for _, reason in found.skipped)
    is_doubtful = len(cards) < n_lost or any(any(doubt_cards(deck)) for deck in found.decks)
    return Trial(offer=offer, outcome=found, cards=[] if is_doubtful else cards)


def _are_entries(cards: Sequence[Card], n_characters: int) -> bool:
    """Whether cards have different names with texts, and a fair part of the file."""
    names, texts = {card.front for card in cards}, {card.back for card in cards}
    if min(len(names), len(texts)) < _NAMES * len(cards) or 2 * len(names & texts) > len(names):
        return False
    n_named = sum(is_name(card.front) or begins_question(card.front) for card in cards)
    n_told = sum(len(card.front) + len(card.back) for card in cards)
    return len(cards) > 1 and n_named >= _NAMES * len(cards) and n_told >= _SHARE * n_characters
