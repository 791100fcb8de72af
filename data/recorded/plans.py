"""The plans of campaigns, their gold pairs, and which campaigns are games."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pydantic import ValidationError

from data.console.errors import InputError, TableError
from data.contract.questions import PUBLISHED_QUESTION, Question, from_content
from data.contract.tables.campaign import Annotators, Assignments, Openings
from data.contract.tables.plans import Campaigns, Gold
from data.contract.tables.removals import Tombstones
from data.contract.vocabulary import ANNOTATOR, LEFT, MAIN, PLAYER
from data.storage.store import Store


@dataclass(frozen=True)
class Plans:
    """How the campaigns of a store were planned: read once, and passed on."""

    latest: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """By campaign the latest row of `campaigns`, the one planned last at the end; null is None."""

    @property
    def arms(self) -> list[str]:
        """The campaigns that are pilots and control arms of others."""
        return sorted(name for name, plan in self.latest.items() if plan["arm"] != MAIN)

    def question(self, campaign: str) -> Question:
        """What the campaign asks; PUBLISHED_QUESTION where it is not planned: its labels came with pairs.

        Raises TableError where this release cannot ask it.
        """
        return question_of(self.latest[campaign]) if campaign in self.latest else PUBLISHED_QUESTION

    def study(self, campaign: str) -> str:
        """The study that a campaign belongs to: its own, unless it is the pilot or control arm of another."""
        return str(self.latest[campaign]["study"]) if campaign in self.latest else campaign

    def governing(self, campaign: str) -> list[str]:
        """The campaigns whose documents and acceptances apply: its study's and, for an arm, its own."""
        return list(dict.fromkeys((self.study(campaign), campaign)))

    def chain(self, campaign: str) -> list[str]:
        """The campaign after those that it took its items from (`plan --items-from`), the first of them first."""
        links = [campaign]
        while earlier := self.latest.get(links[0], {}).get("items_from"):
            links.insert(0, earlier)
        return links

    def sequence(self, campaigns: Iterable[str]) -> list[str]:
        """The campaigns, each after those that it took its items from, each once."""
        return list(dict.fromkeys(name for campaign in campaigns for name in self.chain(campaign)))


def read_plans(store: Store) -> Plans:
    """The latest plan of every campaign."""
    rows = store.read(Campaigns).sort_values("at").drop_duplicates("campaign", keep="last").astype(object)
    plans: list[Any] = rows.where(rows.notna(), None).to_dict("records")
    return Plans({plan["campaign"]: plan for plan in plans})


def withdrawn_from(store: Store, study: str) -> list[str]:
    """The annotators who withdrew from the study, by name."""
    return sorted(store.distinct(Tombstones, "id", kind=ANNOTATOR, study=study))


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
    rows = store.read(Assignments, ["campaign", "at"])
    return str(rows.sort_values("at")["campaign"].iloc[-1]) if len(rows) else None


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
