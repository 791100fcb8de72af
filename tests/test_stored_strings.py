"""What crosses a room's door is a column: no code takes a stored string apart or looks at how it begins or ends."""

import ast
from collections.abc import Iterator

from data.contract.access import ROOMS, ROOT
from data.contract.register import TABLES
from tests.sources import LAWS_OF_CODE, parse_module

pytestmark = LAWS_OF_CODE
APART = {
    *("split", "rsplit", "partition", "rpartition", "startswith", "endswith", "removeprefix", "removesuffix"),
    *("fullmatch", "extract"),
}
FREE = {
    *("text", "first", "second", "new_first", "new_second", "front", "back", "comment", "set_title", "title"),
    *("url", "link", "licence", "licence_note", "credit"),
}
"""Columns in the words of people and sites, which may be read as any text is."""

CODES = {name for table in TABLES for name, spec in table.columns().items() if str(spec.kind) == "string"}
ALLOWED = {
    "data: entity": "the published files have one column for both entities of a pair",
    "data: pair_id": "the beginning of an id is what a person types",
    "data: card_id": "likewise",
    "data: stage": "likewise",
    "data: id": "likewise",
}
"""The rooms that take the values of a column apart all the same, with the reason."""


def taken_apart(tree: ast.Module) -> Iterator[str]:
    """The columns of tables whose values a module splits or matches at an end, together or one by one in a loop."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in APART:
            yield from columns_in(node.func.value)
        for loop in [node] if isinstance(node, ast.For) else getattr(node, "generators", ()):
            if isinstance(loop.target, ast.Name) and loop.target.id in set(parsed_names(node)):
                yield from columns_in(loop.iter)


def parsed_names(tree: ast.AST) -> Iterator[str]:
    """The variables whose values are split or matched at an end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in APART and isinstance(node.value, ast.Name):
            yield node.value.id


def columns_in(value: ast.expr) -> Iterator[str]:
    """The columns of tables that an expression names in brackets."""
    for part in ast.walk(value):
        if (
            isinstance(part, ast.Subscript)
            and isinstance(part.slice, ast.Constant)
            and part.slice.value in CODES - FREE
        ):
            yield str(part.slice.value)


def test_the_law_sees_a_string_that_is_taken_apart() -> None:
    seen = 'rows["generator"].str.endswith("-review"); row["method"].partition(":"); texts["first"].str.split(" ")'
    assert set(taken_apart(ast.parse(seen))) == {"generator", "method"}
    assert set(taken_apart(ast.parse('[one.partition(" at ")[0] in own for one in rows["id"]]'))) == {"id"}


def test_no_code_takes_a_stored_string_apart() -> None:
    found = {
        f"{room}: {column}": path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if not {"plugin", "contract"} & {*path.parts}
        for column in taken_apart(parse_module(path))
    }
    assert {where: path for where, path in found.items() if where not in ALLOWED} == {}
    assert set(ALLOWED) <= set(found), "no exception without use"
