"""From which margin on swaps pass a person's correction: a sample spread over margins, and what became of it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.measures import intervals
from data.texts.identity import digest

DECISIONS = ("accept", "fix", "reject")
PASSED = ("accept", "fix")
MIN_SUCCESS_SHARE = 0.88
"""The share of swaps of questions that passed correction in the paper (Zhang et al. 2019, section 4)."""
N_BANDS = 8
MIN_SWAPS = 20
"""Corrected swaps that a margin is judged by."""


def spread(margins: pd.Series, n: int, seed: int) -> pd.Series:
    """At most `n` of the margins, as even over their range as there are any: each tenth of the range gives as many.

    What a poor tenth lacks, the others give; the draw within each follows the seed and the index.
    """
    several = margins.nunique() > 1
    tenths = pd.cut(margins, 10, labels=False, duplicates="drop") if several else pd.Series(0, margins.index)
    tenths = tenths.fillna(0)  # a range so narrow that its tenths are one number
    lots = pd.Series([digest(seed, name) for name in margins.index], margins.index)
    frame = pd.DataFrame({"tenth": tenths, "lot": lots}).sort_values(["tenth", "lot"])
    turn = frame.groupby("tenth").cumcount()
    chosen = frame.assign(turn=turn).sort_values(["turn", "lot"]).index[:n]
    return margins.loc[chosen].sort_values()


def by_margin(margins: Sequence[float], decisions: Sequence[str]) -> pd.DataFrame:
    """One row per band of margins with about as many swaps each: n, the three shares, passed with its Wilson limits."""
    frame = pd.DataFrame({"margin": margins, "decision": decisions})
    ranks = frame["margin"].rank(method="first")
    frame["band"] = np.ceil(ranks * min(N_BANDS, len(frame)) / max(len(frame), 1)).astype(int)
    bands = frame.groupby("band")
    table = pd.DataFrame({"from": bands["margin"].min(), "to": bands["margin"].max(), "n": bands.size()})
    counts = pd.crosstab(frame["band"], frame["decision"]).reindex(columns=list(DECISIONS), fill_value=0)
    table[list(DECISIONS)] = counts.div(table["n"], axis=0)
    n_passed = counts[list(PASSED)].sum(axis=1)
    table["passed"] = n_passed / table["n"]
    table["low"], table["high"] = intervals.share(n_passed, table["n"])
    return table.reset_index(drop=True)


def least_margin(margins: Sequence[float], decisions: Sequence[str]) -> float | None:
    """The lowest margin from which on at least 88 % of the sample passed; None where none has MIN_SWAPS above it."""
    frame = pd.DataFrame({"margin": margins, "passed": pd.Series(decisions).isin(PASSED).to_numpy()})
    frame = frame.sort_values("margin", ascending=False, ignore_index=True)
    above = frame["passed"].cumsum() / np.arange(1, len(frame) + 1)
    enough = frame["margin"][(above >= MIN_SUCCESS_SHARE) & (np.arange(1, len(frame) + 1) >= MIN_SWAPS)]
    return None if enough.empty else float(enough.min())
