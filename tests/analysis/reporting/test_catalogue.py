"""The catalogue of figures: what it says of each is true."""

from importlib import import_module

import pytest

from analysis.reporting.catalogue import CATALOGUE
from data.contract import register


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_shape_of_a_figure_is_described_where_the_catalogue_says(name: str) -> None:
    module, _, described = CATALOGUE[name].shape.rpartition(".")
    assert getattr(import_module(module), described).__doc__


def test_figures_are_counted_from_tables_that_exist() -> None:
    tables = {table.table_name() for table in register.TABLES}
    assert {table for figure in CATALOGUE.values() for table in figure.tables} <= tables
