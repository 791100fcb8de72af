"""The data dictionary names every table, column, kind and key."""

import re
from pathlib import Path

import pytest

from data import schemas

TEXT = (Path(schemas.__file__).parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", schemas.TABLES, ids=schemas.name)
def test_a_table_stands_in_the_dictionary(table: type[schemas.Table]) -> None:
    section = re.search(rf"^## {schemas.name(table)}\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert section is not None
    head = section[1].splitlines()[0]
    assert head.startswith(f"{schemas.kind(table).capitalize()}, key `{', '.join(schemas.key(table))}`")
    if schemas.scope(table):
        assert f"scope `{', '.join(schemas.scope(table))}`" in head
    cells = re.findall(r"^\| ([a-z_0-9, ]+) \|", section[1], re.MULTILINE)
    named = [name for cell in cells for name in cell.split(", ") if name != "column"]
    assert named == schemas.arrow(table).names
