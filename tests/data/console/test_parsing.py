"""The words of a command line become arguments, or one line that says what is wrong."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import pytest

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.parsing import parse


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the arguments."""

    share: float = 0.5
    """A share."""
    least: int | None = 3
    """The fewest; if none, any number."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """All kinds of flags."""

    file: Positional[Path]
    """What is read."""
    more: Positional[tuple[str, ...]] = ()
    """Further words."""
    kind: Literal["one", "two"] = "one"
    """A choice."""
    show: bool = True
    """A switch."""
    refine: bool | None = None
    """A switch that may be left to the recipe."""
    people: int | Path | None = None
    """A number or a file."""
    couples: tuple[tuple[str, str], ...] = ()
    """Two at a time."""
    shares: tuple[float, float, float] = (1.0, 2.0, 3.0)
    """Three."""
    names: tuple[str, ...] = ()
    """Any number."""
    ends: datetime | None = None
    """A time."""
    part: Part = Part()
    """A part."""
    loud: bool = False
    """A switch that is off."""


def read(*words: str) -> Words:
    read: Words = parse(Words, words, {})
    return read


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (("a.csv",), "file", Path("a.csv")),
        (("a.csv", "b", "c"), "more", ("b", "c")),
        (("--kind", "two", "a.csv", "b"), "more", ("b",)),
        (("a.csv", "--kind=two"), "kind", "two"),
        (("a.csv", "--no-show"), "show", False),
        (("a.csv", "--loud"), "loud", True),
        (("a.csv", "--no-loud"), "loud", False),
        (("a.csv", "--refine"), "refine", True),
        (("a.csv", "--no-refine"), "refine", False),
        (("a.csv",), "refine", None),
        (("a.csv", "--people", "7"), "people", 7),
        (("a.csv", "--people", "7.csv"), "people", Path("7.csv")),
        (("a.csv", "--couples", "a", "b", "c", "d"), "couples", (("a", "b"), ("c", "d"))),
        (("a.csv", "--shares", "4", "-1", "5e-1"), "shares", (4.0, -1.0, 0.5)),
        (("a.csv", "--names", "x", "y", "--names", "z"), "names", ("x", "y", "z")),
        (("--names", "x", "--", "a.csv"), "names", ("x",)),
        (("a.csv", "--names"), "names", ()),
        (("a.csv", "--ends", "2027-01-31T18:00"), "ends", datetime(2027, 1, 31, 18)),
        (("a.csv", "--share", "0.25"), "part", Part(share=0.25)),
        (("a.csv", "--least", "none"), "part", Part(least=None)),
    ],
)
def test_each_kind_of_flag_is_read(words: tuple[str, ...], name: str, value: object) -> None:
    assert getattr(read(*words), name) == value


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "arguments: expected FILE, found none; give it; see --help"),
        (("a.csv", "--shaer", "1"), "--shaer: expected a flag, found none of that name; did you mean `--share`?"),
        (("a.csv", "--kind", "tow"), "--kind: expected one or two, found 'tow'; did you mean `two`?"),
        (("a.csv", "--share", "many"), "--share: expected a number, found 'many'; give another"),
        (("a.csv", "--least", "2.5"), "--least: expected a whole number, found '2.5'; give another"),
        (("a.csv", "--share"), "--share: expected one argument, found none; see --help"),
        (("a.csv", "--share", "--show"), "--share: expected one argument, found none; see --help"),
        (("a.csv", "--shares", "1", "2"), "--shares: expected 3 arguments, found fewer; see --help"),
        (("a.csv", "--couples", "a"), "--couples: expected 2 values at a time, found a; see --help"),
        (("a.csv", "--show=yes"), "--show: expected no value, found 'yes'; see --help"),
        (("a.csv", "--ends", "soon"), "--ends: expected a time such as 2026-03-01T18:00, found 'soon'; give another"),
    ],
)
def test_what_is_wrong_is_one_line(words: tuple[str, ...], line: str) -> None:
    with pytest.raises(InputError) as fault:
        read(*words)
    assert str(fault.value) == line


def test_a_word_too_many_is_named() -> None:
    @dataclass(frozen=True)
    class Alone:
        """No words."""

    with pytest.raises(InputError, match="arguments: expected flags alone, found 'store'"):
        parse(Alone, ["store"], {})
