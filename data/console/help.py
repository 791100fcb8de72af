"""What `--help` prints: what a command does, and its flags by group, the common ones first."""

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from data.console.flags import NAMES, REQUIRED, Flag, list_flags, paragraph

HELP = ("-h", "--help", "--help-all")
GROUPS = ("what", "how", "limits", "advanced")
WIDEST = 100
"""Longer lines are hard to read."""
INDENT = 24
"""The column of the flags' texts."""


def write_help(prog: str, form: type, recipe: tuple[str, Mapping[str, Any]] | None, *, everything: bool) -> str:
    """The help of a command; of its advanced flags only the names unless `everything` is asked for."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    flags = sorted(list_flags(form, recipe), key=_rank)
    asked = [_asked(flag) for flag in flags if flag.default is REQUIRED]
    blocks = [
        textwrap.fill(" ".join(["usage:", prog, *asked, "[flags]"]), width, subsequent_indent="    "),
        *(textwrap.fill(part, width) for part in paragraph(form.__doc__ or "").split("\n\n")),
    ]
    for group in GROUPS:
        own = [flag for flag in flags if flag.group == group]
        if own and (group != "advanced" or everything):
            blocks.append("\n".join([group, *(line for flag in own for line in _lines(flag, width))]))
        elif own:
            names = " ".join(_name(flag) for flag in own)
            blocks.append("advanced (explained by --help-all)\n" + _fill(names, width, 2))
    return "\n\n".join(blocks)


def write_list(usage: str, about: str, groups: Mapping[str, Mapping[str, str]]) -> str:
    """The help of a room: its commands by group, each with one line."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    longest = max(len(verb) for verbs in groups.values() for verb in verbs)
    blocks = [f"usage: {usage}", textwrap.fill(about, width)]
    for heading, verbs in groups.items():
        lines = [_beside(f"  {verb:<{longest}}  ", text, width) for verb, text in verbs.items()]
        blocks.append("\n".join([*([heading] if heading else []), *lines]))
    return "\n\n".join(blocks)


def _asked(flag: Flag) -> str:
    return flag.value if flag.is_positional else f"{flag.name} {flag.value}"


def _rank(flag: Flag) -> tuple[bool, bool, int]:
    """Positional flags first, then required ones, then what is named, in the order of its names."""
    name = flag.path[-1]
    return not flag.is_positional, flag.default is not REQUIRED, NAMES.index(name) if name in NAMES else len(NAMES)


def _name(flag: Flag) -> str:
    if flag.is_switch:
        return f"--[no-]{flag.name[2:]}" if flag.default or flag.optional else flag.name
    return flag.name


def _lines(flag: Flag, width: int) -> Iterator[str]:
    head = flag.value if flag.is_positional else " ".join([_name(flag), *([] if flag.is_switch else [flag.value])])
    text = " ".join(filter(None, [flag.text, _default(flag)]))
    if len(head) + 4 > INDENT:
        yield from textwrap.wrap(head, width, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
        yield _fill(text, width, INDENT)
    else:
        yield _beside(f"  {head}".ljust(INDENT), text, width)


def _default(flag: Flag) -> str:
    """The default where it is a value; where it is none, the text says what holds."""
    if flag.default in (REQUIRED, None, (), "") or flag.default is False:
        return ""
    if isinstance(flag.default, bool):
        return "(default: yes)"
    values: Sequence[Any] = flag.default if isinstance(flag.default, tuple) else (flag.default,)
    return f"(default: {' '.join(_shown(value) for value in values)})"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return value.as_posix() if isinstance(value, Path) else str(value)


def _beside(head: str, text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent=head, subsequent_indent=" " * len(head)) if text else head.rstrip()


def _fill(text: str, width: int, indent: int) -> str:
    margin = " " * indent
    return textwrap.fill(text, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
