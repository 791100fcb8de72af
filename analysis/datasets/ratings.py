"""The single ratings behind labels, from a store or a release, and the votes among them that count."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from data.contract.questions import Question
from data.contract.tables.campaign import Annotators, Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.vocabulary import SIMULATED
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.measures import ballots
from data.measures.rules import CountRule, read_rule
from data.recorded.plans import read_question
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True, eq=False)
class Votes:
    """The ratings of a campaign and the rule that makes labels of them."""

    question: Question
    rule: CountRule
    every: pd.DataFrame
    """Every assignment with its latest rating (see `data.measures.ballots`), `flipped` and `role`."""

    @cached_property
    def voting(self) -> pd.DataFrame:
        """The ballots that vote; none where the question has no vote."""
        return ballots.voting(self.every)[: None if self.question.vote else 0]

    @cached_property
    def counting(self) -> pd.DataFrame:
        """The votes that count, with `vote`; of a couple with one vote (`rule.one_vote`) only that."""
        counted = ballots.with_one_vote(ballots.counting(self.voting), self.rule.one_vote)
        return ballots.with_votes(counted[counted["state"] == "scored"], self.rule)

    @cached_property
    def at_first(self) -> pd.DataFrame:
        """The votes before any was replaced, without those asked where the first disagree: pair_id, vote, replaced."""
        first = ballots.with_votes(ballots.given_at_first(self.voting), self.rule)
        return first[["pair_id", "vote"]].assign(replaced=first["replaced_in"].notna())

    @cached_property
    def random_part(self) -> pd.DataFrame | None:
        """The votes of the random part (`ballots.count_at_random`); None where all pairs are of it."""
        return ballots.count_at_random(self.counting)

    @cached_property
    def gold(self) -> dict[str, int]:
        """By pair_id, the known score of the gold pairs, which a release's ratings tell."""
        known = self.every[self.every["kind"] == "gold"].dropna(subset="known_score")
        return dict(zip(known["pair_id"], known["known_score"].astype("int64"), strict=True))

    @property
    def gold_votes(self) -> pd.DataFrame:
        """The votes on gold pairs (`ballots.gold_votes`)."""
        return ballots.gold_votes(self.every, self.rule, self.gold)


def read_ballots(store: Store, campaign: str) -> pd.DataFrame:
    """Every assignment of the campaign with its latest rating (`ballots.of_campaign`), `flipped` and `role`.

    `score` is the number of the answer to the question's vote; where it has none, 0 says that it was answered.
    """
    assigned = store.read(Assignments, campaign=campaign).sort_values("assignment_id", ignore_index=True)
    ratings = store.read(Ratings)
    question = read_question(store, campaign)
    if question.scale is None:
        ratings = ballots.with_scores(ratings, store.read(Answers), question.vote)
    every = ballots.of_campaign(assigned, ratings)
    people = store.read(Annotators, ["annotator", "at", "role"], campaign=campaign).sort_values("at")
    roles = people.drop_duplicates("annotator", keep="last").set_index("annotator")["role"]
    return every.assign(flipped=assigned["flipped"].astype("bool"), role=every["annotator"].map(roles))


def read_votes(store: Store, label_set: LabelSet) -> Votes:
    """The ratings of a campaign in a store, and the rule that its labels were made by."""
    question = read_question(store, label_set.campaign)
    config = store.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return Votes(question=question, rule=read_rule(config, question), every=read_ballots(store, label_set.campaign))


def of_release(tables: Mapping[str, pd.DataFrame], rule: CountRule, question: Question) -> Votes | None:
    """The ratings of a release's tables; None where it has none."""
    if "ratings" not in tables:
        return None
    return Votes(question=question, rule=rule, every=ballots.of_release(tables["ratings"]))


def of_dataset(dataset: Dataset, label_set: LabelSet) -> list[Votes]:
    """The ratings of each campaign of a data set, wherever it is from; none where single ratings are not known."""
    if dataset.kind == "store":
        store = Store(dataset.path)
        return [read_votes(store, replace(label_set, campaigns=(name,))) for name in label_set.campaigns]
    release = dataset.release
    votes = None if release is None else of_release(release.tables, release.rule, release.question)
    return [] if votes is None else [votes]


def find_random_part(dataset: Dataset, label_set: LabelSet) -> pd.DataFrame | None:
    """The votes of the random part of a data set (`Votes.random_part`).

    None also where several campaigns' labels count together: each has a random part of its own.
    """
    known = of_dataset(dataset, label_set)
    return known[0].random_part if len(known) == 1 else None


def base_config(store: Store, label_set: LabelSet) -> dict[str, Any]:
    """What the labels of a derived set were made with; empty for a campaign whose own ratings made its labels."""
    config = store.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return config if config.get("campaigns") or config.get("generators") else {}


def warn_of_simulated(*every: pd.DataFrame) -> str | None:
    """What a page says at its top if some of these ballots are simulated; None if none is."""
    if not every:
        return None
    ratings = pd.concat([ballots[ballots["state"] == "scored"] for ballots in every])
    simulated = ratings[ratings["role"] == SIMULATED]
    if simulated.empty:
        return None
    n = simulated["annotator"].nunique()
    return (
        f"Simulated labels: {len(simulated):,} of {len(ratings):,} ratings were made by {n:,} simulated "
        f"annotator{'s' if n > 1 else ''}. They show that the pipeline works; nothing here says what experts think."
    )


def find_simulated(dataset: Dataset, label_set: LabelSet) -> str | None:
    """The warning for a data set, wherever it is from."""
    if dataset.kind == "store":
        return find_simulated_in(Store(dataset.path), label_set)
    return warn_of_simulated(*(votes.every for votes in of_dataset(dataset, label_set)))


def find_simulated_in(store: Store, label_set: LabelSet) -> str | None:
    """The warning for the labels of a store, those included that rest on other campaigns."""
    sets = [replace(label_set, campaigns=(name,)) for name in label_set.campaigns]
    below = [name for one in sets for name in base_config(store, one).get("campaigns") or ()]
    return warn_of_simulated(*(read_ballots(store, name) for name in [*label_set.campaigns, *below]))
