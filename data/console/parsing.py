"""The words of a command line -> the arguments of a command. What is wrong is one line."""

import dataclasses
import re
import types
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from data.console.errors import InputError
from data.console.flags import REQUIRED, Flag, list_flags
from data.console.paths import local

LARGEST = 2**31 - 1
"""No command takes a larger number, and no negative whole number."""

SEE_HELP = "see --help"
_FLAG = re.compile(r"--[A-Za-z]")
_EXPECTED: Mapping[Any, str] = {int: "a whole number", float: "a number", datetime: "a time such as 2026-03-01T18:00"}


def parse(form: type, words: Sequence[str], recipes: Mapping[str, Any]) -> Any:
    """The arguments that the words give. Raises InputError.

    A flag takes one value, or all words up to the next flag where it takes many; given again, many are added. `--`
    ends the flags. `none` is the value of a number that may be left out.
    """
    _demand_text(words)
    flags = list_flags(form, (named_recipe(words, recipes), recipes) if recipes else None)
    given = _read(words, flags)
    values = {flag.path: given.get(flag.path, flag.default) for flag in flags}
    lacking = [flag for flag in flags if values[flag.path] is REQUIRED]
    if lacking:
        named = " and ".join(flag.value if flag.is_positional else f"{flag.name} {flag.value}" for flag in lacking)
        raise InputError("arguments", expected=named, found="none", remedy=f"give it; {SEE_HELP}")
    for flag in flags:
        _demand_usable(flag.name, values[flag.path])
    return _build(form, values, (), recipes and type(next(iter(recipes.values()))))


def named_recipe(words: Sequence[str], recipes: Mapping[str, Any]) -> str:
    """The recipe that the words name, else the first one. Raises InputError."""
    named = [
        word.partition("=")[2] or following
        for word, following in zip(words, [*words, ""][1:], strict=True)
        if word.partition("=")[0] == "--recipe"
    ]
    name = named[-1] if named else next(iter(recipes))
    if name not in recipes:
        raise InputError("--recipe", expected=" or ".join(recipes), found=repr(name), remedy=SEE_HELP)
    return name


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """The remedy for a word that there is not: the nearest one that there is."""
    from rapidfuzz import process

    near = process.extractOne(word, known, score_cutoff=60)
    return f"did you mean `{near[0]}`?" if near else SEE_HELP


def _read(words: Sequence[str], flags: Sequence[Flag]) -> dict[tuple[str, ...], Any]:
    """The value of each flag that is given."""
    by_name = {flag.name: flag for flag in flags if not flag.is_positional}
    by_name |= {f"--no-{name[2:]}": flag for name, flag in by_name.items() if flag.is_switch}
    found: dict[tuple[str, ...], Any] = {}
    bare: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            bare, left = bare + left, []
        elif not _FLAG.match(word):
            bare.append(word)
        else:
            name, equals, value = word.partition("=")
            flag = by_name.get(name.replace("_", "-"))
            if flag is None:
                raise InputError(name, expected="a flag", found="none of that name", remedy=_nearest(name, by_name))
            taken = [value] if equals else _take(flag, left)
            if flag.is_switch:
                found[flag.path] = _switch(flag, name, taken)
            else:
                found[flag.path] = _more(found.get(flag.path), _convert(flag, taken), flag)
    return found | _place(bare, [flag for flag in flags if flag.is_positional])


def _nearest(name: str, known: Mapping[str, Flag]) -> str:
    return did_you_mean(name, list(known))


def _take(flag: Flag, left: list[str]) -> list[str]:
    """The words that are the flag's values, taken from those that are left."""
    most = 0 if flag.is_switch else len(left) if flag.takes_many else len(flag.parts)
    taken = list(takewhile(lambda word: word != "--" and not _FLAG.match(word), left[:most]))
    del left[: len(taken)]
    return taken


def _switch(flag: Flag, name: str, taken: Sequence[str]) -> bool:
    if taken:
        other = f"give {flag.name} or --no-{flag.name[2:]}"
        raise InputError(name, expected="no value", found=repr(taken[0]), remedy=other)
    return name == flag.name


