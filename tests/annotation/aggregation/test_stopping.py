"""A pair that is decided needs no further rater: the same pairs are kept, with the same labels."""

from itertools import product

import numpy as np
import pytest

from annotation.aggregation.adjudication import adjudicate
from annotation.aggregation.stopping import StopRule
from annotation.config import LabelRule
from data.measures import ballots
from data.measures.classes import Classes
from studies.generation.early_stop import VOTE_SHARES, forecast_stop
from tests.annotation.support.frames import assignments, named, ratings

PAWS = StopRule(raters=5, at_least=4)
YES_NO = Classes(values=("no", "yes"), numbers=(0, 1), n_positive=1, level="nominal")
NAMES = ("a01", "a02", "a03", "a04", "a05")


def state(answers: tuple[object, ...]) -> list[np.ndarray]:
    return [np.array([answers.count(answer)]) for answer in (1, 0, "cannot_judge")]


def stop(answers: tuple[object, ...], rule: StopRule) -> tuple[object, ...]:
    """The ratings that are asked for, given all that would be given."""
    ends = (n for n in range(1, len(answers) + 1) if rule.is_decided(*state(answers[:n]))[0])
    return answers[: next(ends, len(answers))]


def kept(given: list[tuple[object, ...]], rule: StopRule) -> dict[str, int]:
    rows = [
        (1, f"p{number}", name) for number, answers in enumerate(given) for name, _ in zip(NAMES, answers, strict=False)
    ]
    values = [answer for answers in given for answer in answers]
    cast = ballots.with_latest_rating(
        assignments(rows), ratings([(named(*row), value) for row, value in zip(rows, values, strict=True)])
    )
    label_rule = LabelRule(paraphrase_from=1, rule=("at-least", str(rule.at_least)))
    labels = adjudicate(cast, label_rule, classes=YES_NO)[0].dropna(subset="binary")
    return dict(zip(labels["pair_id"], labels["binary"].astype(int), strict=True))


@pytest.mark.sweep
@pytest.mark.parametrize("at_least", [3, 4, 5])
def test_the_same_pairs_are_kept_with_the_same_labels_in_every_order_of_answers(at_least: int) -> None:
    rule = StopRule(raters=5, at_least=at_least)
    orders = list(product((0, 1, "cannot_judge"), repeat=5))
    assert kept([stop(order, rule) for order in orders], rule) == kept(orders, rule)


@pytest.mark.parametrize(
    ("votes", "against", "decided"),
    [
        (4, 0, True),
        (2, 2, True),
        (4, 1, True),
        (1, 4, True),
        (3, 0, False),
        (3, 1, False),
        (2, 1, False),
        (1, 1, False),
    ],
)
def test_where_four_of_five_are_asked_for(votes: int, against: int, decided: bool) -> None:
    assert PAWS.is_decided(np.array([votes]), np.array([against]), np.array([0]))[0] == decided


def test_a_pair_with_two_flags_is_decided_and_one_with_a_flag_leaves_one_rater_fewer() -> None:
    votes, against, flagged = (np.array(column) for column in zip((1, 0, 2), (2, 1, 1), (3, 0, 1), strict=True))
    assert PAWS.is_decided(votes, against, flagged).tolist() == [True, True, False]


@pytest.mark.parametrize(("raters", "at_least", "fewest"), [(5, 4, 4), (5, 3, 4), (3, 2, 2), (5, 5, 2), (1, 1, 1)])
def test_the_fewest_ratings_that_can_decide_where_two_flags_still_reject(
    raters: int, at_least: int, fewest: int
) -> None:
    assert StopRule(raters=raters, at_least=at_least).fewest == fewest


@pytest.mark.parametrize(("corpus", "per_kept"), [("wiki", 4.47), ("qqp", 4.75)])
def test_ratings_per_kept_pair_with_the_vote_shares_of_the_paper(corpus: str, per_kept: float) -> None:
    forecast = forecast_stop(VOTE_SHARES[corpus], PAWS)
    for n_minority, n_ratings in enumerate(forecast.by_minority):
        orders = {order for order in product((0, 1), repeat=5) if sum(order) == n_minority}
        assert n_ratings == pytest.approx(np.mean([len(stop(order, PAWS)) for order in orders]))
    assert forecast.per_kept == pytest.approx(per_kept, abs=0.005)
    assert forecast.without / forecast.per_kept > 1.19


def test_two_against_two_is_a_label_without_value_as_three_against_two_is() -> None:
    rows = [(1, "p0", name) for name in NAMES[:4]]
    cast = ballots.with_latest_rating(
        assignments(rows), ratings([(named(*row), value) for row, value in zip(rows, (1, 0, 1, 0), strict=True)])
    )
    labels, rejects = adjudicate(cast, LabelRule(paraphrase_from=1, rule=("at-least", "4")), classes=YES_NO)
    assert rejects.empty
    assert labels[["votes", "n_votes", "decided_by"]].to_numpy().tolist() == [[2, 4, "too_few_agree"]]
    assert labels["binary"].isna().all()
