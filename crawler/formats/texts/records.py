"""Decks in YAML or JSON: records that name their sides, `notes: [{front: …, back: …}, …]`, however deep they lie; what
`crawler.formats.texts.nested` makes such records of; pairs under a key for cards; a mapping of terms to definitions.
Quizlet's older interface answers with sets of such `terms`.
"""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from crawler.cards.advice import OfferedRow, write_cell
from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.cards.texts import count_words
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags
from crawler.formats.sides.cards import NamedColumns, NamedRow, build_deck, title_of
from crawler.formats.sides.columns import offer_fields
from crawler.formats.sides.headers import (
    Named,
    find_sides,
    find_strong_sides,
    is_column_name,
    is_faint_back_name,
    names_language,
)
from crawler.formats.sides.table import Row
from crawler.formats.texts.names import MIN_PAIRS, MOST, are_explained, is_name
from crawler.formats.texts.nested import (
    Side,
    describe_value,
    each,
    find_answer,
    find_rows,
    merge,
    names_both,
    other_languages,
    pair_texts,
    spread,
    texts_of,
    values_of,
)
from crawler.formats.texts.rows import read_table
from data.contract.licences import MAX_NAME_CHARS

LISTS = frozenset(
    {"notes", "cards", "flashcards", "deck", "items", "terms", "glossary", "acronyms", "abbreviations", "vocabulary"}
)
"""Keys that may hold the records, whatever else the file holds."""
TITLES = ("deck", "title", "name")
_LICENCES = ("licence", "license", "rights", "copyright")
MAX_LEVELS = 4
"""Levels around the records of a glossary whose sides have faint names."""
MAX_DEPTH = 50
"""Levels of YAML; decks have three."""
_NULL = "tag:yaml.org,2002:null"
_MAX_REPEATS = 2
"""How many values may be read, aliases included, for each value in the text."""
_REMARK = re.compile(r"_\w|//|\$schema$|@(?:context|id|type)$|comment$")
"""Keys of what is no entry."""
_MIN_VOCABULARY = 10
"""Entries from which short texts are what codes or words mean."""
_MIN_NAMED_SHARE = 0.5
"""Share of records that must name both sides for a list to be a deck."""
_MIN_TOLD = 0.4
"""Share of the keys of a mapping that must have a definition; the others may be abbreviations."""


class TreeError(ValueError):
    """YAML or JSON that cannot be read; `before` is what is before the fault, if that can."""

    def __init__(self, message: str, before: Any = None) -> None:
        super().__init__(message)
        self.before = before


def read_yaml(text: str) -> Any:
    """The document's tree, every scalar but null as text; None where it is not a YAML mapping or list.

    No object is constructed and no tag is obeyed. Raises TreeError for aliases that repeat more than the text holds,
    with which a page can expand to gigabytes, for deep nesting, and for a mapping that breaks off.
    """
    head, end, rest = text.partition("\n---")
    text = head if end and text.startswith("---\n") and not rest.strip() else text  # the front matter of an empty page
    try:
        n_values = _count_values(text)
        node = yaml.compose(text, yaml.CSafeLoader)
        is_tree = isinstance(node, yaml.CollectionNode)
        return _plain(node, itertools.count(-_MAX_REPEATS * n_values)) if is_tree else None
    except (yaml.YAMLError, RecursionError) as error:
        raise TreeError(" ".join(str(error).split())) from error


def _count_values(text: str) -> int:
    """The values that a text holds, aliases among them. Raises TreeError for nesting that would overflow the stack of
    the parser written in C.
    """
    depth, n_values = 0, 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        n_values += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise TreeError(f"YAML nested more than {MAX_DEPTH} levels deep")
    return n_values


def _plain(node: Any, counter: "itertools.count[int]") -> Any:
    """The value of a node, its aliases included. Raises TreeError where the counter reaches zero."""
    if next(counter) >= 0:
        raise TreeError("YAML whose aliases repeat more than the text holds")
    if isinstance(node, yaml.MappingNode):
        return merge(
            [(key.value, _plain(value, counter)) for key, value in node.value if isinstance(key, yaml.ScalarNode)]
        )
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value, counter) for value in node.value]
    return None if node.tag == _NULL else node.value


