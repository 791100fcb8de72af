"""What all commands share: flags from dataclasses, one-line errors, exit codes, progress, the next command."""

import dataclasses
import inspect
import io
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import tyro

from data.console.errors import Findings, InputError, ParadeError
from data.console.messages import without_controls
from data.console.paths import local

T = TypeVar("T")


LARGEST = 2**31 - 1
"""No command takes a larger number, and no negative whole number."""

BAD_INPUT = 2
FINDINGS = 1
CRASH = os.EX_SOFTWARE  # 70


def run(
    main: Callable[[Any], None],
    *,
    prog: str,
    args: Sequence[str] | None = None,
    recipes: Mapping[str, Any] | None = None,
) -> int:
    """Parse the command line into `main`'s argument, call it, and return the exit code; exit if `args` is None.

    0: done; 1: done, with findings; 2: bad input, reported in one line on stderr; 70: a bug, with its traceback; 130:
    stopped by the user. If the arguments have the fields `recipe` and `config`, `recipes` holds the configuration of
    each recipe; every flag overrides it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 still gets every line
    code = _outcome(main, prog, sys.argv[1:] if args is None else list(args), recipes or {})
    if args is None:
        sys.exit(code)
    return code


def _outcome(main: Callable[[Any], None], prog: str, args: list[str], recipes: Mapping[str, Any]) -> int:
    started = time.perf_counter()
    try:
        main(_parse(main, prog, args, recipes))
    except (ParadeError, OSError, MemoryError) as fault:
        print(f"error: {without_controls(' '.join(_as_error(fault, prog).split()))}", file=sys.stderr)
        return BAD_INPUT
    except Findings as findings:
        print(f"findings: {findings}", file=sys.stderr)
        return FINDINGS
    except KeyboardInterrupt:
        print("stopped; run the same command again to go on", file=sys.stderr)
        return 130
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else BAD_INPUT
    except BaseException:  # noqa: BLE001 - a panic of Rust, too: Python would leave with 1, "done, with findings"
        traceback.print_exc()
        print(f"error: a fault in {prog}, not in its input: please report it with the lines above", file=sys.stderr)
        return CRASH
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{prog}: {time.perf_counter() - started:.1f} s, at most {peak:.0f} MB", file=sys.stderr)
    return 0


def _as_error(fault: ParadeError | OSError | MemoryError, prog: str) -> str:
    """The error as a person reads it; for an error of the system, what was lacking or where."""
    if isinstance(fault, ParadeError):
        return str(fault)
    if isinstance(fault, MemoryError):
        smaller = "give smaller numbers or fewer texts"
        return str(ParadeError(prog, expected="enough memory", found="too little", remedy=smaller))
    return str(
        ParadeError(
            fault.filename or prog,
            expected="to read or write there",
            found=fault.strerror or str(fault) or type(fault).__name__,
            remedy="check the path, its rights, and that its disk has room",
        )
    )


def _parse(main: Callable[[Any], None], prog: str, args: list[str], recipes: Mapping[str, Any]) -> Any:
    parameter = next(iter(inspect.signature(main).parameters))
    form: Any = get_type_hints(main, include_extras=True)[parameter]
    _demand_text(args)
    _demand_command(form, args)
    if recipes:
        form = _with_recipe(form, _named_recipe(args, recipes), recipes)
    parsed = tyro.cli(form, prog=prog, args=args, config=(tyro.conf.OmitArgPrefixes,))
    _demand_usable("arguments", parsed)
    return parsed


def _demand_usable(flag: str, value: Any) -> None:
    """Raise InputError for an address where a path is expected, and for numbers that no command can count with."""
    if isinstance(value, Path):
        local(value)
    elif isinstance(value, int) and not 0 <= value <= LARGEST:
        expected = "at least 0" if value < 0 else f"at most {LARGEST}"
        raise InputError(flag, expected=expected, found=f"{value}"[:40], remedy="give another number")
    elif isinstance(value, float) and not abs(value) <= LARGEST:
        raise InputError(flag, expected="a finite number", found=f"{value}", remedy="give another number")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _demand_usable("--" + field.name.replace("_", "-"), getattr(value, field.name))
    elif isinstance(value, list | tuple):
        for part in value:
            _demand_usable(flag, part)


def _demand_text(args: Sequence[str]) -> None:
    """Raise InputError for an argument of other bytes than UTF-8: no table and no request could hold it."""
    for arg in args:
        try:
            arg.encode("utf-8")
        except UnicodeEncodeError as fault:
            shown = ascii(arg)
            raise InputError(
                "arguments", expected="text in UTF-8", found=shown, remedy="rename or retype it"
            ) from fault


def _demand_command(form: Any, args: list[str]) -> None:
    """Raise InputError for the name of a command that there is not."""
    marks = [mark for member in get_args(form) for mark in getattr(member, "__metadata__", ())]
    names = [str(mark.name) for mark in marks if hasattr(mark, "prefix_name")]
    if names and args and not args[0].startswith("-") and args[0] not in names:
        from rapidfuzz import process

        near = process.extractOne(args[0], names, score_cutoff=60)
        remedy = f"did you mean `{near[0]}`?" if near else "see --help"
        raise InputError("the command", expected="one of " + ", ".join(names), found=repr(args[0]), remedy=remedy)


def _named_recipe(args: list[str], recipes: Mapping[str, Any]) -> str:
    named = [
        arg.partition("=")[2] or following
        for arg, following in zip(args, [*args, ""][1:], strict=True)
        if arg.partition("=")[0] == "--recipe"
    ]
    name = named[-1] if named else next(iter(recipes))
    if name not in recipes:
        raise InputError("--recipe", expected=" or ".join(recipes), found=repr(name), remedy="see --help")
    return name


def _with_recipe(form: type, name: str, recipes: Mapping[str, Any]) -> type:
    """The arguments' dataclass with the recipe as the default of its field `config`."""
    fields: list[Any] = [
        ("recipe", Literal[tuple(recipes)], dataclasses.field(default=name)),
        ("config", type(recipes[name]), dataclasses.field(default=recipes[name])),
    ]
    return dataclasses.make_dataclass(
        form.__name__, fields, bases=(form,), frozen=True, kw_only=True, namespace={"__doc__": form.__doc__}
    )


def demand_at_least(flag: str, value: int | None, least: int) -> None:
    """Raise InputError if the flag was given a lower number."""
    if value is not None and value < least:
        raise InputError(flag, expected=f"at least {least}", found=str(value), remedy="give another number")
