"""Labels from votes by models of how annotators err, one interface for all of them; the rarer ones are crowd-kit's.

Every method sees the votes that the majority sees (those that count, binarised). Two of them, ON_SCORES, see the
answers themselves, such as the scores from 0 to 3, and add up the chances of those that are votes for "paraphrase".
Only `dawid-skene-pooled` learns from pairs whose answer is known.
Sources: Dawid and Skene 1979 (a confusion matrix per annotator, fitted by EM); the same with one accuracy per annotator
(`one-coin`); Hovy et al. 2013 (`mace`: an annotator knows the answer or guesses in a personal way).
"""

from typing import Any

import pandas as pd

from data.contract.vocabulary import Method
from data.measures.raters import dawid_skene, pooled_dawid_skene

MACE = "mace"
POOLED: Method = "dawid-skene-pooled"
ON_SCORES = ("dawid-skene-scores", POOLED)


def posteriors(
    votes: pd.DataFrame, method: Method, seed: int = 0, gold: pd.DataFrame | None = None
) -> "pd.Series[float]":
    """The probability that each pair (index: pair_id) is a paraphrase; by the majority, the share of its votes.

    `votes`: pair_id, annotator, vote (0 or 1) and, for ON_SCORES, score; one row per rating. Empty without votes.
    Only MACE draws from `seed`; only POOLED learns from `gold`: rated
    pairs of known `truth` (0 or 1), with the columns of votes.
    """
    if votes.empty:
        return pd.Series(dtype="float64")
    chances = class_chances(votes, method, seed, gold)
    every = votes if gold is None else pd.concat([votes, gold])
    in_favour = chances.columns.isin(every.loc[every["vote"] == 1, seen_by(method)])
    return pd.Series(chances.loc[:, in_favour].sum(axis=1).clip(0, 1), dtype="float64")


def class_chances(votes: pd.DataFrame, method: Method, seed: int = 0, gold: pd.DataFrame | None = None) -> pd.DataFrame:
    """The probability of each vote, or score, that was given (columns, ascending) for each pair (index: pair_id).

    Arguments as in `posteriors`; `seen_by` says whether votes or scores.
    """
    pairs, known = votes["pair_id"].unique(), None
    if method == POOLED and gold is not None and len(gold):
        votes, known = pd.concat([votes, gold[list(votes)]]), gold.groupby("pair_id")["truth"].first()
    chances = _fit(votes, method, seed, known)
    return chances[chances.index.isin(pairs)]


def _fit(votes: pd.DataFrame, method: Method, seed: int, known: "pd.Series[int] | None") -> pd.DataFrame:
    """The chances of all pairs; `known`: the votes that gold pairs deserve, by pair_id."""
    if method == POOLED:
        return pooled_dawid_skene.fit(votes, known).chances
    if method.startswith("dawid-skene"):
        return dawid_skene.class_chances(votes, seen_by(method), known)
    tasks, pair_ids = pd.factorize(votes["pair_id"], sort=True)  # the models join numbers twice as fast as texts
    workers = pd.factorize(votes["annotator"], sort=True)[0]
    table = pd.DataFrame({"task": tasks, "worker": workers, "label": votes[seen_by(method)].to_numpy("int64")})
    chances: pd.DataFrame = _model(method, seed).fit_predict_proba(table)
    return chances.sort_index(axis=1).set_axis(pd.Index(pair_ids, dtype="object")[chances.index])


def seen_by(method: Method) -> str:
    """The column that holds the classes the method works on."""
    return "score" if method in ON_SCORES else "vote"


def _model(method: Method, seed: int) -> Any:
    from crowdkit import aggregation

    if method == MACE:
        return aggregation.MACE(random_state=seed)
    return aggregation.OneCoinDawidSkene() if method == "one-coin" else aggregation.MajorityVote()
