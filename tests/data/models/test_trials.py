"""What native code reads is used in another process first: its crash, its hunger and its words are one line here."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from data.console.errors import InputError
from data.models import trials


def crash(place: str) -> None:
    os.abort()


def eat(place: str) -> None:
    bytearray(2**40)


def spin(place: str) -> None:
    while True:
        pass


def fail(place: str) -> None:
    raise BaseException("two\nlines")  # as a panic of Rust


def refuse(place: str) -> None:
    print("said before")
    raise InputError(place, expected="this", found="that", remedy="change it")


def count(place: str) -> None:
    with Path(place).with_suffix(".log").open("a", encoding="utf-8") as log:
        log.write("used\n")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.bin"
    path.write_bytes(b"x")
    return path


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("use", "found"),
    [
        (crash, r"expected a model, found one that ends the process which opens it \(SIGABRT\); bring another"),
        (eat, "found MemoryError"),
        (fail, "found BaseException: two lines;"),
        (refuse, "expected this, found that; change it"),
        (spin, "found one that is never open"),
    ],
)
def test_whatever_comes_of_it_is_one_line(
    use: Callable[[str], None], found: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SECONDS", 1 if use is spin else 30)
    with pytest.raises(InputError, match=rf"file\.bin: {'' if use is refuse else '.*'}{found}") as fault:
        trials.try_first(use, file, expected="a model", remedy="bring another")
    assert "\n" not in str(fault.value)


def test_a_file_is_used_once_while_it_is_unchanged(file: Path) -> None:
    def uses() -> int:
        trials.try_first(count, file, expected="a model", remedy="bring another")
        return len(file.with_suffix(".log").read_text(encoding="utf-8").splitlines())

    assert [uses(), uses()] == [1, 1]
    file.write_bytes(b"xy")
    assert uses() == 2
