"""How often each annotator is right about pairs on either side of the vote, as rows of the table `quality`; pure.

Measures of an annotator, over all rounds: `sensitivity`, the chance of a positive vote where the pair deserves one, and
`specificity`, the chance of a negative vote where the pair deserves one. What pairs deserve is known of gold pairs; of
others it is as likely as the other annotators' ratings make it (`skill`). Between the limits lies the chance with a
probability of 95 %.
"""

from collections.abc import Iterator

import pandas as pd

from data.contract.measures import RIGHT_VOTES
from data.contract.vocabulary import ALL_ROUNDS
from data.measures.raters.skill import GOLD_CHANCE, chances_by_others, likelihood, marginals


def assess_error_rates(votes: pd.DataFrame, gold: pd.DataFrame | None) -> Iterator[dict[str, object]]:
    """The measures, with `habits.COLUMNS`.

    `votes`: pair_id, annotator, score, vote, one row per annotator and pair; `gold`: the same, with `truth`.
    """
    if votes.empty:
        return
    gold = votes[:0].assign(truth=0) if gold is None else gold
    known = gold.groupby("pair_id")["truth"].first()
    every = pd.concat([votes, gold[list(votes)]], ignore_index=True)
    chances, _ = chances_by_others(every, known if len(known) else None)
    certain = every["pair_id"].map(known).map({1: GOLD_CHANCE, 0: 1 - GOLD_CHANCE}).astype("float64")
    every = every.assign(chance=certain.fillna(chances["chance"]))
    for name, own in every[every["annotator"].isin(votes["annotator"])].groupby("annotator"):
        found = marginals(likelihood(own["chance"].to_numpy("float64"), own["vote"].to_numpy("int64")))
        for measure, (value, low, high) in zip(RIGHT_VOTES, found, strict=True):
            about = {"round": ALL_ROUNDS, "annotator": str(name), "measure": measure, "control": None, "answer": None}
            known_of = {"n": len(own), "value": value, "low": low, "high": high, "reason": None, "detail": None}
            yield about | known_of
