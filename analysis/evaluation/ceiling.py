"""The most that any model can reach on pairs of a data set, given how the annotators divide; pure."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import betabinom

from analysis.evaluation.comparing import Samples, summarise
from data.measures.ceiling import KAPPA_MARGIN, MEASURES, agree, reach, shape


def find_ceiling(frame: pd.DataFrame, samples: Samples, part: pd.DataFrame | None = None) -> dict[str, Any] | None:
    """What the oracle reaches on these pairs, each of MEASURES {value, low, high}; n, n_votes, kappa, votes, expected.

    `frame`: pairs of a data set (see `data.labelled.dataset`); `samples`: of these pairs. `part`: the votes of the
    random part (`ballots.count_at_random`), where elsewhere the number depends on what they say; then only its pairs
    count. Those with the most frequent odd number of votes do (see `data.measures.ceiling.reach`). `kappa` is Fleiss'.
    `votes` and `expected` are the pairs by their votes for "paraphrase", as they are and as the oracle's distribution
    has them. None where there are no such pairs, or annotators agree by chance alone or always.
    """
    if part is not None:
        frame = frame.drop(columns=list(part)).join(part, on="pair_id").fillna({"n_votes": 0})
    n_votes = _usual_number(frame)
    if n_votes is None:
        return None
    votes = frame["votes"].where(frame["n_votes"] == n_votes).astype("Float64").to_numpy("float64", na_value=np.nan)
    counts = samples.sum((votes[:, None] == np.arange(n_votes + 1)).astype("float64"))
    cells = np.column_stack([np.arange(n_votes + 1), np.full(n_votes + 1, n_votes)]).astype("int64")
    shares, kappas = agree(cells, counts)
    usable = (kappas > KAPPA_MARGIN) & (kappas < 1 - KAPPA_MARGIN)
    if not usable[0]:
        return None
    reached = {name: np.full(len(counts), np.nan) for name in MEASURES}
    for name, values in reach(cells, counts[usable]).items():
        reached[name][usable] = values
    return {
        "n": int(counts[0].sum()),
        "n_votes": n_votes,
        "kappa": float(kappas[0]),
        "votes": counts[0].astype(int).tolist(),
        "expected": (
            counts[0].sum() * betabinom.pmf(range(n_votes + 1), n_votes, *shape(shares, kappas)[:, 0])
        ).tolist(),
        **{name: summarise(name, values, samples.effective) for name, values in reached.items()},
    }


def _usual_number(frame: pd.DataFrame) -> int | None:
    """The most frequent odd number of votes, at least 3; of several the smallest."""
    n_votes = frame.loc[frame["votes"].notna() & (frame["n_votes"] >= 3) & (frame["n_votes"] % 2 == 1), "n_votes"]
    return int(n_votes.mode().min()) if len(n_votes) else None
