"""The row of the sheet of decks that answers a finding: tried on its file before it is offered."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from crawler.cards.advice import COLUMNS, show_row
from crawler.cards.outcome import Card, Finding, Outcome
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags, read_flags
from crawler.formats.sides.doubts import doubt_cards
from crawler.formats.texts.names import MIN_PAIRS, asks, is_name
from data.files.deadline import DeadlineError, deadline

_MAX_TRIALS = 4
"""Rows of one file that are tried."""
_SHARE, _NAMES = 0.25, 0.6
"""Shares of a text of unknown format that its entries must have, and of these entries that must have a name."""
_TABLE = ["columns"]
"""The shape of tables, whose rows are entries by their form."""

Attempt = Callable[[LayoutFlags], Outcome]
"""How a file is read again by other flags."""


def try_rows(name: str, outcome: Outcome, layout: LayoutFlags, attempt: Attempt, n_characters: int) -> Outcome:
    """The outcome with the rows of its findings that give more cards than it has; a finding without such a row says
    what else to do.

    `layout` is how the file was read, and `n_characters` what a text has.
    """
    n_cards, left = _count(outcome), _MAX_TRIALS
    known: dict[str, bool] = {}
    findings: list[Finding] = []
    for finding in outcome.findings:
        offers = dict(_offers(finding.row)) if not n_cards or finding.kind == "nested_sides" else {}
        for row, cells in offers.items():
            if row not in known and left:
                left -= 1
                cards = _read_again(cells, layout, attempt)
                is_text = "separator" in cells or cells.get("shape", _TABLE) != _TABLE
                n_all = n_characters if finding.kind == "unknown_format" else 0
                known[row] = len(cards) > n_cards and (not is_text or _are_entries(cards, n_all))
        is_vain = bool(offers) and not any(known.get(row) for row in offers)
        findings.append(with_row(name, replace(finding, row="") if is_vain else finding))
    return replace(outcome, findings=tuple(findings))


def with_row(name: str, finding: Finding) -> Finding:
    """The finding, with what to do where no row reads the file."""
    if finding.row:
        return finding
    skip = f"{show_row(name, skip='yes')} leaves it out"
    way = "none reads it; convert it to a table with a column for names and one for texts, or "
    return replace(finding, row=f"{way if finding.kind in _UNREAD else ''}{skip}")


_UNREAD = frozenset({"unknown_format", "unknown_columns", "unknown_purpose", "unknown_shape", "nested_sides"})
"""Kinds of findings about what is read in another form."""


def _offers(row: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """The rows between backticks that read the file, and their cells by column."""
    for shown in row.split("`")[1::2]:
        cells = dict(zip(COLUMNS, next(csv.reader([shown])), strict=False))
        told = {column: [cell] for column, cell in cells.items() if cell}
        if "skip" not in told:
            yield shown, told


def _read_again(cells: dict[str, list[str]], layout: LayoutFlags, attempt: Attempt) -> list[Card]:
    """The cards that these cells give; none where they are of fewer than half of the entries, or in doubt."""
    changed = {name: value for name, value in vars(read_flags(cells)).items() if value != getattr(DETECT_ALL, name)}
    try:
        with deadline():
            found = attempt(replace(layout, **changed))
    except DeadlineError:
        return []
    cards = [card for deck in found.decks for card in deck.cards]
    n_lost = sum(reason != "above_the_header" for _, reason in found.skipped)
    return [] if len(cards) < n_lost or any(any(doubt_cards(deck)) for deck in found.decks) else cards


def _are_entries(cards: Sequence[Card], n_characters: int) -> bool:
    """Whether cards have different names with texts, and a fair part of the file."""
    names, texts = {card.front for card in cards}, {card.back for card in cards}
    if min(len(names), len(texts)) < _NAMES * len(cards) or 2 * len(names & texts) > len(names):
        return False
    n_named = sum(is_name(card.front) or asks(card.front) for card in cards)
    n_told = sum(len(card.front) + len(card.back) for card in cards)
    return len(cards) >= MIN_PAIRS and n_named >= _NAMES * len(cards) and n_told >= _SHARE * n_characters


def _count(outcome: Outcome) -> int:
    return sum(len(deck.cards) for deck in outcome.decks)
