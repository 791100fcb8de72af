"""Pairs made from judged swaps and back translations, along s2' - s2 - s1 - s1'; pure.

s1 and s2 are a sentence and its word swap, s1' and s2' their back translations. Source: Zhang et al. 2019 (PAWS),
section 3.2, rules (1) to (3).
"""

import numpy as np
import pandas as pd

from data.contract.vocabulary import BACK_TRANSLATION, CORRECTION, WORD_SWAP
from data.grouping.entities import ENTITIES
from data.texts.identity import pair_id

UNKNOWN, SAME, BOTH, LABELLED = "several_differences", "same_text", "contradicting_paths", "labelled_already"
REASONS = {
    UNKNOWN: "two or more of the pairs it is made from are labelled 0, so its own label does not follow",
    SAME: "both texts are the same",
    BOTH: "two paths lead to it, one to the label 1 and one to 0",
    LABELLED: "people labelled it",
}
"""Why a recombined pair is left out."""

STEPS = {
    ("swapped", "back of source"): ("second", "first_back"),
    ("source", "back of swapped"): ("first", "second_back"),
    ("back of source", "back of swapped"): ("first_back", "second_back"),
}
"""The ends of the three new pairs, and their columns among the paths."""

COLUMNS = ["pair_id", "first_id", "second_id", "first", "second", *ENTITIES, "binary", "parents", "ends"]


def trace_methods(pairs: pd.DataFrame, generated: pd.DataFrame) -> pd.Series:
    """How the second text of each pair was made from its first; null where no rows lead from one to the other.

    `pairs`: first_id, second_id; `generated`: text_id, source_id, method. The last method that is no correction names
    the way; corrections alone are a correction.
    """
    ways = pd.DataFrame({"end": pairs["first_id"], "at": pairs["second_id"], "made": None}).reset_index(names="row")
    steps = generated[["text_id", "source_id", "method"]].drop_duplicates().astype(object)
    found = pd.Series(None, index=pairs.index, dtype="object")
    seen = set[tuple[object, object]]()
    while len(ways):
        ways = ways.astype(object).merge(steps, left_on="at", right_on="text_id")
        last = ways["made"].where(ways["made"].notna() & (ways["made"] != CORRECTION), ways["method"])
        ways = ways.assign(at=ways["source_id"], made=last)[["row", "end", "at", "made"]].drop_duplicates()
        done = ways[ways["at"] == ways["end"]].drop_duplicates("row")
        found[done["row"]] = done["made"].to_numpy(object)
        new = [place not in seen for place in zip(ways["row"], ways["at"], strict=True)]
        seen |= set(zip(ways["row"], ways["at"], strict=True))
        ways = ways[pd.Series(new, index=ways.index, dtype=bool) & ~ways["row"].isin(done["row"])]
    return found


def recombine(pairs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The new pairs of each swap and the back translations of its two sentences, and those left out.

    `pairs`: pair_id, first_id, second_id, first, second, ENTITIES, binary (1, 0), made (WORD_SWAP or
    BACK_TRANSLATION).
    New pairs have COLUMNS: `parents` are the pairs they were made from, `ends` names their two sentences. Rejects: id,
    reason, detail.
    """
    swaps, backs = (pairs[pairs["made"] == made] for made in (WORD_SWAP, BACK_TRANSLATION))
    first = swaps.merge(_backs(backs, "first"), on="first_id")
    second = swaps.merge(_backs(backs, "second"), on="second_id")
    both = first.merge(second[["pair_id", *_backs(backs[:0], "second").columns.drop("second_id")]], on="pair_id")
    frames = zip(STEPS, (first, second, both), strict=True)
    made = pd.concat([_make(paths, ends) for ends, paths in frames], ignore_index=True)
    contradicted = made.groupby("pair_id")["binary"].transform("nunique") > 1
    reason = pd.Series(None, index=made.index, dtype="object")
    for why, holds in (
        (UNKNOWN, made["binary"].isna()), (BOTH, contradicted), (LABELLED, made["pair_id"].isin(pairs["pair_id"])),
        (SAME, made["first_id"] == made["second_id"]),
    ):  # fmt: skip
        reason[holds.to_numpy(bool)] = why
    kept = made[reason.isna()].drop_duplicates("pair_id").sort_values("pair_id", ignore_index=True)
    dropped = made.assign(reason=reason)[reason.notna() & ~made["pair_id"].isin(kept["pair_id"])]
    rejects = dropped.drop_duplicates("pair_id")
    return kept, pd.DataFrame({"id": rejects["pair_id"], "reason": rejects["reason"], "detail": rejects["ends"]})


def _backs(backs: pd.DataFrame, side: str) -> pd.DataFrame:
    """The back translations of a side of the swaps, by its id."""
    names = {"first_id": f"{side}_id", "second_id": f"{side}_back_id", "second": f"{side}_back",
             "binary": f"{side}_label", "pair_id": f"{side}_pair"}  # fmt: skip
    return backs[list(names)].rename(columns=names)


def _make(paths: pd.DataFrame, ends: tuple[str, str]) -> pd.DataFrame:
    """The new pair of each path, labelled by its steps."""
    left, right = STEPS[ends]
    backs = [side for side in ("first", "second") if f"{side}_back" in (left, right)]
    columns = {"first_id": f"{left}_id", "second_id": f"{right}_id", "first": left, "second": right}
    made = pd.DataFrame({name: paths[column].astype(object) for name, column in columns.items()})
    steps = ["pair_id", *(f"{side}_pair" for side in backs)]
    labels = follow_path(paths["binary"], *(paths[f"{side}_label"] for side in backs))
    made["pair_id"] = [pair_id(*ids) for ids in zip(made["first_id"], made["second_id"], strict=True)]
    parents = pd.Series(paths[steps].to_numpy(object).tolist(), index=made.index, dtype="object")
    return made.assign(
        **paths[ENTITIES], binary=labels.to_numpy(), parents=parents, ends=" and ".join(ends)
    )[COLUMNS]  # fmt: skip


def follow_path(*labels: pd.Series) -> pd.Series:
    """The label of the two ends of each path from the labels of its steps, as Int64.

    1 where all steps are 1; 0 where exactly one is 0; null where more are, or one is null: two sentences that differ
    from a third may mean the same.
    """
    steps = pd.concat([step.reset_index(drop=True).astype("Int64") for step in labels], axis=1)
    zeros = (steps == 0).sum(axis=1).to_numpy("int64")
    unknown = (zeros > 1) | steps.isna().any(axis=1).to_numpy(bool)
    return pd.Series(np.where(zeros == 0, 1, 0), dtype="Int64").mask(unknown)
