"""What is written to a table is read back equal, whatever its columns may hold."""

import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.contract.base import Table
from data.contract.register import TABLES
from data.storage.manifest import Manifest
from data.storage.store import Store

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
FROM, TO = datetime(1970, 1, 2), datetime(2100, 1, 1)


def values_of(kind: pa.DataType, rules: Mapping[str, Any]) -> st.SearchStrategy[Any]:  # noqa: PLR0911 a case per type
    """Values of a column's type that its rules allow."""
    if "isin" in rules:
        return st.sampled_from(sorted(rules["isin"]))
    if "str_matches" in rules:
        return st.sampled_from(["a", "https://a.b/c"]).filter(
            lambda text: re.match(rules["str_matches"], text) is not None
        )
    if pa.types.is_list(kind):
        return st.lists(values_of(kind.value_type, {}), max_size=3)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: values_of(field.type, {}) for field in kind})
    low, high = rules.get("ge"), rules.get("le")
    if pa.types.is_integer(kind):
        return st.integers(-(2**40) if low is None else int(low), 2**40 if high is None else int(high))
    if pa.types.is_floating(kind):
        return st.floats(low, high, allow_nan=False, allow_infinity=False)
    if pa.types.is_boolean(kind):
        return st.booleans()
    return st.datetimes(FROM, TO, timezones=st.just(UTC)) if pa.types.is_timestamp(kind) else TEXTS


@st.composite
def rows_of(draw: st.DrawFn, table: type[Table]) -> list[dict[str, Any]]:
    """Up to four rows of the table with different keys, all of one part of it."""
    columns = table.columns()
    strategies = {}
    for name, spec in columns.items():
        values = values_of(spec.kind, spec.rules)
        strategies[name] = st.none() | values if spec.nullable else values
    part = {name: draw(strategies[name]) for name in table.scope_columns()}
    rows = st.fixed_dictionaries(strategies | {name: st.just(value) for name, value in part.items()})
    return draw(st.lists(rows, max_size=4, unique_by=lambda row: tuple(row[name] for name in table.key_columns())))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.table_name())
@given(data=st.data())
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_come_back_as_they_were_written(table: type[Table], data: st.DataObject) -> None:
    rows = data.draw(rows_of(table))
    frame = pd.DataFrame(rows, columns=list(table.columns()), dtype="object")
    with tempfile.TemporaryDirectory() as folder:
        store, manifest = Store(Path(folder)), Manifest(stage="test")
        if table.table_kind() == "event":
            store.append(table, frame, manifest)
        else:
            part = {name: rows[0][name] if rows else "x" for name in table.scope_columns()}
            store.replace(table, frame, manifest, **part)
        found = store.read(table).to_dict("records")
    plain = [{name: None if value is pd.NA else value for name, value in row.items()} for row in found]
    key = table.key_columns()
    assert sorted(plain, key=lambda row: [str(row[name]) for name in key]) == sorted(
        rows, key=lambda row: [str(row[name]) for name in key]
    )
