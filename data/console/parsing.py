"""The words of a command line -> the arguments of a command, by argparse. What is wrong is one line."""

import argparse
import re
import shutil
import textwrap
import types
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from data.console.errors import InputError
from data.console.flags import NAMES, REQUIRED, Flag, list_flags, list_values, paragraph
from data.console.paths import Address, address, local

MAX_NUMBER = 2**31 - 1
"""No command takes a larger number, and no negative whole number."""

HELP = ("-h", "--help", "--help-all")
SEE_HELP = "see --help"
GROUPS = ("what", "how", "limits", "advanced")
WIDEST = 100
"""Longer lines are hard to read."""
INDENT = 24
"""The column of the flags' texts."""
_EXPECTED: Mapping[Any, str] = {int: "a whole number", float: "a number", datetime: "a time such as 2026-03-01T18:00"}


def parse(form: type, words: Sequence[str], recipes: Mapping[str, Any]) -> Any:
    """The arguments that the words give. Raises InputError.

    A flag takes one value, or all words up to the next flag where it takes many; given again, many are added. `--`
    ends the flags. `none` is the value of a number that may be left out.
    """
    _require_text(words)
    recipe = (named_recipe(words, recipes), recipes) if recipes else None
    flags = list_flags(form, recipe)
    found, left = _parser(flags).parse_known_args(words)
    if left:
        raise _unknown(left[0], flags)
    values = {value.path: _gather(value, vars(found)) for value in list_values(form, recipe)}
    lacking = [flag.usage for flag in flags if values[flag.path] is REQUIRED]
    if lacking:
        raise InputError("arguments", expected=" and ".join(lacking), found="none", remedy=f"give it; {SEE_HELP}")
    for flag in flags:
        _require_usable(flag.name, values[flag.path])
    return _build(form, values, type(next(iter(recipes.values()))) if recipes else None)


def write_help(prog: str, form: type, recipe: tuple[str, Mapping[str, Any]] | None, *, everything: bool) -> str:
    """The help of a command; of its advanced flags only the names unless `everything` is asked for."""
    flags = sorted(list_flags(form, recipe), key=_rank)
    usage = " ".join(["usage:", prog, *(flag.usage for flag in flags if flag.default is REQUIRED), "[flags]"])
    usage = textwrap.fill(usage, line_width(), subsequent_indent="    ").removeprefix("usage: ")
    about = "\n\n".join(textwrap.fill(part, line_width()) for part in paragraph(form.__doc__ or "").split("\n\n"))
    shown = [flag for flag in flags if everything or flag.group != "advanced"]
    hidden = " ".join(flag.names[0] for flag in flags if flag not in shown)
    listed = textwrap.indent(textwrap.fill(hidden, line_width() - 2, break_on_hyphens=False), "  ")
    more = f"advanced (explained by --help-all):\n{listed}" if hidden else None
    return _parser(shown, usage=usage, description=about, epilog=more).format_help().rstrip()


class _Parser(argparse.ArgumentParser):
    """Raises InputError instead of leaving; a word with one hyphen is a value, such as -inf."""

    def __init__(self, **settings: Any) -> None:
        shape = partial(argparse.RawDescriptionHelpFormatter, max_help_position=INDENT, width=line_width())
        super().__init__(
            formatter_class=shape, add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS, **settings
        )
        self._negative_number_matcher = re.compile("-[^-]")

    def error(self, message: str) -> NoReturn:
        """Raise the InputError that the message of argparse describes."""
        known = re.match(r"argument ([\w-]++).*?: (?:expected (.*)|ignored explicit argument (.*))", message)
        name, wanted, given = known.groups() if known else ("arguments", message, None)
        raise InputError(
            name,
            expected=wanted or "no value",
            found=given or ("none" if wanted == "one argument" else "fewer"),
            remedy=SEE_HELP,
        )


class _Switch(argparse.Action):
    """Sets what `--name` switches on and `--no-name` off."""

    def __call__(self, _: Any, namespace: argparse.Namespace, __: Any, name: str | None = None) -> None:
        setattr(namespace, self.dest, not (name or "").startswith("--no-"))


def _parser(flags: Iterable[Flag], **texts: Any) -> argparse.ArgumentParser:
    parser = _Parser(**texts)
    groups = {name: parser.add_argument_group(name) for name in GROUPS}
    for flag in flags:
        size = "*" if flag.takes_many else "?" if flag.is_positional else len(flag.parts) if flag.parts[1:] else None
        form: dict[str, Any] = {"action": _Switch, "nargs": 0}
        if not flag.is_switch:
            form = {"type": partial(_value, flag, flag.parts[0]), "metavar": flag.word, "nargs": size}
        if flag.is_positional:
            form["default"] = flag.default
        elif flag.takes_many:
            form["action"] = "extend"
        action = groups[flag.group].add_argument(*flag.names, help=flag.help.replace("%", "%%"), **form)
        action.dest = ".".join(flag.path)
        if flag.is_switch and len(flag.names) == 1:  # to say what holds anyway is no fault, and needs no line of help
            off = parser.add_argument(f"--no-{flag.name[2:]}", help=argparse.SUPPRESS, **form)
            off.dest = action.dest
    return parser


