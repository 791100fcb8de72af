"""What the tables say of a campaign's work: its answers, whether they are behind newer ones or must be given again, and
the labels and splits that a store has.
"""

from typing import Any

import pandas as pd

from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Quality, Splits, Verdicts
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CARELESS, CERTAIN, FIXED, MAJORITY, ONE_SIDED
from data.measures.rules import QualityRule
from data.recorded.plans import find_plan, list_arms
from data.recorded.ratings import given
from data.storage.store import Store

ASKED = ["assignment_id", "pair_id", "annotator", "round", "kind", "supersedes", "at"]
"""The columns of assignments that say what is to be done."""


def ratings_of(store: Store, asked: pd.DataFrame) -> pd.DataFrame:
    """The ratings of these assignments, without scores."""
    rows = store.read(Ratings, ["assignment_id", "submitted_at", "skipped", "flags"])
    return rows[rows["assignment_id"].isin(asked["assignment_id"])]


def has_moved(store: Store, campaign: str, made: dict[str, Any] | None) -> bool:
    """Whether the campaign has newer assignments or ratings than those that this was made of; also if none was."""
    if made is None:
        return True
    return any(
        made["inputs"].get(table.table_name(), -1) < last["version"] and last["config"].get("campaign") == campaign
        for table in (Assignments, Ratings)
        for last in store.history(table)
    )


def is_to_be_rated_again(store: Store, campaign: str) -> bool:
    """Whether `reassign` has something to do: ratings of low annotators that count, or pairs with one flag.

    What it could give to no one is a reject of its own. A campaign that asks where labels are least certain needs none.
    """
    if (find_plan(store, campaign) or {}).get("allocate") == CERTAIN:
        return False
    asked = store.read(Assignments, ASKED, campaign=campaign)
    asked = asked[asked["kind"] == "work"]
    last = given(ratings_of(store, asked))
    flagged = set(last.loc[last["flags"].map(len) > 0, "assignment_id"])
    rejected = store.distinct(Rejects, "id", stage="annotation.reassign", part=campaign)
    counted = asked[~asked["assignment_id"].isin(asked["supersedes"].dropna())]
    counted = counted[counted["assignment_id"].isin(last["assignment_id"])]
    low = counted["annotator"].isin(_low_annotators(store, campaign)) & (counted["round"] == 1)
    if not counted.loc[low, "assignment_id"].isin(sorted(rejected)).all():
        return True
    return not _pairs_with_one_flag(store, campaign, counted, flagged) <= rejected


def _pairs_with_one_flag(store: Store, campaign: str, counted: pd.DataFrame, flagged: set[str]) -> set[str]:
    """The pairs that lack an answer since one annotator flagged them."""
    plan = find_plan(store, campaign) or {}
    if not plan or plan["allocate"] != FIXED:
        return set()
    is_flag = counted["assignment_id"].isin(sorted(flagged))
    counts = pd.DataFrame({"pair": counted["pair_id"], "flags": is_flag, "scores": ~is_flag}).groupby("pair").sum()
    lacking = (counts["flags"] == 1) & (counts["scores"] < int(plan["labels_per_pair"]))
    return set(counts.index[lacking])


def _low_annotators(store: Store, campaign: str) -> list[str]:
    """The careless by the verdict, or where none was asked for, the annotators below the campaign's limit of kappa in
    the first round, unless their answers are too one-sided to judge.
    """
    if verdicts := read_verdicts(store, campaign):
        return [name for name, verdict in verdicts.items() if verdict == CARELESS]
    limit = store.config(Quality, campaign=campaign).get("low_kappa", QualityRule().low_kappa)
    rows = store.read(Quality, ["annotator", "round", "value", "reason"], campaign=campaign, measure="kappa")
    rows = rows[(rows["round"] == 1) & rows["value"].notna() & ~rows["reason"].eq(ONE_SIDED).fillna(value=False)]
    return list(rows.loc[rows["value"] < limit, "annotator"])


def read_verdicts(store: Store, campaign: str) -> dict[str, str]:
    """Annotator -> verdict; none where the campaign has no verdict."""
    rows = store.read(Verdicts, ["annotator", "verdict"], campaign=campaign)
    return dict(zip(rows["annotator"], rows["verdict"], strict=True))


def list_label_sets(store: Store) -> list[tuple[str, str]]:
    """The campaigns with labels, the last labelled first, each with a method; no pilots, no control arms."""
    rows = store.read(Labels, ["campaign", "method"]).drop_duplicates()
    present = sorted(rows.itertuples(index=False, name=None))
    made = [(last["scope"].get("campaign"), last["scope"].get("method")) for last in store.history(Labels)]
    arms, found = list_arms(store), dict[str, str]()
    for campaign, method in [*made, *present]:
        if (campaign, method) in present and campaign not in arms:
            found.setdefault(campaign, MAJORITY if (campaign, MAJORITY) in present else method)
    return list(found.items())


def list_splits(store: Store) -> list[dict[str, Any]]:
    """Campaigns, method and scheme of each split that is there, the last one made first."""
    made = [last for last in store.history(Splits) if {"campaigns", "method"} <= last["config"].keys()]
    latest = {last["scope"].get("scheme"): last for last in reversed(made)}
    ordered = sorted(latest.values(), key=lambda last: -last["version"])
    return [{name: last["config"][name] for name in ("campaigns", "method")} | last["scope"] for last in ordered]