def _more(before: Any, values: Any, flag: Flag) -> Any:
    return (*before, *values) if before and flag.takes_many else values


def _place(bare: list[str], flags: Sequence[Flag]) -> dict[tuple[str, ...], Any]:
    """The values of the flags that are given without a name, in their order."""
    found = {}
    for flag in flags:
        n = len(bare) if flag.takes_many else 1
        if bare:
            found[flag.path] = _convert(flag, bare[:n])
            bare = bare[n:]
    if bare:
        named = " ".join(flag.name for flag in flags) or "flags alone"
        raise InputError("arguments", expected=named, found=repr(bare[0]), remedy=SEE_HELP)
    return found


def _convert(flag: Flag, words: Sequence[str]) -> Any:
    """The value that the words are. Raises InputError."""
    size = len(flag.parts)
    wrong = len(words) % size if flag.takes_many else len(words) != size
    if wrong:
        expected = f"{size} values at a time" if flag.takes_many else f"{size} values" if size > 1 else "a value"
        raise InputError(flag.name, expected=expected, found=" ".join(words) or "none", remedy=SEE_HELP)
    if flag.optional and [word.lower() for word in words] == ["none"] and flag.kind in (int, float):
        return None
    values = [_value(flag, flag.parts[place % size], word) for place, word in enumerate(words)]
    if not flag.takes_many:
        return tuple(values) if size > 1 else values[0]
    return tuple(values) if size == 1 else tuple(zip(*(values[place::size] for place in range(size)), strict=True))


def _value(flag: Flag, kind: Any, word: str) -> Any:
    if get_origin(kind) is Literal:
        known = {str(one): one for one in get_args(kind)}
        if word in known:
            return known[word]
        remedy = did_you_mean(word, list(known))
        raise InputError(flag.name, expected=" or ".join(known), found=repr(word), remedy=remedy)
    if get_origin(kind) in (Union, types.UnionType):
        return _first(flag, get_args(kind), word)
    try:
        return datetime.fromisoformat(word) if kind is datetime else kind(word)
    except ValueError as fault:
        raise InputError(flag.name, expected=_EXPECTED[kind], found=repr(word), remedy="give another") from fault


def _first(flag: Flag, kinds: Sequence[Any], word: str) -> Any:
    """The value by the first type that takes the word."""
    for kind in kinds[:-1]:
        try:
            return _value(flag, kind, word)
        except InputError:
            continue
    return _value(flag, kinds[-1], word)


def _build(form: type, values: Mapping[tuple[str, ...], Any], path: tuple[str, ...], config: Any) -> Any:
    """The arguments, with their parts that are dataclasses."""
    inner = {place[len(path)] for place in values if place[: len(path)] == path and len(place) > len(path) + 1}
    built = {
        field.name: values[(*path, field.name)] for field in dataclasses.fields(form) if (*path, field.name) in values
    }
    for name in inner:
        kind = config if (path, name) == ((), "config") and config else _part(form, name)
        built[name] = _build(kind, values, (*path, name), None)
    return form(**built)


def _part(form: type, name: str) -> Any:
    return get_type_hints(form)[name]


def _demand_usable(flag: str, value: Any) -> None:
    """Raise InputError for an address where a path is expected, and for numbers that no command can count with."""
    if isinstance(value, Path):
        local(value)
    elif isinstance(value, int) and not 0 <= value <= LARGEST:
        expected = "at least 0" if value < 0 else f"at most {LARGEST}"
        raise InputError(flag, expected=expected, found=f"{value}"[:40], remedy="give another number")
    elif isinstance(value, float) and not abs(value) <= LARGEST:
        raise InputError(flag, expected="a finite number", found=f"{value}", remedy="give another number")
    elif isinstance(value, tuple):
        for part in value:
            _demand_usable(flag, part)


def _demand_text(words: Sequence[str]) -> None:
    """Raise InputError for a word of other bytes than UTF-8: no table and no request could hold it."""
    for word in words:
        try:
            word.encode("utf-8")
        except UnicodeEncodeError as fault:
            remedy = "rename or retype it"
            raise InputError("arguments", expected="text in UTF-8", found=ascii(word), remedy=remedy) from fault
