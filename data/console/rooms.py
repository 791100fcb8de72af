"""The commands of a room: registered once, by group, and imported only when one of them runs."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.console.commands import BAD_INPUT, form_of, report_error, run
from data.console.errors import InputError
from data.console.flags import paragraph
from data.console.help import write_list
from data.console.messages import say, spell
from data.console.parsing import HELP, did_you_mean


@dataclass(frozen=True)
class Group:
    """Commands that belong together: each verb with one line that says what it does."""

    heading: str
    package: str
    """Where the module of each verb is; it has a `main`, or several in `VERBS`."""
    verbs: Mapping[str, str]

    def modules(self) -> Iterator[tuple[str, str]]:
        """Each verb with the name of its module."""
        for verb in self.verbs:
            yield verb, f"{self.package}.{verb.replace('-', '_')}"


def run_room(
    room: str, about: str, groups: Sequence[Group], *, args: Sequence[str] | None = None, usual: str | None = None
) -> int:
    """Run the command that the words name, and return its exit code; exit if `args` is None.

    `usual` is the verb where the words name none.
    """
    words = sys.argv[1:] if args is None else list(args)
    if usual and (not words or (words[0].startswith("-") and words[0] not in HELP)):
        words = [usual, *words]
    code = _run(spell(f"python -m {room}"), about, groups, words)
    if args is None:
        sys.exit(code)
    return code


def _run(prog: str, about: str, groups: Sequence[Group], words: list[str]) -> int:
    if not words or words[0] in HELP:
        say(write_list(f"{prog} COMMAND [flags]", about, {group.heading: group.verbs for group in groups}))
        return 0 if words else BAD_INPUT
    modules = dict(named for group in groups for named in group.modules())
    if words[0] not in modules:
        return report_error(unknown(words[0], list(modules)), prog)
    return run_module(f"{prog} {words[0]}", modules[words[0]], words[1:])


def run_program(name: str, words: Sequence[str]) -> int:
    """Run what `python -m NAME` runs, a room or a command of its own, and return the exit code."""
    found = importlib.util.find_spec(f"{name}.__main__") if "." not in name else None
    module = importlib.import_module(f"{name}.__main__" if found else name)
    if hasattr(module, "COMMANDS"):
        code: int = module.main(words)
        return code
    return run(module.main, prog=spell(f"python -m {name}"), args=words, recipes=getattr(module, "RECIPES", None))


def run_module(prog: str, name: str, words: Sequence[str]) -> int:
    """Run a module's `main`, or the one of its verbs that the words name, and return the exit code."""
    module = importlib.import_module(name)
    verbs: Mapping[str, Callable[[Any], None]] = getattr(module, "VERBS", {})
    if not verbs:
        return run(module.main, prog=prog, args=words, recipes=getattr(module, "RECIPES", None))
    if not words or words[0] in HELP:
        texts = {verb: paragraph(form_of(main).__doc__ or "").split("\n\n")[0] for verb, main in verbs.items()}
        say(write_list(f"{prog} COMMAND [flags]", (module.__doc__ or "").partition("`: ")[2], {"": texts}))
        return 0 if words else BAD_INPUT
    if words[0] not in verbs:
        return report_error(unknown(words[0], list(verbs)), prog)
    return run(verbs[words[0]], prog=f"{prog} {words[0]}", args=words[1:])


def unknown(word: str, known: Sequence[str]) -> InputError:
    """The error for a word that names no command."""
    remedy = did_you_mean(word, known)
    return InputError("the command", expected="one of " + ", ".join(known), found=repr(word), remedy=remedy)
