"""Whether the order in which an annotator sees the two texts affects the vote; pure.

Each assignment draws the order at random, so the votes should not depend on it.
"""

from typing import Any

import numpy as np
import pandas as pd

from data.measures import intervals


def compare(ballots: pd.DataFrame) -> dict[str, Any] | None:
    """How votes differ by the order of the texts; None without votes.

    `ballots`: pair_id, vote (1 paraphrase, 0 not), flipped; one row per vote that counts. `straight` and `flipped`: {n,
    share of votes for "paraphrase"}; `difference` of the shares with its 95 % confidence limits `low` and `high`
    (Newcombe; null where one order has no vote); `same_side` and `other_side`: {n, share}: couples of votes on one pair
    whose annotators saw the same order, or different ones, and the share that agree.
    """
    if ballots.empty:
        return None
    flipped = ballots["flipped"].to_numpy(dtype=bool)
    vote = ballots["vote"].to_numpy(dtype="int64")
    yes, n = [int(vote[flipped == side].sum()) for side in (False, True)], np.bincount(flipped, minlength=2).tolist()
    known = bool(min(n))
    limits = intervals.share_difference((yes[1], n[1]), (yes[0], n[0])) if known else None
    low, high = limits or (None, None)
    return {
        **{
            name: {"n": n[side], "share": _share(yes[side], n[side])}
            for side, name in enumerate(("straight", "flipped"))
        },
        "difference": yes[1] / n[1] - yes[0] / n[0] if known else None,
        "low": low,
        "high": high,
        **_agreements(ballots, flipped, vote),
    }


def _agreements(ballots: pd.DataFrame, flipped: Any, vote: Any) -> dict[str, dict[str, Any]]:
    cells = np.zeros((ballots["pair_id"].nunique(), 2, 2), dtype="int64")
    np.add.at(cells, (pd.factorize(ballots["pair_id"])[0], flipped.astype("int64"), vote), 1)
    straight, other = cells[:, 0], cells[:, 1]
    same = sum(int((cell * (cell - 1) // 2).sum()) for cell in (straight, other))
    within = sum(int((n * (n - 1) // 2).sum()) for n in (straight.sum(axis=1), other.sum(axis=1)))
    across, between = int((straight * other).sum()), int((straight.sum(axis=1) * other.sum(axis=1)).sum())
    return {
        "same_side": {"n": within, "share": _share(same, within)},
        "other_side": {"n": between, "share": _share(across, between)},
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
