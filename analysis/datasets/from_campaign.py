"""What people did in one campaign, as a release has it: ratings, answers, annotators."""

import pandas as pd

from data.contract.base import Table
from data.contract.questions import Question
from data.contract.tables.campaign import Acceptances, Annotators, Answers, Assignments, Ratings
from data.contract.tables.pairs import Pairs
from data.labelled.release_tables import columns
from data.measures.ballots import of_campaign, with_scores
from data.recorded.plans import find_plan, governed_by, read_gold
from data.storage.store import Store


def read_answers(store: Store, campaign: str) -> pd.DataFrame:
    """The answers to each control, by pair, annotator and time."""
    rows = store.read(Assignments, campaign=campaign).merge(store.read(Answers), on="assignment_id")
    return rows[columns("answers")].sort_values(["pair_id", "annotator", "submitted_at", "control"], ignore_index=True)


def read_ratings(store: Store, campaign: str, question: Question) -> pd.DataFrame:
    """Every rating of the campaign, by pair, annotator and time."""
    assigned = store.read(Assignments, campaign=campaign)
    roles = read_annotators(store, campaign).set_index("annotator")["role"]
    gold = pd.Series(read_gold(store, campaign), dtype="Int64")
    ratings = store.read(Ratings)
    if question.scale is None:
        ratings = with_scores(ratings, store.read(Answers), question.vote)
    rows = assigned.merge(ratings, on="assignment_id")
    plan = find_plan(store, campaign)
    pairs = store.read(Pairs, ["pair_id", "entity"], **({} if plan is None else {"generator": plan["generator"]}))
    known = of_campaign(assigned, ratings).set_index("assignment_id")[["further", "replaced_in"]]
    rows = rows.join(known, on="assignment_id").assign(
        entity=rows["pair_id"].map(pairs.drop_duplicates("pair_id").set_index("pair_id")["entity"]),
        role=rows["annotator"].map(roles),
        known_score=rows["pair_id"].map(gold).where(rows["kind"] == "gold").astype("Int64"),
    )
    return rows[columns("ratings")].sort_values(["pair_id", "annotator", "submitted_at"], ignore_index=True)


def read_annotators(store: Store, campaign: str) -> pd.DataFrame:
    """The latest row of each of the campaign's annotators, with what each accepted last."""
    people = store.read(Annotators, campaign=campaign).sort_values("at")
    people = people.drop_duplicates("annotator", keep="last").sort_values("annotator", ignore_index=True)
    accepted = read_of_study(store, Acceptances, campaign).sort_values("at")
    for kind in ("consent", "guide"):
        last = accepted[accepted["kind"] == kind].drop_duplicates("annotator", keep="last")
        known = people["annotator"].map(last.set_index("annotator")["version"]).astype(object)
        people[f"{kind}_version"] = known.fillna(people[f"{kind}_version"].astype(object))
    return people


def read_of_study(store: Store, table: type[Table], campaign: str) -> pd.DataFrame:
    """The table's rows of the campaign and, for a pilot or a control arm, of the campaign that it belongs to."""
    rows = store.read(table)
    return rows[rows["campaign"].isin(governed_by(store, campaign))]
