"""The status of a store: what each table holds, what was dropped and why, and what is to be done in a campaign.

That is: whether its answers are newer than what was made of them, and whether some must be given again.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.contract import register
from data.contract.base import Table
from data.contract.stages import name_stage
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Quality, Splits, Verdicts
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CARELESS, CERTAIN, FIXED, MAJORITY, ONE_SIDED
from data.measures.rules import QualityRule
from data.recorded.plans import find_plan, list_arms, sequence
from data.recorded.ratings import given
from data.storage.store import Store

ASKED = ["assignment_id", "pair_id", "annotator", "round", "kind", "supersedes", "at"]
"""The columns of assignments that say what is to be done."""


def tables(store: Store) -> pd.DataFrame:
    """One row per table written: table, kind, rows, version, at (UTC), by (the stage), state.

    `state` is `current`, or `behind` with the names of the tables that have newer versions.
    """
    rows = []
    for table in store.tables():
        last = store.manifest(table)
        if last is None:
            continue
        rows.append(
            {
                "table": table.table_name(),
                "kind": table.table_kind(),
                "rows": store.count(table),
                "version": last["version"],
                "at": datetime.fromtimestamp(last["at"] / 1000, UTC),
                "by": made_by(last),
                "state": " ".join(["behind", *moved]) if (moved := behind(store, table)) else "current",
            }
        )
    return pd.DataFrame(rows, columns=["table", "kind", "rows", "version", "at", "by", "state"])


def made_by(record: Mapping[str, Any]) -> str:
    """The stage that a manifest names, with its part."""
    return name_stage(record["stage"], record["part"])


def behind(store: Store, table: type[Table]) -> list[str]:
    """The inputs of a derived table that have changed since it was computed; empty if it is current.

    What the same command wrote after it, such as the labels that follow from new pairs, is no change, nor are labels of
    other campaigns than those that it is made from. What `plan` added for its campaign stays as it is. Of an input that
    is noted by a digest, rows were chosen: their table's version says nothing of them.
    """
    last = store.manifest(table)
    if last is None or table.table_kind() == "event" or last["stage"] == "annotation.plan":
        return []
    inputs = [other for other in register.TABLES if not isinstance(last["inputs"].get(other.table_name(), ""), str)]
    return [other.table_name() for other in inputs if _has_moved(store, other, last)]


def _has_moved(store: Store, source: type[Table], last: dict[str, Any]) -> bool:
    """Whether a table has changed since it was read for the last version of another."""
    since, latest = last["inputs"][source.table_name()], store.manifest(source)
    if latest is None or (since is not None and latest["version"] <= since) or made_by(latest) == made_by(last):
        return False
    campaigns = last["config"].get("campaigns")
    if source is not Labels or not campaigns:
        return True
    newer = (made for made in store.history(source) if made["version"] > since)
    return not {made["scope"].get("campaign") for made in newer}.isdisjoint(sequence(store, campaigns))


def rejects(store: Store) -> pd.DataFrame:
    """The number of rows that each stage dropped, by reason: stage (see `name_stages`), reason, rows."""
    dropped = store.read(Rejects)
    dropped = dropped.assign(stage=name_stages(dropped))
    return dropped.groupby(["stage", "reason"], as_index=False).size().rename(columns={"size": "rows"})


def name_stages(rejects: pd.DataFrame) -> list[str]:
    """The stage of each row of `rejects` as commands print it, with its part and, of labels, method and control."""
    known = rejects[["stage", "part", "method", "control"]].astype(object)
    return [name_stage(*row) for row in known.where(known.notna(), None).to_numpy()]


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
