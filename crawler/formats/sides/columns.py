"""Which columns of a table may be the sides of its cards: not those that number, date, link or group its rows."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from crawler.cards.advice import OfferedRow, write_cell
from crawler.cards.texts import count_words
from crawler.formats.sides.headers import (
    ENGLISH,
    find_languages,
    find_last_words,
    has_column_name,
    is_aside,
    is_back_name,
    is_column_name,
    is_front_name,
    mentions_language,
    read_name,
)
from crawler.formats.texts.names import begins_question

_WORD = re.compile(r"[^\W_]+")
_ALMOST = 0.95
"""Share of the rows that a rule must fit: people's tables have a stray row or two."""
_MIN_IDENTIFIED_ROWS = 2
"""Rows from which distinct identifiers are told from two odd words."""
_MIN_REPEATED_ROWS = 5
"""Rows from which the same value throughout is no coincidence."""
_MIN_GROUPED_ROWS = 20
"""Rows from which few values among many rows are taken for a group, such as a chapter or a part of speech."""
_MAX_GROUP_SHARE = 0.1
"""Distinct values per row of such a group."""

_OTHERS = 3
"""Columns that may be the text instead of the likeliest one."""
_MAX_MARKS = 2
"""Distinct values that mark rows, as true and false do, and are no texts."""

_MAX_NAME_WORDS = 3
"""Words in the name of a column."""

_MIN_COMPARED_ROWS = 3
"""Rows below a first one from which it is seen to be of another kind."""
_WIDE, _TIMES = 3, 4
"""Columns from which a first row of short cells above texts this many times as long is seen to name them."""
_SOME = 2
"""Names of columns that make a row of several cells, at least half of them, a header."""
_SHARED = 0.05
"""Share of a column's cells that may look like its name by chance."""

_CODE = re.compile("[a-z]{2}(?:[_-][A-Za-z]{2,4})?|[A-Z]{2,3}")
"""The code of a language, such as `en`, `pt-BR` or `ITA`."""
_BRACKETS = re.compile(r"\s?\([^()]{1,80}\)$")
_JOINED = re.compile(r"[^\W\d_]\w{0,40}(?:[_/]\w{1,40}|(?<=[a-z])[A-Z][a-z]\w{0,40})")
"""Words joined as people name columns: `term_name`, `termName`."""

_IDENTIFIERS = (
    re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,64}", re.IGNORECASE),
    re.compile(r"(?:[A-Za-z]{1,15}[:#_])?[0-9]{1,20}\.?|[A-Za-z]{1,15}[.-]?[0-9]{5,20}"),
    re.compile(r"[0-9][0-9 :.,/TZ+-]{0,40}"),
    re.compile(r"(?:https?|file)://\S{1,2000}"),
    re.compile(r"(?=[!-~]{0,11}[^A-Za-z'\n-])[!-~]{8,11}"),
)
"""UUIDs and digests; numbers, also behind a name (`HP:0000118`, `card_7`; `CD4` and `IL-2` are terms); times;
addresses; Anki's GUIDs."""


