import sys
from pathlib import Path

import pandas as pd
import pytest

from clustering.commands.propose import RECIPES, main
from clustering.commands.select import main as select
from data.console.commands import run
from data.contract.tables.definitions import Definitions
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.models import sentence_models
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id
from tests.sentence_model import stand_in

SUBJECTS = ("a network", "a set of nodes", "many devices", "small machines", "several computers")
DEEDS = ("that share data", "which talk to each other", "linked by radio")


def store_of(folder: Path) -> Store:
    rows = [
        (entity, f"{who} {what}")
        for entity in ("ad hoc network", "sensor network")
        for who in SUBJECTS
        for what in DEEDS
    ]
    frame = pd.DataFrame(rows, columns=["entity", "text"]).assign(n_words=5, n_cards=1, n_sources=1)
    frame["definition_id"] = [definition_id(*row) for row in rows]
    store = Store(folder)
    store.replace(Definitions, frame, Manifest(stage="crawler.definitions"))
    return store


def command(folder: Path, *flags: str) -> int:
    args = ["--store", str(folder), "--vector-size", "8", "--epochs", "3", *flags]
    return run(main, prog="python -m clustering propose", recipes=RECIPES, args=args)


def test_writes_pairs_and_rejects_that_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = store_of(tmp_path)
    assert command(tmp_path, "--recipe", "paper") == 0
    pairs = store.read(Pairs, generator="paper")
    rejects = store.read(Rejects, stage="clustering", part="paper")
    counts = store.manifest(Pairs, generator="paper")["counts"]
    assert counts["definitions"] == 30
    assert counts["rows_out"] == len(pairs) > 0
    of_definitions = counts["rejects"].get("alone_in_cluster", 0)
    assert counts["candidates"] == len(pairs) + len(rejects) - of_definitions
    assert counts["clustered"] + of_definitions == 30
    out = capsys.readouterr().out
    assert f"{len(pairs)} pairs of `paper` written to" in out
    assert out.splitlines()[-2:] == [
        f"next: python -m annotation plan --annotators N --store {tmp_path}",
        f"  or: python -m annotation pilot plan --annotators N --store {tmp_path}",
    ]


def test_a_budget_that_is_not_reached_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store_of(tmp_path)
    assert command(tmp_path, "--limit", "2") == 0
    assert "--limit" not in capsys.readouterr().out
    assert command(tmp_path, "--limit", "9000") == 0
    assert "fewer than the 9000 of --limit" in capsys.readouterr().out


def test_a_second_run_does_nothing_and_another_seed_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = store_of(tmp_path)
    assert command(tmp_path) == command(tmp_path) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert store.version(Pairs) == 0
    assert command(tmp_path, "--seed", "2") == 0
    assert store.version(Pairs) == 1


@pytest.mark.sweep
def test_the_manifest_states_what_followed_the_size(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    assert run(main, prog="python -m clustering propose", recipes=RECIPES, args=["--store", str(tmp_path)]) == 0
    config = store.manifest(Pairs, generator="recommended")["config"]
    assert (config["epochs"], config["min_count"], config["word2vec_share"]) == (7, 1, 0.25)
    assert command(tmp_path, "--word2vec-share", "0.4", "--generator", "other") == 0
    assert store.manifest(Pairs, generator="other")["config"]["word2vec_share"] == 0.4


def test_generators_are_beside_each_other(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    assert command(tmp_path, "--recipe", "paper") == command(tmp_path, "--generator", "mine") == 0
    assert set(store.read(Pairs)["generator"]) == {"paper", "mine"}
    assert set(store.read(Rejects)["part"]) <= {"paper", "mine"}
    assert store.manifest(Pairs, generator="mine")["recipe"] == "recommended"


def test_pairs_of_another_command_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = store_of(tmp_path)
    assert command(tmp_path, "--generator", "mine") == 0
    pairs = store.read(Pairs)
    store.replace(Pairs, pairs, Manifest(stage="generation.swap"), generator="mine")
    capsys.readouterr()
    assert command(tmp_path, "--generator", "mine") == 2
    assert run(select, prog="x", args=["--generator", "mine", "--limit", "5", "--store", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.count("--generator: expected a name of its own") == 2
    assert err.count("found 'mine', pairs made by generation.swap") == 2
    pd.testing.assert_frame_equal(store.read(Pairs), pairs)


def test_same_seed_same_table_in_another_store(tmp_path: Path) -> None:
    tables = []
    for name in ("one", "two"):
        store = store_of(tmp_path / name)
        assert command(tmp_path / name) == 0
        tables.append(store.read(Pairs))
    pd.testing.assert_frame_equal(*tables)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--epochs", "0"), "--epochs: expected at least 1, or none, found 0"),
        (("--max-overlap", "0"), "--max-overlap: expected a number above 0 and at most 1, or none, found 0"),
        (("--word2vec-share", "2"), "--word2vec-share: expected a number from 0 to 1, or none, found 2"),
        (("--limit", "0"), "--limit: expected at least 1, or none, found 0"),
        (("--min-edit-similarity", "1.5"), "--min-edit-similarity: expected a number from 0 to 1, found 1.5"),
        (("--seed", "-1"), "--seed: expected at least 0, found -1"),
        (("--recipe", "soup"), "--recipe: expected recommended or paper or hard, found 'soup'"),
        (("--vectors", "minilm", "--model", "/nowhere"), "--model /nowhere: expected a folder with a sentence model"),
        (("--cluster-size", "0.5"), "--cluster-size: expected a number of at least 1, found 0.5"),
    ],
)
def test_bad_flags_are_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flags: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in())
    store_of(tmp_path)
    assert command(tmp_path, *flags) == 2
    assert f"error: {message}" in capsys.readouterr().err


@pytest.mark.sweep
def test_every_kind_of_vectors_and_selection_gives_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in())
    store = store_of(tmp_path)
    (tmp_path / "model").mkdir()
    for vectors in ("word2vec", "word2vec-sif", "tfidf", "combined", "minilm"):
        flags = ("--vectors", vectors, "--model", str(tmp_path / "model"), "--generator", vectors)
        assert command(tmp_path, *flags, "--recipe", "hard", "--limit", "4") == 0
        pairs = store.read(Pairs, generator=vectors)
        assert len(pairs) == 4
        assert set(pairs["entity"]) == {"ad hoc network", "sensor network"}
        assert set(pairs["selection"]) == {"cover"}
    assert store.manifest(Pairs, generator="tfidf")["config"]["limit"] == 4


