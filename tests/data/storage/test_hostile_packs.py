"""Forged packs: one line each, nothing left behind, little memory."""

import io
import json
import shutil
import subprocess
import sys
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.console.errors import InputError, TableError
from data.contract.tables.pairs import Pairs
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import file_digest
from tests.annotation.support.frames import pairs
from tests.campaign import ROOT

LOG = "pairs/_delta_log/00000000000000000000.json"


@pytest.fixture
def honest(store, tmp_path):
    """The files of a pack, by name, and its list of contents."""
    store.replace(Pairs, pairs(4), Manifest(stage="clustering"), generator="recommended")
    pack.pack(store, tmp_path / "honest", ratings=True)
    with tarfile.open(tmp_path / "honest") as archive:
        files = {entry.name: archive.extractfile(entry).read() for entry in archive}
    return json.loads(files.pop(pack.CONTENTS)), files


def forge(path, contents, files, list_again=True):
    """A pack of these files, whose list says what they are unless it is the list that is forged."""
    if list_again:
        (path.parent / "digests").mkdir()
        listed = {}
        for number, (name, content) in enumerate(files.items()):
            copy = path.parent / "digests" / str(number)
            copy.write_bytes(content)
            listed[name] = {"bytes": len(content), "digest": file_digest(copy)}
        contents = contents | {"files": listed}
        shutil.rmtree(path.parent / "digests")
    text = contents if isinstance(contents, bytes) else json.dumps(contents).encode()
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {pack.CONTENTS: text, **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def refused(path, tmp_path):
    with pytest.raises(InputError, match="expected a pack, whole and unchanged") as fault:
        pack.unpack(path, tmp_path / "there")
    assert "\n" not in str(fault.value)
    assert not (tmp_path / "there").exists()
    assert [left.name for left in tmp_path.iterdir() if left.name.startswith(".")] == []
    return str(fault.value)


LISTS = {
    "tables null": lambda listed: listed | {"tables": None},
    "tables a list": lambda listed: listed | {"tables": ["pairs"]},
    "files a list": lambda listed: listed | {"files": []},
    "a number of rows that is none": lambda listed: listed | {"tables": {"pairs": "4"}},
    "rows true": lambda listed: listed | {"tables": {"pairs": True}},
    "rows below zero": lambda listed: listed | {"tables": {"pairs": -4}},
    "one field more": lambda listed: listed | {"more": 1},
    "another format": lambda listed: listed | {"format": 2},
    "format true": lambda listed: listed | {"format": True},
    "not an object": lambda listed: [listed],
    "a size as a float": lambda listed: with_sizes(listed, 12.0),
    "a size without end": lambda listed: json.dumps(with_sizes(listed, 7)).replace("7", "1e400").encode(),
    "no size": lambda listed: with_sizes(listed, None),
    "a file as a text": lambda listed: listed | {"files": dict.fromkeys(listed["files"], "x")},
    "nested deep": lambda listed: b"[" * 200_000,
    "not UTF-8": lambda listed: b"\xff\xfe",
}


def with_sizes(listed, size):
    return listed | {"files": {name: {"bytes": size, "digest": "0"} for name in listed["files"]}}


@pytest.mark.sweep
@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_a_forged_list_of_contents_is_one_line(change, honest, tmp_path):
    listed, files = honest
    refused(forge(tmp_path / "forged", change(listed), files, list_again=False), tmp_path)


LOGS = {
    "no JSON": lambda text: "{",
    "unknown protocol": lambda text: text.replace('"minReaderVersion":1', '"minReaderVersion":999'),
    "without metadata": lambda text: "".join(line for line in text.splitlines(True) if '"metaData"' not in line),
    "a manifest that is no JSON": lambda text: text.replace('"parade":"{', '"parade":"'),
    "a manifest that is a list": lambda text: text.replace('"parade":"{', '"parade":"[{').replace('}","', '}]","'),
    "a file elsewhere": lambda text: text.replace('"path":"part', '"path":"../../../part'),
    "a file of the machine": lambda text: text.replace('"path":"part', '"path":"/etc/part'),
    "an address": lambda text: text.replace('"path":"part', '"path":"file:///etc/part'),
    "an escaped place": lambda text: text.replace('"path":"part', '"path":"%2e%2e/part'),
    "a folder below": lambda text: text.replace('"path":"part', '"path":"./part'),
    "one that is gone": lambda text: text + '{"remove":{"path":"../x","deletionTimestamp":1,"dataChange":true}}\n',
}


@pytest.mark.parametrize("change", LOGS.values(), ids=LOGS)
def test_a_forged_log_is_one_line(change, honest, tmp_path):
    listed, files = honest
    log = change(files[LOG].decode())
    assert log != files[LOG].decode()
    refused(forge(tmp_path / "forged", listed, files | {LOG: log.encode()}), tmp_path)


@pytest.mark.parametrize("place", ["../../../part", "/etc/part", "%2e%2e%2fpart", "file:///etc/part"])
def test_a_past_version_reads_no_file_elsewhere(place, honest, tmp_path, store):
    store.replace(Pairs, pairs(5), Manifest(stage="clustering"), generator="recommended")
    log = store.root / LOG
    log.write_text(log.read_text().replace('"path":"part', f'"path":"{place}'))
    with pytest.raises(TableError, match="expected names of files in the table's folder"):
        store.read(Pairs, version=0)


def test_folders_below_folders_are_one_line(honest, tmp_path):
    listed, files = honest
    refused(forge(tmp_path / "forged", listed, files | {"pairs/" + "d/" * 2000 + "f": b"x"}), tmp_path)


def test_a_key_that_occurs_twice_is_one_line(honest, tmp_path):
    listed, files = honest
    name = next(name for name in files if name.endswith(".parquet"))
    files[name] = doubled(files[name], 2)
    log = with_size(files[LOG], len(files[name]))
    forged = forge(tmp_path / "forged", listed | {"tables": {"pairs": 8}}, files | {LOG: log})
    assert "table pairs that cannot be read" in refused(forged, tmp_path)


def doubled(parquet, times):
    table = pq.read_table(io.BytesIO(parquet))
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, compression="zstd") as writer:
        for _ in range(times):
            writer.write_table(table)
    return out.getvalue()


