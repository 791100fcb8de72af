"""The plans of campaigns, their gold pairs, and which campaigns are games."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd
from pydantic import ValidationError

from data.console.errors import InputError, TableError
from data.contract.questions import PUBLISHED_QUESTION, Question, from_content
from data.contract.tables.campaign import Annotators, Assignments, Openings, Ratings
from data.contract.tables.plans import Campaigns, Gold
from data.contract.tables.removals import Tombstones
from data.contract.vocabulary import ANNOTATOR, LEFT, MAIN, PLAYER
from data.storage.store import Store


def find_plan(store: Store, campaign: str) -> dict[str, Any] | None:
    """The latest row of `campaigns` for a campaign, None where it is not planned."""
    rows = store.read(Campaigns, campaign=campaign)
    return rows.sort_values("at").to_dict("records")[-1] if len(rows) else None  # type: ignore[return-value]


def read_plan(store: Store, campaign: str) -> dict[str, Any]:
    """As `find_plan`; raises InputError where the campaign is not planned."""
    plan = find_plan(store, campaign)
    if plan is None:
        raise InputError(
            f"campaign {campaign}",
            expected="its plan in the table campaigns",
            found="none",
            remedy="plan it first: python -m annotation plan",
        )
    return plan


def study_of(store: Store, campaign: str) -> str:
    """The study that a campaign belongs to: its own, unless it is the pilot or control arm of another."""
    plan = find_plan(store, campaign)
    return campaign if plan is None else str(plan["study"])


def list_arms(store: Store) -> list[str]:
    """The campaigns that are pilots and control arms of others."""
    plans = store.read(Campaigns, ["campaign", "arm"])
    return sorted(set(plans.loc[plans["arm"] != MAIN, "campaign"]))


def governed_by(store: Store, campaign: str) -> tuple[str, ...]:
    """The campaigns whose documents and acceptances apply to a campaign: its study's and, for an arm, its own."""
    return tuple(dict.fromkeys((study_of(store, campaign), campaign)))


def withdrawn_from(store: Store, campaign: str) -> frozenset[str]:
    """The annotators who withdrew from the campaign's study."""
    return frozenset(store.distinct(Tombstones, "id", kind=ANNOTATOR, study=study_of(store, campaign)))


def require_kept(store: Store, generator: str, pairs: Collection[str], remedy: str) -> None:
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
    asked = asked[~asked["campaign"].isin(list_arms(store))]
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


def read_question(store: Store, campaign: str) -> Question:
    """The question that the campaign asks; PUBLISHED_QUESTION where it is not planned: its labels came with pairs."""
    plan = find_plan(store, campaign)
    return PUBLISHED_QUESTION if plan is None else question_of(plan)


def question_of(plan: Mapping[str, Any]) -> Question:
    """The question of a plan. Raises TableError where this release cannot ask it."""
    try:
        return from_content(plan["question_content"])
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ", ".join(map(str, ("question_content", *first["loc"])))
        raise TableError(
            f"campaigns (campaign {plan['campaign']}, {place})",
            expected=first["msg"],
            found=f"{first['input']!r}: another release of this project wrote it",
            remedy="read the store with that release",
        ) from fault


def read_gold(store: Store, campaign: str) -> dict[str, int]:
    """Pair id -> known score of the campaign's gold pairs, empty where it has none."""
    rows = store.read(Gold, campaign=campaign)
    return dict(zip(rows["pair_id"].to_list(), rows["score"].to_list(), strict=True))


def opened_games(store: Store) -> pd.DataFrame:
    """The campaigns that are games, the one opened last first: campaign, players (those who take part), opened."""
    rows = store.read(Annotators, ["campaign", "annotator", "role", "state", "at"]).sort_values("at")
    people = rows.groupby(["campaign", "annotator"], as_index=False).agg(
        joined=("role", "first"), state=("state", "last")
    )
    players = people[people["joined"] == PLAYER].assign(players=people["state"] != LEFT)
    openings = store.read(Openings, ["campaign", "at"]).groupby("campaign")["at"].max()
    games = players.groupby("campaign")["players"].sum().reset_index()
    games["opened"] = games["campaign"].map(openings)
    return games.sort_values(["opened", "campaign"], ascending=False, ignore_index=True)
