"""CrowdAnki's JSON: a deck with note models, notes and nested children."""

from collections.abc import Iterator, Mapping
from typing import Any

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.formats.packages.notes import Note, read_notes, type_from_json
from crawler.formats.sides.headers import Named
from crawler.formats.statements import find_statement


def is_crowdanki(tree: object) -> bool:
    """True where a JSON value is a CrowdAnki deck."""
    return isinstance(tree, dict) and tree.get("__type__") == "Deck"


def read_crowdanki(name: str, tree: Mapping[str, Any], named: Named = ()) -> Outcome:
    """The cards of the deck and of its children; a note that is in several of them counts once, by its guid.

    `named` as in `read_notes`.
    """
    decks = list(_walk(tree))
    try:
        types = {
            str(model["crowdanki_uuid"]): type_from_json(model)
            for deck in decks
            for model in _rows(deck, "note_models")
        }
        notes = {note.note_id: note for deck in decks for note in map(_note, _rows(deck, "notes"))}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        finding = Finding(kind="corrupt_deck", detail=f"{name}: CrowdAnki JSON with a part missing: {error!r}")
        return Outcome(findings=(finding,))
    note = find_statement("<br>".join(str(deck.get("desc") or "") for deck in decks))
    deck = Deck(set_id=name, title=str(tree.get("name", "")), cards=(), licence_note=note)
    return read_notes(deck, list(notes.values()), types, named)


def _walk(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The deck and all decks below it, in order."""
    waiting = [tree]
    while waiting:
        deck = waiting.pop()
        yield deck
        waiting.extend(reversed(_rows(deck, "children")))


def _rows(deck: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    return [row for row in deck.get(part) or [] if isinstance(row, dict)]


def _note(row: Mapping[str, Any]) -> Note:
    values = tuple(str(value) for value in row["fields"])
    return Note(note_id=str(row["guid"]), type_id=str(row["note_model_uuid"]), values=values)
