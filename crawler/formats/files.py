"""Files of cards: which ones a path names, and how each would be read."""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from crawler.cards.outcome import Outcome
from crawler.cards.reversal import Turning, note_type_of, turn
from crawler.formats.reading import read
from crawler.formats.sides.headers import read_name
from crawler.formats.texts.layout import DETECT_ALL, LayoutFlags
from data.console.errors import InputError


def find_equal(files: dict[Path, str]) -> list[list[str]]:
    """The names of files that are byte for byte the same, in groups."""
    sizes = Counter(path.stat().st_size for path in files)
    found: dict[str, list[str]] = {}
    for path, name in files.items():
        if sizes[path.stat().st_size] > 1:
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), []).append(name)
    return [names for names in found.values() if len(names) > 1]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How files are read."""

    layout: LayoutFlags = DETECT_ALL
    """What the operator says about delimited text."""
    reversed: Turning = "no"
    """Which cards that have a name behind are turned round."""
    note_types: tuple[str, ...] = ()
    """The note types whose cards are turned; none for all cards."""

    def read(self, name: str, content: bytes) -> Outcome:
        """The outcome for a file, with its decks' reversed cards turned or reported."""
        outcome = read(name, content, self.layout)
        turned = [turn(deck, self.reversed, self.note_types) for deck in outcome.decks]
        offers = tuple(offer for _, found in turned for offer in found)
        return replace(outcome, decks=tuple(deck for deck, _ in turned), findings=outcome.findings + offers)

    def is_default(self) -> bool:
        """Whether the operator says nothing about how cards are read."""
        return self.layout == DETECT_ALL and self.reversed == "no"


def require_single(files: dict[Path, str], manner: ReadOptions) -> None:
    """Raise InputError where a single file is named and no deck can be read from it."""
    if len(files) != 1:
        return
    ((path, name),) = files.items()
    outcome = manner.read(name, path.read_bytes())
    if outcome.findings and not outcome.decks:
        detail = outcome.findings[0].detail.removeprefix(f"{name}: ")
        raise InputError(
            path,
            expected="a deck in a known format",
            found=detail,
            remedy="export it again, or name its folder",
        )


def require_fields(files: dict[Path, str], manner: ReadOptions) -> None:
    """Raise InputError where fields are named that no file has."""
    named = manner.layout.fields
    if named is None:
        return
    wanted = tuple(map(read_name, named))
    kinds: set[tuple[str, str]] = set()
    for path, name in files.items():
        for deck in manner.read(name, path.read_bytes()).decks:
            kinds.update((card.fields.front, card.fields.back) for card in deck.cards if card.fields)
        if any((read_name(front), read_name(back)) == wanted for front, back in kinds):
            return
    raise InputError(
        "-a fields",
        expected="the names of two fields of notes, columns of tables or keys of records",
        found=f"{', '.join(named)}, which no file has",
        remedy="see -a preview=yes for those that were read",
    )


def require_note_types(files: dict[Path, str], manner: ReadOptions) -> None:
    """Raise InputError where note types are named that no file has, or that nothing is to be done with."""
    if not manner.note_types:
        return
    if manner.reversed == "no":
        raise InputError(
            "-a note_types",
            expected="-a reversed=yes or -a reversed=descriptions with it",
            found="neither",
            remedy="add one of them",
        )
    known: set[str] = set()
    for path, name in files.items():
        known.update(note_type_of(card) for deck in manner.read(name, path.read_bytes()).decks for card in deck.cards)
        if known.issuperset(manner.note_types):
            return
    raise InputError(
        "-a note_types",
        expected=f"some of the note types of the files: {', '.join(sorted(known - {''})) or 'there are none'}",
        found=", ".join(name for name in manner.note_types if name not in known),
        remedy="see -a preview=yes; a name with a comma stands in double quotes",
    )
