"""What people did in the campaigns of a store, as tables of a release: ratings, answers, annotators, judgements."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from data.contract.base import Table
from data.contract.questions import Question
from data.contract.tables.campaign import Acceptances, Annotators, Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import AUDIT, CORRECTING, JUDGEMENT, MAJORITY
from data.labelled.release_tables import columns
from data.measures.ballots import of_campaign, with_scores
from data.measures.rules import lowest_positive
from data.recorded.plans import find_plan, governed_by, read_gold, read_question, sequence
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


def gather_bases(store: Store, config: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The tables `campaigns`, `judgements`, `campaign_ratings` and `corrections`; none where a campaign has its own.

    `config` (see `ratings.base_config`) names the campaigns that judged pairs; those name the ones that corrected
    sentences before (`plan --items-from`). An audit is a campaign over the sample that was drawn for raters.
    """
    if not config.get("campaigns"):
        return {}
    roles = _list_roles(store, config)
    judging = [name for name, role in roles.items() if role != CORRECTING]
    questions = {name: read_question(store, name) for name in roles}
    plans = [_describe(store, name, role, config["method"], questions[name]) for name, role in roles.items()]
    ratings = [read_ratings(store, name, question).assign(campaign=name) for name, question in questions.items()]
    texts = [read_answers(store, name).dropna(subset="text").assign(campaign=name) for name in roles]
    return {
        "campaigns": pd.DataFrame(plans, columns=columns("campaigns")),
        "judgements": _read_judgements(store, judging, config["method"]),
        "campaign_ratings": pd.concat(ratings, ignore_index=True)[columns("campaign_ratings")],
        "corrections": pd.concat(texts, ignore_index=True)[columns("corrections")],
    }


def _list_roles(store: Store, config: Mapping[str, Any]) -> dict[str, str]:
    """Campaign -> its role: those that judged, in their order, what they took their items from, and the audits."""
    judged = [str(name) for name in config["campaigns"]]
    plans = store.read(Campaigns, ["campaign", "generator"])
    taken = sequence(store, judged)
    samples = store.read(Pairs, ["generator"], sample_of=str(config.get("name")))["generator"]
    labelled = store.read(Labels, ["campaign"])["campaign"].unique()
    audits = plans.loc[plans["generator"].isin(samples) & plans["campaign"].isin(labelled), "campaign"].unique()
    return {
        **dict.fromkeys(judged, JUDGEMENT),
        **dict.fromkeys(sorted({*taken} - {*judged}), CORRECTING),
        **dict.fromkeys(sorted(audits), AUDIT),
    }


def _describe(store: Store, campaign: str, role: str, method: str, question: Question) -> dict[str, object]:
    config = store.config(Labels, campaign=campaign, method=method)
    return {
        "campaign": campaign,
        "role": role,
        "question": question.content,
        "method": method,
        "rule": " ".join(config.get("rule") or (MAJORITY,)),
        "one_vote": [name for couple in config.get("one_vote") or () for name in couple],
        "paraphrase_from": config.get("paraphrase_from") or lowest_positive(question),
    }


def _read_judgements(store: Store, campaigns: list[str], method: str) -> pd.DataFrame:
    rows = [store.read(Labels, campaign=name, method=method, further=False) for name in campaigns]
    texts = store.read(Pairs, ["pair_id", "first_id", "second_id"]).drop_duplicates("pair_id")
    judged = pd.concat(rows).merge(texts, on="pair_id")[columns("judgements")]
    return judged.sort_values(["campaign", "pair_id"], ignore_index=True)
