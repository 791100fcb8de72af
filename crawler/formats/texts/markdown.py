"""Markdown notes, one per file, as Anki's Markdown tools write them: `# Note`, then one section per field.

# Note
```
guid: u4X@}L(y!v
notetype: Basic
```
## Front
…
## Back
…
"""

import re
from pathlib import PurePath

from crawler.cards.outcome import Card, Deck, Fields, Outcome, gather
from crawler.formats.sides.cards import card_of
from crawler.formats.sides.headers import Named, find_sides

_NOTE = re.compile(r"\s*# Note[ \t]*\n")
_FIELD = re.compile(r"^## +(\S.*)$", re.MULTILINE)
_KIND = re.compile(r"^notetype: *(\S.*)$", re.MULTILINE)
_GUID = re.compile(r"^guid: *(\S.*)$", re.MULTILINE)


def is_note(text: str) -> bool:
    """True where a text begins like a Markdown note."""
    return _NOTE.match(text) is not None


def read_note(name: str, text: str, named: Named = ()) -> Outcome:
    """The note's card, in the deck named after its folder; its fields hold HTML.

    `named` as in `crawler.formats.packages.notes.read_notes`. Skipped, by its guid: `no_back_field`, `empty_front`,
    `cloze`.
    """
    head, *parts = _FIELD.split(text)
    names, values = ([part.strip() for part in parts[at::2]] for at in (0, 1))
    guid = match[1].rstrip() if (match := _GUID.search(head)) else PurePath(name).name
    folder = str(PurePath(name).parent)
    set_id = name if folder == "." else folder
    card: Card | str = "no_back_field"
    if len(values) > 1:
        front, back = find_sides(names, named) or (0, 1)
        kind = match[1].rstrip() if (match := _KIND.search(head)) else ""
        fields = Fields(kind=kind, front=names[front], back=names[back])
        card = card_of(values[front], values[back], html=True, fields=fields)
    cards, skipped = gather([(guid, card)])
    title = PurePath(set_id.rpartition("!")[2]).name
    return Outcome(decks=(Deck(set_id=set_id, title=title, cards=cards),), skipped=skipped)
