"""The plans of campaigns, and their gold pairs.

Stores from before the tables `campaigns` and `gold` hold both in the commit log of `assignments` alone; whoever first
reads such a store brings them over into the tables.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.console.errors import InputError
from data.contract.questions import Question, from_content
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.recorded.studies import ARMS
from data.storage.manifest import Manifest
from data.storage.store import Store

SCALE = "0-3"
PARADE = "parade"
"""The question of campaigns that were planned before questions had names."""


def find_plan(store: Store, campaign: str) -> dict[str, Any] | None:
    """The latest row of `campaigns` for a campaign, None where its plan is not known."""
    rows = store.read(Campaigns, campaign=campaign)
    if rows.empty:
        _bring_over(store, campaign)
        rows = store.read(Campaigns, campaign=campaign)
    return rows.sort_values("at").to_dict("records")[-1] if len(rows) else None  # type: ignore[return-value]


def read_plan(store: Store, campaign: str) -> dict[str, Any]:
    """As `find_plan`; raises InputError where the plan is not known."""
    plan = find_plan(store, campaign)
    if plan is None:
        raise InputError(
            f"campaign {campaign}",
            expected="its plan in the table campaigns",
            found="none there, and none in the history of the table assignments",
            remedy="run `python -m annotation plan` again with the arguments that the campaign was planned with",
        )
    return plan


def demand_kept(store: Store, generator: str, pairs: Collection[str], remedy: str) -> None:
    """Raise InputError where campaigns label pairs of the generator that are not among these, which replace them."""
    plans = store.read(Campaigns, ["campaign", "generator"])
    names = plans.loc[plans["generator"] == generator, "campaign"]
    rows = store.read(Assignments, ["campaign", "pair_id"])
    gone = rows[rows["campaign"].isin(names) & rows["pair_id"].notna() & ~rows["pair_id"].isin(set(pairs))]
    if len(gone):
        n, campaigns = gone["pair_id"].nunique(), ", ".join(sorted(gone["campaign"].unique()))
        raise InputError(
            f"generator {generator}",
            expected="all pairs that campaigns label, since labels of missing pairs count for nothing",
            found=f"{n:,} of {campaigns} that would be gone",
            remedy=remedy,
        )


def planned_last(store: Store) -> str | None:
    """The campaign that was given assignments last; None where none has any."""
    return _last(store.read(Assignments, ["campaign", "at"]), "at")


def rated_last(store: Store) -> str | None:
    """The campaign with the latest rating, pilots and control arms apart; None where no other has any."""
    asked = store.read(Assignments, ["assignment_id", "campaign", "at"])
    asked = asked[~asked["campaign"].str.endswith(ARMS).astype("bool")]
    rows = store.read(Ratings, ["assignment_id", "submitted_at"]).merge(asked, on="assignment_id")
    return _last(rows, "submitted_at", "at")


def _last(rows: pd.DataFrame, *times: str) -> str | None:
    """The campaign of the latest row by these columns."""
    return str(rows.sort_values([*times])["campaign"].iloc[-1]) if len(rows) else None


def sequence(store: Store, campaigns: Iterable[str]) -> list[str]:
    """The campaigns, each after those that it took its items from (`plan --items-from`), each once."""
    plans = store.read(Campaigns, ["campaign", "items_from", "at"]).sort_values("at").dropna(subset="items_from")
    earlier = dict(zip(plans["campaign"], plans["items_from"], strict=True))
    return list(dict.fromkeys(one for campaign in campaigns for one in trace_back(earlier, campaign)))


def trace_back(earlier: Mapping[str, str], campaign: str) -> list[str]:
    """The campaign after those that it took its items from, the first of them first.

    `earlier`: a campaign -> the one whose items it took.
    """
    chain = [campaign]
    while chain[0] in earlier:
        chain.insert(0, earlier[chain[0]])
    return chain


def read_question(store: Store, campaign: str) -> Question | None:
    """The question that the campaign asks; None where its plan names none: PARADE's, before there were others."""
    plan = find_plan(store, campaign)
    content = None if plan is None else plan["question_content"]
    return from_content(content) if isinstance(content, str) else None


def question_name(store: Store, campaign: str) -> str:
    """The name of the question that the campaign asks, PARADE's where its plan names none."""
    plan = find_plan(store, campaign)
    name = None if plan is None else plan["question"]
    return name if isinstance(name, str) else PARADE


def read_gold(store: Store, campaign: str) -> dict[str, int]:
    """Pair id -> known score of the campaign's gold pairs, empty where it has none."""
    find_plan(store, campaign)
    rows = store.read(Gold, campaign=campaign)
    return dict(zip(rows["pair_id"].to_list(), rows["score"].to_list(), strict=True))


def _bring_over(store: Store, campaign: str) -> None:
    """Write a campaign's plan and gold pairs from the commit log into their tables, as far as the log has them."""
    stage = f"annotation.plan.{campaign}"
    history = store.history(Assignments)
    plans = [manifest for manifest in history if manifest["stage"] == stage and "generator" in manifest["config"]]
    if not plans:
        return
    first = plans[-1]
    manifest = Manifest(stage=stage, config={"campaign": campaign}, inputs={"assignments": first["version"]})
    gold = _standing_gold(store, campaign, first["config"].get("gold", {}))
    if len(gold):
        store.replace(Gold, gold, manifest, campaign=campaign)
    store.append(Campaigns, pd.DataFrame([_row(campaign, first)]), manifest)


def _standing_gold(store: Store, campaign: str, gold: Mapping[str, int]) -> pd.DataFrame:
    """Rows of `gold`, without pairs that were taken down since."""
    pairs = {*store.read(Pairs, ["pair_id"])["pair_id"], *store.read(Assignments, ["pair_id"])["pair_id"]}
    rows = pd.DataFrame({"pair_id": list(gold), "score": list(gold.values())}, dtype="object")
    return rows[rows["pair_id"].isin(pairs)].assign(campaign=campaign, source="unknown")


def _row(campaign: str, planned: Mapping[str, Any]) -> dict[str, Any]:
    config = planned["config"]
    shares = {name: float(config.get(name, 0)) for name in ("gold_share", "repeat_share", "trap_share")}
    return shares | {
        "campaign": campaign,
        "at": datetime.fromtimestamp(planned["at"] / 1000, UTC),
        "generator": config["generator"],
        "scale": SCALE,
        "labels_per_pair": config["labels_per_pair"],
        "show_entity": config["show_entity"],
        "pairs": config.get("pairs"),
        "seed": planned["seed"],
        **dict.fromkeys(("question", "question_version", "question_digest", "question_content", "items_from")),
    }