@dataclass(frozen=True, kw_only=True)
class Records:
    """The records of one deck."""

    rows: Sequence[Any]
    """Mappings, lists of two texts, or the rows of a table."""
    about: Mapping[Any, Any]
    """The mapping that holds them; empty where none does."""


def find_records(tree: Any, named: Named = (), *, is_titled: bool = False) -> list[Records]:
    """The decks in a tree, in order: lists of which most records name both sides, as `named` or as people name them.

    Tables and records in envelopes count as such lists. Where a record holds such a list itself, or the names may mean
    anything (`name` and `description`), the inner lists count. Faint names are enough, and so are pairs, in a list
    under a key of LISTS; and in one that is the whole tree, where pairs must be terms and definitions by their form, as
    in a mapping of terms to definitions. One entry is enough where the file `is_titled`, that is, called a glossary,
    and so are faint names in a list below any of its keys; texts that only repeat their names are none.
    """
    tree = _without_letters(tree)
    if isinstance(tree, Mapping):
        told: list[list[str]] = _glossary(tree)
        rows: Sequence[Any] = told
        if is_titled:
            rows = [[term, None if _says_nothing(term, text) else text] for term, text in told]
            told = [row for row in rows if row[1] is not None]
        is_vocabulary = is_titled and len(tree) >= _MIN_VOCABULARY and _are_words(told)
        if is_vocabulary or _are_told(told, 1 if is_titled and _may_be_few(tree, told) else MIN_PAIRS):
            return [Records(rows=rows, about={})]
        inner = _list_parts(tree)
        terms = [term for part in inner for term in part]
        are_parts = len(inner) == len(tree) > 1 and len(set(terms)) >= MOST * len(terms)  # no records
        parts = list(map(_glossary, inner)) if are_parts else []
        if parts and all(_are_told(part, MIN_PAIRS) for part in parts):
            return [Records(rows=part, about={"title": str(key)}) for key, part in zip(tree, parts, strict=True)]
        has_records = any(isinstance(value, list) and any(map(_is_mapping, value)) for value in tree.values())
        around = inner[0] if len(inner) == 1 and not has_records else {}
        least = 1 if is_titled else MIN_PAIRS
        is_around = len(_without_letters(around)) >= least or any(map(_is_mapping, around.values()))
        if is_around and (found := find_records(inner[0], named, is_titled=is_titled)):
            return found
        if is_titled and _are_faint(values_of(tree)):
            return [Records(rows=values_of(tree), about={})]
    elif is_titled and _are_pairs(tree) and tree and _are_told(tree, 1):
        return [Records(rows=tree, about={})]
    found = list(_walk(tree, {}, MAX_DEPTH, is_deck=True, named=named))
    return found or (_parts_below_keys(tree) or list(_find_faint(tree, {}, MAX_LEVELS)) if is_titled else [])


def _parts_below_keys(tree: Any) -> list[Records]:
    """The parts of a glossary that is a list of mappings, each with terms and definitions below a key of LISTS."""
    parts = [part for part in tree if isinstance(part, Mapping)] if isinstance(tree, list) else []
    inner = [(part, value) for part in parts for key, value in part.items() if key in LISTS]
    found = [Records(rows=_glossary(value), about=part) for part, value in inner if isinstance(value, Mapping)]
    return found if found and all(_are_told(records.rows, 1) for records in found) else []


def _find_faint(tree: Any, about: Mapping[Any, Any], depth: int) -> Iterator[Records]:
    """The lists in a tree of which almost all records name their sides faintly."""
    if isinstance(tree, list) and tree and _are_faint(tree, 1):
        yield Records(rows=tree, about=about)
    elif isinstance(tree, list | Mapping) and depth:
        for key, value in tree.items() if isinstance(tree, Mapping) else enumerate(tree):
            around = tree if isinstance(tree, Mapping) and _text(tree, TITLES) else {"title": str(key)}
            yield from _find_faint(value, around, depth - 1)


