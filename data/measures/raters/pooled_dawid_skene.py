"""Dawid and Skene's model (1979), with annotators told apart no further than their ratings allow; pure.

A confusion matrix of four scores has twelve free numbers, one of eleven has 110: too many for a few hundred ratings,
each compared with two others. Here an annotator has two chances of a right vote, one for paraphrases and one for other
pairs, and habits: which score goes with which vote. Both are drawn towards the average annotator, the habits more so
(partial pooling: Paun et al. 2018). docs/formulas.md derives the formulas.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import softmax

from data.measures.agreement import Mask, Reals
from data.measures.raters.dawid_skene import MIN_SHARE, possible_classes

MAX_PASSES = 20
"""Rounds of EM; more change nothing."""

STRENGTHS = (4.0, 20.0)
"""How many ratings of the average annotator may be added to everybody's, for the chances of a right vote.

Such ratings spread as everybody's do, so that an annotator with few ratings is close to the average. A crowd whose
members differ widely needs few, experts who are alike need many. The number is taken that foretells held-out votes
better (`foretelling`): with too few, the model fits its own guesses and is surer than it should be."""

HABITS = 20.0
"""The same for habits."""

CHOOSING_PAIRS, CHOOSING_VOTES = 4_000, 100
"""From how many pairs, at most, the number is learned; with fewer held-out votes it is the larger one."""

SEED = 1

RIGHT = 2.0
"""How many right votes on either side are added to everybody's: people mostly do better than chance."""

AVERAGE_PAIRS = 50.0
"""How many pairs are added where deserved scores are counted: they deserve each score as often as it was given.

Without them the share of paraphrases drifts where pairs and votes are few: of 108 pairs with three votes each, the
model called 16 % paraphrases, where 37 % of the votes were and 44 % of the pairs are. Many more would make labels worse
where few pairs are paraphrases and people often err."""

SMOOTHING = 0.5
"""What is added to each count of everybody's scores, so that none has the chance 0."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The model after its last pass. Rows of arrays are ratings, columns the scores that a pair may deserve."""

    chances: pd.DataFrame
    """The probability of each score (columns) for each pair (index)."""
    is_paraphrase: Mask
    """Which of the scores are votes for "paraphrase"."""
    strength: float
    """How many ratings of the average annotator were added to everybody's."""
    evidence: Reals
    """The log-evidence of the prior and all ratings of the rating's pair."""
    own_evidence: Reals
    """The rating's own part of it."""
    habits: Reals
    """The chance of the rating's score among the scores that are the same vote."""


