"""Which names mean the same entity: singular and plural, listed synonyms, an acronym and its expansion; pure.

The column `entity` of pairs holds one name, or two (`data.identity.join_entities`): the first definition's and the
second's.
"""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from data.identity import entities_of, entity_of
from data.languages.base import Language
from data.languages.known import ENGLISH

Synonyms = Mapping[str, str]
"""The canonical name of each listed synonym -> the name that its whole set shares."""


def each(entities: "pd.Series[str]") -> "pd.Series[str]":
    """Every name in the column once per pair, with the pair's index: two rows for a pair of two, none for null."""
    return entities.dropna().astype(object).map(entities_of).explode().astype("str")


def drawn_by(pair_ids: "pd.Series[str]", entities: Mapping[str, str]) -> "pd.Series[str]":
    """The group that each pair is drawn with for an interval of agreement: its first entity, or itself without any.

    `entities`: by pair_id, the column `entity` of pairs, without nulls.
    """
    named = {pair: entity_of(entity, "first") for pair, entity in entities.items() if entity}
    return pair_ids.map(named).astype(object).fillna(pair_ids.astype(object)).astype("str")


def of_side(entities: "pd.Series[str]", side: str) -> "pd.Series[str]":
    """The name that each pair's `first` or `second` definition defines; null where there is none."""
    return entities.map({entity: entity_of(entity, side) for entity in entities.dropna().unique()}).astype("str")


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

    `ip address` and `internet protocol address`; an acronym has at least two letters. Names are lower case.
    """
    form = language.canonical
    canonical = set(map(form, names))
    shortened = {(form(short), form(name)) for name in canonical for short in _shorten(name)}
    return sorted((short, name) for short, name in shortened if short in canonical and short != name)


def _shorten(name: str) -> Iterator[str]:
    parts = name.replace("-", " ").split()
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            initials = "".join(part[0] for part in parts[start:end])
            yield " ".join([*parts[:start], initials, *parts[end:]])
