"""What all commands share."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pytest

from data.console.commands import FINDINGS, run
from data.console.errors import Findings, InputError
from data.console.messages import figure, quantity
from data.console.paths import existing_file
from tests.campaign import ROOT


@dataclass(frozen=True, kw_only=True)
class Config:
    """A room's configuration."""

    above: int = 20
    """The threshold."""
    merge: bool = True
    """Whether variants merge."""


RECIPES = {"recommended": Config(), "paper": Config(merge=False)}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """A command."""

    store: Path = Path("store")
    """The store."""
    recipe: Literal["recommended", "paper"] = "recommended"
    """The recipe."""
    config: Config = field(default_factory=Config)


def call(*args: str) -> tuple[int, list[Arguments]]:
    seen: list[Arguments] = []

    def main(arguments: Arguments) -> None:
        seen.append(arguments)

    return run(main, prog="python -m x", args=args, recipes=RECIPES), seen


def test_the_default_recipe_is_the_first() -> None:
    code, (arguments,) = call()
    assert code == 0
    assert arguments.config == RECIPES["recommended"]
    assert arguments.recipe == "recommended"


@pytest.mark.parametrize("form", [("--recipe", "paper"), ("--recipe=paper",)])
def test_a_recipe_sets_the_configuration_and_a_flag_overrides_it(form: tuple[str, ...]) -> None:
    _, (arguments,) = call(*form, "--above", "3", "--store", "s")
    assert arguments.config == Config(above=3, merge=False)
    assert arguments.recipe == "paper"
    assert arguments.store == Path("s")


@pytest.mark.parametrize("args", [("--recipe", "papr"), ("--above", "many"), ("--no-such-flag",)])
def test_a_wrong_flag_is_exit_code_2(args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, seen = call(*args)
    assert (code, seen) == (2, [])
    assert capsys.readouterr().err != ""


def test_an_address_in_place_of_a_path_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, seen = call("--store", "s3://bucket/store")
    assert (code, seen) == (2, [])
    assert "s3:/bucket/store: expected a local file or folder, found an address" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["-1", f"{2**31}", "1" + "0" * 30])
def test_a_whole_number_that_no_command_can_count_with_is_one_line(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("--above", number) == (2, [])
    expected = "at least 0" if int(number) < 0 else "at most 2147483647"
    assert f"error: --above: expected {expected}, found {number};" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e308"])
def test_a_number_that_is_not_finite_is_one_line(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    @dataclass(frozen=True)
    class Shares:
        shares: tuple[float, ...] = (0.5,)

    def main(arguments: Shares) -> None:
        pytest.fail(f"called with {arguments}")

    assert run(main, prog="x", args=["--shares", "0.5", number]) == 2
    assert "error: --shares: expected a finite number, found" in capsys.readouterr().err


def test_too_little_memory_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        np.empty(2**50)

    assert run(main, prog="x", args=[], recipes=RECIPES) == 2
    assert "error: x: expected enough memory, found too little;" in capsys.readouterr().err


def test_the_text_of_an_exit_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        sys.exit("no such table")

    assert run(main, prog="x", args=[], recipes=RECIPES) == 2
    assert capsys.readouterr().err == "error: no such table\n"


def test_an_error_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        raise InputError("papers.csv", expected="a column title", found="Title", remedy="map it with --columns")

    assert run(main, prog="x", args=[]) == 2
    line = "error: papers.csv: expected a column title, found Title; map it with --columns\n"
    assert capsys.readouterr().err == line


def test_a_place_that_cannot_be_used_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def main(arguments: Arguments) -> None:
        (tmp_path / "file" / "folder").mkdir(parents=True)

    (tmp_path / "file").touch()
    assert run(main, prog="x", args=[]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path}/file/folder: expected to read or write there, found Not a directory; ")
    assert err.count("\n") == 1


def test_what_strangers_wrote_neither_breaks_an_error_s_line_nor_steers_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def main(arguments: Arguments) -> None:
        raise InputError("a.csv", expected="a column title", found="ti\ntle\x1b[2J", remedy="map it")

    assert run(main, prog="x", args=[]) == 2
    assert capsys.readouterr().err == "error: a.csv: expected a column title, found ti tle\ufffd[2J; map it\n"


def test_findings_are_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        raise Findings("2 pages changed")

    assert run(main, prog="x", args=[]) == FINDINGS
    assert "2 pages changed" in capsys.readouterr().err


def test_an_interrupt_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        raise KeyboardInterrupt

    assert run(main, prog="x", args=[]) == 130
    assert "run the same command again" in capsys.readouterr().err


def test_work_goes_on_where_no_one_reads_what_it_says(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import sys
from dataclasses import dataclass
from pathlib import Path

from data.console.commands import run
from data.console.messages import say


@dataclass
class Arguments:
    done: Path


def main(arguments: Arguments) -> None:
    sys.stdin.read()
    say("one")
    say("two")
    arguments.done.touch()


run(main, prog="program")
""")
    command = [sys.executable, str(program), "--done", str(tmp_path / "done")]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, complaints = process.communicate("")
    assert process.returncode == 0, complaints
    assert "Traceback" not in complaints
    assert (tmp_path / "done").exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a list of terms, found nothing there"):
        existing_file(tmp_path / "none.txt", "a list of terms")
    with pytest.raises(InputError, match="found a folder"):
        existing_file(tmp_path, "a list of terms")


class Panic(BaseException):
    """As Rust's libraries raise it."""


@pytest.mark.parametrize("bug", [ZeroDivisionError("of ours"), Panic("of theirs")])
def test_a_bug_is_distinguished_from_findings(bug: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: Arguments) -> None:
        raise bug

    assert run(main, prog="x", args=[]) == 70
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert lines[-1].startswith("error: a fault in x")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_terminal_that_is_not_utf_8_gets_every_line(encoding: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
from dataclasses import dataclass

from data.console.commands import run
from data.console.messages import say
from data.console.errors import InputError


@dataclass
class Arguments:
    pass


def main(arguments: Arguments) -> None:
    say("κ = 0.5")
    raise InputError("ά.csv", expected="a column", found="none", remedy="add it")


run(main, prog="x")
""")
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == rb"\u03ba = 0.5" + b"\n"
    assert done.stderr.startswith(rb"error: \u03ac.csv: expected a column")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.12345, 3, "0.123"), (-2, 0, "-2"), (None, 2, "–"), (float("nan"), 2, "–"), (pd.NA, 2, "–")],
)
def test_a_figure_has_its_decimals_or_is_a_dash(value: object, digits: int, text: str) -> None:
    assert figure(value, digits) == text


def test_a_number_agrees_with_its_noun():
    assert [quantity(n, "reject") for n in (0, 1, 1200)] == ["0 rejects", "1 reject", "1,200 rejects"]
    assert [quantity(n, "entity", "entities") for n in (1, 2)] == ["1 entity", "2 entities"]


def test_ctrl_c_before_a_command_has_begun_is_one_line() -> None:
    words = [sys.executable, "-c", "import data.console.commands\nraise KeyboardInterrupt"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == "stopped; run the same command again to go on\n"
