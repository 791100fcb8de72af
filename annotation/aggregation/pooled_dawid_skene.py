"""Dawid and Skene's model (1979) with annotators who are told apart no more than their votes allow; pure.

A confusion matrix on four scores has twelve numbers: too many for some hundred scores held against two others each. An
annotator here is two chances of a right vote, for paraphrases and for other pairs, and habits of which score goes with
a right or a wrong vote; both are pulled towards what is common, habits more so (partial pooling: Paun et al. 2018).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from annotation.ratings.agreement import Reals

VOTES, HABITS = 4.0, 20.0
"""So many ratings of the average annotator are added to each one's, for the chances of a right vote and the habits."""


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """What the ratings say of their pairs. Rows of arrays are ratings, columns the scores that the pair may deserve."""

    chances: pd.DataFrame
    """The probability of each score (columns) for each pair (index)."""
    yes: NDArray[np.bool_]
    """Which scores are votes for "paraphrase"."""
    everybody: Reals
    """Log-evidence of all ratings of the pair."""
    own: Reals
    """That of the rating itself."""
    habit: Reals
    """The chance of the rating's score among those that are the same vote."""


def weigh(votes: pd.DataFrame, chances: pd.DataFrame, passes: int) -> Weighed:
    """Weighs pairs and annotators against each other so many times, from these chances on.

    `votes`: pair_id, annotator, score, vote. `chances`: as of `Weighed`, for all pairs and every score that was given.
    """
    scores = chances.columns.to_numpy()
    yes = np.isin(scores, votes.loc[votes["vote"] == 1, "score"])
    pairs, raters = chances.index.get_indexer(pd.Index(votes["pair_id"])), pd.factorize(votes["annotator"])[0]
    said = np.searchsorted(scores, votes["score"].to_numpy("int64"))
    found = chances.to_numpy("float64")
    for _ in range(passes):
        counts = np.zeros((raters.max() + 1, len(scores), len(scores)))  # rater, true, said
        np.add.at(counts.transpose(0, 2, 1), (raters, said), found[pairs])
        habit = _habits(counts, yes)[raters, :, said]
        own = np.log(habit * _vote_chances(counts, yes)[raters, :, said])
        everybody = np.tile(np.log(found.mean(axis=0).clip(1e-6)), (len(found), 1))
        np.add.at(everybody, pairs, own)
        found = softmax(everybody, axis=1)
    return Weighed(
        chances=pd.DataFrame(found, index=chances.index, columns=chances.columns),
        yes=yes,
        everybody=everybody[pairs],
        own=own,
        habit=habit,
    )


def _habits(counts: Reals, yes: NDArray[np.bool_]) -> Reals:
    """The chance of each score among those that are the same vote: rater, true score, own score."""
    same = (yes[:, None] == yes).astype("float64")
    everybody = counts.sum(axis=0) + 0.5
    counts = counts + HABITS * everybody / (everybody @ same)
    return np.asarray(counts / (counts @ same))


def _vote_chances(counts: Reals, yes: NDArray[np.bool_]) -> Reals:
    """The chance of the vote that a score is: rater, true score, own score."""
    sides = np.stack([~yes, yes]).astype("float64")
    votes = sides @ counts @ sides.T
    everybody = votes.sum(axis=0) + 1
    votes += VOTES * everybody / everybody.sum(axis=1, keepdims=True)
    side = yes.astype("int64")
    return np.asarray((votes / votes.sum(axis=2, keepdims=True))[:, side][:, :, side])
