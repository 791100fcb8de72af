"""Tables that are no delimited text, in workbooks of Excel, Parquet and JSON, as text with commas between cells."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from data.console.errors import InputError
from data.files import parquet
from data.files.workbooks import WorkbookError, is_workbook, read_sheets

T = TypeVar("T")

DEEPEST = 4
"""How far within other values of JSON a table is looked for."""
_PARQUET = b"PAR1"
_NO_JSON = (ValueError, RecursionError)


def to_delimited(content: bytes, path: Path, what: str) -> str | None:
    """The table in the bytes of a file, its header in the first line; None where they may be delimited text.

    In JSON its rows are objects: one per line, in a list, or by their ids; or its columns are lists or objects. A cell
    that is no text is as JSON writes it, and empty for null. Raises InputError for a damaged file and for one of
    several tables.
    """
    if content.startswith(_PARQUET):
        return _write(_read_parquet(path, what))
    if is_workbook(content):
        return _only(_read_workbook(content, path, what), path)
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        rows = _read_json(content.decode("utf-8-sig"), path)
        return None if rows is None else _write(rows)
    return None


def _read_parquet(path: Path, what: str) -> list[dict[str, Any]]:
    try:
        if not parquet.fits([path]):
            raise ValueError(f"more than {parquet.SIZE_RULE}")
        return parquet.read_rows(path)
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise _damaged(path, what, fault) from fault


def _read_workbook(content: bytes, path: Path, what: str) -> dict[str, str]:
    try:
        return {name: rows.decode("utf-8") for name, rows in read_sheets(content)}
    except WorkbookError as fault:
        raise _damaged(path, what, fault) from fault


def _damaged(path: Path, what: str, fault: Exception) -> InputError:
    found = " ".join(str(fault).split())[:120]
    return InputError(path, expected=what, found=found, remedy="save it again, or as CSV")


def _only(tables: Mapping[str, T], path: Path) -> T:
    """The only one of the tables, which have names; raises InputError where there are several or none."""
    if len(tables) != 1:
        found = f"{len(tables)}: {', '.join(tables)}"[:120] if tables else "none"
        raise InputError(path, expected="one table", found=found, remedy="save the one you mean in a file of its own")
    return next(iter(tables.values()))


def _read_json(text: str, path: Path) -> list[dict[str, Any]] | None:
    """The rows; None where the text is no JSON."""
    try:
        tree = json.loads(text)
    except _NO_JSON:
        return _read_objects(text, path)
    tables = dict(_find_tables(tree))
    if isinstance(tree, dict) and not tables and not any(isinstance(value, list) for value in tree.values()):
        return [tree]  # the only line
    return _only(tables, path)


def _read_objects(text: str, path: Path) -> list[dict[str, Any]] | None:
    """The object on each line; None where the first has none."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except _NO_JSON:
            row = None
        if isinstance(row, dict):
            rows.append(row)
        elif not rows:
            return None
        else:
            where, found = f"{path}, line {number}", line.strip()[:60]
            raise InputError(where, expected="an object, as before", found=found, remedy="correct the line")
    return rows


def _find_tables(tree: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The tables that lie highest, each with the names that lead to it."""
    if isinstance(tree, list):
        if tree and all(isinstance(row, dict) for row in tree):
            yield name, tree
        return
    inner = list(tree.values()) if isinstance(tree, dict) else []
    if inner and all(isinstance(row, dict) and _is_flat(row.values()) for row in inner):
        numbers = list(dict.fromkeys(key for row in inner for key in row))
        if all(key.isdecimal() for key in numbers):  # columns by their names, as pandas writes them
            inner = [{column: cells.get(number) for column, cells in tree.items()} for number in numbers]
        yield name, inner
    elif inner and all(isinstance(cells, list) and _is_flat(cells) for cells in inner):
        if len({len(cells) for cells in inner}) == 1:
            yield name, [dict(zip(tree, row, strict=True)) for row in zip(*inner, strict=True)]
    elif inner and depth < DEEPEST:
        for key, value in tree.items():
            yield from _find_tables(value, f"{name}.{key}".strip("."), depth + 1)


def _is_flat(cells: Iterable[Any]) -> bool:
    return not any(isinstance(cell, dict | list) for cell in cells)


def _write(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as text; lone halves of characters become question marks."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names, *([_show(row.get(name)) for name in names] for row in rows)])
    return text.getvalue().encode("utf-8", "replace").decode("utf-8")


def _show(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
