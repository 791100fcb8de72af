"""How a command is run: its words are parsed, its errors are one line, its end is an exit code."""

import gc
import io
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, get_type_hints

from data.console.errors import Findings, InputError, ParadeError
from data.console.memory import return_large_blocks
from data.console.messages import say, spell, without_controls
from data.console.parsing import HELP, named_recipe, parse, write_help
from data.console.stand_ins import leave_libraries_out

BAD_INPUT = 2
FINDINGS = 1
CRASH = os.EX_SOFTWARE  # 70
STOPPED = "stopped; run the same command again to go on"
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Rows are many small objects, few in circles: to search for circles after every 700 costs a tenth of the time."""

return_large_blocks()
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # Arrow's own allocator keeps what is freed
leave_libraries_out(HELP)  # before the command's own module imports them


def _stop(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Show no traceback where Ctrl-C comes while a command's modules are still being imported."""
    if issubclass(kind, KeyboardInterrupt):
        print(STOPPED, file=sys.stderr)
    else:
        sys.__excepthook__(kind, fault, trace)


sys.excepthook = _stop


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
    prog, words = spell(prog), sys.argv[1:] if args is None else list(args)
    run_words = _show_help if any(word in HELP for word in words) else _outcome
    code = run_words(main, prog, words, recipes or {})
    if args is None:
        sys.exit(code)
    return code


def _show_help(main: Callable[[Any], None], prog: str, words: Sequence[str], recipes: Mapping[str, Any]) -> int:
    try:
        recipe = (named_recipe(words, recipes), recipes) if recipes else None
    except InputError as fault:
        return report_error(fault, prog)
    say(write_help(prog, form_of(main), recipe, everything="--help-all" in words))
    return 0


def _outcome(main: Callable[[Any], None], prog: str, args: list[str], recipes: Mapping[str, Any]) -> int:
    started = time.perf_counter()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        main(parse(form_of(main), args, recipes))
    except (ParadeError, OSError, MemoryError) as fault:
        return report_error(fault, prog)
    except Findings as findings:
        print(f"findings: {findings}", file=sys.stderr)
        return FINDINGS
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        return 130
    except SystemExit as exit_:
        if isinstance(exit_.code, str):
            print(f"error: {exit_.code}", file=sys.stderr)
        return exit_.code if isinstance(exit_.code, int) else BAD_INPUT
    except BaseException:  # noqa: BLE001 - a panic of Rust, too: Python would leave with 1, "done, with findings"
        traceback.print_exc()
        print(f"error: a fault in {prog}, not in its input: please report it with the lines above", file=sys.stderr)
        return CRASH
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{prog}: {time.perf_counter() - started:.1f} s, at most {peak:.0f} MB", file=sys.stderr)
    return 0


def form_of(main: Callable[[Any], None]) -> type:
    """The dataclass of a command's arguments: the type of its only parameter."""
    form: type = next(kind for name, kind in get_type_hints(main, include_extras=True).items() if name != "return")
    return form


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


def report_error(fault: ParadeError | OSError | MemoryError, prog: str) -> int:
    """Print the error as one line, and return the exit code."""
    print(f"error: {without_controls(spell(' '.join(_as_error(fault, prog).split())))}", file=sys.stderr)
    return BAD_INPUT


def require_at_least(flag: str, value: int | None, least: int) -> None:
    """Raise InputError if the flag was given a lower number."""
    if value is not None and value < least:
        raise InputError(flag, expected=f"at least {least}", found=str(value), remedy="give another number")
