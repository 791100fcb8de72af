"""From ratings to labels, of a control of which one answer is given; pure.

A pair is decided once every rating that counts is an answer or a flag and one side has more votes. Source: He et al.
2020, section 4.3; votes are binarised scores, as the released data shows. Where no answer is a vote, the answers
themselves compete.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.aggregation.models import class_chances, seen_by
from annotation.config import LabelRule
from data.contract.vocabulary import (
    BELOW_RULE,
    FLAGGED,
    FLAGGED_BY_SENIOR,
    MAJORITY,
    MEAN,
    MISSING_RATINGS,
    SENIOR,
    TIE,
    Method,
)
from data.measures import agreement
from data.measures.agreement import Integers, Mask, Reals
from data.measures.ballots import counting, stratify, votes_of, with_one_vote
from data.measures.classes import PARADE, Classes
from data.measures.raters import certainty
from data.measures.raters.finished import FLAGS_TO_REJECT, MAX_POSTERIOR


def adjudicate(  # noqa: PLR0913 - the gold by name
    ballots: pd.DataFrame,
    rule: LabelRule,
    method: Method = MAJORITY,
    decided: pd.DataFrame | None = None,
    classes: Classes = PARADE,
    *,
    gold: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels, and the pairs without one: every pair of the ballots (`ballots.cast`) is in one of the two.

    Labels: as the table `labels`, without campaign and control. Rejects: id, reason, detail. A pair that is flagged or
    waits for a rating has no label by any method, unless a senior decided it. `decided`: pair_id and score of the
    seniors (`senior_review.decisions`), whose word is final whatever the method; a null score rejects the pair. A pair
    in which fewer votes are equal than the rule asks for is a label without value (`BELOW_RULE`). `gold`: votes on
    pairs of known truth, as in `posteriors`.
    """
    counted = with_one_vote(counting(ballots).reset_index(drop=True), rule.one_vote).reset_index(drop=True)
    tally = tally_states(counted)
    reason = reject_reasons(tally)
    usable = counted[counted["pair_id"].isin(tally.loc[reason == "", "pair_id"])]
    given = Given(tally=tally, counts=_count(counted, classes), classes=classes, gold=gold)
    labels = (_by_side if classes.n_positive else _by_answer)(given, usable, rule, method)
    reason = np.where((reason == "") & labels["is_tie"].to_numpy(bool), TIE, reason)
    if decided is not None and len(decided):
        labels, reason = _with_seniors(labels, reason, decided, rule, classes)
    if classes.n_positive:
        sure = certainty.describe(votes_of(counted, rule), gold)
        labels = labels.join(sure, on="pair_id")
    labels["scores"] = pd.Series(given.counts.tolist(), index=labels.index, dtype=object)
    return as_labels(labels[reason == ""], method), as_rejects(labels[reason != ""], reason[reason != ""])


