import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from data.labelled import parade
from data.measures import agreement

two_raters = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60)

WIKIPEDIA_FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


@given(two_raters)
def test_cohens_kappa_is_scikit_learns_and_unchanged_by_swapping_the_raters(said):
    first, second = (np.array(one) for one in zip(*said, strict=True))
    found = agreement.cohen_kappa(first, second, 4)
    assert found == agreement.cohen_kappa(second, first, 4) or found.value == pytest.approx(
        agreement.cohen_kappa(second, first, 4).value
    )
    assert found.n == len(said)
    if len({*first, *second}) == 1:
        assert found.value is None
        assert found.reason == "both used one and the same class throughout"
    else:
        assert found.value == pytest.approx(cohen_kappa_score(first, second))


def test_nothing_to_compare_is_not_defined():
    nothing = np.array([], dtype="int64")
    for found in (
        agreement.cohen_kappa(nothing, nothing),
        agreement.fleiss_kappa(np.array([[1, 0], [0, 1]])),
        agreement.krippendorff_alpha(np.array([[1, 0], [0, 1]])),
        agreement.weighted_kappa(np.array([3]), np.zeros((1, 4), dtype="int64")),
    ):
        assert found.n == 0
        assert found.value is None
        assert found.reason


def test_one_class_throughout_is_not_defined_for_groups():
    table = np.array([[3, 0], [3, 0]])
    assert agreement.fleiss_kappa(table).reason == "all ratings are of one class"
    assert agreement.krippendorff_alpha(table).reason == "all ratings are of one class"


def test_perfect_agreement_is_one():
    assert agreement.cohen_kappa(np.array([0, 1, 1]), np.array([0, 1, 1])).value == pytest.approx(1)
    assert agreement.fleiss_kappa(np.array([[3, 0], [0, 3]])).value == pytest.approx(1)
    assert agreement.krippendorff_alpha(np.array([[3, 0], [0, 2]])).value == pytest.approx(1)


def test_fleiss_kappa_of_a_published_example():
    assert agreement.fleiss_kappa(np.array(WIKIPEDIA_FLEISS)).value == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_takes_the_pairs_with_the_usual_number_of_ratings():
    usual = [[3, 0], [1, 2], [2, 1], [0, 3]]
    found = agreement.fleiss_kappa(np.array([*usual, [1, 0], [4, 1]]))
    assert found == agreement.fleiss_kappa(np.array(usual))
    assert found.n == 4


def test_alpha_of_krippendorffs_own_example():
    raters = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    table = np.zeros((12, 6), dtype="int64")
    for rater in raters:
        for unit, value in enumerate(rater):
            if value is not None:
                table[unit, value] += 1
    assert agreement.krippendorff_alpha(table).value == pytest.approx(0.743, abs=5e-4)
    assert agreement.krippendorff_alpha(table, "ordinal").value == pytest.approx(0.815, abs=5e-4)
    assert agreement.krippendorff_alpha(table, "interval").value == pytest.approx(0.849, abs=5e-4)


def test_masi_of_passonneaus_cases():
    same, within, crossing, apart = (frozenset(words.split()) for words in ("a b", "a", "b c", "d"))
    distances = agreement.set_distances([same, within, crossing, apart])
    assert distances[0] == pytest.approx([0, 1 - 1 / 2 * 2 / 3, 1 - 1 / 3 * 1 / 3, 1], abs=5e-3)
    assert (distances == distances.T).all()


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=30))
def test_nominal_alpha_is_nltks(units):
    table = np.array([np.bincount(unit, minlength=4) for unit in units])
    found = agreement.krippendorff_alpha(table)
    if len({value for unit in units for value in unit}) == 1:
        assert found.value is None
        return
    triples = [(str(rater), str(unit), value) for unit, said in enumerate(units) for rater, value in enumerate(said)]
    assert found.value == pytest.approx(AnnotationTask(triples, binary_distance).alpha())