def _says_nothing(term: str, text: str) -> bool:
    """Whether a text of a mapping only repeats its name, or is a comment."""
    return text.strip() == term or _REMARK.match(term) is not None


def _may_be_few(tree: Mapping[Any, Any], pairs: Sequence[Sequence[str]]) -> bool:
    """Whether all keys have a text and may be terms, and are not what parts of a record are called."""
    keys = list(map(str, tree))
    return all(text for _, text in pairs) and not any("_" in key or is_column_name(key) for key in keys)


def _list_parts(tree: Mapping[Any, Any]) -> list[Mapping[Any, Any]]:
    """The mappings in a mapping, without those that only say something about the others."""
    inner = {key: value for key, value in tree.items() if isinstance(value, Mapping)}
    deep = [
        one for key, one in inner.items() if key in LISTS or any(isinstance(x, list | Mapping) for x in one.values())
    ]
    return deep or [*inner.values()]


def _are_told(pairs: Sequence[Sequence[str]], least: int) -> bool:
    """Whether pairs, some without a text, are by their form terms and definitions, of which there are `least`."""
    texts = [(term, text) for term, text, *_ in pairs if text]
    return len(texts) >= max(least, _MIN_TOLD * len(pairs)) and are_explained(texts)


def _are_words(pairs: Sequence[Sequence[str]]) -> bool:
    """Whether keys have a short text each that is another word, as codes have what they mean."""
    told = {text for key, text in pairs if _letters(text) != _letters(key) and (is_name(text) or count_words(text) > 1)}
    return len(told) >= max(MIN_PAIRS, MOST * len(pairs))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _without_letters(tree: Any) -> Any:
    """The tree; of a mapping from letters to mappings or lists, and of a list of mappings with a key each, what these
    hold.
    """
    if isinstance(tree, list) and all(_is_mapping(part) and len(part) == 1 for part in tree):
        return merge([*itertools.chain(*(part.items() for part in tree))])
    parts = [*tree.values()] if isinstance(tree, Mapping) and all(len(str(key)) == 1 for key in tree) else []
    if len(parts) > 1 and all(isinstance(part, list) for part in parts):
        return list(itertools.chain(*parts))
    is_parted = len(parts) > 1 and all(_is_mapping(part) and find_sides(list(map(str, part))) is None for part in parts)
    return merge([pair for part in parts for pair in part.items()]) if is_parted else tree


def first_texts(tree: Any, depth: int = 8) -> tuple[list[str], list[list[str]]]:
    """The keys with texts of the first record in the list that has most, and their texts in all its records; none where
    there is no list of records.
    """
    rows = [row for row in tree if isinstance(row, Mapping)] if isinstance(tree, list) else []
    if rows and rows[0] is tree[0]:
        keys = [key for key, value in rows[0].items() if isinstance(value, str)]
        inner = Counter(key for row in rows for key, part in row.items() if isinstance(part, Mapping))
        if len(keys) < 2 and inner and depth:
            place = inner.most_common(1)[0][0]
            names, texts = first_texts([row[place] for row in rows if isinstance(row.get(place), Mapping)], depth - 1)
            return [f"{place}.{name}" for name in names], texts
        return list(map(str, keys)), [[str(row[key]) for row in rows if isinstance(row.get(key), str)] for key in keys]
    values = list(tree.values()) if isinstance(tree, Mapping) else tree if isinstance(tree, list) else []
    are_records = isinstance(tree, Mapping) and len(values) > 1 and all(map(_is_mapping, values))
    found = [first_texts(value, depth - 1) for value in values] if depth else []
    found[:0] = [first_texts(values, depth)] if are_records else []
    return max(found, key=lambda one: sum(map(len, one[1])), default=([], []))


