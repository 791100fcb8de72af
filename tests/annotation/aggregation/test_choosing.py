"""Which way of making labels suits a campaign."""

import numpy as np
import pandas as pd
import pytest

from annotation.aggregation.choosing import is_thin, try_on_gold
from annotation.aggregation.models import POOLED


def campaign(seed: int, n: int = 300, accuracies: tuple[float, ...] = (0.95, 0.95, 0.5, 0.5, 0.5)) -> pd.DataFrame:
    """Everybody's votes on all pairs, with the truth; some are right more often than others."""
    random = np.random.default_rng(seed)
    truth = random.integers(2, size=n)
    parts = []
    for number, accuracy in enumerate(accuracies):
        vote = np.where(random.random(n) < accuracy, truth, 1 - truth)
        names = [f"p{pair}" for pair in range(n)]
        parts.append(pd.DataFrame({"pair_id": names, "annotator": f"a{number}", "vote": vote, "truth": truth}))
    return pd.concat(parts, ignore_index=True).assign(score=lambda rows: 3 * rows["vote"])


def split(rows: pd.DataFrame, n_gold: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    is_gold = rows["pair_id"].isin([f"p{pair}" for pair in range(n_gold)])
    return rows[~is_gold].drop(columns="truth"), rows[is_gold]


def test_gold_tells_where_a_model_is_right_more_often_than_the_majority() -> None:
    votes, gold = split(campaign(1), 200)
    majority, pooled = try_on_gold(votes, gold, [POOLED])
    assert (majority.method, majority.n, majority.p_value) == ("majority", 200, 1)
    assert pooled.right > majority.right + 5
    assert not pooled.is_chance
    for one in (majority, pooled):
        assert one.limits[0] < one.right / one.n < one.limits[1]


def test_a_difference_on_few_gold_pairs_is_within_chance() -> None:
    votes, gold = split(campaign(1), 10)
    assert all(one.is_chance for one in try_on_gold(votes, gold, [POOLED]))


def test_gold_pairs_count_with_as_many_votes_as_others_have() -> None:
    """Thirty people right in 60 %: of three votes the majority is right in 65 %, of thirty in 85 %."""
    rows = campaign(2, 400, (0.6,) * 30)
    votes, gold = split(rows, 200)
    votes = votes.sample(frac=1, random_state=1).groupby("pair_id").head(3)
    (majority,) = try_on_gold(votes, gold, [])
    assert majority.right / majority.n == pytest.approx(0.65, abs=0.08)


def test_gold_that_most_got_wrong_is_not_used_as_a_known_answer() -> None:
    rows = campaign(3, 200, (0.9,) * 5).assign(truth=lambda rows: 1 - rows["truth"])
    votes, gold = split(rows, 50)
    assert max(one.right for one in try_on_gold(votes, gold, [POOLED, "dawid-skene"])) < 10


def test_few_people_or_few_votes_of_each_are_thin() -> None:
    votes, _ = split(campaign(1), 0)
    assert is_thin(votes)
    crowd = votes.assign(annotator=[f"a{number % 12}" for number in range(len(votes))])
    assert not is_thin(crowd)
    assert is_thin(crowd.head(200))
