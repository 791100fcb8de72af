"""Which names mean the same entity: number, spelling, listed synonyms, an acronym and its expansion; pure.

Pairs have the columns ENTITIES: what the first text defines, and what the second does where that is another entity.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import pandas as pd

from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH

ENTITIES = ["entity", "second_entity"]
BETWEEN = " | "
"""The separator of the two entities of a pair where readers see both."""

Names = Mapping[str, str]
"""Entity -> how people write it."""
NAMES: Names = MappingProxyType({})

Synonyms = Mapping[str, str]
"""The canonical name of each listed synonym -> the name that its whole set shares."""


def each(pairs: pd.DataFrame) -> "pd.Series[str]":
    """Every entity of the pairs, with the pair's index: two rows for a pair of two, none for a pair without one."""
    names = pairs[ENTITIES].astype(object)
    return pd.Series(names.to_numpy().ravel(), names.index.repeat(2), dtype=object).dropna().astype("str")


def of_side(pairs: pd.DataFrame, side: str) -> "pd.Series[str]":
    """The name that each pair's `first` or `second` text defines; null where it defines none."""
    first = pairs["entity"].astype("str")
    return first if side == "first" else pairs["second_entity"].astype("str").fillna(first)


def name_entities(entities: "pd.Series[Any]", names: Names) -> "pd.Series[Any]":
    """Each entity as a reader sees it; null for none."""
    return pd.Series([names.get(one, one) for one in entities], entities.index, dtype=entities.dtype)


def name_pairs(pairs: pd.DataFrame, names: Names = NAMES, *, in_order: bool = False) -> "pd.Series[str]":
    """The entity of each pair as a reader sees it (`name_pair`); `in_order`: of two, in alphabetical order."""
    shown: dict[tuple[Any, ...], str | None] = {}
    named = []
    for couple in map(tuple, pairs[ENTITIES].to_numpy(dtype=object).tolist()):
        if couple not in shown:
            known = sorted(couple) if in_order and not any(map(pd.isna, couple)) else couple
            shown[couple] = name_pair(*known, names=names)
        named.append(shown[couple])
    return pd.Series(named, pairs.index, dtype="str")


def name_pair(entity: str | None, second_entity: str | None, *, names: Names = NAMES) -> str | None:
    """The entity of a pair as a reader sees it: of two, both; None for none. An entity without a name is its own."""
    shown = [names.get(str(one), str(one)) for one in (entity, second_entity) if not pd.isna(one)]
    return BETWEEN.join(shown) if shown else None


def from_sides(first: Iterable[str | None], second: Iterable[str | None]) -> pd.DataFrame:
    """The columns entity and second_entity of pairs whose two texts define these; null for none."""
    sides = pd.DataFrame({"entity": [*first], "second_entity": [*second]}, dtype=object)
    same = sides["entity"].eq(sides["second_entity"]) | sides["entity"].isna()
    return sides.assign(second_entity=sides["second_entity"].mask(same, None))


def name_all(entities: "pd.Series[str]", synonyms: Synonyms, language: Language = ENGLISH) -> "pd.Series[str]":
    """The canonical name of each entity, the shared one where it has synonyms; null where there is no entity."""
    canonical = {entity: language.canonical(entity) for entity in entities.dropna().unique()}
    return entities.map({entity: synonyms.get(name, name) for entity, name in canonical.items()}).astype("str")


def read_synonyms(lines: Iterable[str], language: Language = ENGLISH) -> dict[str, str]:
    """The synonyms of lines with one set each, names separated by commas or tabs; sets that share a name are merged.

    Empty lines and what follows a `#` are ignored.
    """
    shared: dict[str, str] = {}
    for line in lines:
        plain = line.partition("#")[0].replace("\t", ",")
        names = {language.canonical(name) for name in plain.split(",") if name.strip()}
        if not names:
            continue
        joined = names | {other for other, name in shared.items() if name in {shared.get(known) for known in names}}
        shared |= dict.fromkeys(joined, min(joined))
    return shared


def acronyms(names: Iterable[str], language: Language = ENGLISH) -> list[tuple[str, str]]:
    """Every two names of which one shortens consecutive words of the other to their initials; sorted.

    `ip address` and `internet protocol address`; small words may be left out (`usa`), and either name may have both
    forms (`lan (local area network)`). An acronym has at least two letters. Names are lower case.
    """
    return [*_acronyms(tuple(sorted(set(map(language.canonical, names)))), language)]


@lru_cache(maxsize=1)  # a report groups pairs by their names, and then compares splits by them
def _acronyms(names: tuple[str, ...], language: Language) -> list[tuple[str, str]]:
    readings = {name: _read(name, language) for name in names}
    named: dict[str, set[str]] = {}
    for name, own in readings.items():
        for reading in own:
            named.setdefault(fold(reading, language), set()).add(name)
    couples = set()
    for name, own in readings.items():
        shorter = {short for reading in own for short in _shorten(reading, language)}
        both = own if len(own) > 1 else set()
        for form in {fold(language.canonical(reading), language) for reading in shorter | both}:
            couples |= {
                (other, name) for other in named.get(form, ()) if other != name and (name, other) not in couples
            }
    return sorted(couples)


def spellings(names: Iterable[str], language: Language = ENGLISH) -> list[tuple[str, str]]:
    """Every two names that are one in another spelling: `e-mail` and `email`, `colour` and `color`; sorted."""
    folded: dict[str, list[str]] = {}
    for name in sorted(set(map(language.canonical, names))):
        folded.setdefault(fold(name, language), []).append(name)
    return sorted((same[0], other) for same in folded.values() for other in same[1:])


def fold(name: str, language: Language = ENGLISH) -> str:
    """The name in one spelling, without spaces, hyphens and other marks, but for the marks of `c++` and `c#`."""
    words = [_WRITTEN_OUT.get(word, word) for word in _APART.split(name)]
    return "".join(language.spelling(_MARKS.sub("", word)) for word in words) or name


_WRITTEN_OUT = {"vs": "versus", "vs.": "versus", "&": "and"}
_APART = re.compile(r"[\s\-]+")
_MARKS = re.compile(r"[^\w+#*]|_")


def _read(name: str, language: Language) -> set[str]:
    """The names in a name: both where one in brackets shortens the other, or is shortened by it."""
    outer, bracket, rest = name.partition("(")
    outer, inner = outer.strip(), rest.removesuffix(")").strip()
    if not (bracket and outer and inner and rest.endswith(")")):
        return {name}
    related = any(
        fold(short, language) in (fold(outer, language), fold(inner, language))
        for whole in (outer, inner)
        for short in _shorten(whole, language)
    )
    return {outer, inner} if related else {name}


def _shorten(name: str, language: Language) -> Iterator[str]:
    parts = name.replace("-", " ").split()
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            whole = parts[start:end]
            for words in (whole, [part for part in whole if part not in language.stop_words]):
                if len(words) > 1:
                    yield " ".join([*parts[:start], "".join(part[0] for part in words), *parts[end:]])