def _walk(tree: Any, about: Mapping[Any, Any], depth: int, *, is_deck: bool, named: Named) -> Iterator[Records]:
    """`about` is the nearest mapping around the tree."""
    is_whole = depth == MAX_DEPTH
    if depth and (rows := find_rows(tree, named)) is not None:
        yield Records(rows=rows, about=tree if isinstance(tree, Mapping) and _text(tree, TITLES) else about)
    elif is_whole and _is_record(tree, named):
        yield Records(rows=[tree], about={})
    elif isinstance(tree, Mapping) and depth and is_deck and not is_whole and _are_faint(values_of(tree)):
        yield Records(rows=values_of(tree), about=about)
    elif isinstance(tree, Mapping) and depth:
        has_title = any(title in tree for title in TITLES)
        titled = {key: tree if has_title or key in LISTS else {"title": key} for key in tree}
        found = {
            key: list(_walk(value, titled[key], depth - 1, is_deck=key in LISTS, named=named))
            for key, value in tree.items()
        }
        for key, value in tree.items():  # beside a deck, faint names are enough
            is_beside = not found[key] and isinstance(value, list) and any(found.values())
            yield from _walk(value, titled[key], depth - 1, is_deck=True, named=named) if is_beside else found[key]
    elif isinstance(tree, list) and tree and depth:
        names = [_names(row) for row in tree if isinstance(row, Mapping)]
        enough = _MIN_NAMED_SHARE * len(tree)
        n_both = sum(names_both(_spread_for(row, named), named) for row in tree)
        has_fronts = len(names) == len(tree) and all(find_strong_sides(row)[0] is not None for row in names)
        if n_both >= (min(MIN_PAIRS, enough) if has_fronts else enough):
            yield Records(rows=tree, about=about)
        elif inner := [one for row in tree for one in _walk(row, about, depth - 1, is_deck=False, named=named)]:
            yield from inner
        elif is_deck and (
            sum(find_sides(row) is not None for row in names) >= enough
            or _is_table(tree)
            or (_are_pairs(tree) and (not is_whole or _are_told(tree, MIN_PAIRS)))
        ):
            yield Records(rows=tree, about=about)


def _are_faint(rows: Collection[Any], least: int = MIN_PAIRS) -> bool:
    """Whether rows are mappings of which almost all name their sides, as `name` and `description`."""
    n_named = sum(_is_mapping(row) and find_sides(_names(row)) is not None for row in rows)
    return len(rows) >= least and all(map(_is_mapping, rows)) and n_named >= MOST * len(rows)


def _is_record(tree: Any, named: Named) -> bool:
    """Whether the tree is one record, whose names mean nothing but the sides and whose sides are texts."""
    found = _find_sides(tree, named) if isinstance(tree, Mapping) and names_both(tree, named) else None
    return found is not None and all(isinstance(value, str) for _, value in found.items())


def _names(record: Mapping[Any, Any]) -> list[str]:
    """What a record calls its values; nothing where that is a language and the value holds both sides."""
    return ["" if isinstance(one, Mapping) and names_language(str(key)) else str(key) for key, one in record.items()]


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_pairs(tree: Any) -> bool:
    """Whether the tree is a list of lists that begin with two texts."""
    return isinstance(tree, list) and all(
        isinstance(row, list) and len(row) > 1 and all(isinstance(side, str) for side in row[:2]) for row in tree
    )


def _is_table(tree: Any) -> bool:
    """Whether the tree is a list of rows, of which most have the same number of cells, three or more."""
    if not isinstance(tree, list) or not all(isinstance(row, list) for row in tree):
        return False
    widths = Counter(map(len, tree)).most_common(1)
    return (
        bool(widths)
        and widths[0][0] > 2
        and all(cell is None or isinstance(cell, Side) for row in tree for cell in row)
    )


def _rows_of(tree: Sequence[Sequence[Side | None]]) -> Iterator[Row]:
    return ((at, ["" if cell is None else str(cell) for cell in row]) for at, row in enumerate(tree, 1))


