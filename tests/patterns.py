"""Time every regular expression of the tree on texts built to make it slow.

`python -m tests.patterns [MODULE.NAME ...]` prints a line per pattern whose time grows faster than its text, or that
does not end; the name of a pattern given as a constant in a call is MODULE:LINE.
"""

import ast
import importlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "data",
    "crawler",
    "clustering",
    "annotation",
    "analysis",
    "identification",
    "generation",
    "paraphrase_game",
    "demo",
)
SHORT = 4_000
"""Characters of the first trial; where that is not quick, an eighth of it and twice as many are compared."""
SUSPECT = 0.004
"""Seconds that a linear pattern stays far below at SHORT (a tenth of it, mostly), and a quadratic one exceeds."""
TIMES = 16
GROWTH = 5.0
"""Times as long per character for TIMES times the text: 1 is linear, 16 quadratic. A short text is measured as often as
it fits into the long one: alone it may take less than the clock can tell."""
LIMIT = 10
"""Seconds of processor after which a pattern counts as endless; all linear ones together take about as many."""
ANCHORED = frozenset({"match", "fullmatch"})
FUNCTIONS = frozenset({"sub", "subn", "match", "search", "fullmatch", "split", "findall", "finditer"})
OF_SERIES = frozenset({"contains", "replace", "extract", "match", "fullmatch", "findall", "count"})

IMPORTS_RE = re.compile(r"^\s*import re$", re.MULTILINE)
MODELS = frozenset({"torch", "transformers", "safetensors", "sentence_transformers", "tokenizers"})

Pattern = re.Pattern[str]


def find_patterns() -> Iterator[tuple[str, Pattern, bool]]:
    """Name, pattern, and whether it is applied at the start of a text only."""
    sources = {path: path.read_text("utf-8") for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}
    seen: set[tuple[str, int, bool]] = set()
    for path, source in sources.items():
        name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for place, pattern, anchored in (*_constants(name, path, sources), *_calls(name, source)):
            text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
            flags = pattern.flags & ~(re.UNICODE | re.LOCALE)
            if (text, flags, anchored) not in seen:
                seen.add((text, flags, anchored))
                yield place, re.compile(text, flags), anchored


def _constants(name: str, path: Path, sources: Mapping[Path, str]) -> Iterator[tuple[str, Pattern, bool]]:
    """The compiled patterns of a module; the plugin of Label Studio and __main__ modules cannot be imported.

    Those that need the extra `models` are passed over where it is missing.
    """
    if "/plugin/" in path.as_posix() or path.stem == "__main__" or not IMPORTS_RE.search(sources[path]):
        return
    try:
        module = importlib.import_module(name.removesuffix(".__init__"))
    except ModuleNotFoundError as fault:
        if fault.name in MODELS:
            return
        raise
    for constant, value in vars(module).items():
        values = value if isinstance(value, tuple | list) else value.values() if isinstance(value, dict) else [value]
        for pattern in values:
            if isinstance(pattern, re.Pattern):
                able = [sources[path]] if constant.startswith("_") else sources.values()
                users = "\n".join(source for source in able if constant in source)
                methods = set(re.findall(rf"\b{constant}\.(\w+)", users)) - {"pattern"}
                yield f"{name}.{constant}", pattern, bool(methods) and methods <= ANCHORED


def _calls(name: str, source: str) -> Iterator[tuple[str, Pattern, bool]]:
    """The patterns in calls of `re` and of a series' `str`."""
    tree = ast.parse(source)
    texts = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        owner = node.func.value
        of_re = isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in FUNCTIONS
        of_series = isinstance(owner, ast.Attribute) and owner.attr == "str" and node.func.attr in OF_SERIES
        literal = any(word.arg == "regex" and getattr(word.value, "value", True) is False for word in node.keywords)
        argument = node.args[0]
        text = texts.get(argument.id) if isinstance(argument, ast.Name) else getattr(argument, "value", None)
        if (of_re or (of_series and not literal)) and isinstance(text, str | bytes):
            named = [getattr(value, "attr", "") for value in (*node.args[1:], *(word.value for word in node.keywords))]
            flags = sum(getattr(re, flag) for flag in named if flag in re.RegexFlag.__members__)
            yield f"{name}:{node.lineno}", re.compile(text, flags), node.func.attr in ANCHORED


# -- texts built from a pattern


