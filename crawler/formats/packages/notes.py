"""Cards from Anki notes and their note types, as packages and CrowdAnki decks hold them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawler.cards.outcome import Deck, Outcome
from crawler.cards.texts import is_too_long
from crawler.formats.packages.templates import Showing, is_cloze, shown_fields
from crawler.formats.sides.cards import NamedColumns, build_deck
from crawler.formats.sides.headers import ASIDES, EXTRAS, Named, find_fields, find_named, read_name

_CLOZE_TEXT = re.compile(r"\{\{c\d+::")
_OCCLUSION = frozenset({"Question Mask", "Answer Mask"})
"""Fields of the add-on that hides parts of pictures; Anki's own way of doing so is a kind of cloze."""


@dataclass(frozen=True, kw_only=True)
class NoteType:
    """How the fields of a note become a card."""

    name: str
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
        name=str(model.get("name", "")),
        fields=tuple(str(field["name"]) for field in fields),
        question=question,
        answer=str(template["afmt"]),
        cloze=int(model.get("type", 0)) == 1 or is_cloze(question),
    )


def read_notes(deck: Deck, notes: Sequence[Note], types: Mapping[str, NoteType], named: Named = ()) -> Outcome:
    """The deck with the cards of the notes; every note without one is skipped: `unknown_note_type`, `too_long`,
    `cloze`, `image_occlusion`, `no_back_field`, `missing_field`.

    `named` are the fields of front and back by the operator's word; a note type without them is read as ever.
    Findings: `blank_side`, `repeated_side` (many notes of a type have nothing, or most the same, on a side).
    """
    columns = {
        type_id: NamedColumns(names=kind.fields, sides=sides(kind, named), note_type=kind.name, html=True)
        for type_id, kind in types.items()
        if len(kind.fields) > 1
    }
    faults = [_find_fault(note.values, types.get(note.type_id)) for note in notes]
    return build_deck(
        deck,
        (
            (note.note_id, None, fault) if fault else (note.note_id, columns[note.type_id], note.values)
            for note, fault in zip(notes, faults, strict=True)
        ),
    )


def _find_fault(values: Sequence[str], note_type: NoteType | None) -> str | None:
    """Why no field of a note can be a side; None where two of them may be."""
    if note_type is None or is_too_long(*values):
        return "too_long" if note_type else "unknown_note_type"
    if note_type.cloze or any(map(_CLOZE_TEXT.search, values)):
        return "cloze"
    if _OCCLUSION.issubset(note_type.fields):
        return "image_occlusion"
    return "no_back_field" if min(len(values), len(note_type.fields)) < 2 else None


def sides(note_type: NoteType, named: Named = ()) -> tuple[int, int]:
    """The places of front and back among the fields (at least two): as named, else by their names, else by the first
    template.

    By the template, the front is the field that its question shows most plainly, the back the one that its answer
    shows so and its question does not; fields that only go with a card (`Source`, `Pronunciation`) come last.
    """
    if (places := find_named(note_type.fields, named)) is not None:
        return places
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
        aside = read_name(fields[place]) in ASIDES | EXTRAS
        at = order.index(place) if is_shown else place
        return not is_shown, aside, place in elsewhere, shown.get(place, 0), at

    return min((place for place in range(len(fields)) if place != other), key=rank)