def _glossary(tree: Mapping[Any, Any]) -> list[list[str]]:
    """Each key with its definitions: the value, texts in a list, or one in it by its name; else an empty text."""
    senses = [(term, value if _are_texts(value) else each(value)) for term, value in tree.items()]
    records = [one for _, values in senses for one in values if isinstance(one, Mapping)]
    are_named = all(find_sides(list(map(str, one))) for one in records)
    told = [(str(term), one, _definition(one, are_named=are_named)) for term, values in senses for one in values]
    has_texts = sum(text is not None for *_, text in told) >= _MIN_TOLD * len(told)
    return [
        [term, text]
        for term, one, own in told
        for text in (_expansions(term, one) if own is None and has_texts else []) or [own or ""]
    ]


def _expansions(term: str, value: Any) -> list[str]:
    """The texts that a record without a text has for a name, which are what its key is short for."""
    names = list(map(str, value)) if isinstance(value, Mapping) else []
    front, back = find_strong_sides(names)
    if front is None or back is not None or find_sides(names) is not None:
        return []
    found = texts_of(list(value.values())[front])
    return [] if term in found else found


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _definition(value: Any, *, are_named: bool) -> str | None:
    """A text, or the one in a record that has no name; nor has a record a name by its language alone, if not all do."""
    if isinstance(value, Mapping):
        names = list(map(str, value))
        front, back = find_strong_sides(names)
        if front is None and back is None:
            back = next((at for at, name in enumerate(names) if is_faint_back_name(name)), None)
        sides = find_sides(names)
        is_named = sides is not None and (are_named or not names_language(names[sides[0]]))
        value = None if back is None or is_named else list(value.values())[back]
    return value if isinstance(value, str) else None


def read_records(name: str, found: Sequence[Records], choice: LayoutFlags = DETECT_ALL) -> Outcome:
    """One deck per list of records; records without a card are skipped (`no_sides`, `no_text`, `empty_front`, `cloze`).

    Where there are several decks, their ids add to the file's name their own if these differ, or else their number.
    Findings: `nested_sides` (objects or lists on the sides in which nothing is clearly the text), and for lists of rows
    with three cells or more, what `rows.read_rows` finds.
    """
    own_ids = [str(records.about["id"]) for records in found if "id" in records.about]
    ids = own_ids if len(set(own_ids)) == len(found) else [str(number) for number in range(1, len(found) + 1)]
    decks: list[Deck] = []
    skipped: list[tuple[str, str]] = []
    findings: list[Finding] = []
    for own_id, records in zip(ids, found, strict=True):
        own = f"!{own_id}" if len(found) > 1 else ""
        title = _text(records.about, TITLES) or title_of(name)
        note = _text(records.about, _LICENCES)
        deck = Deck(set_id=name + own, title=title, cards=(), licence_note=note and note[:MAX_NAME_CHARS])
        outcome = read_table(name, _rows_of(records.rows), choice, deck) if _is_table(records.rows) else None
        if outcome is None:
            outcome = build_deck(deck, _list_rows(records, f"{own[1:]} record".lstrip(), choice.fields))
            findings += _doubt_nested(name + own, records.rows, choice.fields)
        decks += outcome.decks
        findings += outcome.findings
        skipped += outcome.skipped
    return Outcome(decks=tuple(decks), findings=tuple(findings), skipped=tuple(skipped))


def _doubt_nested(name: str, rows: Sequence[Any], named: Named) -> list[Finding]:
    """A finding that names the first record with a side that holds no clear text, and how many there are."""
    records = ((at, _find_sides(row, named)) for at, row in enumerate(rows, 1))
    places = [
        (at, found, *side)
        for at, found in records
        if found and not found.pairs()
        for side in found.items()
        if isinstance(side[1], Mapping | list) and side[1]
    ]
    if not places:
        return []
    at, found, field, value = places[0]
    n_records = len({place[0] for place in places})
    detail = f"{name}: {n_records:,} of {len(rows):,} records have no clear text on a side; {field} of record {at} is"
    inner = [one if isinstance(text, str) else _text_within(one, text) for one, text in found.items()]
    row = OfferedRow(path=name, cells={"fields": write_cell(inner)}, effect="reads these")
    offers = (row,) if all(inner) else offer_fields(name, *first_texts(rows))
    return [Finding(kind="nested_sides", detail=f"{detail} {describe_value(value)}", offers=offers)]


