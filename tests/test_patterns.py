"""No regular expression of the tree takes more than linear time, whatever text it is given."""

import re
import subprocess
import sys

import pytest

from tests.patterns import ROOT, slowest

OWN = ("analysis.reporting.figures:",)
"""Patterns that see texts of our own making alone: the figures that matplotlib draws."""


@pytest.mark.sweep
def test_every_pattern_is_linear():
    command = [sys.executable, "-W", "ignore", "-m", "tests.patterns"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    *faults, last = done.stdout.splitlines()
    assert [fault for fault in faults if not fault.startswith(OWN)] == []
    assert int(last.removesuffix(" patterns")) > 80


@pytest.mark.parametrize("pattern", [r"\s*x", r"“(.*?)”(?=\.)"])
def test_a_pattern_that_is_not_linear_is_found(pattern):
    assert slowest(re.compile(pattern), anchored=False)


@pytest.mark.parametrize("pattern", [r"\bx\d{1,3}\b", r"(?<![\d,])([\d,]+) Cards", r"“[^“”\n]*”", r"\s+"])
def test_a_pattern_that_is_linear_is_left_alone(pattern):
    assert not slowest(re.compile(pattern), anchored=False)
