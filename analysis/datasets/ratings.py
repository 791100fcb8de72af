"""What people did in campaigns, from a store or a release: ratings, the votes among them that count, and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from data.contract.base import Table
from data.contract.questions import Question
from data.contract.tables.campaign import Acceptances, Annotators, Answers, Assignments
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import AUDIT, CORRECTING, JUDGEMENT, MAJORITY, SIMULATED
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import columns
from data.measures import ballots
from data.measures.rules import CountRule, lowest_positive, read_rule
from data.recorded.plans import Plans, read_gold
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Rated:
    """What was asked and answered in a campaign of a store."""

    assigned: pd.DataFrame
    """Its assignments, by id."""
    ratings: pd.DataFrame
    """All ratings of these; `score` is the number of the answer to the question's vote (`ballots.read_ratings`)."""
    people: pd.DataFrame
    """The latest row of each of its annotators, by name."""

    @cached_property
    def every(self) -> pd.DataFrame:
        """Every assignment with its latest rating (`ballots.of_campaign`), `flipped` and `role`."""
        every = ballots.of_campaign(self.assigned, self.ratings)
        flipped = self.assigned["flipped"].astype("bool")
        return every.assign(flipped=flipped, role=every["annotator"].map(self.roles))

    @property
    def roles(self) -> "pd.Series[str]":
        """The role of each annotator, by name."""
        return self.people.set_index("annotator")["role"]


def read_rated(store: Store, campaign: str, question: Question) -> Rated:
    """What was asked and answered in the campaign."""
    assigned = store.read(Assignments, campaign=campaign).sort_values("assignment_id", ignore_index=True)
    people = store.read(Annotators, campaign=campaign).sort_values("at")
    return Rated(
        assigned=assigned,
        ratings=ballots.read_ratings(store, assigned, question, question.vote),
        people=people.drop_duplicates("annotator", keep="last").sort_values("annotator", ignore_index=True),
    )


def read_votes(store: Store, label_set: LabelSet, question: Question, rated: Rated | None = None) -> Votes:
    """The ratings of a campaign in a store (`rated`, if it was read before), and the rule that made its labels."""
    config = store.config(Labels, campaign=label_set.campaign, method=label_set.method)
    rated = rated or read_rated(store, label_set.campaign, question)
    return Votes(question=question, rule=read_rule(config, question), every=rated.every)


def of_release(tables: Mapping[str, pd.DataFrame], rule: CountRule, question: Question) -> Votes | None:
    """The ratings of a release's tables; None where it has none."""
    if "ratings" not in tables:
        return None
    return Votes(question=question, rule=rule, every=ballots.of_release(tables["ratings"]))


def of_dataset(dataset: Dataset, label_set: LabelSet) -> list[Votes]:
    """The ratings of each campaign of a data set, wherever it is from; none where single ratings are not known."""
    if dataset.kind == "store":
        store = Store(dataset.path)
        sets = [replace(label_set, campaigns=(name,)) for name in label_set.campaigns]
        return [read_votes(store, each, dataset.plans.question(each.campaign)) for each in sets]
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
        return find_simulated_in(Store(dataset.path), label_set, dataset.plans)
    return warn_of_simulated(*(votes.every for votes in of_dataset(dataset, label_set)))


def find_simulated_in(store: Store, label_set: LabelSet, plans: Plans) -> str | None:
    """The warning for the labels of a store, those included that rest on other campaigns."""
    sets = [replace(label_set, campaigns=(name,)) for name in label_set.campaigns]
    below = [name for one in sets for name in base_config(store, one).get("campaigns") or ()]
    every = [read_rated(store, name, plans.question(name)).every for name in [*label_set.campaigns, *below]]
    return warn_of_simulated(*every)


def read_answers(store: Store, rated: Rated) -> pd.DataFrame:
    """The answers to each control, by pair, annotator and time."""
    rows = rated.assigned.merge(store.read(Answers), on="assignment_id")
    return rows[columns("answers")].sort_values(["pair_id", "annotator", "submitted_at", "control"], ignore_index=True)


