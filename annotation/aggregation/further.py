"""Labels of controls that several answers, or a text, are given to; pure.

Of several answers each is decided by itself: it belongs to the label where more than half of the raters chose it, or by
a model where it more likely than not does. Of texts the most frequent one is the label, white space aside.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.aggregation.adjudication import as_labels, as_rejects, reject_reasons, tally_states
from annotation.aggregation.models import posteriors
from data.contract.questions import Control
from data.contract.vocabulary import MAJORITY, TIE, Method
from data.measures.agreement import Mask
from data.measures.ballots import counting

Labels = tuple[pd.DataFrame, pd.DataFrame]


def decide_several(control: Control, ballots: pd.DataFrame, chosen: Mapping[str, list[str]], method: Method) -> Labels:
    """The labels and the pairs without one, as returned by `adjudicate`; `chosen`: the answers given by assignment id.

    `votes` are the raters who chose exactly these answers. A pair in which no answer has more than half of the raters
    is a tie.
    """
    counted = counting(ballots).reset_index(drop=True)
    tally = tally_states(counted)
    reason = reject_reasons(tally)
    scored = counted[(counted["state"] == "scored") & counted["assignment_id"].isin(list(chosen))]
    sets = [frozenset(chosen[name]) for name in scored["assignment_id"]]
    has = np.array([[value in answers for value in control.values] for answers in sets], dtype=np.int64)
    has = has.reshape(len(sets), len(control.values))
    pairs = pd.Index(tally["pair_id"]).get_indexer(pd.Index(scored["pair_id"]))
    counts = np.zeros((len(tally), len(control.values)), dtype="int64")
    np.add.at(counts, pairs, has)
    shares = counts / np.maximum(tally["n_votes"].to_numpy(), 1)[:, None]
    if method != MAJORITY:
        voters = scored[["pair_id", "annotator"]].astype("object")
        votes = [voters.assign(vote=has[:, place], score=has[:, place]) for place in range(len(control.values))]
        shares = np.stack([tally["pair_id"].map(posteriors(part, method)).fillna(0) for part in votes], axis=1)
    labels = [_without_contradiction(control, row) for row in shares > 0.5]
    same = [frozenset(labels[pair]) == answers for pair, answers in zip(pairs, sets, strict=True)]
    equal = pd.Series(same, dtype="int64").groupby(pairs).sum().reindex(range(len(tally)), fill_value=0)
    tally["value"] = pd.Series([" ".join(values) or None for values in labels], dtype="object")
    tally["votes"] = equal.to_numpy("int64")
    tally["scores"] = pd.Series(counts.tolist(), dtype="object")
    return _close(tally, np.where((reason == "") & tally["value"].isna(), TIE, reason), method)


def _without_contradiction(control: Control, is_in: Mask) -> list[str]:
    """The answers of a label; a model may find the one that excludes the others likely beside these, which win."""
    values = [value for value, holds in zip(control.values, is_in, strict=True) if holds]
    return [value for value in values if value != control.alone or len(values) == 1]


def decide_text(ballots: pd.DataFrame, texts: Mapping[str, str], asked: set[str]) -> Labels:
    """The labels and the pairs without one; `texts`: the texts given by assignment id, `asked`: the pairs with a text.

    Two texts that are as frequent are a tie. Pairs that no text is asked for have neither label nor reject.
    """
    counted = counting(ballots).reset_index(drop=True)
    given = counted[counted["assignment_id"].isin(list(texts)) & counted["pair_id"].isin(asked)]
    tally = tally_states(given)
    plain = pd.Series([" ".join(texts[name].split()) for name in given["assignment_id"]], dtype="object")
    by_pair = {pair: same.value_counts() for pair, same in plain.groupby(given["pair_id"].to_numpy(object))}
    best = [_most_frequent(by_pair[pair]) for pair in tally["pair_id"]]
    tally["value"] = pd.Series([text for text, _ in best], dtype="object")
    tally["votes"] = pd.Series([n for _, n in best], dtype="int64")
    tally["scores"] = pd.Series([[] for _ in best], dtype="object")
    return _close(tally, np.where(tally["value"].isna(), TIE, ""), MAJORITY)


def _most_frequent(counts: "pd.Series[int]") -> tuple[str | None, int]:
    """The most frequent text and how often it was given; no text where two are as frequent."""
    texts = counts.index[counts == counts.max()]
    return (str(texts[0]) if len(texts) == 1 else None), int(counts.max())


def _close(tally: pd.DataFrame, reason: NDArray[np.str_], method: Method) -> Labels:
    tally = tally.assign(
        binary=pd.array([pd.NA] * len(tally), dtype="Int64"), posterior=None,
        decided_by=method, is_unanimous=tally["votes"] == tally["n_votes"],
    )  # fmt: skip
    return as_labels(tally[reason == ""], method), as_rejects(tally[reason != ""], reason[reason != ""])
