"""Single ratings of a campaign in a store, and the votes among them that count."""

from collections.abc import Mapping

import pandas as pd

from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.measures import ballots
from data.measures.rules import CountRule, read_rule
from data.recorded.plans import read_question
from data.storage.store import Store


def read_ballots(store: Store, campaign: str) -> pd.DataFrame:
    """Every assignment of the campaign with its latest rating (`ballots.of_campaign`), and `flipped`.

    `score` is the number of the answer to the question's vote; where it has none, 0 says that it was answered.
    """
    assigned = store.read(Assignments, campaign=campaign)
    ratings = store.read(Ratings)
    question = read_question(store, campaign)
    if question.scale is None:
        ratings = ballots.with_scores(ratings, store.read(Answers), question.vote)
    flipped = assigned.set_index("assignment_id")["flipped"].to_dict()
    every = ballots.of_campaign(assigned, ratings)
    return every.assign(flipped=every["assignment_id"].map(flipped))


def read_voting(store: Store, label_set: LabelSet) -> tuple[pd.DataFrame, CountRule]:
    """The ballots that vote, none where the question has no vote, and the rule that the labels were made by."""
    question = read_question(store, label_set.campaign)
    voting = ballots.voting(read_ballots(store, label_set.campaign))
    config = store.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return voting[: None if question.vote else 0], read_rule(config, question)


def list_votes(voting: pd.DataFrame, rule: CountRule) -> pd.DataFrame:
    """The votes among the ballots that count, with `vote`; of a couple with one vote (`rule.one_vote`) only that."""
    counted = ballots.with_one_vote(ballots.counting(voting), rule.one_vote)
    return ballots.with_votes(counted[counted["state"] == "scored"], rule)


def of_random_part(tables: Mapping[str, pd.DataFrame], rule: CountRule) -> pd.DataFrame | None:
    """The votes of a release's random part (`ballots.count_at_random`); None where all pairs are of it, or unrated."""
    if "ratings" not in tables:
        return None
    return ballots.count_at_random(list_votes(ballots.voting(ballots.of_release(tables["ratings"])), rule))


def find_random_part(dataset: Dataset, label_set: LabelSet) -> pd.DataFrame | None:
    """The votes of the random part of a data set, wherever it is from (see `of_random_part`).

    None also where several campaigns' labels count together: each has a random part of its own.
    """
    if dataset.release is not None:
        return of_random_part(dataset.release.tables, CountRule(**dataset.release.facts.rule))
    if dataset.kind != "store" or len(label_set.campaigns) > 1:
        return None
    return ballots.count_at_random(list_votes(*read_voting(Store(dataset.path), label_set)))


def list_first_votes(voting: pd.DataFrame, rule: CountRule) -> pd.DataFrame:
    """The votes before any was replaced, without those asked where the first disagree: pair_id, vote, replaced."""
    first = ballots.with_votes(ballots.given_at_first(voting), rule)
    return first[["pair_id", "vote"]].assign(replaced=first["replaced_in"].notna())


def known_scores(ballots_of_release: pd.DataFrame) -> dict[str, int]:
    """The known scores of gold pairs, by pair_id."""
    known = ballots_of_release[ballots_of_release["kind"] == "gold"].dropna(subset="known_score")
    return dict(zip(known["pair_id"], known["known_score"].astype("int64"), strict=True))