def read_ratings(store: Store, campaign: str, rated: Rated, dataset: Dataset) -> pd.DataFrame:
    """Every rating of the campaign, by pair, annotator and time: the table `ratings` of a release."""
    rows = rated.assigned.merge(rated.ratings, on="assignment_id")
    plan, pairs = dataset.plans.latest.get(campaign), dataset.tables["pairs"]
    own = pairs if plan is None else pairs[pairs["generator"] == plan["generator"]]
    known = rated.every.set_index("assignment_id")[["further", "replaced_in"]]
    gold = rows["pair_id"].map(pd.Series(read_gold(store, campaign), dtype="Int64"))
    rows = rows.join(known, on="assignment_id").assign(
        entity=rows["pair_id"].map(own.drop_duplicates("pair_id").set_index("pair_id")["entity"]),
        role=rows["annotator"].map(rated.roles),
        known_score=gold.where(rows["kind"] == "gold").astype("Int64"),
    )
    return rows[columns("ratings")].sort_values(["pair_id", "annotator", "submitted_at"], ignore_index=True)


def with_accepted(store: Store, people: pd.DataFrame, campaign: str, plans: Plans) -> pd.DataFrame:
    """The campaign's annotators with what each accepted last."""
    accepted = read_governing(store, Acceptances, campaign, plans).sort_values("at")
    for kind in ("consent", "guide"):
        last = accepted[accepted["kind"] == kind].drop_duplicates("annotator", keep="last")
        known = people["annotator"].map(last.set_index("annotator")["version"]).astype(object)
        people = people.assign(**{f"{kind}_version": known.fillna(people[f"{kind}_version"].astype(object))})
    return people


def read_governing(store: Store, table: type[Table], campaign: str, plans: Plans) -> pd.DataFrame:
    """The table's rows of the campaign and, for a pilot or a control arm, of the campaign that it belongs to."""
    rows = store.read(table)
    return rows[rows["campaign"].isin(plans.governing(campaign))]


def gather_bases(
    store: Store, config: Mapping[str, Any], dataset: Dataset, roles: Mapping[str, str], rated: Mapping[str, Rated]
) -> dict[str, pd.DataFrame]:
    """The tables `campaigns`, `judgements`, `campaign_ratings` and `corrections`; none where a campaign has its own.

    `config` (see `base_config`) names the campaigns that judged pairs; those name the ones that corrected
    sentences before (`plan --items-from`). An audit is a campaign over the sample that was drawn for raters.
    `roles`: of each (`find_roles`); `rated`: what was asked and answered in each.
    """
    if not roles:
        return {}
    judging = [name for name, role in roles.items() if role != CORRECTING]
    plans, method = dataset.plans, config["method"]
    rows = [_describe(store, name, role, method, plans.question(name)) for name, role in roles.items()]
    ratings = [read_ratings(store, name, rated[name], dataset).assign(campaign=name) for name in roles]
    texts = [read_answers(store, rated[name]).dropna(subset="text").assign(campaign=name) for name in roles]
    return {
        "campaigns": pd.DataFrame(rows, columns=columns("campaigns")),
        "judgements": _read_judgements(store, judging, method, dataset.tables["pairs"]),
        "campaign_ratings": pd.concat(ratings, ignore_index=True)[columns("campaign_ratings")],
        "corrections": pd.concat(texts, ignore_index=True)[columns("corrections")],
    }


def find_roles(store: Store, config: Mapping[str, Any], plans: Plans) -> dict[str, str]:
    """Campaign -> its role: those that judged, in their order, what they took their items from, and the audits."""
    judged = [str(name) for name in config.get("campaigns") or ()]
    if not judged:
        return {}
    samples = store.distinct(Pairs, "generator", sample_of=str(config.get("name")))
    labelled = store.distinct(Labels, "campaign")
    audits = [name for name, plan in plans.latest.items() if plan["generator"] in samples and name in labelled]
    return {
        **dict.fromkeys(judged, JUDGEMENT),
        **dict.fromkeys(sorted({*plans.sequence(judged)} - {*judged}), CORRECTING),
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


def _read_judgements(store: Store, campaigns: list[str], method: str, pairs: pd.DataFrame) -> pd.DataFrame:
    rows = [store.read(Labels, campaign=name, method=method, further=False) for name in campaigns]
    texts = pairs[["pair_id", "first_id", "second_id"]].drop_duplicates("pair_id")
    judged = pd.concat(rows).merge(texts, on="pair_id")[columns("judgements")]
    return judged.sort_values(["campaign", "pair_id"], ignore_index=True)