@dataclass(frozen=True)
class Shape:
    """A text of any length: a start, a unit over and over, perhaps another one over and over, an end."""

    start: str
    unit: str
    second: str = ""
    end: str = "\x01"

    def text(self, length: int) -> str:
        units = [unit for unit in (self.unit, self.second) if unit]
        return self.start + "".join(unit * (length // len(unit) // len(units)) for unit in units) + self.end


def shapes_of(pattern: Pattern) -> Iterator[Shape]:
    """Repeats of what a pattern is made of, some of them after a part of what it matches."""
    tree = re._parser.parse(pattern.pattern, pattern.flags)
    letters = list(dict.fromkeys(_letters(tree)))[:10]
    matches = list(dict.fromkeys("".join(_example(tree, few))[:40] for few in (True, False)))
    starts = list(dict.fromkeys(match[:end] for match in matches for end in range(len(match) + 1)))
    for letter in letters:
        yield from (Shape(start, letter) for start in starts)
        yield from (Shape(start, letter, end="\x01" + start) for start in starts[-1:])
    yield from (Shape("", start) for start in starts if len(start) > 1)
    for first in letters[:6]:
        for second in letters[:6]:
            yield Shape("", first + second)
            yield Shape("", first, second)


def _letters(tree) -> Iterator[str]:
    """A character for each part of the pattern that takes one."""
    for kind, value in tree:
        name = str(kind)
        if name == "LITERAL":
            yield chr(value)
        elif name in ("NOT_LITERAL", "ANY"):
            yield "x" if value != ord("x") else "y"
        elif name == "CATEGORY":
            yield _of_category(str(value))
        elif name == "RANGE":
            yield chr(value[0])
        elif name == "IN":
            yield from _of_class(value)
        else:
            for part in _parts(value):
                yield from _letters(part)


def _of_class(value) -> Iterator[str]:
    if str(value[0][0]) != "NEGATE":
        yield from _letters(value)
        return
    excluded = set(_letters(value[1:]))
    yield from [letter for letter in "x7 -<(\n" if letter not in excluded][:3]


def _of_category(name: str) -> str:
    return {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(name, "-")


def _parts(value) -> Iterator[object]:
    """The patterns within a part."""
    if isinstance(value, re._parser.SubPattern):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _parts(part)


def _example(tree, few: bool) -> Iterator[str]:
    """A text that the pattern (nearly) matches, with as few repeats and the first branches, or the contrary."""
    for kind, value in tree:
        name = str(kind)
        if name == "BRANCH":
            yield from _example(value[1][0 if few else -1], few)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            for _ in range(min(value[0] if few else max(value[0], 1), 64)):
                yield from _example(value[2], few)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _example(value[-1] if name == "SUBPATTERN" else value, few)
        elif not name.startswith(("ASSERT", "AT", "GROUPREF")):
            yield next(_letters([(kind, value)]), "")


# -- their times


def measure(pattern: Pattern, text: str, *, anchored: bool, times_over: int = 1) -> float:
    """Seconds of processor that the pattern takes for the text this many times over, at best of two."""
    times = []
    for _ in range(2):
        started = time.process_time()
        for _ in range(times_over):
            if anchored:
                pattern.match(text)
                pattern.fullmatch(text)
            else:
                for _match in pattern.finditer(text):
                    pass
        times.append(time.process_time() - started)
        if times[0] < SUSPECT:
            break
    return min(times)


def slowest(pattern: Pattern, *, anchored: bool) -> str:
    """The shape for which the pattern's time grows faster than the text; empty where there is none."""
    for shape in shapes_of(pattern):
        if measure(pattern, shape.text(SHORT), anchored=anchored) < SUSPECT:
            continue
        parts = measure(pattern, shape.text(SHORT // 8), anchored=anchored, times_over=TIMES)
        whole = measure(pattern, shape.text(SHORT // 8 * TIMES), anchored=anchored)
        if whole > GROWTH * max(parts, SUSPECT / TIMES):
            return f"{shape} takes {whole / max(parts, SUSPECT / TIMES):.0f} times as long per character"
    return ""


def check(name: str, pattern: Pattern, *, anchored: bool) -> str:
    """What is wrong with a pattern, found in a process of its own that ends after LIMIT seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        os.write(writing, slowest(pattern, anchored=anchored).encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    fault = answer if status == 0 else "does not end"
    return f"{name} {pattern.pattern!r}: {fault}" if fault else ""


def main(names: list[str]) -> None:
    """Check all patterns, or those named."""
    n = 0
    for name, pattern, anchored in find_patterns():
        if not names or name in names:
            n += 1
            if check(name, pattern, anchored=anchored) and (fault := check(name, pattern, anchored=anchored)):
                print(fault, flush=True)  # found twice: a busy machine may stall one measurement
    print(f"{n} patterns")


if __name__ == "__main__":
    main(sys.argv[1:])
