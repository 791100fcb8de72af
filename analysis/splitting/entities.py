"""Which names mean the same entity: number variants, given synonyms, an acronym and what it stands for; pure."""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from data import words

Synonyms = Mapping[str, str]
"""The canonical name of each given synonym -> the name that all of its set share."""


def name_all(entities: "pd.Series[str]", synonyms: Synonyms) -> "pd.Series[str]":
    """The canonical name of each entity, the shared one where it has synonyms; null where there is no entity."""
    distinct = {one: words.canonical(one) for one in entities.dropna().unique()}
    return entities.map({one: synonyms.get(name, name) for one, name in distinct.items()}).astype("str")


def read_synonyms(lines: Iterable[str]) -> dict[str, str]:
    """The synonyms of lines that hold one set each, names apart by commas or tabs; sets with a name in common are one.

    Empty lines and those that begin with `#` do not count.
    """
    shared: dict[str, str] = {}
    for line in lines:
        plain = line.partition("#")[0].replace("\t", ",")
        names = {words.canonical(name) for name in plain.split(",") if name.strip()}
        if not names:
            continue
        joined = names | {other for other, name in shared.items() if name in {shared.get(one) for one in names}}
        shared |= dict.fromkeys(joined, min(joined))
    return shared


def acronyms(names: Iterable[str]) -> list[tuple[str, str]]:
    """Every two of the names where one shortens words in a row of the other to their first letters; sorted.

    `ip address` and `internet protocol address`; an acronym has at least two letters. Names are lower case.
    """
    canonical = {words.canonical(name) for name in names}
    shortened = {(words.canonical(short), words.canonical(name)) for name in canonical for short in _shorten(name)}
    return sorted((short, name) for short, name in shortened if short in canonical and short != name)


def _shorten(name: str) -> Iterator[str]:
    parts = name.replace("-", " ").split()
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            initials = "".join(part[0] for part in parts[start:end])
            yield " ".join([*parts[:start], initials, *parts[end:]])
