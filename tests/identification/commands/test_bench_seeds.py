"""The command bench: a model may have seeds of its own."""

from pathlib import Path

import pytest

from data.errors import InputError
from identification.commands.bench import read_cells

FILE = """
seeds = [1, 2]
[datasets.small]
path = "pairs"
[models.bow]
[models.esim]
seeds = {seeds}
"""


def test_a_model_may_have_seeds_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text(FILE.format(seeds="[7]"), "utf-8")
    cells = read_cells(tmp_path / "bench.toml")
    assert [(cell.model, cell.seed) for cell in cells] == [("bow", 1), ("bow", 2), ("esim", 7)]


@pytest.mark.parametrize("seeds", ["3", "[]", "[1.5]", "[-1]"])
def test_seeds_that_are_no_list_of_whole_numbers_are_refused(tmp_path: Path, seeds: str) -> None:
    (tmp_path / "bench.toml").write_text(FILE.format(seeds=seeds), "utf-8")
    with pytest.raises(InputError, match="expected seeds as a list of whole numbers"):
        read_cells(tmp_path / "bench.toml")
