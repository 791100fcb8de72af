"""JSON and YAML that hold cards other than as a list of records with two texts: columns, tables with a header, records
under keys or in envelopes, and sides that are objects or lists.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from crawler.formats.sides.headers import Named, find_sides, find_strong_sides, find_sure_sides, read_name

MAX_DEPTH = 20
"""Levels of a side; rich text has five."""
_TEXTS = (
    "text",
    "value",
    "@value",
    "plain text",
    "plaintext",
    "plain",
    "html",
    "markdown",
    "string",
    "#text",
    "insert",
)
"""Keys under which an object holds its text."""
_RUNS = ("content", "children", "ops", "blocks", "body")
"""Keys under which an object of rich text holds its parts, or its text."""
_SENSES = frozenset({"definitions", "meanings", "senses", "glosses"})
"""Keys of which each text is a definition; under any other key the texts are the lines of one."""
_CHOICES = frozenset({"answers", "solutions"})
"""Keys of which several texts may be choices, not all of them right."""
_LANGUAGES = ("lang", "language", "@language", "locale")
"""Keys under which an object says in what language its text is."""
_CODE = re.compile("[a-z]{2,3}(?:[_-][A-Za-z]{2,4})?")
_MAIN = "en"
"""The language of a side that has several, where the other one has none."""
_HALF = 0.5
_MAX_CARDS = 400
"""Cards of one record with several names and senses."""

Side = str | int | float


class Again(list[Any]):
    """The values of a key that a mapping gives several times."""


def merge(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """The mapping of these pairs, in which a key that comes again has all its values, and lists become one."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    values: defaultdict[Any, Again] = defaultdict(Again)
    for key, value in pairs:
        values[key].append(value)
    return {key: found[key] if len(every) == 1 else _join(every) for key, every in values.items()}


def _join(values: Again) -> list[Any]:
    return list(chain(*values)) if all(isinstance(value, list) for value in values) else values


def each(value: Any) -> Sequence[Any]:
    """The values of a key."""
    return value if isinstance(value, Again) else (value,)


def values_of(tree: Mapping[Any, Any]) -> list[Any]:
    """All values of all keys."""
    return [value for values in tree.values() for value in each(values)]


def names_both(row: Any, named: Named) -> bool:
    """Whether a record names both sides, as `named` or by names that mean nothing else."""
    names = list(map(str, row)) if isinstance(row, Mapping) else []
    return find_sure_sides(names, named) is not None


def find_rows(tree: Any, named: Named = ()) -> list[Mapping[Any, Any]] | None:
    """The records of a tree that is a table or wraps its records; None for any other."""
    if isinstance(tree, Mapping):
        return _of_columns(tree, named) or _of_table(tree, named) or _of_keys(tree, named)
    if not isinstance(tree, list) or sum(names_both(row, named) for row in tree) >= _HALF * len(tree):
        return None
    is_table = isinstance(tree[0], list)
    return _below_header(tree[0], tree[1:], named) if is_table else _unwrapped(tree, named)


def _of_columns(tree: Mapping[Any, Any], named: Named) -> list[Mapping[Any, Any]] | None:
    """The rows of columns: a list, or a mapping from the rows' names as pandas writes it, under each side's name."""
    names = list(map(str, tree))
    sides = find_sides(names, named)
    if sides is None:
        return None
    columns = {name: _column(values) for name, values in zip(names, tree.values(), strict=True)}
    front, back = (columns[names[side]] for side in sides)
    if not front or not back or front.keys() != back.keys():
        return None
    if not names_both(tree, named) and not all(map(_is_numbered, columns.values())):
        return None
    whole = {name: column for name, column in columns.items() if column and column.keys() == front.keys()}
    return [{name: column[row] for name, column in whole.items()} for row in front]


def _column(values: Any) -> dict[Any, Any] | None:
    cells = dict(enumerate(values)) if isinstance(values, list) else dict(values) if isinstance(values, Mapping) else {}
    return cells if cells and all(value is None or isinstance(value, Side) for value in cells.values()) else None


def _is_numbered(column: Mapping[Any, Any] | None) -> bool:
    return column is not None and all(str(row).isdecimal() for row in column)


def _of_table(tree: Mapping[Any, Any], named: Named) -> list[Mapping[Any, Any]] | None:
    """The rows of a table whose header lies beside them, under another key."""
    header = next((value for value in tree.values() if _is_header(value, named)), None)
    if header is None:
        return None
    found = (_below_header(header, rows, named) for rows in tree.values() if isinstance(rows, list))
    return next((rows for rows in found if rows), None)


def _below_header(header: Any, rows: Sequence[Any], named: Named) -> list[Mapping[Any, Any]] | None:
    """The rows as mappings, if the header names both sides and all rows are lists of its length."""
    is_table = bool(rows) and all(isinstance(row, list) and len(row) == len(header) for row in rows)
    return [dict(zip(header, row, strict=True)) for row in rows] if is_table and _is_header(header, named) else None


def _is_header(value: Any, named: Named) -> bool:
    is_row = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return is_row and find_sides(value, named) is not None


def _of_keys(tree: Mapping[Any, Any], named: Named) -> list[Mapping[Any, Any]] | None:
    """The values, if there are several and all are records; under a key it is enough if one side is named faintly."""
    rows = values_of(tree)
    return rows if len(rows) > 1 and all(names_both(row, named) or _names_one(row) for row in rows) else None


def _names_one(row: Any) -> bool:
    """Whether a record names one side surely and the other one faintly, as `name` and `definition`."""
    names = list(map(str, row)) if isinstance(row, Mapping) else []
    return find_strong_sides(names) != (None, None) and find_sides(names) is not None


