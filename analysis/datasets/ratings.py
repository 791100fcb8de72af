"""Single ratings of a campaign in a store, and the votes among them that count."""

import pandas as pd

from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
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
    """The votes among the ballots that count, with `vote`."""
    counted = ballots.counting(voting)
    return ballots.with_votes(counted[counted["state"] == "scored"], rule)


def list_first_votes(voting: pd.DataFrame, rule: CountRule) -> pd.DataFrame:
    """The votes before any was replaced, without those asked where the first disagree: pair_id, vote, replaced."""
    first = ballots.with_votes(ballots.given_at_first(voting), rule)
    return first[["pair_id", "vote"]].assign(replaced=first["replaced_in"].notna())
