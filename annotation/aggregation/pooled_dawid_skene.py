"""Dawid and Skene's model (1979), with annotators told apart no further than their ratings allow; pure.

A confusion matrix of four scores has twelve free numbers, one of eleven has 110: too many for a few hundred ratings,
each compared with two others. Here an annotator has two chances of a right vote, one for paraphrases and one for other
pairs, and habits: which score goes with which vote. Both are drawn towards the average annotator, the habits more so
(partial pooling: Paun et al. 2018). docs/formulas.md derives the formulas.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from annotation.aggregation.dawid_skene import MIN_SHARE, possible_classes
from data.measures.agreement import Integers, Mask, Reals

VOTES, HABITS = 4.0, 20.0
"""How many ratings of the average annotator are added to everybody's, for the chances of a right vote and for habits.

Such ratings spread as everybody's do, so that an annotator with few ratings is close to the average."""

SMOOTHING = 0.5
"""What is added to each count of everybody's scores, so that none has the chance 0."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The model after its last pass. Rows of arrays are ratings, columns the scores that a pair may deserve."""

    chances: pd.DataFrame
    """The probability of each score (columns) for each pair (index)."""
    is_paraphrase: Mask
    """Which of the scores are votes for "paraphrase"."""
    evidence: Reals
    """The log-evidence of the prior and all ratings of the rating's pair."""
    own_evidence: Reals
    """The rating's own part of it."""
    habits: Reals
    """The chance of the rating's score among the scores that are the same vote."""


def fit(votes: pd.DataFrame, chances: pd.DataFrame, passes: int, known: "pd.Series[int] | None" = None) -> Fit:
    """The model after `passes` rounds of EM, which start from these chances.

    `votes`: pair_id, annotator, score, vote. `chances`: as in `Fit`, for all pairs and every score that was given.
    `known`: the votes (0 or 1) that gold pairs deserve, by pair_id. They have no other, and do not count in how
    frequent scores are, since the lead chose them.
    """
    scores = chances.columns.to_numpy()
    is_paraphrase = np.isin(scores, votes.loc[votes["vote"] == 1, "score"])
    pairs, raters = chances.index.get_indexer(pd.Index(votes["pair_id"])), pd.factorize(votes["annotator"])[0]
    given = np.searchsorted(scores, votes["score"].to_numpy("int64"))
    posterior = chances.to_numpy("float64")
    is_open, excluded = np.ones(len(posterior), dtype=bool), np.zeros(posterior.shape)
    if known is not None:
        is_open = ~chances.index.isin(known.index)
        excluded[~possible_classes(votes, chances.index, scores, known)] = -np.inf
    for _ in range(passes):
        counts = _counts(posterior[pairs], raters, given)
        habits = _habits(counts, is_paraphrase)[raters, :, given]
        own = np.log(habits * _vote_chances(counts, is_paraphrase)[raters, :, given])
        prior = np.log(posterior[is_open].mean(axis=0).clip(1e-6))
        evidence = prior + excluded
        np.add.at(evidence, pairs, own)
        posterior = softmax(evidence, axis=1)
    return Fit(
        chances=pd.DataFrame(posterior, index=chances.index, columns=chances.columns),
        is_paraphrase=is_paraphrase,
        evidence=evidence[pairs],
        own_evidence=own,
        habits=habits,
    )


def skills(votes: pd.DataFrame, chances: "pd.Series[float]") -> "pd.Series[float]":
    """How much each annotator's votes tell, by name: both chances of a right vote, less 1; 0 for one who guesses.

    `chances`: of "paraphrase", by pair_id. Both are drawn towards the average annotator, as in `fit`.
    """
    yes, vote = chances.reindex(votes["pair_id"]).to_numpy("float64"), votes["vote"].to_numpy("float64")
    rows = {"yes": yes, "no": 1 - yes, "right_yes": yes * vote, "right_no": (1 - yes) * (1 - vote)}
    own = pd.DataFrame(rows).groupby(votes["annotator"].to_numpy(object)).sum()
    right = [
        (own[f"right_{side}"] + VOTES * own[f"right_{side}"].sum() / max(own[side].sum(), MIN_SHARE))
        / (own[side] + VOTES)
        for side in ("yes", "no")
    ]
    return right[0] + right[1] - 1


def _counts(chances: Reals, raters: NDArray[np.intp], given: Integers) -> Reals:
    """The expected number of ratings by rater, deserved score and given score.

    `chances`: of each deserved score (columns) of the pair of each rating (rows).
    """
    n_scores = chances.shape[1]
    counts = np.zeros((raters.max() + 1, n_scores, n_scores))
    np.add.at(counts.transpose(0, 2, 1), (raters, given), chances)
    return counts


def _habits(counts: Reals, is_paraphrase: Mask) -> Reals:
    """The chance of each given score among those that are the same vote: rater, deserved score, given score."""
    same_vote = (is_paraphrase[:, None] == is_paraphrase).astype("float64")
    everybody = counts.sum(axis=0) + SMOOTHING
    counts = counts + HABITS * everybody / (everybody @ same_vote)
    return np.asarray(counts / (counts @ same_vote))


def _vote_chances(counts: Reals, is_paraphrase: Mask) -> Reals:
    """The chance of the vote that a given score is: rater, deserved score, given score."""
    sides = np.stack([~is_paraphrase, is_paraphrase]).astype("float64")
    votes = sides @ counts @ sides.T
    everybody = votes.sum(axis=0) + 2 * SMOOTHING
    votes += VOTES * everybody / everybody.sum(axis=1, keepdims=True)
    side = is_paraphrase.astype("int64")
    return np.asarray((votes / votes.sum(axis=2, keepdims=True))[:, side][:, :, side])
