"""Rooms never import each other: they meet only at tables."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("crawler", "clustering", "annotation", "analysis")
OURS = (*ROOMS, "data", "demo", "tests", "benchmarks")


def imports(path: Path) -> Iterator[str]:
    """The top-level names of what a module imports, absolutely or relatively."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0] if node.level == 0 else path.relative_to(ROOT).parts[0]


def strangers(room: str, allowed: set[str]) -> list[str]:
    """The imports of a room's modules that reach into our other folders."""
    paths = sorted((ROOT / room).rglob("*.py"))
    assert paths, f"{room} has no modules"
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imports(path)
        if name in OURS and name not in allowed
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_itself_and_data_only(room: str) -> None:
    assert strangers(room, {room, "data"}) == []


def test_data_imports_nothing_of_ours() -> None:
    assert strangers("data", {"data"}) == []


def test_only_the_client_imports_the_sdk() -> None:
    users = [
        path.relative_to(ROOT).as_posix()
        for room in (*ROOMS, "data", "demo")
        for path in sorted((ROOT / room).rglob("*.py"))
        if "label_studio_sdk" in set(imports(path))
    ]
    assert users == ["annotation/label_studio/client.py"]


def test_pages_and_formats_open_no_connection() -> None:
    network = {"scrapy", "httpx", "requests", "urllib3", "socket", "http", "twisted"}
    for folder in ("crawler/pages", "crawler/formats"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            assert not network & set(imports(path)), path


@pytest.mark.parametrize("package", [*ROOMS, "data"])
def test_init_imports_nothing(package: str) -> None:
    for path in (ROOT / package).rglob("__init__.py"):
        assert list(imports(path)) == [], path