def test_without_the_extra_models_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    sentence_models._load.cache_clear()
    store = store_of(tmp_path)
    assert command(tmp_path, "--vectors", "minilm") == 2
    err = capsys.readouterr().err
    assert "error: --model minilm: expected the package sentence-transformers" in err
    assert "run `make models`" in err
    assert not store.exists(Pairs)


def write(folder: Path, rows: list[tuple[str, str]]) -> Store:
    frame = pd.DataFrame(rows, columns=["entity", "text"]).assign(n_words=5, n_cards=1, n_sources=1)
    frame["definition_id"] = [definition_id(*row) for row in rows]
    store = Store(folder)
    store.replace(Definitions, frame, Manifest(stage="crawler.definitions"))
    return store


def test_small_identical_and_unknown_entities_each_get_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("two", "a tree of nodes"), ("two", "many linked nodes in a tree")]
    rows += [("identical", text) for text in ("a tree of nodes", "a tree of nodes!", "A tree, of nodes.")]
    rows += [("unknown", "zzz"), ("unknown", "yyy")]
    store = write(tmp_path, rows)
    assert command(tmp_path, "--vectors", "word2vec", "--min-count", "2") == 0
    assert store.read(Pairs)["entity"].tolist() == ["two"]
    reasons = store.read(Rejects, stage="clustering", part="recommended")["reason"].value_counts().to_dict()
    assert reasons == {"near_duplicate_punctuation": 3, "no_known_word": 2}
    assert "2 dropped: no_known_word" in capsys.readouterr().out


def test_no_pair_at_all_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = write(tmp_path, [("one", "a tree"), ("other", "a graph")])
    assert command(tmp_path, "--vectors", "word2vec", "--min-count", "9") == 1
    assert "table `rejects` (no_known_word: try --min-count 1)" in capsys.readouterr().err
    assert store.read(Rejects)["reason"].tolist() == ["no_known_word", "no_known_word"]


@pytest.mark.sweep
def test_shards_that_no_run_goes_on_from_leave_the_disk(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    for engine in ("here", "processes:1"):
        (store.shards / "clustering-of-another-run" / "shard-00000").mkdir(parents=True)
        assert command(tmp_path, "--engine", engine, "--generator", engine) == 0
        assert list(store.shards.glob("*")) == []


@pytest.mark.sweep
def test_a_table_that_cannot_be_written_costs_no_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(tmp_path)

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "replace", full)
        assert command(tmp_path, "--engine", "processes:1") == 2
    assert list(store.shards.glob("*/shard-*/done"))
    monkeypatch.setattr("clustering.candidates.shards.describe", None)  # vectors are not made again
    assert command(tmp_path, "--engine", "processes:1") == 0
    assert list(store.shards.glob("*")) == []


def test_an_unknown_engine_is_one_line_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store_of(tmp_path)
    assert command(tmp_path, "--engine", "spark") == 2
    assert "error: --engine: expected here, processes, processes:N or dask:ADDRESS" in capsys.readouterr().err


def test_an_empty_store_says_what_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path) == 2
    assert "definitions: expected rows, found none; run `python -m crawler.definitions" in capsys.readouterr().err
    assert not Store(tmp_path).exists(Pairs)
    (tmp_path / "file").touch()
    assert command(tmp_path / "file") == 2
    assert f"error: {tmp_path / 'file' / 'locks'}: expected to read or write there" in capsys.readouterr().err
    write(tmp_path, [("same", "a tree"), ("same", "a tree!")])
    assert command(tmp_path, "--min-count", "1") == 1
    assert capsys.readouterr().err.endswith("no pairs; see the reasons in the table `rejects`\n")
