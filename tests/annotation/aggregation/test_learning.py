"""The learning curve of the labels so far, and the ceiling that the raters' noise sets."""

import numpy as np
import pandas as pd
import pytest

from annotation.aggregation import learning
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs, rate

N, N_ENTITIES = 3_000, 150


def raters(shape: tuple[float, float], k: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The share of "yes" of each pair, and the votes of k raters."""
    random = np.random.default_rng(seed)
    share = random.beta(*shape, size=N)
    return share, random.binomial(k, share)


@pytest.mark.parametrize(("shape", "k"), [((1.0, 1.0), 3), ((0.5, 0.8), 5), ((3.0, 2.0), 3)])
def test_the_ceiling_is_what_a_model_that_knows_the_shares_reaches(shape: tuple[float, float], k: int) -> None:
    share, votes = raters(shape, k)
    entity = pd.Series(np.arange(N) % N_ENTITIES)
    found = learning.measure_ceiling(votes, np.full(N, k), entity)
    yes = votes > k / 2
    reached = learning.measure(share, yes.astype(np.int64), np.ones((1, N)))
    for name, value in zip(learning.MEASURES, reached, strict=True):
        assert found[name].low <= found[name].value <= found[name].high
        if name != "F1":
            assert found[name].value == pytest.approx(float(value[0]), abs=0.02)
    best = max(2 * (yes & (share >= one)).sum() / (yes.sum() + (share >= one).sum()) for one in np.linspace(0, 1, 50))
    assert found["F1"].value == pytest.approx(best, abs=0.02)


def test_raters_who_always_agree_leave_room_for_everything_and_guessers_for_nothing() -> None:
    random = np.random.default_rng(2)
    entity = pd.Series(np.arange(N) % N_ENTITIES)
    sure = learning.measure_ceiling(3 * random.integers(2, size=N), np.full(N, 3), entity)
    assert min(estimate.value for estimate in sure.values()) > 0.97
    guessed = learning.measure_ceiling(random.binomial(3, 0.5, size=N), np.full(N, 3), entity)
    assert guessed["AUC"].value < 0.6


def world(n: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, pd.Series]:
    """Eight columns of which three tell the label, some better in some entities."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(n, 8))
    entity = random.integers(n // 8, size=n)
    logit = columns[:, :3].sum(axis=1) + random.normal(scale=0.5, size=n // 8)[entity]
    return columns, (random.random(n) < 1 / (1 + np.exp(-logit))).astype(np.int64), pd.Series(entity)


@pytest.mark.sweep
def test_the_curve_rises_and_flattens_and_the_gain_is_small_where_it_is_flat() -> None:
    few, many = (learning.measure_curve(*world(n)) for n in (160, 1_200))
    assert many.sizes.tolist() == sorted(many.sizes)
    assert few.at(5)["AUC"].value > few.at(0)["AUC"].value
    gains = [curve.gain(n, 500)["AUC"] for curve, n in ((few, 160), (many, 1_200))]
    assert gains[0].value > gains[1].value >= 0
    assert gains[1].high < 0.02
    for estimate in (*many.at(5).values(), *gains):
        assert estimate.low <= estimate.value + 0.02
        assert estimate.value <= estimate.high + 0.02


@pytest.mark.sweep
def test_labels_that_no_column_tells_stay_at_chance() -> None:
    columns, _, entity = world(400)
    label = np.random.default_rng(5).integers(2, size=400)
    auc = learning.measure_curve(columns, label, entity).at(5)["AUC"]
    assert auc.low < 0.5 < auc.high


def test_the_law_is_found_again() -> None:
    sizes = np.array([20.0, 50, 100, 200, 500, 1_000])
    values = np.array([0.9 - rise / sizes for rise in (0.3, 2.0)])
    assert learning._slopes(sizes, values) == pytest.approx([0.3, 2.0])


def test_the_interval_of_the_gain_holds_what_depends_on_the_labels_that_come() -> None:
    """Each set of labels lies in the next larger one, and luck moves the measure from each to the next."""
    sizes, n, more = np.array([30.0, 60, 105, 150, 210, 300]), 375, 500
    held = []
    for seed in range(200):
        random = np.random.default_rng(seed)

        def walk(n_rows: int, random: np.random.Generator = random) -> np.ndarray:
            steps = random.normal(0, np.sqrt(1 / sizes[:-1] - 1 / sizes[1:]), (n_rows, 5)) * 0.5
            return 0.8 - 0.5 / sizes - np.column_stack([steps[:, ::-1].cumsum(axis=1)[:, ::-1], np.zeros(n_rows)])

        curve = learning.LearningCurve(sizes, {"AUC": walk(4)}, {"AUC": walk(30)}, 200.0)
        rise = 1 / n - 1 / (n + more)
        came = 0.5 * rise + random.normal(0, 0.5 * np.sqrt(rise))
        gain = curve.gain(n, more)["AUC"]
        held.append(gain.low <= came <= gain.high)
    assert 0.92 <= np.mean(held) <= 0.99


@pytest.fixture
def campaign_store(store):
    rows = pairs(60)
    rows["entity"] = [f"term {row % 20}" for row in range(60)]
    store.replace(Pairs, rows, Manifest(stage="clustering"), generator="recommended")
    return store


@pytest.mark.sweep
def test_the_command_prints_the_curve_the_gain_and_the_ceiling(campaign_store, command, tmp_path) -> None:
    assert command("plan", "--annotators", 3)[0] == 0
    command("collect", "--file", rate(campaign_store, tmp_path / "r.csv", lambda _, pair: 3 if pair % 2 else 0))
    code, out, err = command("curve", "--more", 100)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("60 labels of 20 entities (main); logistic regression")
    names = [line.split()[0] for line in lines[3:]]
    assert names[5:] == ["48", "100", "ceiling:", "ceiling:", "next:"], "48 of 60 labels lie outside a fold"
    assert sorted(map(int, names[:6])) == list(map(int, names[:6]))


@pytest.mark.sweep
def test_too_few_entities_and_equal_labels_are_one_line(store, command, tmp_path) -> None:
    store.replace(Pairs, pairs(30).assign(entity="one"), Manifest(stage="clustering"), generator="recommended")
    assert command("plan", "--annotators", 3)[0] == 0
    code, _, err = command("curve")
    assert (code, "expected at least 20 labelled pairs, found 0" in err) == (2, True)
    command("collect", "--file", rate(store, tmp_path / "r.csv", lambda _, pair: 3))
    code, _, err = command("curve")
    assert code == 2
    assert "expected labels of both kinds, of at least 10 entities, found labels of 1 entities; label more first" in err
