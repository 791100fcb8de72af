import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment import design
from data.console.errors import InputError


def quotas_of(values: list[int | None]) -> pd.Series:
    return pd.Series(values, index=[f"a{number:02d}" for number in range(len(values))], dtype="Int64")


def pairs(n: int) -> list[str]:
    return [f"p{number:05d}" for number in range(n)]


def capacities(quotas: pd.Series, n_pairs: int) -> pd.Series:
    return quotas.fillna(n_pairs).clip(upper=n_pairs).astype("int64")


campaigns = st.tuples(
    st.integers(1, 40),
    st.integers(1, 4),
    st.lists(st.none() | st.integers(0, 50), min_size=1, max_size=9).map(quotas_of),
    st.integers(0, 2**32),
)


@given(campaigns)
def test_every_pair_gets_its_labels_from_different_annotators_evenly_within_the_quotas(campaign):
    n_pairs, labels, quotas, seed = campaign
    limits = capacities(quotas, n_pairs)
    if limits.sum() < n_pairs * labels or (limits > 0).sum() < labels:
        with pytest.raises(InputError):
            design.assign(pairs(n_pairs), quotas, labels, seed)
        return
    plan = design.assign(pairs(n_pairs), quotas, labels, seed)
    assert (plan.groupby("pair_id")["annotator"].nunique() == labels).all()
    assert plan["pair_id"].value_counts().to_dict() == dict.fromkeys(pairs(n_pairs), labels)
    loads = plan["annotator"].value_counts().reindex(quotas.index, fill_value=0)
    assert (loads <= limits).all()
    assert (loads[loads < limits] >= loads.max() - 1).all()
    for _, own in plan.groupby("annotator"):
        assert sorted(own["position"]) == list(range(len(own)))


BARRED = st.sets(st.tuples(st.integers(0, 39), st.integers(0, 8)), max_size=60)


@given(campaigns, BARRED)
def test_no_one_gets_a_pair_that_they_are_barred_from(campaign, cells):
    n_pairs, labels, quotas, seed = campaign
    names = [(pair, name) for pair, name in cells if pair < n_pairs and name < len(quotas)]
    barred = pd.DataFrame([(pairs(n_pairs)[pair], quotas.index[name]) for pair, name in names],
                          columns=["pair_id", "annotator"])  # fmt: skip
    limits = capacities(quotas, n_pairs)
    allowed = np.ones((n_pairs, len(quotas)), dtype=bool)
    for pair, name in names:
        allowed[pair, name] = False
    largest = design._flow(limits.to_numpy("int64"), allowed, labels)
    if largest.sum() < n_pairs * labels:
        with pytest.raises(InputError):
            design.assign(pairs(n_pairs), quotas, labels, seed, barred)
        return
    plan = design.assign(pairs(n_pairs), quotas, labels, seed, barred)
    assert plan.merge(barred).empty
    assert (plan.groupby("pair_id")["annotator"].nunique() == labels).all()
    assert plan["pair_id"].value_counts().to_dict() == dict.fromkeys(pairs(n_pairs), labels)
    loads = plan["annotator"].value_counts().reindex(quotas.index, fill_value=0)
    assert (loads <= limits).all()
    if loads.max() > 1:
        lower = np.minimum(limits.to_numpy("int64"), loads.max() - 1)
        assert design._flow(lower, allowed, labels).sum() < n_pairs * labels


@given(campaigns, st.floats(0, 1))
def test_a_share_of_the_pairs_gets_one_annotator_more_within_the_quotas(campaign, share):
    n_pairs, labels, quotas, seed = campaign
    limits = capacities(quotas, n_pairs)
    try:
        plan = design.assign(pairs(n_pairs), quotas, labels, seed)
        more = design.double(plan, quotas, share, seed)
    except InputError:
        room = limits.sum() - n_pairs * labels
        assert room < round(share * n_pairs) or (limits > 0).sum() <= labels or quotas.notna().any()
        return
    counts = more["pair_id"].value_counts()
    assert (counts == labels + 1).sum() == round(share * n_pairs)
    assert counts.min() == (labels if round(share * n_pairs) < n_pairs else labels + 1)
    assert not more.duplicated(["pair_id", "annotator"]).any()
    assert (more["annotator"].value_counts().reindex(quotas.index, fill_value=0) <= limits).all()
    first = plan[["pair_id", "annotator"]]
    assert len(first.merge(more)) == len(first)
    for _, own in more.groupby("annotator"):
        assert sorted(own["position"]) == list(range(len(own)))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.data())
