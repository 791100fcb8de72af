"""The seed that draws the share of the long tests."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONG_TESTS = """
import pytest

@pytest.mark.sweep
@pytest.mark.parametrize("case", range(30))
def test_case(case):
    pass
"""


def test_workers_run_the_cases_that_one_seed_draws(tmp_path: Path) -> None:
    """Without `--seed` one is drawn, by the process that starts the workers and not by each of them."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_long.py").write_text(LONG_TESTS)
    options = ["-m", "not soak", "--numprocesses", "2", "--rootdir", str(tmp_path), "-c", "/dev/null"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False).stdout
    assert "3 passed" in told
