"""The forecast of the label mix: what the labels so far say of the pairs without one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.aggregation.mix import expect
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import EVERY_PAIR, NEIGHBOURS
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs, rate


def world(n: int, seed: int, n_entities: int = 100) -> pd.DataFrame:
    """Pairs whose label follows their overlap, with entities that agree more or less; a third are neighbours."""
    random = np.random.default_rng(seed)
    entity, overlap = random.integers(n_entities, size=n), random.random(n)
    chance = 1 / (1 + np.exp(-(6 * overlap - 3 + random.normal(0, 0.7, n_entities)[entity])))
    return pd.DataFrame(
        {
            "entity": [f"entity {number}" for number in entity],
            "selection": np.where(random.random(n) < 1 / 3, NEIGHBOURS, EVERY_PAIR),
            "similarity": pd.array(overlap + random.normal(0, 0.1, n), dtype="Float64"),
            "overlap": pd.array(overlap, dtype="Float64"),
            "binary": (random.random(n) < chance).astype("int64"),
        }
    )


def test_the_interval_holds_for_parts_that_differ_from_what_was_labelled() -> None:
    outcomes = []
    for seed in range(12):
        rows = world(800, seed)
        labelled, rest = rows[:100], rows[100:].reset_index(drop=True)
        low = np.flatnonzero(rest["overlap"] < 0.3)
        expected = expect(labelled, rest, {"all": np.arange(700), "low": low}, seed)
        for name, part in {"all": np.arange(700), "low": low}.items():
            outcomes.append(expected[name].low <= rest["binary"].iloc[part].mean() <= expected[name].high)
        assert expected["low"].share < expected["all"].share - 0.1
    assert np.mean(outcomes) > 0.85


def test_pairs_that_share_no_word_have_a_share_of_their_own() -> None:
    """Few of these are paraphrases, fewer than the trend of the overlap tells: on PARADE 7 %, not 12 %."""
    random = np.random.default_rng(7)
    rows, is_disjoint = world(1_200, 7), random.random(1_200) < 0.15
    overlap = rows["overlap"].mask(is_disjoint, 0.0)
    chance = np.where(is_disjoint, 0.03, 0.3 + 0.6 * overlap.to_numpy(dtype=np.float64))
    rows = rows.assign(overlap=overlap, binary=(random.random(1_200) < chance).astype("int64"))
    rest = rows[400:].reset_index(drop=True)
    part = np.flatnonzero(rest["overlap"] == 0)
    expected = expect(rows[:400], rest, {"disjoint": part})["disjoint"]
    assert expected.share < 0.06
    assert expected.low <= rest["binary"].iloc[part].mean() <= expected.high


@pytest.mark.sweep
def test_the_interval_holds_at_an_end_that_leaves_the_curve() -> None:
    """As on PAWS-Wiki: most pairs overlap by .8 or more, and only the few far below are hardly ever paraphrases."""
    outcomes, widths = [], []
    for seed in range(10):
        random = np.random.default_rng(seed)
        overlap = 1 - np.abs(random.normal(0, 0.12, 4_000)).clip(0, 0.9)
        rows = world(4_000, seed, 4_000).assign(overlap=overlap, similarity=overlap, selection="all")
        rows["binary"] = (random.random(4_000) < np.where(overlap < 0.72, 0.05, 0.45)).astype("int64")
        rest = rows[300:].reset_index(drop=True)
        low = np.argsort(rest["overlap"].to_numpy("float64"))[:80]
        expected = expect(rows[:300], rest, {"low": low, "all": np.arange(len(rest))}, seed)
        outcomes.append(expected["low"].low <= rest["binary"].iloc[low].mean() <= expected["low"].high)
        widths.append(expected["all"].high - expected["all"].low)
    assert np.mean(outcomes) >= 0.9
    assert np.mean(widths) < 0.13, "the interval of all pairs stays narrow"


def test_more_labels_make_the_interval_narrower() -> None:
    rows = world(3_000, 1)
    rest = rows[1_000:].reset_index(drop=True)
    widths = []
    for n in (30, 100, 1_000):
        expected = expect(rows[:n], rest, {"all": np.arange(len(rest))})["all"]
        widths.append(expected.high - expected.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0] / 2


def test_a_selection_without_labels_has_a_wide_interval() -> None:
    rows = world(1_200, 2)
    rest = rows[400:].reset_index(drop=True)
    part = {"neighbours": np.flatnonzero(rest["selection"] == NEIGHBOURS)}
    both = expect(rows[:400], rest, part)["neighbours"]
    alone = expect(rows[:400][rows[:400]["selection"] != NEIGHBOURS], rest, part)["neighbours"]
    assert alone.high - alone.low > 1.5 * (both.high - both.low)


@example(labels=[(3, True), (0, True), (3, False), *[(0, True), (0, False)] * 2, (1, False), (1, False), (0, False)],
    missing="both")  # fmt: skip
@settings(max_examples=20)
@given(
    labels=st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=12),
    missing=st.sampled_from(["similarity", "overlap", "both", "none"]),
)
def test_any_labels_give_a_share_within_its_interval(labels: list[tuple[int, bool]], missing: str) -> None:
    labelled, rest = world(len(labels), 3), world(5, 4)
    labelled = labelled.assign(entity=[str(entity) for entity, _ in labels], binary=[int(yes) for _, yes in labels])
    for column in ("similarity", "overlap"):
        if missing in (column, "both"):
            labelled[column], rest[column] = pd.NA, pd.NA
    expected = expect(labelled, rest, {"all": np.arange(5)})["all"]
    assert 0 <= expected.low <= expected.share <= expected.high <= 1
    assert 0 < expected.share < 1
    if len({entity for entity, _ in labels}) == 1:
        assert (expected.low, expected.high) == (0, 1)


@pytest.fixture
def mixed(store):
    """Sixty pairs: those with an even number overlap much, every third is one of two neighbouring entities."""
    rows = pairs(60)
    numbers = np.arange(60)
    rows["overlap"] = np.where(numbers % 2 == 0, 0.8, 0.1)
    rows["selection"] = np.where(numbers % 3 == 0, NEIGHBOURS, EVERY_PAIR)
    store.replace(Pairs, rows, Manifest(stage="clustering"), generator="recommended")
    return store


@pytest.mark.sweep
def test_the_command_forecasts_each_selection_and_what_would_change_the_mix(mixed, command, tmp_path) -> None:
    assert command("plan", "--annotators", 3, "--pairs", 30)[0] == 0
    command("collect", "--file", rate(mixed, tmp_path / "r.csv", lambda _, pair: 3 if pair % 2 == 0 else 0))
    before = {path: path.stat().st_mtime_ns for path in mixed.root.rglob("*.parquet")}
    code, out, _ = command("mix", "--pairs", 10)
    assert code == 0
    assert out.startswith("30 pairs have a label (main): ")
    assert "recommended: neighbours" in out
    assert "recommended: every-pair" in out
    low, high = (next(line for line in out.splitlines() if f"{way}-overlap" in line) for way in ("low", "high"))
    shares = [int(line.split("%")[0].split()[-1]) for line in (low, high)]
    assert shares[1] - shares[0] > 50
    flags = f"--generator more --senses 50 --far-ends 50 --limit 100 --store {mixed.root}"
    assert f"python -m clustering propose {flags}" in out
    assert before == {path: path.stat().st_mtime_ns for path in mixed.root.rglob("*.parquet")}


@pytest.mark.sweep
def test_a_selection_without_labels_gets_no_share_but_how_many_to_label(mixed, command, tmp_path) -> None:
    assert command("plan", "--annotators", 3, "--pairs", 30)[0] == 0
    command("collect", "--file", rate(mixed, tmp_path / "r.csv", lambda _, pair: 3 if pair % 2 == 0 else 0))
    far = pairs(80).iloc[60:].assign(overlap=0.45, similarity=0.5, selection="random", generator="far")
    mixed.replace(Pairs, far, Manifest(stage="clustering"), generator="far")
    out = command("mix", "--pairs", 10)[1]
    line = next(line for line in out.splitlines() if line.startswith("far: random"))
    assert line.split()[2:] == ["20", "0", "–", *["unknown:", "label", "20", "of", "them", "first"]]


@pytest.mark.sweep
def test_too_few_labels_and_a_mistyped_campaign_are_one_line(mixed, command, tmp_path) -> None:
    code, _, err = command("mix")
    assert (code, "expected a planned campaign" in err) == (2, True)
    command("plan", "--annotators", 3, "--pairs", 19)
    command("collect", "--file", rate(mixed, tmp_path / "r.csv", lambda _, pair: pair % 4))
    code, _, err = command("mix")
    assert (code, "expected at least 20 labelled pairs, found 19" in err) == (2, True)
    code, _, err = command("mix", "--aim", "50")
    assert (code, "--aim: expected a share between 0 and 1, found 50" in err) == (2, True)
