"""What strangers write as TOML and JSON: plain values, or one line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from data.files import values
from data.files.values import read_json, read_toml

HOSTILE_JSON = {
    "nothing": b"",
    "another encoding": b'"\xff"',
    "deep": b"[" * 5000 + b"]" * 5000,
    "deep and open": b"[" * 200_000,
    "a huge number": b"9" * 5000,
    "half a character": b'"\\ud800"',
    "half a character as a name": b'{"\\udfff": 1}',
}
HOSTILE_TOML = {
    "another encoding": b"a = '\xff'",
    "deep lists": b"a = " + b"[" * 5000 + b"]" * 5000,
    "deep tables": b"a = " + b"{a=" * 5000 + b"1" + b"}" * 5000,
    "deep names": b"a" + b".a" * 5000 + b" = 1",
    "a huge number": b"a = " + b"9" * 5000,
    "twice": b"a = 1\na = 2",
}


@pytest.mark.parametrize("content", HOSTILE_JSON.values(), ids=HOSTILE_JSON)
def test_hostile_json_is_one_line(content: bytes, tmp_path: Path) -> None:
    refused(read_json, content, tmp_path)


@pytest.mark.parametrize("content", HOSTILE_TOML.values(), ids=HOSTILE_TOML)
def test_hostile_toml_is_one_line(content: bytes, tmp_path: Path) -> None:
    refused(read_toml, content, tmp_path)


def refused(read: Any, content: bytes, folder: Path) -> None:
    (folder / "file").write_bytes(content)
    with pytest.raises(InputError, match=r"file: expected a run.*; (write it again|save it as UTF-8)$") as fault:
        read(folder / "file", "a run", "write it again")
    assert "\n" not in str(fault.value)
    str(fault.value).encode("utf-8")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(values.MAX_FILE_BYTES + 1)
    for read in (read_json, read_toml):
        with pytest.raises(InputError, match="of at most 256 MB, found 256 MB; "):
            read(tmp_path / "file", "a run", "write it again")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a run, as JSON, found nothing there"):
        read_json(tmp_path / "file", "a run", "write it again")


@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")), st.lists))
def test_json_comes_as_it_was_written(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "value.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert read_json(path, "a value", "") == value
