"""Which columns of a table may be the sides of its cards: not those that number, date, link or group its rows."""

import re
from collections import Counter
from collections.abc import Sequence

from crawler.cards.advice import show_row, write_cell
from crawler.formats.sides.headers import find_last_words, has_column_name, is_back_name, is_column_name
from crawler.formats.texts.names import asks

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

_MAX_NAME_WORDS = 3
"""Words in the name of a column."""

_MIN_COMPARED_ROWS = 3
"""Rows below a first one from which it is seen to be of another kind."""
_WIDE, _TIMES = 5, 4
"""Columns from which a first row of short cells above texts this many times as long is seen to name them."""
_SOME, _SEVERAL = 2, 3
"""Names of columns that make a row of several cells, at least half of them, a header."""
_SENTENCE = 3
"""Words of a text below a name of one word from which the name may head it."""
_SHARED = 0.05
"""Share of a column's cells that may look like its name by chance."""

_CODE = re.compile("[a-z]{2}(?:[_-][A-Za-z]{2,4})?")
"""The code of a language, such as `en` or `pt-BR`."""
_LANGUAGE = re.compile(
    r"\b(?:english|englisch|anglais|ingl[eé]s|ingl[eê]s|inglese|german|deutsch|allemand|alemán|tedesco|french|français"
    r"|französisch|francés|spanish|español|espagnol|spanisch|italian|italiano|portuguese|português|dutch|nederlands"
    r"|swedish|svenska|danish|dansk|norwegian|norsk|finnish|suomi|polish|polski|czech|česky|russian|русский|ukrainian"
    r"|українська|turkish|türkçe|arabic|greek|latin|hindi|thai|vietnamese|japanese|chinese|korean)\b"
    r"|ไทย|العربية|中文|日本語|한국어|英文|英語|英语",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s?\([^()]{1,80}\)$")
_JOINED = re.compile(r"[^\W\d_]\w{0,40}(?:_\w{1,40}|(?<=[a-z])[A-Z][a-z]\w{0,40})")
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
    fit = [at for at, values in enumerate(columns) if not _is_apart(values)] if len(columns) > 2 else []
    return tuple(fit) if len(fit) > 1 else (0, 1)


def find_evident(columns: Sequence[Sequence[str]], places: Sequence[int]) -> tuple[int, int] | None:
    """The places of name and text, of these, by what they hold: a column that is at least twice as long as any other,
    and the only other one without blank cells in which almost all differ; None where nothing tells.
    """
    longest, *others = sorted(places, key=lambda at: -sum(map(len, columns[at])))
    names = [at for at in others if len({*map(str.strip, columns[at])} - {""}) >= _ALMOST * len(columns[at])]
    is_long = all(sum(map(len, columns[longest])) >= 2 * sum(map(len, columns[at])) for at in others)
    return (names[0], longest) if is_long and len(names) == 1 else None


def choose_fields(names: Sequence[str], columns: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    """The names of two columns that may be sides, of those with many distinct texts: by the last word of their names,
    else the first one, and the one with the longest texts behind it, of its language where names begin or end with one
    (`en_term`). Where only the first one has long texts, and they ask nothing, it is the text. None for no two.
    """
    n_texts = [len({text for text in texts if any(map(str.isalpha, text))}) for texts in columns]
    most = max(n_texts, default=0)
    many = [at for at, n in enumerate(n_texts) if n and 2 * n >= most]
    if len(many) < 2:
        return None
    lengths = [sum(map(len, texts)) for texts in columns]
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
    if is_turned and 2 * sum(map(asks, columns[name])) < len(columns[name]):
        name, text = text, name
    return names[name], names[text]


def offer_fields(path: str, names: Sequence[str], columns: Sequence[Sequence[str]], *, cell: str = "fields") -> str:
    """What to do about columns that are not known as sides: the row that reads two of them; empty where none can be.

    `cell` is the column of the sheet for such names: `columns` where they are numbers.
    """
    chosen = choose_fields(names, columns)
    return f"{show_row(path, **{cell: write_cell(chosen)})} reads these two" if chosen else ""


def seems_headed(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first row seems to name the columns: by what is below it, or by its form."""
    return _names_columns(columns) or _differs_from_cells(columns)


def _names_columns(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: short names, above a column of numbers or identifiers.

    The first column may have no name, as the index that pandas writes.
    """
    names = [values[0].strip() for values in columns]
    return (
        len(columns) > 2
        and all(
            name and len(name.split()) <= _MAX_NAME_WORDS and name[-1] not in ".?!" for name in names[not names[0] :]
        )
        and any(_is_headed(name, values[1:]) for name, values in zip(names, columns, strict=True))
    )


def _differs_from_cells(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first row seems to name the columns by its form: each of its cells is short and written as names of
    columns are, with words joined, a word that means a side, or a first word that all of them share, and hardly any
    cell below it is.
    """
    names = [values[0].strip() for values in columns]
    if len(columns) < 2 or min(map(len, columns)) <= _MIN_COMPARED_ROWS or len(set(names)) < len(names):
        return False
    if len(columns) >= _WIDE and _is_above_texts(names, columns):
        return True
    bare = [_BRACKETS.sub("", name) for name in names]
    if any(not name or len(name.split()) > _MAX_NAME_WORDS or name[-1] in ".?!" for name in bare):
        return False
    if len(columns) == _SOME and all(map(str.isalpha, names)) and _are_sentences(columns[1][1:]):
        enough = _SHARED * len(columns[0])
        if any(sum(_is_alike(cell, values[0]) for cell in values[1:]) <= enough for values in columns):
            return True
    if any(is_back_name(name) and not any(map(is_back_name, values)) for name, (_, *values) in _behind(names, columns)):
        return True
    first = {name.partition(" ")[0] for name in names if " " in name}
    shared = f"{first.pop()} " if len(first) == 1 and all(" " in name for name in names) else None
    forms = (
        lambda cell: _JOINED.fullmatch(cell) is not None,
        lambda cell: shared is not None and cell.startswith(shared),
        lambda cell: len(cell.split()) <= _MAX_NAME_WORDS and has_column_name(cell),
        lambda cell: len(columns) > 2 and is_column_name(cell),
        lambda cell: _CODE.fullmatch(cell) is not None,
        lambda cell: _LANGUAGE.search(cell) is not None,
    )
    n_names = sum(
        any(form(name) and sum(map(form, map(str.strip, values[1:]))) <= _SHARED * (len(values) - 1) for form in forms)
        for name, values in zip(names, columns, strict=True)
    )
    return n_names == len(columns) or (len(columns) >= _SEVERAL and n_names >= max(_SOME, len(columns) / 2))


def _are_sentences(texts: Sequence[str]) -> bool:
    """Whether almost all of several texts have a few words, and none is of one word in letters."""
    n = sum(len(text.split()) >= _SENTENCE for text in texts)
    return len(texts) >= _MIN_REPEATED_ROWS and n >= _ALMOST * len(texts) and not any(map(str.isalpha, texts))


def _is_alike(cell: str, name: str) -> bool:
    """Whether both begin with a capital, or neither does."""
    return cell.strip()[:1].isupper() == name[:1].isupper()


def _is_above_texts(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether no cell of the first row is blank, ends a sentence or comes again, and several columns have far longer
    texts below it.
    """
    n_long = sum(
        sum(map(len, values[1:])) >= _TIMES * len(name) * (len(values) - 1)
        for name, values in zip(names, columns, strict=True)
    )
    are_names = all(name and name[-1] not in ".?!" and len(name.split()) <= 2 * _MAX_NAME_WORDS for name in names)
    return (
        are_names and n_long >= 2 and not any(name in values[1:] for name, values in zip(names, columns, strict=True))
    )


def _behind(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    """The names of the columns behind the first one, with their values."""
    return list(zip(names, columns, strict=True))[1:]


def _is_headed(name: str, values: Sequence[str]) -> bool:
    kind = _kind(values) if len(values) >= _MIN_REPEATED_ROWS else None
    return kind is not None and kind.fullmatch(name) is None


def _is_apart(values: Sequence[str]) -> bool:
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
