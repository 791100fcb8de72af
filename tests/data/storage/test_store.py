"""The tables on disk."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from deltalake.fs import DeltaStorageHandler

from data.console.errors import InputError, StoreBusy, TableError
from data.contract import register
from data.contract.base import Table
from data.contract.tables.definitions import Definitions, Terms
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects, Tombstones
from data.storage import delta
from data.storage.delta import MOST_SMALL_FILES
from data.storage.manifest import Manifest
from data.storage.snapshot import Snapshot
from data.storage.store import Store

LOG = "00000000000000000000.json"
MANIFEST = Manifest(stage="crawler.terminology", config={"above": 20}, recipe="paper", seed=1)


def terms(*names: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "term": list(names),
            "document_frequency": 21,
            "documents": 100,
            "canonical": list(names),
            "variants": [[name, name + "s"] for name in names],
            "recurrence": 1.5,
            "title_share": 0.1,
            "c_value": 20.0,
            "boundary": 0.5,
            "score": None,
        }
    )


def tombstones(*ids: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"kind": "card", "study": "", "id": list(ids), "reason": "asked", "at": pd.Timestamp("2026-01-01", tz="UTC")}
    )


def pairs(generator: str, *ids: str) -> pd.DataFrame:
    texts = dict.fromkeys(["entity", "first_id", "second_id", "first", "second"], "x")
    rest = {"cluster": 0, "similarity": None, "overlap": 0.5, "rank": 0, "selection": "every-pair"}
    return pd.DataFrame([{"generator": generator, "pair_id": one, "parents": [], **texts, **rest} for one in ids])


def test_a_store_that_was_never_written_reads_empty_and_creates_nothing(store: Store) -> None:
    assert store.read(Terms).empty
    assert store.version(Terms) is None
    assert store.history(Terms) == []
    assert not store.root.exists()


@pytest.mark.parametrize("table", register.TABLES, ids=lambda table: table.table_name())
def test_an_empty_table_has_the_declared_types(store: Store, table: type[Table]) -> None:
    frame = store.read(table)
    assert [str(kind.pyarrow_dtype) for kind in frame.dtypes] == [
        str(kind).replace("element:", "item:") for kind in table.arrow_schema().types
    ] or list(frame.columns) == table.arrow_schema().names


def test_rows_come_back_sorted_by_key_and_typed(store: Store) -> None:
    store.replace(Terms, terms("hash table", "binary tree"), MANIFEST)
    frame = store.read(Terms)
    assert frame["term"].tolist() == ["binary tree", "hash table"]
    assert list(frame["variants"].iloc[1]) == ["hash table", "hash tables"]
    assert frame["document_frequency"].sum() == 42


def test_arrow_s_threads_read_no_file_through_python(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would abort an interpreter that ends before they have let go of it."""
    store.replace(Terms, terms("a", "b"), MANIFEST)
    monkeypatch.setattr(DeltaStorageHandler, "from_table", None)
    assert len(store.read(Terms, term="a")) == 1
    assert store.delta(Terms).count_checked(2, 1) == 2


def test_undefined_is_null(store: Store) -> None:
    store.replace(Terms, terms("a").assign(document_frequency=[float("nan")]), MANIFEST)
    assert store.read(Terms)["document_frequency"].iloc[0] is pd.NA


def test_the_order_of_rows_does_not_change_the_bytes(tmp_path: Path) -> None:
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    one.replace(Terms, terms("a", "b", "c"), MANIFEST)
    other.replace(Terms, terms("c", "a", "b"), MANIFEST)
    contents = [next(each.path(Terms).glob("*.parquet")).read_bytes() for each in (one, other)]
    assert contents[0] == contents[1]


def test_append_adds_each_key_once(store: Store) -> None:
    assert store.append(Tombstones, tombstones("1", "2"), MANIFEST) == 0
    assert store.append(Tombstones, tombstones("2", "1"), MANIFEST) is None
    assert store.append(Tombstones, tombstones("2", "3"), MANIFEST) == 1
    assert store.read(Tombstones)["id"].tolist() == ["1", "2", "3"]


