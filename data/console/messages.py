"""What commands print: lines, the next command, figures, progress."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Terminal escapes, and marks that change the direction of text."""

_COMMAND = re.compile(
    r"python -m (?:(?:analysis|crawler|studies\.papers)\.(?=\w)"
    r"|(?=(?:annotation|clustering|data|generation|identification)\b))"
    r"|scrapy (?=crawl\b)|python -m (?=paraphrase_game\b)"
)
"""What comes before a command's name where it is not typed as `parade NAME`."""


def say(line: str) -> None:
    """Print a line of the command's output, without control characters that crawled texts may contain.

    If the rest is not read, as with `| head`, the work continues in silence.
    """
    try:
        print(without_controls(spell(line)), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def without_controls(line: str) -> str:
    """The line, with a replacement character for each control character."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", line)


def say_next(command: str, *words: object, heading: str = "next") -> None:
    """Print the command to run next; `words` are quoted where a shell needs it, and the store comes last."""
    line = [*command.split(" "), *(shlex.quote(str(word)) for word in words)]
    if "--store" in line:
        place = line.index("--store")
        line = [*line[:place], *line[place + 2 :], *line[place : place + 2]]
    say(" ".join([f"{heading}:", *line]))


def spell(text: str) -> str:
    """The text with its commands as the user types them: `parade report` where `parade` was typed."""
    if Path(sys.argv[0]).name != "parade":
        return text
    return _COMMAND.sub("parade ", text).replace("parade paraphrase_game", "parade game")


def figure(value: Any, digits: int = 2) -> str:
    """The number with that many decimals; an en dash where it is null or not a number. No zero is negative."""
    import pandas as pd

    return "–" if value is None or pd.isna(value) else f"{value:z.{digits}f}"


def estimate(measured: Mapping[str, Any]) -> str:
    """A value with three decimals and, where it has one, its interval: `0.812 [0.790, 0.833]`."""
    limits = "" if measured["low"] is None else f" [{measured['low']:.3f}, {measured['high']:.3f}]"
    return figure(measured["value"], 3) + limits


def quantity(n: int, one: str, many: str | None = None) -> str:
    """The number with its noun: `1 reject`, `1,200 rejects`; `many` where it is more than the noun with an s."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def progress(items: Iterable[T], *, label: str, unit: str = "rows", total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar on stderr; if stderr is not a terminal, a line about every ten seconds."""
    from tqdm import tqdm

    interval = 0.2 if sys.stderr.isatty() else 10.0
    yield from tqdm(items, desc=label, unit=f" {unit}", total=total, mininterval=interval, miniters=1, delay=interval)
