"""Labels from votes by models of how annotators err, through crowd-kit: one interface for all of them.

Every method sees the same votes as the majority (those that stand, binarised). Sources: Dawid and Skene 1979, a
confusion matrix for each annotator, fitted by EM; the same with one accuracy for each (`one-coin`); Hovy et al. 2013
(`mace`), an annotator knows the answer or guesses in an own way.
"""

from typing import Any, Literal

import pandas as pd

Method = Literal["majority", "dawid-skene", "one-coin", "mace"]


def posteriors(votes: pd.DataFrame, method: Method, seed: int = 0) -> "pd.Series[float]":
    """The probability that each pair (index: pair_id) is a paraphrase; of the majority, the share of the votes.

    `votes`: pair_id, annotator, vote (0 or 1), one row a rating. Empty for no votes. Only MACE draws from `seed`.
    """
    if votes.empty:
        return pd.Series(dtype="float64")
    table = votes.rename(columns={"pair_id": "task", "annotator": "worker", "vote": "label"})
    chances: pd.DataFrame = _model(method, seed).fit_predict_proba(
        table[["task", "worker", "label"]].astype({"label": "int64"})
    )
    return pd.Series(chances.reindex(columns=[0, 1], fill_value=0.0)[1].clip(0, 1), dtype="float64")


def _model(method: Method, seed: int) -> Any:
    from crowdkit.aggregation import MACE, DawidSkene, MajorityVote, OneCoinDawidSkene

    models = {"majority": MajorityVote, "dawid-skene": DawidSkene, "one-coin": OneCoinDawidSkene}
    return MACE(random_state=seed) if method == "mace" else models[method]()
