"""A stage makes its part of a table once, with what was dropped, and says so."""

import pandas as pd
import pytest

from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from tests.data.storage.test_store import pairs


def make(store: Store, calls: list[str], seed: int = 1) -> None:
    def made() -> Made:
        calls.append("made")
        rejects = pd.DataFrame({"id": ["x", "y"], "reason": "too_long", "detail": None})
        return Made(rows=pairs("any", "a", "b", "c"), rejects=rejects, why={"too_long": "--max-words"})

    run_stage(store, Pairs, Manifest(stage="test", seed=seed), made, noun="pair", generator="ours")


def test_a_part_is_made_again_only_from_something_else(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[str] = []
    make(store, calls)
    written = f"3 pairs of `ours` written to {store.path(Pairs)} (version 0)"
    assert capsys.readouterr().out.splitlines() == ["  2 dropped: too_long: --max-words", written]
    make(store, calls)
    assert capsys.readouterr().out == "the pairs of `ours` are up to date: nothing to do\n"
    make(store, calls, seed=2)
    assert calls == ["made", "made"]


def test_rows_and_rejects_are_stored_and_counted(store: Store) -> None:
    make(store, [])
    assert len(store.read(Pairs, generator="ours")) == 3
    assert store.read(Rejects, stage="test", part="ours")["id"].tolist() == ["x", "y"]
    record = store.manifest(Pairs, generator="ours")
    assert record is not None
    assert record["counts"] == {"rows_out": 3, "rejects": {"too_long": 2}}