@pytest.mark.sweep
def test_many_appends_leave_few_files_and_every_version(store: Store) -> None:
    ids = [f"{number:02}" for number in range(2 * MOST_SMALL_FILES + 3)]
    versions = [store.append(Tombstones, tombstones(id_), MANIFEST) for id_ in ids]
    assert versions == [
        number + (number >= MOST_SMALL_FILES) + (number >= 2 * MOST_SMALL_FILES - 1) for number in range(len(ids))
    ]
    assert len(store.delta(Tombstones).latest().file_uris()) <= MOST_SMALL_FILES
    for at, version in enumerate(versions):
        assert store.read(Tombstones, version=version)["id"].tolist() == ids[: at + 1]
    assert [record["version"] for record in store.history(Tombstones)] == versions[::-1]
    assert store.append(Tombstones, tombstones(*ids), MANIFEST) is None
    assert Store(store.root).read(Tombstones)["id"].tolist() == ids


@pytest.mark.sweep
def test_large_files_are_not_written_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The past keeps each file: a table that is written whole again and again would fill the disk."""
    monkeypatch.setattr(delta, "SMALL_BYTES", 1)
    for number in range(2 * MOST_SMALL_FILES):
        store.append(Tombstones, tombstones(f"{number:02}"), MANIFEST)
    assert len(store.delta(Tombstones).latest().file_uris()) == 2 * MOST_SMALL_FILES


def test_replace_touches_only_its_part(store: Store) -> None:
    store.replace(Pairs, pairs("paper", "1", "2"), MANIFEST, generator="paper")
    store.replace(Pairs, pairs("ours", "1"), MANIFEST, generator="ours")
    store.replace(Pairs, pairs("paper", "3"), MANIFEST, generator="paper")
    found = store.read(Pairs)
    assert list(zip(found["generator"], found["pair_id"], strict=True)) == [("ours", "1"), ("paper", "3")]
    assert store.read(Pairs, generator="ours")["pair_id"].tolist() == ["1"]


def test_a_part_can_become_empty(store: Store) -> None:
    rejects = pd.DataFrame({"id": ["1"], "reason": ["r"], "detail": [None]})
    for part in ("a", "b"):
        store.reject("stage", rejects, MANIFEST, part)
    store.reject("stage", rejects.iloc[:0], MANIFEST, "a")
    assert store.read(Rejects)["part"].tolist() == ["b"]


def test_replace_refuses_rows_outside_the_part(store: Store) -> None:
    with pytest.raises(TypeError, match="outside the part"):
        store.replace(Pairs, pairs("ours", "1"), MANIFEST, generator="paper")
    with pytest.raises(TypeError, match="replaced by"):
        store.replace(Pairs, pairs("ours", "1"), MANIFEST)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (terms("a").drop(columns="canonical"), "expected a column canonical"),
        (terms("a").assign(colour=1), "expected only the declared columns, found colour"),
        (terms("a", "a"), r"each key \(term\) once, found a more than once"),
        (terms("a").assign(document_frequency=-1), "document_frequency to be at least 0, found -1"),
        (terms("a").assign(document_frequency="many"), "document_frequency to be of type int64, found 'many'"),
        (terms("a").assign(term=None), r"term in every row, found none \(row 0\)"),
    ],
)
def test_a_wrong_frame_is_one_line_and_leaves_the_table_alone(store: Store, frame: pd.DataFrame, message: str) -> None:
    store.replace(Terms, terms("kept"), MANIFEST)
    with pytest.raises(TableError, match=message) as caught:
        store.replace(Terms, frame, MANIFEST)
    assert "\n" not in str(caught.value)
    assert store.read(Terms)["term"].tolist() == ["kept"]
    assert store.version(Terms) == 0


def test_a_table_that_was_put_in_place_of_another_is_read(store: Store, tmp_path: Path) -> None:
    """An open table is kept only while its log is the same."""
    store.replace(Terms, terms("old"), MANIFEST)
    assert store.read(Terms)["term"].tolist() == ["old"]
    other = Store(tmp_path / "other")
    other.replace(Terms, terms("new"), MANIFEST)
    shutil.rmtree(store.path(Terms))
    assert not store.exists(Terms)
    shutil.copytree(other.path(Terms), store.path(Terms))
    assert store.read(Terms)["term"].tolist() == ["new"]


def test_the_past_can_be_read(store: Store) -> None:
    store.replace(Terms, terms("old"), MANIFEST)
    store.replace(Terms, terms("new"), MANIFEST)
    assert store.read(Terms, version=0)["term"].tolist() == ["old"]
    with pytest.raises(TableError, match="a version from 0 to 1, found 7"):
        store.read(Terms, version=7)


def test_the_manifest_is_in_the_commit(store: Store) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    store.replace(Pairs, pairs("ours", "1"), Manifest(stage="clustering"), generator="ours")
    manifest = store.manifest(Pairs, generator="paper")
    assert manifest is not None
    assert manifest["config"] == {"above": 20}
    assert manifest["version"] == 0
    assert set(manifest["libraries"]) >= {"python", "pandas", "deltalake"}
    assert [one["scope"]["generator"] for one in store.history(Pairs)] == ["ours", "paper"]


@pytest.mark.parametrize("in_log", [True, False])
def test_rows_are_counted_whether_or_not_the_log_has_their_number(store: Store, *, in_log: bool) -> None:
    assert store.count(Terms) == 0
    store.replace(Terms, terms("heap", "queue", "stack"), MANIFEST)
    if not in_log:
        log = store.path(Terms) / "_delta_log" / LOG
        log.write_text(re.sub(r'"stats":"(\\.|[^"\\])*"', '"stats":null', log.read_text()))
    assert ("numRecords" in (store.path(Terms) / "_delta_log" / LOG).read_text()) == in_log
    assert Store(store.root).count(Terms) == 3
    assert Snapshot(store.root).count(Terms) == 3
    assert Snapshot(store.root).count(Pairs) == 0


def test_versions_are_numbered_rightly_while_another_process_commits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.replace(Terms, terms("old"), MANIFEST)
    opened = store.delta(Terms).latest()
    store.replace(Terms, terms("new"), MANIFEST)
    monkeypatch.setattr(store.delta(Terms), "latest", lambda: opened)
    assert [record["version"] for record in store.history(Terms)] == [1, 0]


def test_work_is_current_until_configuration_or_inputs_change_or_rows_are_erased(store: Store) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    assert store.is_current(Pairs, MANIFEST, generator="paper")
    assert not store.is_current(Pairs, MANIFEST, generator="ours")
    changed = Manifest(stage="crawler.terminology", config={"above": 21}, recipe="paper", seed=1)
    assert not store.is_current(Pairs, changed, generator="paper")
    moved = Manifest(stage="crawler.terminology", config={"above": 20}, recipe="paper", seed=1, inputs={"cards": 3})
    assert not store.is_current(Pairs, moved, generator="paper")
    assert store.erase(Pairs, lambda rows: rows, "data.takedown") == 0
    assert not store.is_current(Pairs, MANIFEST, generator="paper")


def test_what_is_written_while_rows_are_erased_stays(store: Store) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    with ThreadPoolExecutor(1) as pool:

        def leave(rows: pd.DataFrame) -> pd.DataFrame:
            writing = pool.submit(store.replace, Pairs, pairs("ours", "2"), MANIFEST, generator="ours")
            with pytest.raises(TimeoutError):
                writing.result(timeout=0.5)
            return rows[:0]

        assert store.erase(Pairs, leave, "data.takedown") == 1
    assert store.read(Pairs)["generator"].tolist() == ["ours"]


def test_an_erasure_that_was_stopped_is_ended_by_the_next(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    old = set(store.path(Pairs).glob("*.parquet"))

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("data.storage.delta.list_files", stopped)
        with pytest.raises(KeyboardInterrupt):
            store.erase(Pairs, lambda rows: rows[:0], "data.takedown")
    assert old <= set(store.path(Pairs).glob("*.parquet"))
    assert store.erase(Pairs, lambda rows: rows[:0], "data.takedown") == 0
    assert not old & set(store.path(Pairs).glob("*.parquet"))


def test_nothing_is_erased_from_a_store_that_is_not_there(store: Store) -> None:
    assert store.erase(Pairs, lambda rows: rows[:0], "data.takedown") == 0
    assert not store.root.exists()


@pytest.mark.parametrize("fault", ["Connection refused", "AccessDenied", "HTTP error"])
def test_a_disk_s_fault_is_not_taken_for_one_of_object_storage(
    fault: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")

    def fail(*_: object) -> None:
        raise OSError(fault)

    monkeypatch.setattr(DeltaStorageHandler, "get_file_info_selector", fail)
    with pytest.raises(TableError, match=f"expected a disk with room to write on, found {fault}"):
        store.erase(Pairs, lambda rows: rows[:0], "data.takedown")


def test_an_erasure_deletes_what_a_killed_write_left(store: Store) -> None:
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    left = store.path(Pairs) / "part-00000-left.snappy.parquet"
    left.write_bytes(b"a text")
    store.erase(Pairs, lambda rows: rows[:0], "data.takedown")
    assert not left.exists()


def test_stages_that_write_a_table_at_once_lose_nothing(store: Store) -> None:
    def reject(stage: str) -> None:
        for number in range(3):
            store.reject(stage, pd.DataFrame({"id": [f"{stage}{number}"], "reason": "r", "detail": None}), MANIFEST)

    stages = ("crawler.quizlet", "crawler.files", "clustering.paper")
    with ThreadPoolExecutor(len(stages)) as pool:
        list(pool.map(reject, stages))
    assert set(store.read(Rejects)["id"]) == {f"{stage}2" for stage in stages}


def test_the_lock_is_held_once(store: Store) -> None:
    with store.lock("crawl"), pytest.raises(StoreBusy, match=f"process {os.getpid()}"), store.lock("crawl"):
        pass
    with store.lock("crawl"), store.lock("campaign"):
        pass


def test_a_holder_that_has_not_written_its_number_yet_is_not_named(store: Store) -> None:
    with store.lock("crawl"):
        next(store.root.rglob("crawl.lock")).write_text("")
        with pytest.raises(StoreBusy, match="found a run in progress; "), store.lock("crawl"):
            pass


@pytest.mark.sweep
def test_the_lock_dies_with_its_process(store: Store) -> None:
    code = (
        "import sys; from pathlib import Path; from data.storage.store import Store\n"
        f"with Store(Path({str(store.root)!r})).lock('crawl'):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(StoreBusy, match=f"process {holder.pid}"), store.lock("crawl"):
        pass
    holder.kill()
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    with store.lock("crawl"):
        pass


READS = {
    "append": lambda store: store.append(Tombstones, tombstones("2"), MANIFEST),
    "erase": lambda store: store.erase(Tombstones, lambda rows: rows, "data.takedown"),
    "replace": lambda store: store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper"),
    "read": lambda store: store.read(Tombstones),
    "count": lambda store: store.delta(Tombstones).count_checked(1, 10),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_no_file_outside_the_table_s_folder_is_read(read: Callable[[Store], object], store: Store) -> None:
    store.append(Tombstones, tombstones("1"), MANIFEST)
    store.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    for table in (Tombstones, Pairs):
        next(store.path(table).glob("*.parquet")).rename(store.root / f"{table.table_name()}.parquet")
        log = store.path(table) / "_delta_log" / LOG
        log.write_text(re.sub(r'"path":"[^"]*"', f'"path":"../{table.table_name()}.parquet"', log.read_text()))
    with pytest.raises(TableError, match="expected names of files in the table's folder, found"):
        read(store)
    assert not [*store.root.glob("*/*.parquet")]


def write_as_before(store: Store, **columns: list[object]) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    write_deltalake(store.path(Terms), pa.table(columns))


def test_terms_from_before_there_were_scores_are_read_without_scores(store: Store) -> None:
    old = terms("hash table").drop(columns=["recurrence", "title_share", "c_value", "boundary", "score"])
    write_as_before(store, **old.to_dict("list"))
    read = store.read(Terms)
    assert list(read.columns) == Terms.arrow_schema().names
    assert read["term"].tolist() == ["hash table"]
    assert read[["recurrence", "score"]].isna().all(axis=None)
    assert [str(kind) for kind in read.dtypes] == [str(kind) for kind in Store(store.root / "new").read(Terms).dtypes]
    store.replace(Terms, terms("heap"), MANIFEST)
    assert store.read(Terms)["recurrence"].tolist() == [1.5]
    assert store.read(Terms, version=0)["recurrence"].isna().all()


def test_rows_are_added_to_tables_that_lack_an_optional_column(store: Store) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    def write_without(table: type[Table], column: str, **row: object) -> None:
        schema = table.arrow_schema()
        schema = schema.remove(schema.get_field_index(column))
        write_deltalake(store.path(table), pa.Table.from_pylist([row], schema=schema))

    write_without(Pairs, "similarity", **pairs("old", "p").to_dict("records")[0])
    store.replace(Pairs, pairs("new", "p").assign(similarity=0.5), MANIFEST, generator="new")
    assert store.read(Pairs)["similarity"].fillna(-1.0).to_list() == [0.5, -1.0]


def test_a_table_without_a_column_that_cannot_be_null_is_one_line(store: Store) -> None:
    write_as_before(store, term=["hash table"])
    assert store.read(Terms, columns=["term"])["term"].tolist() == ["hash table"]
    with pytest.raises(TableError, match=r"terms: expected the column canonical, found none in version 0"):
        store.read(Terms)


def test_a_table_whose_older_version_lacks_a_column_is_replaced(store: Store) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    write_deltalake(store.path(Definitions), pa.table({"definition_id": ["a"], "text": ["old"]}))
    row = {"definition_id": "b", "entity": "e", "text": "t", "n_words": 2, "n_cards": 1, "n_sources": 1}
    store.replace(Definitions, pd.DataFrame([row]), Manifest(stage="crawler.definitions"))
    assert store.read(Definitions)[["definition_id", "verbatim"]].values.tolist() == [["b", pd.NA]]


def test_a_table_without_an_optional_key_column_is_read_and_searched(store: Store) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    row = {"stage": ["clustering"], "part": ["main"], "id": ["b"], "reason": ["twice"], "detail": [None]}
    write_deltalake(store.path(Rejects), pa.table(row))
    assert store.read(Rejects)["control"].isna().all()
    assert store.read(Rejects, ["id"], part="main")["id"].tolist() == ["b"]
    assert store.read(Rejects, ["id"], method="majority").empty


@pytest.mark.parametrize("values", [["many"], [1.5], [[1]]], ids=str)
def test_a_column_of_another_type_is_one_line(store: Store, values: list[object]) -> None:
    write_as_before(store, term=["heap"], canonical=["heap"], variants=[["heap"]], documents=values)
    expected = r"terms: expected the column documents of type int64, found \w+(<.*>)? in version 0: another release"
    with pytest.raises(TableError, match=expected):
        store.read(Terms)
    assert store.read(Terms, ["term"])["term"].tolist() == ["heap"]


@pytest.mark.parametrize("part", ["stage", "part", "scope", "config", "inputs", "fingerprint"])
@pytest.mark.parametrize("has", ["another", "none"])
def test_a_manifest_of_another_form_is_one_line(store: Store, part: str, has: str) -> None:
    store.replace(Terms, terms("heap"), MANIFEST)
    log = store.path(Terms) / "_delta_log" / LOG
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    (commit,) = (action["commitInfo"] for action in actions if "commitInfo" in action)
    manifest = {**json.loads(commit["parade"]), "more": 1}
    commit["parade"] = json.dumps(manifest)
    log.write_text("\n".join(map(json.dumps, actions)))
    assert store.history(Terms)[0]["more"] == 1
    manifest |= {part: 5} if has == "another" else {}
    commit["parade"] = json.dumps(manifest if has == "another" else {k: v for k, v in manifest.items() if k != part})
    log.write_text("\n".join(map(json.dumps, actions)))
    with pytest.raises(
        TableError, match=f"terms: expected a manifest with {part}, found (5|none) in version 0; restore"
    ):
        Store(store.root).history(Terms)


def test_a_file_cut_short_is_no_full_disk(store: Store) -> None:
    for generator in ("ours", "paper"):
        store.replace(Pairs, pairs(generator, "1"), MANIFEST, generator=generator)
    for path in store.path(Pairs).glob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-20])
    for ask in (
        lambda: store.read(Pairs),
        lambda: store.replace(Pairs, pairs("ours", "2"), MANIFEST, generator="ours"),
    ):
        with pytest.raises(TableError, match=r"pairs: expected a Delta table, whole and readable, found .*; restore"):
            ask()


def test_a_file_in_a_table_s_place_is_one_line(store: Store) -> None:
    store.root.mkdir(parents=True)
    (store.root / "terms").write_text("no table")
    for ask in (store.tables, store.versions, lambda: store.read(Terms), lambda: store.exists(Terms)):
        with pytest.raises(TableError, match="terms: expected a Delta table, whole and readable, found") as raised:
            ask()
        assert str(raised.value).isprintable()


@pytest.mark.parametrize("free", [0, 8, 16, 32, 64, 96])
def test_a_full_disk_is_one_line_and_costs_nothing(free, small_disk):
    folder, enlarge = small_disk
    store = Store(folder / "store")
    store.replace(Pairs, pairs("recommended", *"pqrs"), MANIFEST, generator="recommended")
    (folder / "filler").write_bytes(b"x" * (shutil.disk_usage(folder).free - free * 1024))
    many = pairs("recommended", *map(str, range(2000)))
    many["first"] = [np.random.default_rng(n).bytes(150).hex() for n in range(len(many))]  # nothing to compress
    with pytest.raises(TableError, match=r"expected a disk with room to write on, found .*; free some and run"):
        store.replace(Pairs, many, MANIFEST, generator="recommended")
    assert len(store.read(Pairs)) == 4
    enlarge()
    store.replace(Pairs, many, MANIFEST, generator="recommended")
    assert len(store.read(Pairs)) == len(many)


@pytest.mark.parametrize("place", ["file:///tmp/store", "s3:/bucket", "s3://me:secret@bucket", "s3://", "ftp://a/b"])
def test_an_address_that_is_no_object_storage_is_no_store(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="expected a folder, or an address that begins with s3://") as raised:
        Store(place)
    assert "secret" not in str(raised.value)
    assert not [*tmp_path.iterdir()]


BROKEN_LOGS = {
    "no JSON": lambda text: "{",
    "empty": lambda text: "",
    "unknown protocol": lambda text: re.sub(r'"minReaderVersion":\d+', '"minReaderVersion":999', text),
    "without metadata": lambda text: "".join(line for line in text.splitlines(True) if '"metaData"' not in line),
    "names a file that is not there": lambda text: text.replace("part-", "gone-"),
    "deep": lambda text: "[" * 100_000,
}


@pytest.mark.parametrize("change", BROKEN_LOGS.values(), ids=BROKEN_LOGS.keys())
def test_a_broken_log_is_one_line(change, store):
    store.replace(Pairs, pairs("recommended", *"pqrs"), MANIFEST, generator="recommended")
    log = store.path(Pairs) / "_delta_log" / LOG
    log.write_text(change(log.read_text()))
    with pytest.raises(TableError, match="expected") as raised:
        store.read(Pairs)
    assert "unknown>" not in str(raised.value), "no stack of the library"
