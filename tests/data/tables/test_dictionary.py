"""The data dictionary names every table, column, kind and key."""

import re
from pathlib import Path

import pytest

from data.tables import base as base_tables
from data.tables import register
from data.tables.base import Table, arrow, key, kind, scope

TEXT = (Path(register.__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", register.TABLES, ids=base_tables.name)
def test_a_table_stands_in_the_dictionary(table: type[Table]) -> None:
    section = re.search(rf"^## {base_tables.name(table)}\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert section is not None
    head = section[1].splitlines()[0]
    assert head.startswith(f"{kind(table).capitalize()}, key `{', '.join(key(table))}`")
    if scope(table):
        assert f"scope `{', '.join(scope(table))}`" in head
    cells = re.findall(r"^\| ([a-z_0-9, ]+) \|", section[1], re.MULTILINE)
    named = [name for cell in cells for name in cell.split(", ") if name != "column"]
    assert named == arrow(table).names