def line_width() -> int:
    """The characters of a line of help."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def _gather(flag: Flag, found: Mapping[str, Any]) -> Any:
    """The value of a flag: what was given, in tuples, else its default."""
    value, size = found.get(".".join(flag.path), flag.default), len(flag.parts)
    if not isinstance(value, list):
        return value
    if len(value) % size:
        raise InputError(flag.name, expected=f"{size} values at a time", found=" ".join(value), remedy=SEE_HELP)
    return tuple(zip(*[iter(value)] * size, strict=True)) if flag.takes_many and size > 1 else tuple(value)


def _unknown(word: str, flags: Sequence[Flag]) -> InputError:
    """The error for the first word that no flag takes."""
    if word.startswith("--"):
        name, known = word.partition("=")[0], [name for flag in flags for name in flag.names]
        return InputError(name, expected="a flag", found="none of that name", remedy=did_you_mean(name, known))
    positional = " ".join(flag.name for flag in flags if flag.is_positional)
    return InputError("arguments", expected=positional or "flags alone", found=repr(word), remedy=SEE_HELP)


def _rank(flag: Flag) -> tuple[bool, bool, int]:
    """Positional flags first, then required ones, then what is named, in the order of its names."""
    name = flag.field
    return not flag.is_positional, flag.default is not REQUIRED, NAMES.index(name) if name in NAMES else len(NAMES)


def named_recipe(words: Sequence[str], recipes: Mapping[str, Any]) -> str:
    """The recipe that the words name, else the first one. Raises InputError."""
    parser = _Parser()
    parser.add_argument("--recipe", default=next(iter(recipes)))
    name: str = parser.parse_known_args(words)[0].recipe
    if name not in recipes:
        raise InputError("--recipe", expected=" or ".join(recipes), found=repr(name), remedy=SEE_HELP)
    return name


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """The remedy for a word that there is not: the nearest one that there is."""
    from rapidfuzz import process

    near = process.extractOne(word, known, score_cutoff=60)
    return f"did you mean `{near[0]}`?" if near else SEE_HELP


def _value(flag: Flag, kind: Any, word: str) -> Any:
    """The value that the word is. Raises InputError."""
    if flag.optional and word.lower() == "none" and kind in (int, float):
        return None
    if get_origin(kind) is Literal:
        known = list(get_args(kind))
        if word not in known:
            remedy = did_you_mean(word, known)
            raise InputError(flag.name, expected=" or ".join(known), found=repr(word), remedy=remedy)
        return word
    if kind == Address:
        return address(word)
    if get_origin(kind) in (Union, types.UnionType):  # a number, or a file
        return int(word) if word.isdecimal() else Path(word)
    try:
        return datetime.fromisoformat(word) if kind is datetime else kind(word)
    except ValueError as fault:
        raise InputError(flag.name, expected=_EXPECTED[kind], found=repr(word), remedy="give another") from fault


def _build(form: type, values: Mapping[tuple[str, ...], Any], config: Any = None) -> Any:
    """The arguments, with their parts that are dataclasses; `config` is the type of the field of this name."""
    kinds = get_type_hints(form) | ({"config": config} if config else {})
    parts: dict[str, dict[tuple[str, ...], Any]] = {}
    for (name, *inner), value in values.items():
        parts.setdefault(name, {})[tuple(inner)] = value
    return form(**{name: part[()] if () in part else _build(kinds[name], part) for name, part in parts.items()})


def _require_usable(flag: str, value: Any) -> None:
    """Raise InputError for an address where a path is expected, and for numbers that no command can count with."""
    if isinstance(value, Path):
        local(value)
    elif isinstance(value, int) and not 0 <= value <= MAX_NUMBER:
        expected = "at least 0" if value < 0 else f"at most {MAX_NUMBER}"
        raise InputError(flag, expected=expected, found=f"{value}"[:40], remedy="give another number")
    elif isinstance(value, float) and not abs(value) <= MAX_NUMBER:
        raise InputError(flag, expected="a finite number", found=f"{value}", remedy="give another number")
    elif isinstance(value, tuple):
        for part in value:
            _require_usable(flag, part)


def _require_text(words: Sequence[str]) -> None:
    """Raise InputError for a word of other bytes than UTF-8: no table and no request could hold it."""
    for word in words:
        if word.encode(errors="replace").decode() != word:
            remedy = "rename or retype it"
            raise InputError("arguments", expected="text in UTF-8", found=ascii(word), remedy=remedy)
