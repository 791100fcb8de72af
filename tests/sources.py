"""The tree's own modules, each read and parsed once for all laws about the code."""

import ast
from functools import cache
from pathlib import Path

import pytest

LAWS_OF_CODE = pytest.mark.xdist_group("laws of the code")
"""Keeps the tests that parse the whole tree in one process."""


@cache
def parse_module(path: Path) -> ast.Module:
    """A module's syntax tree, which no test may change."""
    return ast.parse(path.read_text(encoding="utf-8"))
