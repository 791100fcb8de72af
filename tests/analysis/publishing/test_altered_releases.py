"""A stranger's release: nothing of it is run, fetched or written, and every alteration is named in a line."""

import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis import restore, verify
from data.console.commands import run
from data.labelled import releases
from data.storage.store import Store
from tests.campaign import ROOT
from tests.crawler.tools.local_site import LocalSite

pytestmark = pytest.mark.sweep

Alter = Callable[[Path], None]


def seal(folder: Path) -> None:
    """Write the checksums of what lies in the folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != releases.CHECKSUMS]
    lines = [f"{releases.sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / releases.CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def check(folder: Path) -> int:
    return run(verify.main, prog="verify", args=[str(folder)])


def put_back(folder: Path, out: Path, store: Store) -> int:
    return run(restore.main, prog="restore", args=[str(folder), "--store", str(store.root), "--out", str(out)])


@pytest.fixture
def copy(released_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(released_folder, tmp_path / "copy")


@pytest.fixture(autouse=True)
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The addresses that anything tried to connect to."""
    asked: list[Any] = []

    def refuse(_: socket.socket, address: Any) -> None:
        asked.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield asked
    assert asked == []


def croissant(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "croissant.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_an_archive_in_the_metadata_is_never_unpacked(
    copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside"
    with tarfile.open(copy / "extra.tar", "w") as archive:
        for name in (str(outside / "absolute"), *(f"{'../' * depth}relative" for depth in range(1, 9))):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = 1, 0o755
            archive.addfile(entry, io.BytesIO(b"x"))

    def contain(content: dict[str, Any]) -> None:
        digest = releases.sha256(copy / "extra.tar")
        archive = {"@type": "cr:FileObject", "@id": "extra.tar", "name": "extra.tar", "contentUrl": "extra.tar"}
        first = content["distribution"][0]
        first["containedIn"] = {"@id": "extra.tar"}
        content["distribution"].append(archive | {"encodingFormat": "application/x-tar", "sha256": digest})

    croissant(copy, contain)
    seal(copy)
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(copy)}
    assert check(copy) in (1, 2)
    assert "croissant.json" in capsys.readouterr().out
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(copy)} == before
    assert not list(tmp_path.rglob("relative")) + list(tmp_path.parent.glob("relative"))


@pytest.mark.parametrize(
    "address",
    [
        "SITE/internal-admin?delete=all",
        "file:///etc/passwd",
        "/etc/passwd",
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "data/%2e%2e/statements.json",
        "ftp://127.0.0.1/x",
        "https://127.0.0.1:1/x",
        "git+https://127.0.0.1:1/x",
    ],
)
def test_no_address_of_the_metadata_is_opened(address: str, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LocalSite({}) as site:
        address = address.replace("SITE", site.url)
        croissant(copy, lambda content: content["distribution"][0].update(contentUrl=address))
        seal(copy)
        assert check(copy) == 1
    assert "croissant.json, line" in capsys.readouterr().out
    assert site.asked == []


def test_metadata_that_names_other_contexts_is_never_loaded(copy: Path) -> None:
    croissant(copy, lambda content: content.update({"@context": "http://127.0.0.1:1/context.json"}))
    seal(copy)
    assert check(copy) == 1


def link_to_file(folder: Path) -> None:
    outside = folder.parent / "outside.parquet"
    shutil.move(folder / "data" / "train.parquet", outside)
    (folder / "data" / "train.parquet").symlink_to(outside)


def link_to_folder(folder: Path) -> None:
    shutil.move(folder / "tsv", folder.parent / "tsv")
    (folder / "tsv").symlink_to(folder.parent / "tsv")


def dangling_link(folder: Path) -> None:
    (folder / "more").symlink_to(folder.parent / "nothing")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "data" / "more.parquet")


