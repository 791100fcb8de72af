"""Cards from Anki notes and their note types, as packages and CrowdAnki decks hold them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from crawler.cards.characters import without_controls
from crawler.cards.markup import plain_text
from crawler.cards.outcome import Card, Deck, Outcome, gather
from crawler.cards.texts import is_too_long
from crawler.formats.headers import ASIDES, find_fields, read_name
from crawler.formats.templates import Showing, is_cloze, shown_fields

_CLOZE_TEXT = re.compile(r"\{\{c\d+::")
_OCCLUSION = frozenset({"Question Mask", "Answer Mask"})
"""Fields of the add-on that hides parts of pictures; Anki's own way of doing so is a kind of cloze."""


@dataclass(frozen=True, kw_only=True)
class NoteType:
    """How the fields of a note become a card."""

    fields: tuple[str, ...]
    """Names of the fields, in their order (`ord`)."""
    question: str
    """The first template's question."""
    answer: str
    """The first template's answer."""
    cloze: bool
    """True where the note hides parts of a single text, so has no term and definition."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """A stored note."""

    note_id: str
    type_id: str
    values: tuple[str, ...]
    """HTML, one per field."""


def type_from_json(model: Mapping[str, Any]) -> NoteType:
    """A note type from Anki's JSON, as in old collections and in CrowdAnki.

    Raises KeyError, TypeError, ValueError or AttributeError where the JSON is something else.
    """
    fields = sorted(model["flds"], key=lambda field: int(field["ord"]))
    template = min(model["tmpls"], key=lambda template: int(template["ord"]))
    question = str(template["qfmt"])
    return NoteType(
        fields=tuple(str(field["name"]) for field in fields),
        question=question,
        answer=str(template["afmt"]),
        cloze=int(model.get("type", 0)) == 1 or is_cloze(question),
    )


def read_notes(set_id: str, title: str, notes: Sequence[Note], types: Mapping[str, NoteType]) -> Outcome:
    """The deck of the notes' cards; every note without one is skipped: `unknown_note_type`, `too_long`, `cloze`,
    `image_occlusion`, `no_back_field`, `missing_field`.
    """
    entries: list[tuple[str, Card | str]] = []
    n_dropped = 0
    for note in notes:
        values = list(map(without_controls, note.values))
        n_dropped += sum(value.n_dropped for value in values)
        entries.append((note.note_id, _read_values([value.content for value in values], types.get(note.type_id))))
    cards, skipped = gather(entries)
    return Outcome(decks=(Deck(set_id=set_id, title=title, cards=cards),), skipped=skipped, n_dropped=n_dropped)


def _read_values(values: Sequence[str], note_type: NoteType | None) -> Card | str:
    """The note's card, or the reason it has none."""
    if note_type is None:
        return "unknown_note_type"
    if (fault := _find_fault(values, note_type)) is not None:
        return fault
    front_at, back_at = sides(note_type)
    if max(front_at, back_at) >= len(values):
        return "missing_field"
    front, front_media = plain_text(values[front_at])
    back, back_media = plain_text(values[back_at])
    return Card(front=front, back=back, position=0, media=tuple(sorted({*front_media, *back_media})))


def _find_fault(values: Sequence[str], note_type: NoteType) -> str | None:
    """Why no field of a note can be a side; None where two of them may be."""
    if is_too_long(*values):
        return "too_long"
    if note_type.cloze or any(map(_CLOZE_TEXT.search, values)):
        return "cloze"
    if _OCCLUSION.issubset(note_type.fields):
        return "image_occlusion"
    return "no_back_field" if min(len(values), len(note_type.fields)) < 2 else None


@lru_cache(maxsize=1024)
def sides(note_type: NoteType) -> tuple[int, int]:
    """The places of front and back among the fields (at least two): by their names, else by the first template.

    By the template, the front is the field that its question shows most plainly, the back the one that its answer
    shows so and its question does not; fields that only go with a card (`Source`, `Pronunciation`) come last.
    """
    front, back = find_fields(note_type.fields)
    question, answer = (shown_fields(text, note_type.fields) for text in (note_type.question, note_type.answer))
    if front is None:
        front = _most_plainly(note_type.fields, question, back)
    if back is None:
        back = _most_plainly(note_type.fields, answer, front, elsewhere=question)
    return front, back


def _most_plainly(
    fields: Sequence[str], shown: Mapping[int, Showing], other: int | None, elsewhere: Collection[int] = ()
) -> int:
    """The place of the field for a side, among all but the `other` side's."""
    order = list(shown)

    def rank(place: int) -> tuple[bool, bool, bool, int, int]:
        is_shown = place in shown
        aside = read_name(fields[place]) in ASIDES
        at = order.index(place) if is_shown else place
        return not is_shown, aside, place in elsewhere, shown.get(place, 0), at

    return min((place for place in range(len(fields)) if place != other), key=rank)