@dataclass(frozen=True, kw_only=True)
class Given:
    """The answers that pairs were given."""

    tally: pd.DataFrame
    """As returned by `tally_states`."""
    counts: Integers
    """How many ratings of each of these pairs give each answer."""
    classes: Classes
    gold: pd.DataFrame | None
    """Votes on pairs of known truth."""

    @property
    def n_votes(self) -> Integers:
        """The number of answers of each pair."""
        return np.asarray(self.tally["n_votes"], dtype=np.int64)

    @property
    def means(self) -> Reals:
        """The mean of the answers' numbers; NaN without answers."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.counts @ np.array(self.classes.numbers) / self.n_votes)


def reject_reasons(tally: pd.DataFrame) -> NDArray[np.str_]:
    """Why each pair cannot be decided whatever its answers are: flagged or missing ratings; empty where it can."""
    flagged = tally["flagged"] >= tally["ratings"].clip(upper=FLAGS_TO_REJECT)
    return np.asarray(np.select([flagged, tally["missing"] > 0], [FLAGGED, MISSING_RATINGS], ""))


def tally_states(ballots: pd.DataFrame) -> pd.DataFrame:
    """One row per pair, by id: pair_id, and how many ratings, flagged, missing and n_votes it has."""
    numbers, pair_ids = pd.factorize(ballots["pair_id"], sort=True)
    tally = pd.DataFrame({"pair_id": np.asarray(pair_ids, dtype=object)})
    tally["ratings"] = np.bincount(numbers, minlength=len(pair_ids))
    states = {"flagged": ["flagged"], "missing": ["skipped", "open"], "n_votes": ["scored"]}
    for column, names in states.items():
        tally[column] = np.bincount(numbers[ballots["state"].isin(names)], minlength=len(pair_ids))
    return tally


def _count(ballots: pd.DataFrame, classes: Classes) -> Integers:
    """How many ratings give each answer, in the order of `tally_states`: shape (pairs, answers)."""
    numbers, pair_ids = pd.factorize(ballots["pair_id"], sort=True)
    scored = (ballots["state"] == "scored").to_numpy(bool)
    counts = np.zeros((len(pair_ids), len(classes)), dtype="int64")
    places = classes.places(ballots.loc[scored, "score"].to_numpy("int64"))
    given = agreement.counts(numbers[scored], places, len(classes))
    counts[: len(given)] = given
    return counts


def _by_side(given: Given, usable: pd.DataFrame, rule: LabelRule, method: Method) -> pd.DataFrame:
    """The tally with votes, binary, value, posterior, decided_by, is_unanimous and is_tie: some answers are votes."""
    tally, n_votes, numbers = given.tally, given.n_votes, np.array(given.classes.numbers)
    positive, takes_mean = given.classes.positive(rule.lowest_yes), rule.takes_mean and method == MAJORITY
    votes = given.counts[:, positive].sum(axis=1)
    posterior = _no_posterior(tally)
    in_favour = np.divide(votes, n_votes, out=np.full(len(votes), 0.5), where=n_votes > 0)
    if method != MAJORITY and len(usable):
        chances = class_chances(votes_of(usable, rule), method, gold=given.gold)
        is_vote = seen_by(method) == "vote"
        chances = chances.reindex(columns=(0, 1) if is_vote else numbers, fill_value=0.0)
        wins = chances.loc[:, np.array([False, True]) if is_vote else positive].sum(axis=1)
        in_favour = tally["pair_id"].map(wins).fillna(0.5).to_numpy("float64")
        posterior = _of_pairs(
            tally, _bounded(_divide(chances, given.counts.sum(axis=0), positive) if is_vote else chances, positive)
        )
    elif takes_mean:
        border = (max(numbers[~positive]) + min(numbers[positive])) / 2
        in_favour = np.where(n_votes > 0, (1 + np.sign(given.means - border)) / 2, 0.5)
    won = in_favour > 0.5
    values = _values(np.where(won[:, None] == positive, given.counts, 0), given.classes)
    few = (method == MAJORITY) & (np.maximum(votes, n_votes - votes) < rule.at_least)
    return tally.assign(
        votes=votes, posterior=posterior, binary=pd.Series(won, dtype="Int64").mask(few),
        value=(_as_texts(given.means) if takes_mean else values).mask(few, None),
        decided_by=np.where(few, BELOW_RULE, MEAN if takes_mean else method),
        is_unanimous=(votes == 0) | (votes == n_votes), is_tie=(in_favour == 0.5) & ~few,
    )  # fmt: skip


def _by_answer(given: Given, usable: pd.DataFrame, rule: LabelRule, method: Method) -> pd.DataFrame:
    """As `_by_side`, where no answer is a vote: the answers compete, and `votes` are those for the one that won."""
    tally, classes, takes_mean = given.tally, given.classes, rule.takes_mean and method == MAJORITY
    values, posterior = _values(given.counts, classes), _no_posterior(tally)
    votes_cast = _as_votes(usable, classes)
    if method != MAJORITY and len(votes_cast):
        chances = class_chances(votes_cast, method).reindex(columns=range(len(classes)), fill_value=0.0)
        best = chances.idxmax(axis=1).map(dict(enumerate(classes.values)))
        values = tally["pair_id"].map(best).astype("object")
        posterior = _of_pairs(tally, _bounded(chances, np.arange(len(classes))))
    places = pd.Categorical(values, categories=list(classes.values)).codes.astype("int64")
    votes = np.where(places < 0, 0, given.counts[np.arange(len(places)), places])
    is_tie = values.isna().to_numpy(bool)
    few = (method == MAJORITY) & (votes < rule.at_least) & ~is_tie
    return tally.assign(
        votes=votes, posterior=posterior, binary=pd.array([pd.NA] * len(tally), dtype="Int64"),
        value=(_as_texts(given.means) if takes_mean else values).mask(few, None),
        decided_by=np.where(few, BELOW_RULE, MEAN if takes_mean else method),
        is_unanimous=given.counts.max(axis=1) == given.n_votes, is_tie=is_tie,
    )  # fmt: skip


def _no_posterior(tally: pd.DataFrame) -> "pd.Series[Any]":
    return _of_pairs(tally, pd.Series(dtype="object"))


def _of_pairs(tally: pd.DataFrame, known: "pd.Series[Any]") -> "pd.Series[Any]":
    """The list of each pair of the tally, by pair_id; None where it has none."""
    return pd.Series([known.get(pair) for pair in tally["pair_id"]], index=tally.index, dtype="object")


def _divide(chances: pd.DataFrame, counts: Integers, positive: Mask) -> pd.DataFrame:
    """The chance of each answer (columns), from the chance of each vote: a side's is divided as all its answers are."""
    divided = np.zeros((len(chances), len(counts)))
    for vote, side in ((0, ~positive), (1, positive)):
        shares = counts[side] / counts[side].sum() if counts[side].any() else np.full(side.sum(), 1 / side.sum())
        divided[:, side] = chances[[vote]].to_numpy("float64") * shares
    return pd.DataFrame(divided, index=chances.index)


