"""The version of the code that a stage runs: a digest of its syntax, without comments and docstrings."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from data.texts.identity import digest

ROOT = Path(__file__).resolve().parents[2]


@cache
def code_version(stage: str) -> str:
    """A digest of the stage's modules and of all of ours that they import, directly or not.

    The stage's module is `ROOM/VERB.py`, or `VERB.py` anywhere in `ROOM/commands`, for a stage `ROOM.VERB`; where there
    is none, all of the room counts. Comments, docstrings and layout change nothing.
    """
    room, _, verb = stage.partition(".")
    file = f"{verb}.py"
    own = [*(ROOT / room).glob(file), *(ROOT / room / "commands").rglob(file)]
    return _version(own or sorted((ROOT / room).rglob("*.py")))


@cache
def module_version(module: str) -> str:
    """As `code_version`, of a module by its dotted name."""
    return _version(_modules(module))


def _version(waiting: list[Path]) -> str:
    """A digest of modules and of all of ours that they import, directly or not."""
    known: dict[Path, str] = {}
    while waiting:
        path = waiting.pop()
        if path not in known:
            known[path], imports = _read(path)
            waiting += imports
    return digest(*(part for path in sorted(known) for part in (path.relative_to(ROOT).as_posix(), known[path])))


@cache
def _read(path: Path) -> tuple[str, tuple[Path, ...]]:
    """The syntax of a module, and the modules of ours that it imports."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    statements = list(_statements(tree))
    names = [name for node in statements for name in _imported(node)]
    names += list(_completed(tree)) if "import_module" in text else []
    imports = tuple(dict.fromkeys(found for name in names for found in _modules(name)))
    for node in (tree, *statements):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)]
    return ast.dump(tree), imports


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """What the node holds at any depth, without expressions, which are most of a tree."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for part in getattr(node, name, ()):
            yield part
            yield from _statements(part)


def _is_text(node: ast.stmt) -> bool:
    """Whether the statement is a docstring, of a module, a class, a function or a variable."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _imported(node: ast.AST) -> Iterator[str]:
    """The dotted names that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _completed(tree: ast.AST) -> Iterator[str]:
    """`PACKAGE.*` where `import_module` completes a name as it runs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            first = node.args[0].values[0] if node.args and isinstance(node.args[0], ast.JoinedStr) else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield f"{first.value}*"


def _modules(name: str) -> list[Path]:
    """The files of ours that a dotted name names: a module, or the module that holds the name."""
    parts = name.split(".")
    if parts[-1] == "*":
        return sorted(ROOT.joinpath(*parts[:-1]).glob("*.py"))
    paths = [ROOT.joinpath(*some).with_suffix(".py") for some in (parts, parts[:-1]) if some]
    return [path for path in paths if path.is_file()][:1]
