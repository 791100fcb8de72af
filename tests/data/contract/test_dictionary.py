"""The dictionary is the one that the tables' types make, and every column has its meaning there."""

from pathlib import Path

import pytest

from data.contract import dictionary
from data.contract.base import Table
from data.contract.register import TABLES


def test_the_file_is_what_the_types_make() -> None:
    file = Path(dictionary.__file__).parents[1] / "README.md"
    assert file.read_text(encoding="utf-8") == dictionary.write_dictionary(), "run `make dictionary`"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.table_name())
def test_every_column_has_a_meaning(table: type[Table]) -> None:
    assert (table.__doc__ or "").strip()
    missing = [name for name, spec in table.columns().items() if not spec.meaning]
    assert missing == []
