"""A sample spread over margins, and what people made of it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data.contract.tables.campaign import Answers, Assignments
from data.contract.tables.generated import PairMeasures
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id
from generation.__main__ import main
from generation.swapping.calibration import by_margin, least_margin, spread


def call(*words) -> int:
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def swapped(tmp_path_factory) -> Store:
    """100 swaps with margins from -10 to 9.8."""
    store = Store(tmp_path_factory.mktemp("calibration") / "store")
    pairs = pd.DataFrame({"first": [f"first {n}" for n in range(100)], "second": [f"second {n}" for n in range(100)]})
    for side in ("first", "second"):
        pairs[f"{side}_id"] = [definition_id("", text) for text in pairs[side]]
    pairs["pair_id"] = [pair_id(*ids) for ids in zip(pairs["first_id"], pairs["second_id"], strict=True)]
    pairs = pairs.assign(generator="paws-swap", entity=None, cluster=None, similarity=None, overlap=1.0)
    pairs = pairs.assign(rank=range(100), selection="word-swap", parents=[[]] * 100)
    store.replace(Pairs, pairs, Manifest(stage="test"), generator="paws-swap")
    measures = pairs[["generator", "pair_id"]].assign(measure="lm_margin", model_sha256="0")
    measures["value"] = np.arange(100) / 5 - 10
    store.replace(PairMeasures, measures, Manifest(stage="test"), generator="paws-swap", measure="lm_margin")
    return store


@pytest.mark.sweep
def test_the_sample_is_spread_over_margins_and_becomes_pairs(swapped, capsys):
    assert call("calibrate", "--sample", 20, "--store", swapped.root) == 0
    rows = swapped.read(Pairs, generator="paws-swap-calibration")
    margins = swapped.read(PairMeasures).set_index("pair_id")["value"].loc[rows["pair_id"]]
    assert pd.cut(margins, np.linspace(-10.1, 9.9, 11)).value_counts().tolist() == [2] * 10
    assert "20 of 100 swaps, with margins from" in capsys.readouterr().out


def test_decisions_are_shown_by_margin(swapped, capsys):
    margins = swapped.read(PairMeasures)
    ids = list(margins.sort_values("value")["pair_id"])
    at = pd.Timestamp("2026-01-01", tz="UTC")
    rows = pd.DataFrame({"pair_id": ids, "assignment_id": [f"a{n}" for n in range(100)]})
    plan = rows.assign(
        campaign="calibration", round=1, annotator="a01", position=range(100), flipped=False, kind="work",
        supersedes=None, at=at,
    )  # fmt: skip
    swapped.append(Assignments, plan, Manifest(stage="test"))
    chosen = [["reject"]] * 50 + [["fix"]] * 10 + [["accept"]] * 40
    answers = rows[["assignment_id"]].assign(control="decision", chosen=chosen, text=None)
    earlier = answers.assign(chosen=[["reject"]] * 100, submitted_at=at)
    swapped.append(Answers, earlier, Manifest(stage="test"))
    swapped.append(Answers, answers.assign(submitted_at=at + pd.Timedelta(hours=1)), Manifest(stage="test"))
    assert call("calibrate", "--campaign", "calibration", "--store", swapped.root) == 0
    out = capsys.readouterr().out
    assert "100 sentences corrected" in out
    assert "from -1.20 nats on, 88% pass" in out
    assert "--threshold=1.20" in out


def test_a_handful_of_swaps_is_said_to_decide_nothing(swapped, capsys):
    assert call("calibrate", "--sample", 3, "--store", swapped.root) == 0
    assert "note: 3 swaps cannot show from which margin on swaps pass: that takes 20" in capsys.readouterr().out


def test_a_campaign_without_answers_is_said(swapped, capsys):
    assert call("calibrate", "--campaign", "none", "--store", swapped.root) == 2
    err = capsys.readouterr().err
    assert "--campaign none: expected answers of sentence-correction" in err
    assert "found none (campaigns: " in err


def test_a_store_without_swaps_is_said(tmp_path, capsys):
    assert call("calibrate", "--store", tmp_path) == 2
    assert "pair_measures: expected margins of `paws-swap`, found none" in capsys.readouterr().err


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=60), st.integers(1, 70), st.integers(0, 3))
@example([20.0, 19.999999999999996], 1, 0)
def test_a_sample_is_of_distinct_pairs_and_as_large_as_it_can_be(values, n, seed):
    margins = pd.Series(values, [f"p{i}" for i in range(len(values))])
    chosen = spread(margins, n, seed)
    assert len(chosen) == min(n, len(values)) == chosen.index.nunique()
    assert chosen.equals(margins.loc[chosen.index])
    assert chosen.is_monotonic_increasing


@given(st.lists(st.tuples(st.floats(-9, 9), st.sampled_from(["accept", "fix", "reject"])), min_size=1, max_size=60))
def test_bands_hold_every_decision_once(rows):
    margins, decisions = zip(*rows, strict=True)
    table = by_margin(margins, decisions)
    assert table["n"].sum() == len(rows)
    assert np.allclose(table[["accept", "fix", "reject"]].sum(axis=1), 1)
    assert ((table["low"] <= table["passed"] + 1e-9) & (table["passed"] <= table["high"] + 1e-9)).all()
    for decision in ("accept", "fix", "reject"):
        assert (table[decision] * table["n"]).sum() == pytest.approx(decisions.count(decision))


def test_wilson_limits_match_the_formula():
    table = by_margin([0.0] * 8, ["accept"] * 4 + ["reject"] * 4)
    assert table.loc[0, ["low", "high"]].astype(float).tolist() == pytest.approx([0.2065, 1.0], abs=1e-3)


def test_few_swaps_decide_nothing():
    assert least_margin([1.0] * 19, ["accept"] * 19) is None
    assert least_margin([1.0] * 20, ["accept"] * 20) == 1.0
