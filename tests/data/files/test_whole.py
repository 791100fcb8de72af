"""A file or folder is written whole, or what was there before stays."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from data.console.errors import StoreBusy
from data.files.whole import PRIVATE, whole_file, whole_folder, write_whole
from tests.campaign import ROOT


def test_a_file_is_written_with_its_folders_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    write_whole(path, "first")
    write_whole(path, "zweite Fassung: «ü»")
    assert path.read_text(encoding="utf-8") == "zweite Fassung: «ü»"
    write_whole(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    write_whole(path, "first")
    with suppress(IsADirectoryError), whole_file(path) as unfinished:
        unfinished.write_text("half")
        tmp_path.read_text()
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_no_one_elses_from_the_first_byte(tmp_path: Path) -> None:
    path = tmp_path / "private" / "key"
    with whole_file(path, mode=PRIVATE) as unfinished:
        assert unfinished.stat().st_mode & 0o777 == 0o600
        unfinished.write_bytes(b"key")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_new_file_has_the_rights_that_the_process_gives(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write_whole(tmp_path / "b.txt", "x")
    finally:
        os.umask(umask)
    assert (tmp_path / "b.txt").stat().st_mode & 0o777 == 0o640


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    with suppress(IsADirectoryError), whole_folder(folder) as unfinished:
        (unfinished / "a").write_text("x")
        unfinished.read_text()
    assert list(tmp_path.iterdir()) == []
    folder.mkdir()
    with whole_folder(folder) as unfinished:
        (unfinished / "a").write_text("x")
        assert list(folder.iterdir()) == []
    assert [path.name for path in folder.iterdir()] == ["a"]
    assert list(tmp_path.iterdir()) == [folder]


def test_two_runs_never_write_one_folder(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "release") as unfinished:
        (unfinished / "a").write_text("x")
        with pytest.raises(StoreBusy), whole_folder(tmp_path / "release"):
            pass
    assert [path.name for path in (tmp_path / "release").iterdir()] == ["a"]
    assert list(tmp_path.iterdir()) == [tmp_path / "release"]


@pytest.mark.parametrize("seen", ["open", "mkdir"])
def test_a_folder_removed_by_another_run_between_two_looks_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: str
) -> None:
    real = os.open

    def remove_and_open(path: Path, *rest: int) -> int:
        if path.name == ".release.unfinished":
            path.rmdir()
        return real(path, *rest)

    def find_and_miss(path: Path, *_: object, **__: object) -> None:
        raise FileExistsError(path)

    with monkeypatch.context() as during:
        during.setattr(*((os, "open", remove_and_open) if seen == "open" else (Path, "mkdir", find_and_miss)))
        with pytest.raises(StoreBusy), whole_folder(tmp_path / "release"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_gone_after_the_next_one(tmp_path: Path) -> None:
    code = """if True:
        import os, signal, sys
        from pathlib import Path
        from data.files.whole import whole_folder
        with whole_folder(Path(sys.argv[1])) as unfinished:
            (unfinished / "half").write_text("x")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "release")], cwd=ROOT, check=False)
    assert [path.name for path in tmp_path.rglob("*")][-1:] == ["half"]
    with whole_folder(tmp_path / "release") as unfinished:
        (unfinished / "a").write_text("x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "release"]