def _unwrapped(tree: Sequence[Any], named: Named) -> list[Mapping[Any, Any]] | None:
    """What lies in the envelopes `{"id": 1, "fields": {…}}`, if most elements are some and they name both sides."""
    inner = [_in_envelope(row, named) for row in tree]
    rows = [row for row in inner if row is not None]
    return rows if rows and len(rows) >= _HALF * len(tree) else None


def _in_envelope(row: Any, named: Named) -> Mapping[Any, Any] | None:
    values = row.values() if isinstance(row, Mapping) else ()
    parts = [value for value in values if isinstance(value, Mapping) and names_both(value, named)]
    return parts[0] if len(parts) == 1 else None


def texts_of(value: Any, depth: int = MAX_DEPTH) -> list[str]:
    """The texts of a side: the value, the texts of a list, or what an object holds under a key for its text."""
    if isinstance(value, Side):
        return [str(value)]
    if isinstance(value, list) and depth:
        return [text for part in value for text in texts_of(part, depth - 1)]
    return _texts_of_object(value, depth) if isinstance(value, Mapping) and depth else []


def _texts_of_object(value: Mapping[Any, Any], depth: int) -> list[str]:
    parts = {read_name(str(key)): part for key, part in value.items()}
    for key in _TEXTS:
        if found := texts_of(parts.get(key), depth - 1):
            return found
    runs = next((parts[key] for key in _RUNS if key in parts), None)
    found = texts_of(runs, depth - 1)
    if found:
        return [("" if _are_runs(runs) else "\n").join(found)]
    _, back = find_strong_sides(list(map(str, value)))
    if back is not None:
        return texts_of(list(value.values())[back], depth - 1)
    if value and all(str(key).isdecimal() for key in value):  # senses by their number
        return [text for part in value.values() for text in texts_of(part, depth - 1)]
    filled = {str(key): part for key, part in value.items() if part}
    if not filled or not all(_CODE.fullmatch(str(key)) for key in value):
        return []
    is_one = len(filled) == 1 or _MAIN in filled
    return texts_of(filled.get(_MAIN, next(iter(filled.values()))), depth - 1) if is_one else []


def other_languages(front: Any, back: Any) -> Mapping[str, Any]:
    """The texts of a back by those languages that `pair_texts` leaves out."""
    found = _by_language(back) if isinstance(back, Mapping) and not _by_language(front) else None
    return {language: texts for language, texts in (found or {}).items() if language != _MAIN}


def _are_runs(parts: Any) -> bool:
    """Whether parts of rich text are on one line: each holds its text itself."""
    keys = {"text", "insert"}
    return isinstance(parts, list) and all(isinstance(part, Mapping) and keys & set(map(str, part)) for part in parts)


def pair_texts(front: Any, back: Any, name: str) -> list[tuple[str, str]]:
    """The sides of each card of a record, by its values and what it calls the back; none where one has no clear text.

    Several names have a card each, and so have several senses; lists of the same length on both sides belong together,
    and so do texts of one language where all say their language, or both sides are by language.
    """
    names, senses = _by_language(front), _by_language(back)
    if names and senses and names.keys() & senses.keys():
        return [(one, text) for language, fronts in names.items() for one in fronts for text in senses[language]]
    fronts, backs = texts_of(front), texts_of(back)
    if isinstance(front, list) and isinstance(back, list) and len(fronts) == len(backs):
        return list(zip(fronts, backs, strict=True))
    if len(backs) > 1:
        if read_name(name) in _CHOICES:
            return []
        is_apart = (
            isinstance(back, Mapping) or read_name(name) in _SENSES or not all(isinstance(part, str) for part in back)
        )
        backs = backs if is_apart else ["\n".join(backs)]
    return [(one, text) for one in fronts for text in backs] if len(fronts) * len(backs) <= _MAX_CARDS else []


def find_answer(names: Sequence[str], values: Sequence[Any], back: int) -> int:
    """The place of the text that is one of the choices in the place of the back, if one other has it; else the back."""
    choices = values[back] if read_name(names[back]) in _CHOICES else None
    right = [at for at, value in enumerate(values) if isinstance(choices, list) and value in choices]
    return right[0] if len(right) == 1 and isinstance(values[right[0]], str) else back


def _by_language(value: Any) -> defaultdict[str, list[str]] | None:
    """The texts of a list of objects by the language that each names, or of an object by its keys where these are the
    codes of several languages; None for any other value.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    if isinstance(value, Mapping) and len(value) > 1 and all(_CODE.fullmatch(str(key)) for key in value):
        found.update({str(key): texts_of(part) for key, part in value.items() if part})
        return found
    for part in value if isinstance(value, list) else ():
        languages = [part[key] for key in _LANGUAGES if isinstance(part, Mapping) and isinstance(part.get(key), str)]
        if not languages:
            return None
        found[languages[0]] += texts_of(part)
    return found if sum(map(len, found.values())) <= _MAX_CARDS else None


def spread(record: Mapping[Any, Any], depth: int = 4) -> dict[str, Any]:
    """The record with what lies in its objects, under names such as `definition.en`."""
    return dict(_spread(record, "", depth))


def _spread(record: Mapping[Any, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in record.items():
        yield f"{before}{key}", value
        if isinstance(value, Mapping) and depth:
            yield from _spread(value, f"{before}{key}.", depth - 1)


def describe_value(value: Any) -> str:
    """What a value is, in words: `an object with en, de`."""
    if isinstance(value, Mapping):
        return f"an object with {', '.join(str(key)[:20] for key in list(value)[:5]) or 'nothing'}"
    return f"a list of {len(value):,}" if isinstance(value, list) else "nothing"