def fit(
    votes: pd.DataFrame,
    known: "pd.Series[int] | None" = None,
    *,
    passes: int = MAX_PASSES,
    start: pd.DataFrame | None = None,
    strength: float | None = None,
) -> Fit:
    """The model after `passes` rounds of EM.

    `votes`: pair_id, annotator, score, vote. `known`: the votes (0 or 1) that gold pairs deserve, by pair_id. They have
    no other, and do not count in how frequent scores are, since the lead chose them. `start`: as `Fit.chances`; by
    default the shares of the scores that each pair was given. `strength`: by default the better one of STRENGTHS.
    """
    strength = _choose(votes, known) if strength is None else strength
    shares = _shares(votes)
    chances = shares if start is None else start.loc[shares.index]
    scores = chances.columns.to_numpy()
    is_paraphrase = np.isin(scores, votes.loc[votes["vote"] == 1, "score"])
    pairs, raters = chances.index.get_indexer(pd.Index(votes["pair_id"])), pd.factorize(votes["annotator"])[0]
    given = np.searchsorted(scores, votes["score"].to_numpy("int64"))
    n_raters, n_scores = int(raters.max()) + 1, len(scores)
    kinds = raters * n_scores + given
    asked = csr_array((np.ones(len(votes)), (pairs, kinds)), shape=(len(chances), n_raters * n_scores))
    by_kind, posterior = asked.T.tocsr(), chances.to_numpy("float64")
    is_open, excluded = np.ones(len(posterior), dtype=bool), np.zeros(posterior.shape)
    if known is not None:
        is_open = ~chances.index.isin(known.index)
        excluded[~possible_classes(votes, chances.index, scores, known)] = -np.inf
        if start is None:
            posterior = softmax(np.log(posterior.clip(MIN_SHARE)) + excluded, axis=1)
    average = (shares[is_open] if is_open.any() else shares).mean().to_numpy("float64")
    for _ in range(passes):
        counts = (by_kind @ posterior).reshape(n_raters, n_scores, n_scores).transpose(0, 2, 1)
        habits = _habits(counts, is_paraphrase)
        own = np.log(habits * _vote_chances(counts, is_paraphrase, strength)).transpose(0, 2, 1).reshape(-1, n_scores)
        prior = np.log((posterior[is_open].sum(axis=0) + AVERAGE_PAIRS * average) / (is_open.sum() + AVERAGE_PAIRS))
        evidence = prior + excluded + asked @ own
        posterior = softmax(evidence, axis=1)
    return Fit(
        chances=pd.DataFrame(posterior, index=chances.index, columns=chances.columns),
        is_paraphrase=is_paraphrase,
        strength=strength,
        evidence=evidence[pairs],
        own_evidence=own[kinds],
        habits=habits[raters, :, given],
    )


def positive_chances(votes: pd.DataFrame, gold: pd.DataFrame | None = None) -> "pd.Series[float]":
    """The chance that each pair (index: pair_id) deserves a vote for "paraphrase"; empty without votes.

    `votes`: as in `fit`; `gold`: rated pairs of known `truth` (0 or 1), with the columns of votes.
    """
    if votes.empty:
        return pd.Series(dtype="float64")
    pairs, known = votes["pair_id"].unique(), None
    if gold is not None and len(gold):
        votes, known = pd.concat([votes, gold[list(votes)]]), gold.groupby("pair_id")["truth"].first()
    found = fit(votes, known)
    return found.chances.loc[found.chances.index.isin(pairs), found.is_paraphrase].sum(axis=1)


def _shares(votes: pd.DataFrame) -> pd.DataFrame:
    """The share of each score (columns, ascending) among those that each pair (index) was given."""
    pairs, pair_ids = pd.factorize(votes["pair_id"], sort=True)
    scores, given = np.unique(votes["score"].to_numpy("int64"), return_inverse=True)
    counts = np.zeros((len(pair_ids), len(scores)))
    np.add.at(counts, (pairs, given), 1)
    index = pd.Index(pair_ids, dtype="object")
    return pd.DataFrame(counts / counts.sum(axis=1, keepdims=True), index=index, columns=scores)


def _choose(votes: pd.DataFrame, known: "pd.Series[int] | None") -> float:
    """The better one of STRENGTHS, by one held-out vote of each pair that has several.

    The order of the votes does not matter.
    """
    rows = votes.sort_values(["pair_id", "annotator"], kind="stable", ignore_index=True)
    is_open: Mask = ~rows["pair_id"].isin([] if known is None else known.index).to_numpy(bool)
    random, pairs = np.random.default_rng(SEED), rows.loc[is_open, "pair_id"].unique()
    if len(pairs) > CHOOSING_PAIRS:
        kept = rows["pair_id"].isin(random.choice(pairs, CHOOSING_PAIRS, replace=False)).to_numpy(bool)
        rows, is_open = rows[kept | ~is_open].reset_index(drop=True), is_open[kept | ~is_open]
    mixed = rows.iloc[random.permutation(len(rows))]
    is_first = (mixed.groupby("pair_id").cumcount().sort_index() == 0).to_numpy(bool)
    is_asked = is_open & is_first & rows.duplicated("pair_id", keep=False).to_numpy(bool)
    seen, asked = rows[~is_asked], rows[is_asked]
    if len(asked) < CHOOSING_VOTES:
        return STRENGTHS[-1]
    came = asked["vote"].to_numpy("int64")
    found = [foretelling(seen, asked, known, strength) for strength in STRENGTHS]
    losses = [-np.log(np.where(came == 1, chances, 1 - chances).clip(MIN_SHARE)).mean() for chances in found]
    return STRENGTHS[int(np.argmin(losses))]


