"""Labels, votes, and how far annotators agree beyond chance; pure.

Figures are plain values, None where they are not defined.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.contract.vocabulary import SPLITS
from data.grouping import entities
from data.labelled.dataset import Dataset
from data.measures import intervals
from data.measures.agreement import COIN, Integers, chance_corrected, distances, fleiss_kappa
from data.measures.ballots import asked_at_first, drawn_by, in_random_part
from data.measures.intervals import Groups
from data.measures.raters.held_out import bins_of, foretell

FLEISS = ("fleiss_kappa", "fleiss_low", "fleiss_high")


def describe_labels(pairs: Dataset) -> dict[str, Any]:
    """The numbers of paraphrases, non-paraphrases and undecided pairs; `paraphrase_share` is of the decided ones."""
    labels = pairs.frame["binary"]
    paraphrases, others = int((labels == 1).sum()), int((labels == 0).sum())
    return {
        "pairs": len(pairs),
        "paraphrase": paraphrases,
        "non_paraphrase": others,
        "undecided": len(pairs) - paraphrases - others,
        "paraphrase_share": paraphrases / (paraphrases + others) if paraphrases + others else None,
    }


def calibrate(votes: pd.DataFrame) -> list[dict[str, Any]]:
    """The votes of the random part, each foretold by the others on its pair, by tenths of the chance that they give it.

    `votes`: pair_id, annotator, score, vote, random, further. By tenth: `n`, the mean `chance`, and the share that
    came, `vote`; none where no pair has two votes.
    """
    own = asked_at_first(votes).drop_duplicates(["pair_id", "annotator"], keep="last")
    own = own[["pair_id", "annotator"]].astype("object").join(own[["score", "vote"]].astype("int64"))
    bins = bins_of(foretell(own, own[:0].assign(truth=0)))
    return [{"n": int(n), "chance": float(chance), "vote": float(vote)} for n, chance, vote in bins.to_numpy()]


def describe_selections(pairs: Dataset, part: pd.DataFrame | None = None) -> list[dict[str, Any]] | None:
    """Labels and agreement of the pairs by how they were chosen, as `selection`; None where all were chosen alike.

    `part`: the votes of the random part, where there is one: agreement is measured there. `low` and `high`: the 95 %
    interval of `paraphrase_share`, from drawing groups of pairs.
    """
    selections = pairs.by_selection
    if len(selections) < 2:
        return None
    return [
        {
            "selection": name,
            **describe_labels(chosen),
            **dict(zip(("low", "high"), _interval(chosen), strict=True)),
            **fleiss(in_random_part(chosen.frame, part)),
        }
        for name, chosen in selections.items()
    ]


def _interval(pairs: Dataset) -> tuple[float | None, float | None]:
    """The 95 % interval of the share of paraphrases among the decided pairs; None without any."""
    decided = pairs.decided
    if decided.empty:
        return None, None
    groups, yes = Groups.of(pairs.groups[decided.index]), decided["binary"].to_numpy("float64")
    both, weights = groups.add(np.column_stack([yes, np.ones(len(yes))])), groups.weigh()
    drawn = weights @ both
    return intervals.bounded(float(yes.mean()), drawn[:, 0] / drawn[:, 1], groups.effective) or (None, None)


def count_votes(pairs: Dataset) -> dict[str, list[int]]:
    """Pairs by number of votes: {"3": [pairs with 0, 1, 2, 3 votes for "paraphrase"]}."""
    return {
        str(n): np.bincount(rows["votes"].to_numpy("int64"), minlength=n + 1).tolist() for n, rows in pairs.by_votes()
    }


def describe_splits(pairs: Dataset, part: pd.DataFrame | None = None) -> dict[str, Any]:
    """The pairs, share, entities, labels, votes and agreement of each split."""
    return {
        name: {
            "share": len(split) / len(pairs) if len(pairs) else None,
            "entities": int(entities.each(split.frame).nunique()),
            **describe_labels(split),
            "votes": count_votes(split),
            **fleiss(in_random_part(split.frame, part)),
        }
        for name, split in ((name, pairs.in_split(name)) for name in SPLITS)
    }


def fleiss(frame: pd.DataFrame) -> dict[str, Any]:
    """Fleiss' kappa of `agree`, with its limits."""
    found = agree(frame)
    return {name: found[name] for name in FLEISS}


def share_votes(frame: pd.DataFrame) -> dict[str, Any]:
    """The `share` of votes for "paraphrase", with its 95 % limits `low` and `high` from drawing entities; `pairs`.

    `frame`: pair_id, entity, votes and n_votes of pairs that all had the same number of raters.
    """
    rated = frame[frame["n_votes"] > 0]
    groups = Groups.of(drawn_by(rated).to_numpy(object))
    both = rated[["votes", "n_votes"]].to_numpy("float64")
    share = float(both[:, 0].sum() / both[:, 1].sum()) if len(rated) else None
    drawn = groups.weigh() @ groups.add(both)
    limits = None if share is None else intervals.bounded(share, drawn[:, 0] / drawn[:, 1], groups.effective)
    return {"pairs": len(rated), "share": share, **dict(zip(("low", "high"), limits or (None, None), strict=True))}