def test_loads_are_as_even_as_the_capacities_allow(limits, data):
    total = data.draw(st.integers(0, sum(limits)))
    loads = design.even_loads(np.array(limits), total, np.random.default_rng(0))
    assert loads.sum() == total
    assert (loads <= limits).all()
    assert (loads[loads < limits] >= loads.max() - 1).all()


def test_the_same_seed_gives_the_same_plan_and_another_seed_another():
    quotas = quotas_of([None] * 5)
    first, again, other = (design.assign(pairs(30), quotas, 3, seed) for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_a_plan_does_not_depend_on_the_order_in_which_annotators_are_given():
    quotas = quotas_of([None, 20, 5, None, 30])
    turned = design.assign(pairs(30), quotas[::-1], 3, 7)
    pd.testing.assert_frame_equal(design.assign(pairs(30), quotas, 3, 7), turned)


def test_a_larger_sample_holds_the_smaller_one_whatever_the_order_of_the_pairs():
    ids = pd.Series(pairs(100))
    small = design.sample(ids, 10, seed=3)
    assert small == design.sample(ids[::-1], 20, seed=3)[:10]
    assert len(set(small)) == 10
    assert sorted(design.sample(ids, None, seed=3)) == pairs(100)


@pytest.mark.parametrize("n", [0, -1, 101])
def test_a_sample_of_an_impossible_size_is_refused(n):
    with pytest.raises(InputError, match="--pairs: expected a number from 1 to 100"):
        design.sample(pd.Series(pairs(100)), n, seed=3)


def test_the_papers_campaign_is_even_and_mixed():
    plan = design.assign(pairs(10_182), quotas_of([None] * 40), 3, seed=1)
    loads = plan["annotator"].value_counts()
    assert (loads.min(), loads.max()) == (763, 764)
    assert 0.48 < plan["flipped"].mean() < 0.52
    met = pd.crosstab(plan["pair_id"], plan["annotator"]).to_numpy()
    shared = (met.T @ met)[np.triu_indices(40, 1)]
    # two random annotators share 10,182 x 3 / C(40, 2) = 39.2 pairs, about Poisson
    assert shared.min() > 39 - 4 * 6.3
    assert shared.max() < 39 + 4.5 * 6.3


def test_annotators_of_a_pair_see_it_at_unrelated_places_and_sides():
    plan = design.assign(pairs(3000), quotas_of([None] * 3), 3, seed=1)
    places = plan.pivot(index="pair_id", columns="annotator", values="position").corr().to_numpy()
    sides = plan.pivot(index="pair_id", columns="annotator", values="flipped").astype(float).corr().to_numpy()
    assert np.abs(places[np.triu_indices(3, 1)]).max() < 0.08
    assert np.abs(sides[np.triu_indices(3, 1)]).max() < 0.08


def test_a_pool_of_forty_that_corrected_everything_still_meets_at_random():
    ids, names = pairs(2000), quotas_of([None] * 40)
    corrected = pd.DataFrame({"pair_id": ids, "annotator": [names.index[n % 40] for n in range(len(ids))]})
    plan = design.assign(ids, names, 5, seed=1, barred=corrected)
    assert plan.merge(corrected).empty
    assert set(plan["annotator"].value_counts()) == {250}
    met = pd.crosstab(plan["pair_id"], plan["annotator"]).to_numpy()
    shared = (met.T @ met)[np.triu_indices(40, 1)]  # 2,000 x C(5, 2) / C(40, 2) = 25.6, about Poisson
    assert shared.min() > 25.6 - 4 * 5.1
    assert shared.max() < 25.6 + 4.5 * 5.1
