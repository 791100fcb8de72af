"""Whatever is repeated, wherever it is: nothing raises, nothing hangs."""

import subprocess
import sys

import pytest

from tests.crawler.tools.crawling import ROOT
from tests.crawler.tools.repeats import READERS


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("length", "step"),
    [
        pytest.param(1_000, 29, id="some of 1 kB"),
        pytest.param(1_000, 1, id="all of 1 kB", marks=pytest.mark.soak),
        pytest.param(100_000, 3, id="a third of 100 kB", marks=pytest.mark.soak),
        pytest.param(1_000_000, 7, id="a seventh of 1 MB", marks=pytest.mark.soak),
    ],
)
def test_no_text_that_repeats_itself_stops_a_reader(length, step):
    command = [sys.executable, "-W", "ignore", "-m", "tests.crawler.tools.repeats", str(length), str(step), *READERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
