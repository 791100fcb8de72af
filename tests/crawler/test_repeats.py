"""Whatever is repeated, wherever it is: nothing raises, nothing hangs. Every seed tries other cases."""

import subprocess
import sys

import pytest

from tests.crawler.tools.crawling import ROOT
from tests.crawler.tools.repeats import READERS


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("length", "step", "readers"),
    [
        pytest.param(1_000, 97, READERS, id="some of 1 kB"),
        *(
            pytest.param(length, step, [reader], id=f"{share}, {reader}", marks=pytest.mark.sweep)
            for length, step, share in (
                (1_000, 3, "a third of 1 kB"),
                (100_000, 20, "a twentieth of 100 kB"),
                (1_000_000, 60, "a sixtieth of 1 MB"),
            )
            for reader in READERS
        ),
    ],
)
def test_no_text_that_repeats_itself_stops_a_reader(length, step, readers, chance):
    numbers = [str(length), str(step), str(chance.randrange(step))]
    command = [sys.executable, "-W", "ignore", "-m", "tests.crawler.tools.repeats", *numbers, *readers]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