def _text_within(name: str, value: Any) -> str:
    """The name of the first text within an object."""
    within = spread(value) if isinstance(value, Mapping) else {}
    return next((f"{name}.{key}" for key, part in within.items() if isinstance(part, str) and part.strip()), "")


def _text(about: Mapping[Any, Any], keys: Sequence[str]) -> str | None:
    return next((str(about[key]) for key in keys if isinstance(about.get(key), str)), None)


def _spread_for(record: Any, named: Named) -> Any:
    """The record, with what its objects hold if the operator names such a place."""
    has_dot = isinstance(record, Mapping) and any("." in name for pair in named for name in pair)
    return spread(record) if has_dot else record


@dataclass(frozen=True, kw_only=True)
class RecordSides:
    """A record that names both sides."""

    names: tuple[str, ...]
    values: list[Any]
    sides: tuple[int, int]

    def items(self) -> list[tuple[str, Any]]:
        """The name and the value of each side."""
        return [(self.names[side], self.values[side]) for side in self.sides]

    def pairs(self) -> list[tuple[str, str]]:
        """The texts of each card; none where a side has no clear text."""
        (_, front), (name, back) = self.items()
        return pair_texts(front, back, name)

    def choices(self) -> list[str]:
        """The texts of which the back is the place; none where it is a text."""
        back = self.values[self.sides[1]]
        lists = [one for one in self.values if isinstance(one, list) and len(one) > 1 and _are_texts(one)]
        return lists[0] if isinstance(back, int) and not isinstance(back, bool) and len(lists) == 1 else []

    def others(self) -> Mapping[str, Any]:
        """The texts of the back in other languages than the one of the card, by a name for each."""
        (_, front), (name, back) = self.items()
        return {f"{name}.{language}": texts for language, texts in other_languages(front, back).items()}


def _find_sides(record: Any, named: Named) -> RecordSides | None:
    """The names and the values of a record, and which are its sides; None where it names none."""
    record = dict(zip(("front", "back"), record, strict=False)) if isinstance(record, list) else record
    record = _spread_for(record, named)
    names = tuple(_names(record)) if isinstance(record, Mapping) else ()
    sides = find_sides(names, named)
    if sides is None:
        return None
    values = list(record.values())
    return RecordSides(names=names, values=values, sides=(sides[0], find_answer(names, values, sides[1])))


def _first_place(found: Sequence[RecordSides]) -> int | None:
    """The number of the first choice in the records whose backs are places, 0 or 1; None where these do not show it."""
    places = [(int(one.values[one.sides[1]]), len(choices)) for one in found if (choices := one.choices())]
    return 0 if any(not at for at, _ in places) else 1 if any(at == n for at, n in places) else None


def _list_rows(records: Records, called: str, named: Named) -> Iterator[NamedRow]:
    """The rows of each record, by number: one for each name and sense, or one with the reason why it has no card."""
    language = records.about.get("lang_definitions")
    sides = [_find_sides(record, named) for record in records.rows]
    first = _first_place([found for found in sides if found])
    for at, (record, found) in enumerate(zip(records.rows, sides, strict=True), 1):
        choices = found.choices() if found else []
        if found and choices:  # the back is the place of one of them
            place = -1 if first is None else int(found.values[found.sides[1]]) - first
            found.values[found.sides[1]] = choices[place] if 0 <= place < len(choices) else None
        pairs = found.pairs() if found else []
        if found is None or not pairs:
            yield f"{called} {at}", None, "no_text" if found else "no_sides"
            continue
        about = record if isinstance(record, Mapping) else {}
        others = found.others()
        columns = NamedColumns(
            names=(*found.names, *others) if about else (),
            sides=found.sides,
            markdown=str(about.get("markdown")).lower() == "true",
            has_image=bool(about.get("image")),
            language=language if isinstance(language, str) else None,
        )
        for pair in pairs:
            texts = dict(zip(found.sides, pair, strict=True))
            values = [texts.get(at, value) for at, value in enumerate(found.values)]
            yield f"{called} {at}", columns, [*values, *others.values()]