def agree_at_first(frame: pd.DataFrame, first: pd.DataFrame) -> dict[str, Any] | None:
    """`agree` of the answers to these pairs before any was replaced; None where none was.

    `first`: those answers: pair_id, vote, replaced. With `answers` (their number, on pairs with several) and `replaced`
    (how many of them were replaced later).
    """
    own = first[first["pair_id"].isin(frame["pair_id"])]
    several = own[own.duplicated("pair_id", keep=False)]
    if not several["replaced"].any():
        return None
    counts = own.groupby("pair_id")["vote"].agg(votes="sum", n_votes="size")
    rows = frame[["pair_id", "entity"]].join(counts, on="pair_id", how="inner")
    return agree(rows) | {"answers": len(several), "replaced": int(several["replaced"].sum())}


def agree(frame: pd.DataFrame) -> dict[str, Any]:
    """Inter-annotator agreement beyond chance, over the pairs with the most frequent number (>= 2) of votes.

    `frame`: columns votes (for "paraphrase") and n_votes, one row per pair. `raters`: that number of votes; `pairs`:
    how many pairs have it. `fleiss_kappa`, with its 95 % limits `fleiss_low` and `fleiss_high` from drawing entities
    where the frame has the columns pair_id and entity. `observed_agreement`: the probability that two votes on a pair
    are the same; `split_pairs`: pairs that are not unanimous. `kappa_with_majority`: Cohen's kappa between each vote
    and the majority of its pair, that vote included (He et al. 2020, section 4.3, pooled over annotators);
    `kappa_with_others`: the same with the majority of the other votes, ties among them left out; `chance_kappa`: the
    `kappa_with_majority` that a coin flipper would reach in the place of one of these annotators. `at_first`: for
    `agree_at_first`, where it is known.
    """
    several = np.bincount(frame["n_votes"].to_numpy("int64"), minlength=2)[2:]
    raters = int(several.argmax()) + 2 if several.sum() else 0
    used = frame[frame["n_votes"] == raters] if raters else frame.iloc[:0]
    yes = used["votes"].to_numpy("int64")
    table = np.column_stack([raters - yes, yes])
    return {
        "raters": raters,
        "pairs": len(used),
        "split_pairs": int((table.min(axis=1) > 0).sum()),
        "observed_agreement": _observed(table, raters),
        **dict(zip(FLEISS, _fleiss(table, used), strict=True)),
        "kappa_with_majority": _cohen(_confusion(table, own=True)),
        "kappa_with_others": _cohen(_confusion(table, own=False)),
        "chance_kappa": _cohen(_coin_confusion(table)),
        "at_first": None,
    }


def _observed(table: Integers, raters: int) -> float | None:
    if raters < 2 or not len(table):
        return None
    return float((table * (table - 1)).sum(axis=1).mean() / (raters * (raters - 1)))


def _fleiss(table: Integers, pairs: pd.DataFrame) -> tuple[float | None, float | None, float | None]:
    """Fleiss' kappa of counts (pairs, 2), with its limits; None where all votes are of one class or there is none."""
    if "entity" not in pairs:
        return fleiss_kappa(table).value, None, None
    found = fleiss_kappa(table, drawn_by(pairs).to_numpy(object))
    return found.value, found.low, found.high


def _cohen(square: NDArray[np.float64]) -> float | None:
    """Cohen's kappa of a 2 x 2 table; None where chance alone explains all of it, or the table is empty."""
    value = float(chance_corrected(square, distances(2)))
    return None if np.isnan(value) else value


def _confusion(table: Integers, *, own: bool) -> NDArray[np.float64]:
    """Single votes (rows) by the majority of their pair, the vote itself included (`own`) or not; without ties."""
    square = np.zeros((2, 2))
    for vote in (0, 1):
        votes = table.copy()
        votes[:, vote] -= 0 if own else 1
        for winner in (0, 1):
            wins = votes[:, winner] > votes[:, 1 - winner]
            square[vote, winner] = table[wins, vote].sum()
    return square


def _coin_confusion(table: Integers) -> NDArray[np.float64]:
    """The expected table of a coin flipper who replaces each vote in turn, by the majority with the coin's vote."""
    square = np.zeros((2, 2))
    for replaced in (0, 1):
        for coin in (0, 1):
            votes = table.copy()
            votes[:, replaced] -= 1
            votes[:, coin] += 1
            for winner in (0, 1):
                wins = votes[:, winner] > votes[:, 1 - winner]
                square[coin, winner] += COIN * table[wins, replaced].sum()
    return square
