"""All measures of a campaign's annotators: the rows of the table `quality`; pure."""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from data.contract.questions import Question
from data.measures.annotators import assess
from data.measures.ballots import (
    OF_RELEASE,
    Couples,
    asked_at_first,
    counting,
    gold_votes,
    votes_of,
    voting,
    with_one_vote,
)
from data.measures.classes import classes_of
from data.measures.controls import assess_controls
from data.measures.habits import COLUMNS, assess_habits
from data.measures.raters.checks import assess_checks
from data.measures.raters.error_rates import assess_error_rates
from data.measures.raters.held_out import assess_held_out
from data.measures.rules import MeasureRule

SAID = ("control", "chosen", "text")
"""What an answer says."""


def measure(  # noqa: PLR0913 - what ratings alone do not say comes by name
    ballots: pd.DataFrame,
    answers: pd.DataFrame | None,
    question: Question,
    rule: MeasureRule,
    *,
    gold: Mapping[str, int],
    rounds: Iterable[int] = (),
) -> pd.DataFrame:
    """Agreement and checks where the question asks for a vote, habits, and agreement on each control by its level.

    Columns: `habits.COLUMNS`. `ballots`: of any kind (see `ballots.of_campaign`). `answers`: those to the
    controls, of all ratings; None on a question that is a single scale. Of PARADE's scale `alpha_scores` is the
    agreement on the control. `gold`: pair id -> known score. `rounds`: further ones than in
    the ballots.
    """
    votes = voting(ballots)
    classes = classes_of(question.vote) if question.vote else None
    parts = [assess_habits(ballots, rule, classes)]
    if classes:
        of_models = pd.DataFrame(_by_models(ballots, rule, gold), columns=COLUMNS)
        parts = [assess(votes, rule, classes, rounds), of_models, *parts, assess_checks(ballots, gold, rule)]
    if not question.is_paraphrase_scale:
        parts.append(assess_controls(question, counted_answers(asked_at_first(votes), answers, question)))
    return pd.concat([part for part in parts if len(part)])


def _by_models(ballots: pd.DataFrame, rule: MeasureRule, gold: Mapping[str, int]) -> Iterator[dict[str, object]]:
    """How often each annotator is right, and how well votes foretell others, on the random part."""
    once = ["pair_id", "annotator"]
    work = asked_at_first(voting(ballots)).sort_values("round", kind="stable").drop_duplicates(once, keep="last")
    known = gold_votes(ballots, rule, gold)
    yield from assess_error_rates(votes_of(work, rule), known)
    counted = counting(work)
    votes = votes_of(counted, rule)
    yield from assess_held_out(votes.assign(group=counted.loc[votes.index, "group"]), known)


def counted_answers(
    ballots: pd.DataFrame, answers: pd.DataFrame | None, question: Question, couples: Couples = ()
) -> pd.DataFrame:
    """The answers of the ballots that count: pair_id, group, control, chosen, text; each of the latest rating.

    `answers`: rows of the table `answers` of a store or a release, which know a ballot by its id or by what it asks;
    None on a question that is a single scale. `couples`: who has one vote together.
    """
    counted = with_one_vote(counting(ballots), couples)
    if question.scale:
        names = {number: [value] for value, number in question.scale.codes.items()}
        scored = counted[counted["state"] == "scored"]
        chosen = pd.Series([names[score] for score in scored["score"]], index=scored.index, dtype="object")
        return scored.assign(control=question.scale.name, chosen=chosen, text=None)
    if answers is None:
        raise ValueError(f"question {question.name}: no answers, though it is no single scale")
    key = [name for name in ("assignment_id", *OF_RELEASE, "submitted_at") if name in answers]
    own = answers[[*key, *(name for name in SAID if name in answers)]]
    return own.merge(counted[counted["state"] == "scored"][list({*key, "pair_id", "group", "score"})], on=key)