def _bounded(chances: pd.DataFrame, parts: NDArray[Any]) -> "pd.Series[Any]":
    """The chances of the answers (columns) as lists, with no part of them above MAX_POSTERIOR.

    `parts`: the part that each answer belongs to, such as its side of the vote. What is above goes to the other parts,
    by their chances, or evenly where these have none.
    """
    values = chances.to_numpy("float64")
    names, places = np.unique(parts, return_inverse=True)
    sums = values @ (places[:, None] == np.arange(len(names)))
    in_top = places == sums.argmax(axis=1)[:, None]
    top, rest = np.where(in_top, values, 0), np.where(in_top, 0, values)
    rest = np.where(rest.any(axis=1, keepdims=True), rest, ~in_top)
    bound = top.sum(axis=1, keepdims=True).clip(max=MAX_POSTERIOR)
    bounded = bound * _normalised(top) + (1 - bound) * _normalised(rest)
    return pd.Series(bounded.tolist(), index=chances.index, dtype="object")


def _normalised(values: Reals) -> Reals:
    total = values.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(values, total, out=np.zeros(values.shape), where=total > 0))


def _as_votes(ballots: pd.DataFrame, classes: Classes) -> pd.DataFrame:
    """The answers as `votes_of` gives votes: the places of the answers mean both."""
    scored = ballots[ballots["state"] == "scored"]
    places = classes.places(scored["score"].to_numpy("int64"))
    return scored[["pair_id", "annotator"]].astype("object").assign(score=places, vote=places)


def _as_texts(means: Reals) -> "pd.Series[str]":
    return pd.Series([f"{mean:.4g}" for mean in means], dtype="object")


def _values(counts: Integers, classes: Classes) -> "pd.Series[str]":
    """The answer that these counts speak for, of answers with an order the lower median; null where none does."""
    total, values = counts.sum(axis=1), np.array([*classes.values, None], dtype=object)
    if classes.is_ordered:
        half = (total + 1) // 2
        places = (np.cumsum(counts, axis=1) < half[:, None]).sum(axis=1)
    else:
        places, clear = agreement.consensus(counts)
        places = np.where(clear, places, len(classes))
    return pd.Series(values[np.where(total > 0, places, len(classes))], dtype="object")


def _with_seniors(
    tally: pd.DataFrame, reason: NDArray[np.str_], decided: pd.DataFrame, rule: LabelRule, classes: Classes
) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """The tally and reasons as the seniors decided: pairs with a score have that label, others are rejected."""
    scores = tally["pair_id"].map(decided.set_index("pair_id")["score"]).astype("Int64")
    asked, known = tally["pair_id"].isin(decided["pair_id"]), scores.notna()
    names = dict(zip(classes.numbers, classes.values, strict=True))
    if classes.n_positive:
        tally["binary"] = tally["binary"].mask(known, (scores >= rule.lowest_yes).astype("Int64"))
    tally["value"] = tally["value"].mask(known, scores.map(names).astype("object"))
    tally["decided_by"] = tally["decided_by"].mask(known, SENIOR)
    return tally, np.asarray(np.select([known, asked], ["", FLAGGED_BY_SENIOR], reason))


def as_labels(tally: pd.DataFrame, method: Method) -> pd.DataFrame:
    """Rows of the table `labels`, without campaign and control, from a tally with `is_unanimous` and their columns."""
    columns = ["pair_id", "value", "votes", "n_votes", "binary", "scores", "posterior", *certainty.COLUMNS]
    stratum = stratify(tally["is_unanimous"].to_numpy(bool), tally["n_votes"].to_numpy("int64"))
    labels = tally.reindex(columns=columns).assign(method=method, stratum=stratum, decided_by=tally["decided_by"])
    return labels[["method", *columns, "stratum", "decided_by"]]


def as_rejects(tally: pd.DataFrame, reasons: NDArray[np.str_]) -> pd.DataFrame:
    """The pairs of a tally as id, reason and detail."""
    known = tally.assign(against=tally["n_votes"] - tally["votes"])
    parts = [
        known[column].astype("str") + f" {column}" for column in ("ratings", "votes", "against", "flagged", "missing")
    ]
    details = [", ".join(texts) for texts in zip(*parts, strict=True)]
    return pd.DataFrame({"id": tally["pair_id"].to_numpy(object), "reason": reasons, "detail": details})
