"""Which modules write and read each table, found in the code: what `data/README.md` says of them is made from this."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLES = "data.contract.tables"
ROOMS = ("crawler", "clustering", "annotation", "analysis", "identification", "generation", "paraphrase_game", "data")
WRITES, READ = ("replace", "append"), "read"


@cache
def find_access() -> dict[str, dict[str, list[str]]]:
    """The class of each table -> `written`: modules that write it; `read`: rooms that read it; each sorted.

    A call `store.replace(Pairs, …)` counts, and so does one whose table is a loop's variable, for every table that the
    loop names. `run_stage` writes, too. Rejects are written by `store.reject`. Removals (`store.erase`) are neither.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
            for verb, table in find_calls(ast.parse(path.read_text("utf-8"))):
                uses = found.setdefault(table, {"written": set(), "read": set()})
                uses["written" if verb in WRITES else "read"].add(name if verb in WRITES else room)
    return {table: {use: sorted(names) for use, names in uses.items()} for table, uses in found.items()}


def find_calls(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Verb and table of each call of a store in a module."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    aliases = (alias for node in imports if (node.module or "").startswith(TABLES) for alias in node.names)
    tables = {alias.asname or alias.name: alias.name for alias in aliases}
    named = _name_constants(tree, tables)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from (("replace", table) for table in _find_made(node, node.func.id, named))
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if node.func.attr == "reject" and len(node.args) >= 3:
            yield "replace", "Rejects"
        if node.func.attr in (*WRITES, READ):
            yield from ((node.func.attr, name) for name in _tables_of(node.args[0], named))


def _tables_of(table: ast.expr, named: dict[str, set[str]]) -> set[str]:
    """The tables that a call's argument may be."""
    if isinstance(table, ast.Name):
        return named.get(table.id, set())
    return {table.attr} if isinstance(table, ast.Attribute) and table.attr[:1].isupper() else set()


def _find_made(call: ast.Call, name: str, named: dict[str, set[str]]) -> Iterator[str]:
    """The tables that `run_stage` writes: its own, those beside it, and rejects."""
    if name == "run_stage":
        yield from _tables_of(call.args[1], named)
    for keyword in call.keywords if name == "Made" else ():
        if keyword.arg == "rejects":
            yield "Rejects"
        if keyword.arg == "beside":
            for part in ast.walk(keyword.value):
                yield from named.get(part.id, ()) if isinstance(part, ast.Name) else ()


def _name_constants(tree: ast.Module, tables: dict[str, str]) -> dict[str, set[str]]:
    """Each name -> the tables that it may be: a table's own, a constant's, a loop's variable's."""
    named = {name: {table} for name, table in tables.items()}
    for _ in range(2):  # a loop over a constant of the module needs the constant first
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                target, value = node.targets[0].id, node.value
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
                target, value = node.target.id, node.iter
            else:
                continue
            inner = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)} & named.keys()
            if inner and isinstance(value, ast.Tuple | ast.List | ast.Dict | ast.Name | ast.BinOp):
                named.setdefault(target, set()).update(*(named[name] for name in inner))
    return named