def find_fitting(columns: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The places of the columns that may be sides; the first two of all where fewer than two may be.

    Columns are given with their values in every row. Of two columns both are sides, whatever they hold.
    """
    fit = [at for at, values in enumerate(columns) if not is_apart(values)] if len(columns) > 2 else []
    return tuple(fit) if len(fit) > 1 else (0, 1)


def choose_fields(names: Sequence[str], columns: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    """The names of two columns that may be sides, of those with many distinct texts: by the last word of their names,
    else the first one, and the one with the longest texts behind it, of its language where names begin or end with one
    (`en_term`). Where only the first one has long texts, and they ask nothing, it is the text. None for no two.
    """
    n_texts = [len({text for text in texts if any(map(str.isalpha, text))}) for texts in columns]
    most = max(n_texts, default=0)
    many = [at for at, n in enumerate(n_texts) if n and 2 * n >= most]
    plain = [at for at in many if not is_aside(names[at])]
    many = plain if len(plain) > 1 else many
    if len(many) < 2:
        return None
    lengths = [sum(map(count_words, texts)) for texts in columns]
    front, back = ([at for at in many if at in known] for known in find_last_words(names))
    name = next(iter(front), many[0])
    others = [at for at in many if at != name]
    parts = [_WORD.findall(name.lower()) for name in names]
    first = parts[name]
    same = [
        at
        for at in others
        if len(first) > 1 < len(parts[at]) and (parts[at][0] == first[0] or parts[at][-1] == first[-1])
    ]
    backs = [at for at in back if at in (same or others)] or same or [at for at in others if at > name] or others
    text = max(backs, key=lengths.__getitem__)
    is_turned = lengths[name] > 2 * lengths[text] and not front and not back
    if is_turned and 2 * sum(map(begins_question, columns[name])) < len(columns[name]):
        name, text = text, name
    return names[name], names[text]


def offer_fields(
    path: str, names: Sequence[str], columns: Sequence[Sequence[str]], *, cell: str = "fields"
) -> tuple[OfferedRow, ...]:
    """The rows that read two of columns that are not known as sides, the likeliest first; none where none can be, as
    columns without a name of their own. Where they are in several languages, two of one are read, English first.

    `cell` is the column of the sheet for such names: `columns` where they are numbers.
    """
    apart = sorted({read_name(names[at]): at for at in reversed(range(len(names))) if read_name(names[at])}.values())
    names, columns = [names[at] for at in apart], [columns[at] for at in apart]
    texts = dict(zip(names, columns, strict=True))
    parts = [find_languages(name) for name in names]
    languages = sorted({*chain(*parts)}, key=lambda code: (code != ENGLISH, code))
    spoken = ([name for name, some in zip(names, parts, strict=True) if code in some] for code in languages)
    own = [pair for some in spoken if (pair := choose_fields(some, [texts[name] for name in some]))]
    chosen = choose_fields(names, columns)
    if chosen is None:
        return ()
    others = [
        name for name in names if name not in chosen and not _holds_codes(texts[name]) and not _marks(texts[name])
    ]
    others.sort(key=lambda name: (is_aside(name), -len({*texts[name]})))
    pairs = own if len(own) > 1 else [chosen, *((chosen[0], other) for other in others[:_OTHERS])]
    return tuple(OfferedRow(path=path, cells={cell: write_cell(pair)}, effect="reads these two") for pair in pairs)


def _marks(values: Sequence[str]) -> bool:
    """Whether almost no two of the values that many rows have differ."""
    return len(values) >= _MIN_REPEATED_ROWS and len(set(values)) <= _MAX_MARKS


def _holds_codes(values: Sequence[str]) -> bool:
    """Whether most values have digits and no space, as numbers, dates and identifiers have."""
    return 2 * sum(any(map(str.isdecimal, value)) and " " not in value.strip() for value in values) > len(values)


def seems_headed(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first row seems to name the columns: no cell of it is long, ends a sentence or comes again, and
    enough columns tell that theirs is no cell as those below it. The first column may have no name, as the index that
    pandas writes.
    """
    filled = [
        at
        for at, (name, *cells) in enumerate(columns, 1)
        if name.strip() or 2 * sum(map(_is_filled, cells)) > len(cells)
    ]
    columns = columns[: max(filled, default=0)]
    names = [values[0].strip() for values in columns]
    named = names[bool(names) and not names[0] and len(names) > 2 :]
    if len(columns) < 2 or len(set(names)) < len(names) or not all(map(_may_name, named)):
        return False
    first = {name.partition(" ")[0] for name in named}
    shared = f"{first.pop()} " if len(first) == 1 and all(" " in name for name in named) else None
    told = [_differs(values, shared, len(columns)) for values in columns]
    is_back = any(is_back_name(name) and not any(map(is_back_name, values)) for name, *values in columns[1:])
    if is_back and len(columns[0]) > _MIN_COMPARED_ROWS:
        return True
    fronts = [any(map(is_front_name, values)) for values in (names[:1], names[1:], columns[0][1:])]
    return sum(told) >= max(_SOME, len(columns) / 2) or (len(columns) == _SOME and fronts == [True, False, False])


def _is_filled(cell: str) -> bool:
    return cell.strip() != ""


def _may_name(name: str) -> bool:
    return bool(name) and len(_BRACKETS.sub("", name).split()) <= 2 * _MAX_NAME_WORDS and name[-1] not in ".?!"


def _differs(column: Sequence[str], shared: str | None, n_columns: int) -> int:
    """How surely the first cell of a column is of another kind than those below it: 2 above numbers or identifiers, 1
    where it is written as names of columns are, is far shorter, alone begins with a capital, or is above a few values
    that come again and again; 0 where nothing tells.
    `shared` is what the first cells of all columns begin with.
    """
    name, values = column[0].strip(), list(map(str.strip, column[1:]))
    few = len(_BRACKETS.sub("", name).split()) <= _MAX_NAME_WORDS
    kind = _kind(values) if len(values) >= _MIN_REPEATED_ROWS and n_columns > 2 and few else None
    if kind is not None and kind.fullmatch(name) is None:
        return _SOME
    forms = (
        lambda cell: _JOINED.fullmatch(cell) is not None,
        lambda cell: shared is not None and cell.startswith(shared),
        lambda cell: len(cell.split()) <= _MAX_NAME_WORDS and has_column_name(cell),
        lambda cell: n_columns > 2 and is_column_name(cell),
        lambda cell: _CODE.fullmatch(cell) is not None,
        mentions_language,
    )
    if len(values) < _MIN_COMPARED_ROWS or not name:
        bare = [_BRACKETS.sub("", cell) for cell in (name, *values)]
        return int(n_columns > 2 and [*map(bool, map(_JOINED.fullmatch, bare))] == [True, *(False for _ in values)])
    is_form = few and any(form(name) and sum(map(form, values)) <= _SHARED * len(values) for form in forms)
    is_apart = len(values) >= _MIN_REPEATED_ROWS and n_columns == _SOME and name.isalpha()
    is_apart = is_apart and sum(cell[:1].isupper() == name[:1].isupper() for cell in values) <= _SHARED * len(values)
    is_short = n_columns >= _WIDE and sum(map(len, values)) >= _TIMES * len(name) * len(values) and name not in values
    is_above_groups = (
        len(values) >= _MIN_GROUPED_ROWS and name not in values and (_is_same(values) or _is_group(values))
    )
    return int(is_form or is_short or is_apart or (is_above_groups and few))


def is_apart(values: Sequence[str]) -> bool:
    """Whether the values of a column number, date, link or group its rows, so that it is no side."""
    return _is_same(values) or _identifies(values) or _is_group(values)


def _is_same(values: Sequence[str]) -> bool:
    """Whether almost all rows have the same value, which may be blank."""
    most = Counter(map(str.strip, values)).most_common(1)
    return len(values) >= _MIN_REPEATED_ROWS and most[0][1] >= _ALMOST * len(values)


def _identifies(values: Sequence[str]) -> bool:
    """Whether almost all values differ and are numbers or identifiers of one kind."""
    is_distinct = len(values) >= _MIN_IDENTIFIED_ROWS and len(set(values)) >= _ALMOST * len(values)
    return is_distinct and _kind(values) is not None


def _kind(values: Sequence[str]) -> re.Pattern[str] | None:
    """What almost all values look like, if that is a kind of number or identifier."""
    texts, enough = list(map(str.strip, values)), _ALMOST * len(values)
    return next((kind for kind in _IDENTIFIERS if sum(map(bool, map(kind.fullmatch, texts))) >= enough), None)


def _is_group(values: Sequence[str]) -> bool:
    return len(values) >= _MIN_GROUPED_ROWS and len(set(values)) <= _MAX_GROUP_SHARE * len(values)