def with_size(log, size):
    lines = [json.loads(line) for line in log.splitlines()]
    for line in lines:
        if "add" in line:
            line["add"]["size"] = size
            line["add"].pop("stats", None)
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.mark.sweep
@pytest.mark.parametrize("listed_rows", [4, 2_000_000])
def test_a_small_pack_of_many_rows_takes_little_memory(listed_rows, honest, tmp_path):
    listed, files = honest
    name = next(name for name in files if name.endswith(".parquet"))
    files[name] = many_equal(files[name], 2_000_000)
    log = with_size(files[LOG], len(files[name]))
    forge(tmp_path / "forged", listed | {"tables": {"pairs": listed_rows}}, files | {LOG: log})
    code = (
        "import resource, sys; from pathlib import Path; from data.storage import pack\n"
        "from data.console.errors import InputError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: pack.unpack(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "except InputError as fault: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, fault)\n"
    )
    command = [sys.executable, "-c", code, tmp_path / "forged", tmp_path / "there"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    kilobytes, _, message = done.stdout.partition(" ")
    assert "expected a pack, whole and unchanged" in message
    assert int(kilobytes) < 300_000


def test_a_small_pack_whose_rows_repeat_a_long_text_is_refused(honest, tmp_path):
    """50,000 rows of a megabyte each in 100 KB: every key is another one, and their number is as listed."""
    listed, files = honest
    name = next(name for name in files if name.endswith(".parquet"))
    n = 50_000
    rows = pq.read_table(io.BytesIO(files[name])).slice(0, 1).take([0] * n)
    rows = rows.set_column(rows.schema.get_field_index("pair_id"), "pair_id", pa.array([f"{i:016x}" for i in range(n)]))
    text = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["x" * 2**20]))
    rows = rows.set_column(rows.schema.get_field_index("first"), "first", text)
    out = io.BytesIO()
    pq.write_table(rows, out, compression="zstd", store_schema=False)
    log = with_size(files[LOG], len(out.getvalue()))
    forge(tmp_path / "forged", listed | {"tables": {"pairs": n}}, files | {name: out.getvalue(), LOG: log})
    assert "table pairs that cannot be read" in refused(tmp_path / "forged", tmp_path)


def many_equal(parquet, n):
    row = pq.read_table(io.BytesIO(parquet)).slice(0, 1)
    out = io.BytesIO()
    block = row.take([0] * 100_000)
    with pq.ParquetWriter(out, row.schema, compression="zstd") as writer:
        for _ in range(n // 100_000):
            writer.write_table(block)
    assert len(out.getvalue()) < 500_000
    return out.getvalue()


def test_the_same_files_packed_by_hand_arrive(honest, tmp_path):
    listed, files = honest
    pack.unpack(forge(tmp_path / "same", listed, files), tmp_path / "there")
    assert len(Store(tmp_path / "there").read(Pairs)) == 4
