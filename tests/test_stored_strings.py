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
    "data: id": "likewise",
}
"""The rooms that take the values of a column apart all the same, with the reason."""


def taken_apart(tree: ast.Module) -> Iterator[str]:
    """The columns of tables whose values a module splits or matches at an end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in APART:
            parts = (part for part in ast.walk(node.func.value) if isinstance(part, ast.Subscript))
            yield from (
                str(part.slice.value)
                for part in parts
                if isinstance(part.slice, ast.Constant) and part.slice.value in CODES - FREE
            )


def test_the_law_sees_a_string_that_is_taken_apart() -> None:
    seen = 'rows["generator"].str.endswith("-review"); row["method"].partition(":"); texts["first"].str.split(" ")'
    assert set(taken_apart(ast.parse(seen))) == {"generator", "method"}


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
