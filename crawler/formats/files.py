"""Files of cards: which ones a path names, and how each would be read."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from crawler.cards.reversal import note_type_of, read_note_types
from crawler.formats.deck_sheet import Manner, Paths, call
from crawler.formats.layout_flags import parse_fields
from crawler.formats.sides.headers import read_name
from data.console.errors import InputError


def find_equal(files: dict[Path, str]) -> list[list[str]]:
    """The names of files that are byte for byte the same, in groups."""
    sizes = Counter(path.stat().st_size for path in files)
    found: dict[str, list[str]] = {}
    for path, name in files.items():
        if sizes[path.stat().st_size] > 1:
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), []).append(name)
    return [names for names in found.values() if len(names) > 1]


def require_single(files: Mapping[Path, str], manner: Manner) -> None:
    """Raise InputError where a single file is named and no deck can be read from it."""
    if len(files) != 1:
        return
    ((path, name),) = files.items()
    outcome = manner.read(name, path.read_bytes())
    if outcome.findings and not outcome.decks:
        finding = outcome.findings[0]
        remedy = f"export it again, or write into a CSV for -a decks=FILE: {finding.show_offers()}"
        found = finding.detail.removeprefix(f"{name}: ")
        raise InputError(path, expected="a deck in a known format", found=found, remedy=remedy)


def require_names(files: Mapping[Path, str], manner: Manner) -> None:
    """Raise InputError where a row names fields or note types that no file has which it means."""
    sheet = manner.sheet
    for column in ("fields", "note_types"):
        rows = sheet.rows.loc[sheet.rows[column] != "", ["path", column]]
        for line, path, cell in rows.itertuples():
            meant = {file: name for file, name in files.items() if _means(path, file, name)}
            known = _known_names(meant, manner, column)
            wanted = {*map(read_name, parse_fields(cell))} if column == "fields" else {*read_note_types(cell)}
            if meant and not any(wanted <= names for names in known):
                raise InputError(
                    f"{sheet.file}, line {line}",
                    expected=f"{column.replace('_', ' ')} of {path}: {_list_names(known)}",
                    found=cell,
                    remedy="see -a preview=yes; a name with a comma is in double quotes",
                )


def _means(path: str, file: Path, name: str) -> bool:
    """Whether a path means a file or something in it."""
    names = [*call(file, name)]
    return any(True for _ in Paths([path, path.partition("!")[0]]).fitting(names))


def _known_names(files: Mapping[Path, str], manner: Manner, column: str) -> list[set[str]]:
    """Of each kind of card in the files, the names of its sides; or of all cards the note types."""
    found: dict[tuple[str, ...], None] = {}
    note_types: set[str] = set()
    for path, name in files.items():
        for deck in manner.read(name, path.read_bytes()).decks:
            note_types |= {note_type_of(card) for card in deck.cards} - {""}
            fields = {card.fields for card in deck.cards if card.fields}
            found |= {(read_name(each.front), read_name(each.back)): None for each in fields}
    return [note_types] if column == "note_types" else [set(names) for names in found]


def _list_names(known: Sequence[set[str]]) -> str:
    names = sorted({name for some in known for name in some})
    return f"some of {', '.join(names)}" if names else "it has none"