def foretelling(
    seen: pd.DataFrame, asked: pd.DataFrame, known: "pd.Series[int] | None" = None, strength: float | None = None
) -> Reals:
    """The chance that each vote of `asked` is positive, by the votes of `seen`.

    It is, of both votes that the pair may deserve, the sum of its probability times the chance that this annotator then
    votes so; for an annotator or a pair that nothing is seen of, their mean.
    """
    model = fit(seen, known, strength=strength)
    chances = model.chances.loc[:, model.is_paraphrase].sum(axis=1)
    right = right_votes(seen, chances, model.strength)
    own = right.reindex(asked["annotator"]).fillna(right.mean())
    deserved = chances.reindex(asked["pair_id"]).fillna(chances.mean()).to_numpy("float64")
    return np.asarray(deserved * own["yes"].to_numpy() + (1 - deserved) * (1 - own["no"].to_numpy()))


def skills(votes: pd.DataFrame, chances: "pd.Series[float]") -> "pd.Series[float]":
    """How much each annotator's votes tell, by name: both chances of a right vote, less 1; 0 for one who guesses.

    `chances`: of "paraphrase", by pair_id. Both are drawn towards the average annotator, by the smaller number of
    STRENGTHS: it is people who are told apart here.
    """
    right = right_votes(votes, chances)
    return right["yes"] + right["no"] - 1


def right_votes(votes: pd.DataFrame, chances: "pd.Series[float]", strength: float = STRENGTHS[0]) -> pd.DataFrame:
    """By annotator, both chances of a right vote: `yes` for paraphrases, `no` for other pairs. See `skills`."""
    yes, vote = chances.reindex(votes["pair_id"]).to_numpy("float64"), votes["vote"].to_numpy("float64")
    rows = {"yes": yes, "no": 1 - yes, "right_yes": yes * vote, "right_no": (1 - yes) * (1 - vote)}
    own = pd.DataFrame(rows).groupby(votes["annotator"].to_numpy(object)).sum()
    everybody = own.sum()
    average = {
        side: (everybody[f"right_{side}"] + SMOOTHING) / (everybody[side] + 2 * SMOOTHING) for side in ("yes", "no")
    }
    return pd.DataFrame(
        {side: (own[f"right_{side}"] + strength * average[side]) / (own[side] + strength) for side in average}
    )


def _habits(counts: Reals, is_paraphrase: Mask) -> Reals:
    """The chance of each given score among those that are the same vote: rater, deserved score, given score."""
    same_vote = (is_paraphrase[:, None] == is_paraphrase).astype("float64")
    everybody = counts.sum(axis=0) + SMOOTHING
    counts = counts + HABITS * everybody / (everybody @ same_vote)
    return np.asarray(counts / (counts @ same_vote))


def _vote_chances(counts: Reals, is_paraphrase: Mask, strength: float) -> Reals:
    """The chance of the vote that a given score is: rater, deserved score, given score."""
    sides = np.stack([~is_paraphrase, is_paraphrase]).astype("float64")
    votes = sides @ counts @ sides.T
    everybody = votes.sum(axis=0) + 2 * SMOOTHING + RIGHT * np.eye(2)
    votes += strength * everybody / everybody.sum(axis=1, keepdims=True)
    side = is_paraphrase.astype("int64")
    return np.asarray((votes / votes.sum(axis=2, keepdims=True))[:, side][:, :, side])