tables = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=30).map(np.array)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@given(table=tables)
def test_alpha_is_krippendorffs_packages(table, level):
    found = agreement.krippendorff_alpha(table, level)
    if found.value is None:
        assert found.reason
        return
    known = krippendorff.alpha(value_counts=table, value_domain=[0, 1, 2, 3], level_of_measurement=level)
    assert found.value == pytest.approx(known)
    assert found.low <= found.value <= found.high


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=30))
def test_fleiss_and_weighted_kappa_are_statsmodels(units):
    table = np.array([np.bincount(unit, minlength=4) for unit in units])
    found = agreement.fleiss_kappa(table)
    assert (found.value is None) == (len(np.unique(units)) == 1)
    if found.value is not None:
        assert found.value == pytest.approx(inter_rater.fleiss_kappa(table))
    first, second, _ = np.array(units).T
    weighted = agreement.weighted_kappa(first, np.eye(4, dtype="int64")[second])
    if weighted.value is not None:
        square = np.zeros((4, 4))
        np.add.at(square, (first, second), 1)
        assert weighted.value == pytest.approx(inter_rater.cohens_kappa(square, wt="quadratic", return_results=False))


@pytest.mark.parametrize("chance", [0.6, 0.75, 0.9])
def test_bootstrap_limits_hold_the_true_kappa_as_often_as_they_say(chance):
    random, held = np.random.default_rng(7), []
    for _ in range(200):
        truth = random.integers(0, 2, size=300)
        said = np.where(random.random(300) < chance, truth, 1 - truth)
        found = agreement.cohen_kappa(truth, said)
        held.append(found.low <= 2 * chance - 1 <= found.high)
    assert 0.9 <= np.mean(held) <= 0.99


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=40), st.randoms())
def test_counts_and_consensus_do_not_depend_on_the_order_of_ratings(said, random):
    shuffled = random.sample(said, len(said))
    one, other = (agreement.counts(*map(np.array, zip(*rows, strict=True)), 3) for rows in (said, shuffled))
    assert (one == other).all()
    winner, decided = agreement.consensus(one)
    for row, best, clear in zip(one, winner, decided, strict=True):
        assert clear == ((row == row.max()).sum() == 1 and row.max() > 0)
        assert row[best] == row.max()


def test_the_other_ratings_leave_one_s_own_out():
    pairs, values = np.array([0, 0, 0, 1]), np.array([1, 1, 0, 1])
    assert agreement.others(pairs, values, 2).tolist() == [[1, 1], [1, 1], [0, 2], [0, 0]]


def test_the_kappa_of_coins_is_what_drawn_coins_reach():
    random = np.random.default_rng(5)
    beside = random.choice([0, 1, 2], size=20_000, p=[0.4, 0.35, 0.25])
    others = np.stack([2 - beside, beside], axis=1)
    coins = random.integers(0, 2, size=20_000)
    majority = (beside + coins >= 2).astype("int64")
    drawn = agreement.cohen_kappa(coins, majority).value
    coin = agreement.chance_kappas(others)
    assert coin.mean() == pytest.approx(drawn, abs=0.02)
    assert agreement.chance_kappas(others, int(coins.sum())).mean() == pytest.approx(drawn, abs=0.02)
    assert 0 < coin.std() < 0.02


def anonymous_votes(votes: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """The pairs and values of three raters per pair, of whom `votes` said yes."""
    yes = votes.to_numpy()[:, None] > np.arange(3)
    return np.repeat(np.arange(len(votes)), 3), yes.ravel().astype("int64")


def test_the_released_votes_give_the_known_figures(shared_data):
    published = parade.read(shared_data / "parade")
    tables = {split: agreement.counts(*anonymous_votes(rows["votes"]), 2) for split, rows in published.groupby("split")}
    for split, known in {"train": 0.2062, "validation": 0.2328, "test": 0.2261}.items():
        assert agreement.fleiss_kappa(tables[split]).value == pytest.approx(known, abs=5e-5)
    pairs, values = anonymous_votes(published["votes"])
    table = agreement.counts(pairs, values, 2)
    assert agreement.fleiss_kappa(table).value == pytest.approx(0.2124, abs=5e-5)
    winner, decided = agreement.consensus(table)
    assert decided.all()
    assert (winner == published["binary"]).all()
    assert agreement.cohen_kappa(values, winner[pairs]).value == pytest.approx(0.6061, abs=5e-5)
    assert agreement.chance_kappas(agreement.others(pairs, values, 2)).mean() == pytest.approx(0.393, abs=5e-4)
