"""What a store says of its campaigns, sets and splits: what the next steps depend on; each table is read once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from data.contract.base import Table
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Quality, Splits, Verdicts
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CARELESS, CERTAIN, FIXED, MAJORITY, ONE_SIDED
from data.guidance import status
from data.measures.ballots import find_void, given
from data.measures.rules import QualityRule
from data.recorded.plans import Plans, opened_games, read_plans, withdrawn_from
from data.storage.store import Store

ASKED = ["campaign", "assignment_id", "pair_id", "annotator", "round", "kind", "supersedes", "at"]
"""The columns of assignments that say what is to be done."""
ANSWERED = ["assignment_id", "submitted_at", "skipped", "flags"]
"""The columns of ratings that say what was done."""


@dataclass(frozen=True, eq=False)
class State:
    """A store, with what several steps ask of it."""

    store: Store

    @cached_property
    def plans(self) -> Plans:
        """How its campaigns were planned."""
        return read_plans(self.store)

    @cached_property
    def games(self) -> "pd.Series[Any]":
        """When each game was opened, by campaign, the one opened last first."""
        return opened_games(self.store).set_index("campaign")["opened"]

    @cached_property
    def generators(self) -> pd.DataFrame:
        """The first pair of each generator, with an entity where any of its pairs has one."""
        pairs = self.store.read(Pairs, ["generator", "selection", "sample_of", "entity"])
        named = pairs.groupby("generator")["entity"].first()
        return pairs.drop_duplicates("generator").assign(entity=lambda rows: rows["generator"].map(named))

    @cached_property
    def label_sets(self) -> list[tuple[str, str]]:
        """The campaigns with labels, the last labelled first, each with a method; no pilots, no control arms."""
        rows = self.store.read(Labels, ["campaign", "method"]).drop_duplicates()
        present = sorted(rows.itertuples(index=False, name=None))
        made = [(last["scope"].get("campaign"), last["scope"].get("method")) for last in self.store.history(Labels)]
        found = dict[str, str]()
        for campaign, method in [*made, *present]:
            if (campaign, method) in present and campaign not in self.plans.arms:
                found.setdefault(campaign, MAJORITY if (campaign, MAJORITY) in present else method)
        return list(found.items())

    @cached_property
    def splits(self) -> list[dict[str, Any]]:
        """Campaigns, method and scheme of each split that is there, the last one made first; a frozen one keeps all."""
        found, replaced = list[dict[str, Any]](), set[Any]()
        for made in self.store.history(Splits):
            scheme, config = made["scope"].get("scheme"), made["config"]
            if scheme not in replaced and {"campaigns", "method"} <= config.keys():
                found.append({name: config[name] for name in ("campaigns", "method")} | made["scope"])
                replaced.update(() if config.get("frozen") else [scheme])
        return found

    def is_behind(self, table: type[Table]) -> bool:
        """Whether a derived table has inputs that have changed since it was computed."""
        return bool(status.behind(self.store, table, self.plans))

    @cached_property
    def assignments(self) -> pd.DataFrame:
        """All assignments; the columns ASKED."""
        return self.store.read(Assignments, ASKED)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """All ratings, without scores; the columns ANSWERED."""
        return self.store.read(Ratings, ANSWERED)

    def of_campaign(self, campaign: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The campaign's assignments and their ratings."""
        asked = self.assignments[self.assignments["campaign"] == campaign]
        return asked, self.ratings[self.ratings["assignment_id"].isin(asked["assignment_id"])]

    @property
    def worked_on_last(self) -> list[str]:
        """The campaign that was given assignments last, and the one with the latest rating, arms apart."""
        main = self.assignments[~self.assignments["campaign"].isin(self.plans.arms)]
        rated = self.ratings.merge(main, on="assignment_id").sort_values(["submitted_at", "at"])
        last = [rows["campaign"].iloc[-1] for rows in (self.assignments.sort_values("at"), rated) if len(rows)]
        return list(dict.fromkeys(map(str, last)))

    def are_gone(self, campaign: str) -> "pd.Series[bool]":
        """Which assignments of the campaign wait for no answer: replaced, void, or of people who withdrew."""
        asked, ratings = self.of_campaign(campaign)
        gone = asked["assignment_id"].isin([*asked["supersedes"].dropna(), *find_void(asked, ratings).index])
        return gone | asked["annotator"].isin(withdrawn_from(self.store, self.plans.study(campaign)))

    def has_moved(self, campaign: str, made: dict[str, Any] | None) -> bool:
        """Whether the campaign has newer assignments or ratings than this was made of; also if none was."""
        if made is None:
            return True
        return any(
            made["inputs"].get(table.table_name(), -1) < last["version"] and last["config"].get("campaign") == campaign
            for table in (Assignments, Ratings)
            for last in self.store.history(table)
        )

    def is_to_be_rated_again(self, campaign: str) -> bool:
        """Whether `reassign` has something to do: ratings of low annotators that count, or pairs with one flag.

        What it could give to no one is a reject of its own. A campaign that asks where labels are least certain needs
        none.
        """
        if self.plans.latest.get(campaign, {}).get("allocate") == CERTAIN:
            return False
        asked, ratings = self.of_campaign(campaign)
        asked, last = asked[asked["kind"] == "work"], given(ratings)
        flagged = set(last.loc[last["flags"].map(len) > 0, "assignment_id"])
        rejected = self.store.distinct(Rejects, "id", stage="annotation.reassign", part=campaign)
        counted = asked[~asked["assignment_id"].isin(asked["supersedes"].dropna())]
        counted = counted[counted["assignment_id"].isin(last["assignment_id"])]
        low = counted["annotator"].isin(self._low_annotators(campaign)) & (counted["round"] == 1)
        if not counted.loc[low, "assignment_id"].isin(sorted(rejected)).all():
            return True
        return not self._pairs_with_one_flag(campaign, counted, flagged) <= rejected

    def _pairs_with_one_flag(self, campaign: str, counted: pd.DataFrame, flagged: set[str]) -> set[str]:
        """The pairs that lack an answer since one annotator flagged them."""
        plan = self.plans.latest.get(campaign, {})
        if plan.get("allocate") != FIXED:
            return set()
        is_flag = counted["assignment_id"].isin(sorted(flagged))
        counts = pd.DataFrame({"pair": counted["pair_id"], "flags": is_flag, "scores": ~is_flag}).groupby("pair").sum()
        lacking = (counts["flags"] == 1) & (counts["scores"] < int(plan["labels_per_pair"]))
        return set(counts.index[lacking])

    def _low_annotators(self, campaign: str) -> list[str]:
        """The careless by the verdict, or where none was asked for, the annotators below the campaign's limit of kappa
        in the first round, unless their answers are too one-sided to judge.
        """
        if verdicts := self.read_verdicts(campaign):
            return [name for name, verdict in verdicts.items() if verdict == CARELESS]
        limit = self.store.config(Quality, campaign=campaign).get("low_kappa", QualityRule().low_kappa)
        rows = self.store.read(Quality, ["annotator", "round", "value", "reason"], campaign=campaign, measure="kappa")
        rows = rows[(rows["round"] == 1) & rows["value"].notna() & ~rows["reason"].eq(ONE_SIDED).fillna(value=False)]
        return list(rows.loc[rows["value"] < limit, "annotator"])

    def read_verdicts(self, campaign: str) -> dict[str, str]:
        """Annotator -> verdict; none where the campaign has no verdict."""
        rows = self.store.read(Verdicts, ["annotator", "verdict"], campaign=campaign)
        return dict(zip(rows["annotator"], rows["verdict"], strict=True))
