"""Delimited text: a row a card, front and back apart by tab, `|`, `;` or comma.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (tab between the
sides, a line a card, no quoting) and Anki's plain-text export (`#separator:tab` and the like above the notes).
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from crawler.cards import Card, Deck, Finding, Outcome
from crawler.formats.layout import Layout, find_layout
from crawler.formats.markup import looks_like_html, plain_text


def read_delimited(name: str, text: str) -> Outcome:
    """The cards of the text's rows; every other row that is not blank is reported as skipped, by its number from 1.

    Reasons: `no_separator`, `missing_field`, `wrong_number_of_fields`, `empty_front`, `cloze`. A text in which no
    separator is consistent over the rows is `unknown_format`.
    """
    layout = find_layout(text)
    if layout is None:
        detail = f"{name}: text in which neither tab, |, ; nor comma separates two sides consistently over the rows"
        return Outcome(findings=(Finding(kind="unknown_format", detail=detail),))
    cards: list[Card] = []
    skipped: list[tuple[str, str]] = []
    for number, found in _read_rows(layout):
        if isinstance(found, str):
            skipped.append((f"row {number}", found))
        else:
            cards.append(_card(*found, position=len(cards), html=layout.html))
    deck = Deck(set_id=name, title=_title(name), cards=tuple(cards))
    return Outcome(decks=(deck,), skipped=tuple(skipped))


def _read_rows(layout: Layout) -> Iterator[tuple[int, tuple[str, str] | str]]:
    """Number of each row, and its two sides or the reason why it has none."""
    for number, row in layout.rows:
        sides = _sides(row, layout)
        if not isinstance(sides, str):
            front, back = sides
            sides = "cloze" if "{{c1::" in front + back else sides if front.strip() else "empty_front"
        yield number, sides


def _sides(row: list[str], layout: Layout) -> tuple[str, str] | str:
    """Front and back of a row, or the reason why it has none."""
    if len(row) == 1:
        return "no_separator"
    if len(row) > layout.width:
        if layout.back != layout.width - 1:
            return "wrong_number_of_fields"
        row = [*row[: layout.back], layout.separator.join(row[layout.back :])]
    if len(row) <= max(layout.front, layout.back):
        return "missing_field"
    return row[layout.front], row[layout.back]


def _card(front: str, back: str, *, position: int, html: bool) -> Card:
    (front, front_media), (back, back_media) = (
        plain_text(side) if html or looks_like_html(side) else (side.strip(), ()) for side in (front, back)
    )
    return Card(front=front, back=back, position=position, media=_merge(front_media, back_media))


def _merge(*kinds: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set().union(*kinds)))


def _title(name: str) -> str:
    path = PurePath(name)
    return PurePath(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
