"""Every package that the code imports, at whatever moment, is one that its installation brings."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.sources import LAWS_OF_CODE, parse_module
from tests.test_architecture import OURS, ROOMS, ROOT

pytestmark = LAWS_OF_CODE
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OTHER_ENVIRONMENT = ROOT / "annotation" / "label_studio" / "plugin"
"""Runs with Label Studio's packages."""


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Module and imported top-level package, of all imports below a folder, also those within functions."""
    for path in folder.rglob("*.py"):
        if path.is_relative_to(OTHER_ENVIRONMENT):
            continue
        for node in ast.walk(parse_module(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            yield from ((str(path.relative_to(ROOT)), name.partition(".")[0]) for name in names)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    project = PROJECT["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    return {plain(re.split(r"[\[<>=,;\s]", line)[0]) for line in lines}


@cache
def distributions_of() -> Mapping[str, list[str]]:
    """What brings each installed package."""
    return packages_distributions()


@pytest.mark.parametrize("room", ["data", *ROOMS, "demo"])
def test_every_imported_package_is_declared(room: str) -> None:
    distributions, known = distributions_of(), declared()
    foreign = {(path, name) for path, name in imported(ROOT / room) if name not in {*OURS, *sys.stdlib_module_names}}
    undeclared = {
        f"{path}: {name}"
        for path, name in foreign
        if not known & {plain(distribution) for distribution in distributions.get(name, [name])}
    }
    assert not undeclared