@pytest.mark.parametrize("alter", [link_to_file, link_to_folder, dangling_link, pipe])
def test_links_and_pipes_are_refused(
    alter: Alter, copy: Path, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alter(copy)
    seal(copy)
    assert check(copy) == 2
    assert put_back(copy, tmp_path / "out", ready) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "expected only plain files" in lines[0]


def text(name: str, content: str | bytes) -> Alter:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    return write


def set_in(name: str, value: Any, *path: str) -> Alter:
    """Set the value at a path of keys in a JSON file; `...` as the value deletes it."""

    def write(folder: Path) -> None:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
        inner = content
        for key in path[:-1]:
            inner = inner[key]
        if value is ...:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value
        (folder / name).write_text(json.dumps(content), encoding="utf-8")

    return write


def of_table(name: str, change: Callable[[pa.Table], pa.Table]) -> Alter:
    def write(folder: Path) -> None:
        path = folder / "data" / f"{name}.parquet"
        pq.write_table(change(pq.read_table(path)), path)

    return write


def column(name: str, value: Any, kind: Any = None) -> Callable[[pa.Table], pa.Table]:
    """The table with one value in all rows of a column."""

    def change(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(name)
        kind_ = kind or table.schema.field(name).type
        return table.set_column(place, name, pa.array([value] * len(table), kind_))

    return change


def repeat_rows(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table])


def as_kind(name: str, kind: Any) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(name)
        return table.set_column(place, name, pc.cast(table[name], kind))

    return change


def remove(name: str) -> Alter:
    def write(folder: Path) -> None:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return write


DEEP = "[" * 100_000 + "]" * 100_000
WHOLE = {
    "null": "null",
    "list": "[]",
    "object": "{}",
    "text": '"x"',
    "number": "5",
    "infinite": "1e400",
    "many digits": "9" * 5_000,
    "deep": DEEP,
    "deep inside": '{"format": "parade-release/5", "statements": ' + DEEP + "}",
    "cut off": '{"format": ',
    "empty": "",
    "not UTF-8": b"\xff\xfe{}",
    "surrogate": r'{"format": "\ud800"}',
}
CERTAINLY = {"allocate": "certain", "target": 0.9, "budget": 5_000, "random_share": 0.2, "labels_per_pair": 3}
JSON_FILES = ("statements.json", "numbers.json", "manifests.json", "croissant.json")
IN_JSON: dict[str, Alter] = {
    f"{name} {kind}": text(name, content) for name in JSON_FILES for kind, content in WHOLE.items()
} | {
    f"statements.json {'.'.join(path)} = {str(value)[:20]}": set_in("statements.json", value, *path)
    for path, values in {
        ("format",): ["parade-release/99", None, ...],
        ("release",): [None, [], ...],
        ("statements",): [None, [], ...],
        ("release", "name"): [None, ...],
        ("release", "simulated"): ["x", None, -1, 10**400, True, ...],
        ("release", "permissions"): [None, [], {"files": 3}, ...],
        ("release", "recipe"): [3, ...],
        ("release", "scheme"): [3, ...],
        ("release", "synonyms"): [None, [], {"a": 3}, ...],
        ("release", "rule"): [None, [], {}, ...],
        ("release", "rule", "paraphrase_from"): ["2", None, 9, -1, 10**400, 1e300, ...],
        ("release", "rule", "idle_seconds"): ["x", -1, ...],
        ("release", "rule", "low_kappa"): ["x", -2, ...],
        ("release", "rule", "one_vote"): [None, "a01", [3], [["a01"]], [["a01", "a02", "a03"]], [["a01", 2]], ...],
        ("release", "rule", "more"): [1],
        ("release", "allocation"): [
            [],
            {},
            "certain",
            {"allocate": "certain"},
            CERTAINLY | {"budget": 0},
            CERTAINLY,
            ...,
        ],
        ("release", "software"): [
            None,
            {},
            {"version": "1\n# x"},
            {"version": "1", "url": "javascript:x"},
            {"version": 1},
        ],
        ("release", "without_text"): [True, "no", None, ...],
        ("release", "more"): [1],
        ("statements", "title"): [None, 3, "other", "", "a\nb", "\ud800", "\x00", ...],
        ("statements", "authors"): ["A. Author", [3], [None], None, {}],
        ("statements", "date"): ["tomorrow", "2026-11-20\nx: y", 3, "-1"],
        ("statements", "url"): ["javascript:alert(1)", 3],
        ("statements", "language"): ["en]\nx: [y", 3],
        ("statements", "more"): ["x"],
    }.items()
    for value in values
}
IN_JSON |= {
    f"numbers.json {'.'.join(path)} = {value}": set_in("numbers.json", value, *path)
    for path, values in {
        ("pairs",): [12, "11", None, 11.5, 10**400, ...],
        ("splits",): [None, [], {}, ...],
        ("splits", "train"): [None, ...],
        ("labels",): [None, ...],
        ("votes",): [None, [], ...],
        ("agreement",): [None, ...],
        ("ratings",): [None, ...],
        ("flow",): [None, {}, ...],
        ("texts",): [None, ...],
        ("sources",): [None, []],
        ("more",): [1],
    }.items()
    for value in values
}
IN_JSON |= {
    f"manifests.json {value}": text("manifests.json", json.dumps(value))
    for value in ([None], [{}], [{"table": 3}], [{"table": "definitions", "config": []}], [3])
}
IN_TABLES: dict[str, Alter] = {
    "no Parquet": text("data/train.parquet", b"PAR1nothingPAR1"),
    "empty file": text("data/train.parquet", b""),
    "no rows": of_table("train", lambda table: table.slice(0, 0)),
    "no ratings": of_table("ratings", lambda table: table.slice(0, 0)),
    "no quality": of_table("quality", lambda table: table.slice(0, 0)),
    "no flow": of_table("flow", lambda table: table.slice(0, 0)),
    "no columns": of_table("train", lambda table: table.select([])),
    "rows twice": of_table("train", repeat_rows),
    "ratings twice": of_table("ratings", repeat_rows),
    "annotators twice": of_table("annotators", repeat_rows),
    "one column more": of_table("train", lambda table: table.append_column("more", table["pair_id"])),
    "a column twice": of_table("train", lambda table: table.append_column("pair_id", table["pair_id"])),
    "other order": of_table("train", lambda table: table.select(table.column_names[::-1])),
    "rows reversed": of_table("train", lambda table: table.take(list(range(len(table)))[::-1])),
    "another file": lambda folder: shutil.copy(folder / "data/train.parquet", folder / "data/evil.parquet"),
    "another tsv": lambda folder: shutil.copy(folder / "tsv/train.tsv", folder / "tsv/evil.tsv"),
    "another folder": lambda folder: shutil.copytree(folder / "tsv", folder / "more"),
    "no train": remove("data/train.parquet"),
    "no train anywhere": lambda folder: [path.unlink() for path in folder.rglob("*train*") if path.is_file()] and None,
    "no ratings at all": lambda folder: [path.unlink() for path in folder.rglob("ratings.*")] and None,
    "no quality at all": lambda folder: [path.unlink() for path in folder.rglob("quality.*")] and None,
    "no flow at all": lambda folder: [path.unlink() for path in folder.rglob("flow.*")] and None,
    "no data": remove("data"),
    "no tsv": remove("tsv"),
    "no published": remove("published"),
    "published in part": remove("published/PARADE_test.txt"),
    "no card": remove("README.md"),
    "no numbers": remove("numbers.json"),
    "no statements": remove("statements.json"),
    "no manifests": remove("manifests.json"),
    "no metadata": remove("croissant.json"),
    "card not UTF-8": text("README.md", b"\xff\xfe"),
    "tsv not UTF-8": text("tsv/train.tsv", b"\xff\xfe"),
    "published not UTF-8": text("published/PARADE_train.txt", b"\xff\xfe"),
    "published empty": text("published/PARADE_train.txt", b""),
    **{
        f"no column {name} in {table}": of_table(table, lambda rows, name=name: rows.drop_columns([name]))
        for table, names in {
            "train": ("pair_id", "split", "votes", "scores", "first", "parents", "overlap"),
            "ratings": ("annotator", "round", "score", "comment"),
            "quality": ("measure", "value"),
            "provenance": ("source", "url"),
            "flow": ("what", "n"),
            "annotators": ("annotator", "level"),
            "documents": ("text",),
        }.items()
        for name in names
    },
    **{
        f"{table}.{name} as {kind}": of_table(table, as_kind(name, kind))
        for table, name, kind in (
            ("train", "votes", pa.string()),
            ("train", "votes", pa.float64()),
            ("train", "binary", pa.bool_()),
            ("train", "pair_id", pa.binary()),
            ("train", "share", pa.string()),
            ("ratings", "score", pa.int32()),
            ("ratings", "score", pa.string()),
            ("ratings", "submitted_at", pa.string()),
            ("ratings", "submitted_at", pa.timestamp("us")),
            ("ratings", "skipped", pa.string()),
            ("quality", "round", pa.string()),
            ("flow", "n", pa.string()),
        )
    },
    **{
        f"{table}.{name} = {value}": of_table(table, column(name, value))
        for table, name, values in (
            ("train", "pair_id", [None, "", "x"]),
            ("train", "entity", [None, "\x00", "x\ty\nz"]),
            ("train", "first", [None, "", "x", "\x1b[2J"]),
            ("train", "first_id", [None, "x"]),
            ("train", "split", [None, "test", "other"]),
            ("train", "group", [None]),
            ("train", "votes", [None, -1, 2**62, 7]),
            ("train", "n_votes", [None, 0, -1, 2**62]),
            ("train", "share", [None, float("nan"), float("inf"), 9.0]),
            ("train", "share", [0.123]),
            ("train", "expected_share", [None, float("nan"), 0.123, 9.0]),
            ("train", "binary", [None, 2, -1]),
            ("train", "scores", [None, [], [1], [-1, 0, 0, 0], [2**62] * 4, [None] * 4]),
            ("train", "posterior", [[], [9.0], [float("nan")] * 4]),
            ("train", "stratum", [None, "other"]),
            ("train", "decided_by", [None, "senior", "other"]),
            ("train", "overlap", [float("nan"), 9.0]),
            ("train", "parents", [None, [None], ["x"]]),
            ("ratings", "pair_id", [None, "x"]),
            ("ratings", "annotator", [None, "x"]),
            ("ratings", "role", [None, "other"]),
            ("ratings", "round", [None, -1, 0, 2**62]),
            ("ratings", "kind", [None, "other", "review", "gold"]),
            ("ratings", "score", [None, -1, 4, 2**62]),
            ("ratings", "flags", [None, [None], ["other"]]),
            ("ratings", "seconds", [float("nan"), float("inf"), -1.0]),
            ("ratings", "skipped", [None, True]),
            ("ratings", "flipped", [None, True]),
            ("ratings", "replaced_in", [-1, 2**62]),
            ("ratings", "known_score", [-1, 9]),
            ("ratings", "submitted_at", [None]),
            ("quality", "round", [None, -1, 2**62]),
            ("quality", "annotator", [None, "x"]),
            ("quality", "measure", [None]),
            ("quality", "n", [None, -1, 2**62]),
            ("quality", "value", [float("nan"), float("inf")]),
            ("provenance", "definition_id", [None]),
            ("provenance", "source", [None, "../../x", "x; touch y"]),
            ("provenance", "url", [None, "http://["]),
            ("flow", "step", [None, "x"]),
            ("flow", "what", [None, "x"]),
            ("flow", "name", [None, "x"]),
            ("flow", "n", [None, -1]),
            ("annotators", "annotator", [None, "x"]),
            ("annotators", "role", [None, "other"]),
            ("documents", "kind", [None, "x"]),
        )
        for value in values
    },
}
ALTERATIONS = IN_JSON | IN_TABLES


@pytest.mark.parametrize("alter", [pytest.param(alter, id=name) for name, alter in ALTERATIONS.items()])
def test_every_altered_release_with_right_checksums_is_found(
    alter: Alter, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alter(copy)
    seal(copy)
    code = check(copy)
    printed = capsys.readouterr()
    assert code in (1, 2), printed
    assert len(printed.err.splitlines()) == 1
    assert len(max(printed.out.splitlines(), key=len, default="")) < 1_000


N_EQUAL = 2_000_000
VERIFY = """
import re, sys
from pathlib import Path
from analysis import verify
from data.console.commands import run
code = run(verify.main, prog="verify", args=[sys.argv[1]])
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
sys.exit(code)
"""
"""Verifies a release in a process of its own; the last line is the most megabytes that it held."""


@pytest.mark.parametrize(
    ("name", "expected"), [("train", "expected rows of at most 64 MB"), ("ratings", "expected rows of at most 64 MB")]
)
def test_millions_of_equal_rows_in_a_small_file_are_refused_in_little_memory(
    name: str, expected: str, copy: Path
) -> None:
    path = copy / "data" / f"{name}.parquet"
    pq.write_table(pq.read_table(path).take([0] * N_EQUAL), path, compression="zstd")
    assert path.stat().st_size < 1_000_000
    seal(copy)
    words = [sys.executable, "-c", VERIFY, str(copy)]
    finished = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert expected in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert int(finished.stdout) < 700, "megabytes"


CHECKSUMS = {
    "empty": "",
    "not UTF-8": b"\xff\xfe",
    "no separator": "abc",
    "absolute": f"{'0' * 64}  /etc/passwd\n",
    "above": f"{'0' * 64}  ../../etc/passwd\n",
    "a folder": f"{'0' * 64}  data\n",
    "NUL": f"{'0' * 64}  a\x00b\n",
    "long name": f"{'0' * 64}  {'x' * 5000}\n",
}


@pytest.mark.parametrize("content", [pytest.param(content, id=name) for name, content in CHECKSUMS.items()])
def test_altered_checksums_are_named(
    content: str | bytes, copy: Path, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text(releases.CHECKSUMS, content)(copy)
    assert check(copy) in (1, 2)
    assert put_back(copy, tmp_path / "out", ready) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name",
    ["statements.json null", "statements.json deep", "manifests.json [3]", "statements.json release.rule = None"],
)
def test_restore_refuses_an_altered_release_in_one_line(
    name: str, released_ids: Path, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_ids, tmp_path / "copy")
    IN_JSON[name](copy)
    seal(copy)
    assert put_back(copy, tmp_path / "out", ready) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_fetch_list_with_another_address_is_found(
    released_ids: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_ids, tmp_path / "copy")
    text("fetch/files.txt", "https://evil.example/\n")(copy)
    seal(copy)
    assert check(copy) == 1
    assert "fetch/files.txt, line 1" in capsys.readouterr().out


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def mutate(content: Any, path: list[int], value: Any) -> Any:
    """The content with the value at the place that the numbers lead to."""
    if not path or not isinstance(content, dict | list) or not content:
        return value
    if isinstance(content, dict):
        key = sorted(content)[path[0] % len(content)]
        return content | {key: mutate(content[key], path[1:], value)}
    place = path[0] % len(content)
    return [*content[:place], mutate(content[place], path[1:], value), *content[place + 1 :]]


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(JSON_FILES), path=st.lists(st.integers(0, 50), max_size=5), value=JSON_VALUES)
def test_no_value_anywhere_in_the_json_ends_in_an_exception(
    name: str, path: list[int], value: Any, released_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    copy = shutil.copytree(released_folder, tmp_path_factory.mktemp("mutated") / "copy")
    before = json.loads((copy / name).read_text(encoding="utf-8"))
    content = mutate(before, path, value)
    (copy / name).write_text(json.dumps(content), encoding="utf-8")
    seal(copy)
    assert check(copy) in ((0, 1, 2) if content == before or name == "manifests.json" else (1, 2))
