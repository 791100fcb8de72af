"""The flags of a command, read from the dataclass of its arguments."""

import ast
import dataclasses
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from data.console.marks import ADVANCED, LIMIT, NO_FLAG, POSITIONAL, Called, Metavar
from data.console.paths import Address

REQUIRED = dataclasses.MISSING
"""The default of a flag that must be given."""

NAMES = ("dataset", "store", "campaign", "generator", "question", "model", "method", "scheme", "recipe")
"""The flags that name what a command works on, by the same words in every command, in the order of the help."""

WORDS: Mapping[Any, str] = {int: "N", float: "X", str: "NAME", Path: "PATH", Address: "PATH", datetime: "TIME"}


@dataclass(frozen=True)
class Flag:
    """One flag: where its value goes, its type without None, its default, and what the help says about it."""

    path: tuple[str, ...]
    """The fields from the arguments down to the value."""
    kind: Any
    optional: bool
    """Whether None is a value."""
    default: Any
    text: str
    marks: frozenset[Any]

    @property
    def field(self) -> str:
        """The field's name, or what its flag is called in its place."""
        return next((mark.word for mark in self.marks if isinstance(mark, Called)), self.path[-1])

    @property
    def name(self) -> str:
        """What is typed, without what switches a flag off."""
        word = self.field.replace("_", "-")
        return word.upper() if self.is_positional else f"--{word}"

    @property
    def names(self) -> tuple[str, ...]:
        """All that is typed: a switch that is on, or that the recipe sets, can be switched off."""
        can_be_off = self.is_switch and self.default is not False
        return (self.name, f"--no-{self.name[2:]}") if can_be_off else (self.name,)

    @property
    def is_positional(self) -> bool:
        """Whether the value is given without the flag's name."""
        return POSITIONAL in self.marks

    @property
    def is_switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.kind is bool

    @property
    def parts(self) -> tuple[Any, ...]:
        """The types of one group of values: one, or the members of a tuple."""
        if get_origin(self.kind) is not tuple:
            return (self.kind,)
        members = get_args(self.kind)
        if members[-1] is not Ellipsis:
            return members
        return get_args(members[0]) if get_origin(members[0]) is tuple else members[:1]

    @property
    def takes_many(self) -> bool:
        """Whether any number of values, or of groups of values, may be given."""
        return get_origin(self.kind) is tuple and get_args(self.kind)[-1] is Ellipsis

    @property
    def word(self) -> str:
        """One value as the help shows it: `N`, `PATH`, `one|two`."""
        shown = [mark.word for mark in self.marks if isinstance(mark, Metavar)]
        return (shown or [self.name if self.is_positional else _word(self.parts[0])])[0]

    @property
    def usage(self) -> str:
        """How it is given."""
        words = [self.word] if self.is_positional else [self.name, self.word]
        return " ".join([*words, *(["…"] if self.takes_many else [])])

    @property
    def help(self) -> str:
        """Its text, with the default where it is a value; where it is none, the text says what holds."""
        if self.default in (REQUIRED, None, (), "") or self.default is False:
            return self.text
        values = self.default if isinstance(self.default, tuple) else (self.default,)
        return f"{self.text} (default: {' '.join(map(_shown, values))})"

    @property
    def group(self) -> str:
        """The group of the help: what, how, limits or advanced."""
        if ADVANCED in self.marks:
            return "advanced"
        if LIMIT in self.marks:
            return "limits"
        return "what" if self.is_positional or self.default is REQUIRED or self.field in NAMES else "how"


def list_flags(form: type, recipe: tuple[str, Mapping[str, Any]] | None = None) -> list[Flag]:
    """The flags in the order of the fields; `recipe` names the configuration that the field `config` starts from."""
    return [flag for flag in list_values(form, recipe) if NO_FLAG not in flag.marks]


def list_values(form: type, recipe: tuple[str, Mapping[str, Any]] | None = None) -> list[Flag]:
    """The flags, and among them what is set without one."""
    flags = list(_flags(form, None, (), frozenset()))
    if recipe is None:
        return flags
    named, recipes = recipe
    own = [flag for flag in flags if flag.path[0] != "config"]
    chosen = [
        dataclasses.replace(flag, kind=Literal[tuple(recipes)], default=named) if flag.path == ("recipe",) else flag
        for flag in own
    ]
    return [*chosen, *_flags(type(recipes[named]), recipes[named], ("config",), frozenset())]


def _flags(form: type, values: Any, path: tuple[str, ...], outer: frozenset[Any]) -> Iterator[Flag]:
    hints, texts = get_type_hints(form, include_extras=True), _texts(form)
    for field in dataclasses.fields(form):
        kind, marks = _unwrap(hints[field.name])
        marks, place = marks | outer, (*path, field.name)
        default = _default(field) if values is None else getattr(values, field.name)
        if dataclasses.is_dataclass(kind):
            yield from _flags(typing.cast(type, kind), None if default is REQUIRED else default, place, marks)
        else:
            bare = _without_none(kind)
            yield Flag(place, bare, bare is not kind, default, texts.get(field.name, ""), marks)


def _default(field: "dataclasses.Field[Any]") -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _unwrap(hint: Any) -> tuple[Any, frozenset[Any]]:
    if get_origin(hint) is typing.Annotated:
        return get_args(hint)[0], frozenset(hint.__metadata__)
    return hint, frozenset()


def _without_none(kind: Any) -> Any:
    if get_origin(kind) not in (Union, types.UnionType) or type(None) not in get_args(kind):
        return kind
    return Union[tuple(member for member in get_args(kind) if member is not type(None))]  # noqa: UP007


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if kind != Address and get_origin(kind) in (Union, types.UnionType):
        return "|".join(map(_word, get_args(kind)))
    return WORDS[kind]


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "yes" if value is True else value.as_posix() if isinstance(value, Path) else str(value)


@cache
def _texts(form: type) -> Mapping[str, str]:
    """The docstring of each field, as one paragraph."""
    found: dict[str, str] = {}
    for one in reversed(form.__mro__):
        if "__dataclass_fields__" in vars(one):
            found |= _own_texts(one)
    return found


def _own_texts(form: type) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(form)))
    except (OSError, TypeError):  # made by make_dataclass: it has no source
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        field.target.id: paragraph(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def paragraph(text: str) -> str:
    """The text without the line breaks of its source; an empty line stays."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
