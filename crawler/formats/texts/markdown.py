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

from crawler.cards.outcome import Deck, Outcome
from crawler.formats.packages.notes import Note, NoteType, read_notes
from crawler.formats.sides.headers import Named

_NOTE = re.compile(r"\s*# Note[ \t]*\n")
_FIELD = re.compile(r"^## +(\S.*)$", re.MULTILINE)
_KIND = re.compile(r"^notetype: *(\S.*)$", re.MULTILINE)
_GUID = re.compile(r"^guid: *(\S.*)$", re.MULTILINE)


def is_note(text: str) -> bool:
    """True where a text begins like a Markdown note."""
    return _NOTE.match(text) is not None


def read_note(name: str, text: str, named: Named = ()) -> Outcome:
    """The note's card, in the deck named after its folder; its fields hold HTML.

    `named` and the reasons why it may be skipped, by its guid, as in `read_notes`.
    """
    head, *parts = _FIELD.split(text)
    names, values = ([part.strip() for part in parts[at::2]] for at in (0, 1))
    guid = match[1].rstrip() if (match := _GUID.search(head)) else PurePath(name).name
    folder = str(PurePath(name).parent)
    set_id = name if folder == "." else folder
    kind = match[1].rstrip() if (match := _KIND.search(head)) else ""
    note_type = NoteType(name=kind, fields=tuple(names), question="", answer="", cloze=False)
    deck = Deck(set_id=set_id, title=PurePath(set_id.rpartition("!")[2]).name, cards=())
    return read_notes(deck, [Note(note_id=guid, type_id=kind, values=tuple(values))], {kind: note_type}, named)
