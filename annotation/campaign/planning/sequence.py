"""Several questions about the same items in sequence: what the answers to one kept is what the next asks about."""

from dataclasses import dataclass

import pandas as pd

from annotation.aggregation.screening import Twice, compare_twice, items, screen
from annotation.campaign import accounts
from annotation.campaign.authorship import authors
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.texts import read_texts
from data.console.errors import InputError
from data.contract.questions import Control
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import ACTIVE, CORRECTED
from data.measures.ballots import counting
from data.measures.quality import counted_answers
from data.recorded.languages import followed


@dataclass(frozen=True, kw_only=True)
class KeptItems:
    """The items of a campaign that an earlier one kept."""

    before: Campaign
    generator: str
    """The name of their pairs in the table `pairs`."""
    pairs: pd.DataFrame
    """Rows of the table: the kept pairs, and a new one for each corrected text."""
    rejects: pd.DataFrame
    """The items that do not go on: id, reason, detail."""
    twice: Twice
    """How far two answers to the same item agree."""
    barred: pd.DataFrame
    """pair_id, email: who corrected the item's text and must not judge it."""


def take_kept(campaign: Campaign, items_from: str) -> KeptItems:
    """The items that `items_from`, a campaign or the only one that asks a question, kept, for this campaign.

    Raises InputError where there is no such campaign, or its question keeps and drops nothing.
    """
    before = _find(campaign, items_from)
    control = _require_screening(before)
    read_texts(before)  # refuses pairs that are no longer there
    rows = before.store.read(Pairs, generator=before.plan["generator"])
    rows = rows.astype({"parents": "object", "similarity": "object"})
    answers = _answers(before, control)
    screened = screen(answers, control)
    generator = f"{before.name}-kept-for-{campaign.name}"
    following, rejects = items(rows, screened, followed(before.store, Pairs))
    following = following.assign(generator=generator)
    if following.empty:
        raise InputError(
            "--items-from",
            expected=f"items that the answers of campaign {before.name} keep",
            found=f"none of {len(screened)}",
            remedy="collect its answers first: python -m annotation collect",
        )
    barred = _barred(before, following)
    twice = compare_twice(answers, control)
    return KeptItems(
        before=before, generator=generator, pairs=following, rejects=rejects, twice=twice, barred=barred
    )  # fmt: skip


def seen(campaign: Campaign) -> pd.DataFrame:
    """pair_id, annotator (and more) of all assignments, and of the items whose text they corrected or wrote."""
    name, generator = campaign.plan["items_from"], campaign.plan["generator"]
    barred = authors(campaign.store, generator)
    if not pd.isna(name):
        corrected = _barred(_campaign(campaign, name), campaign.store.read(Pairs, generator=generator))
        barred = pd.concat([corrected, barred])
    if barred.empty:
        return campaign.assignments
    names = {email: name for name, email in campaign.emails().items()}
    barred = barred.assign(annotator=barred["email"].map(names)).dropna(subset="annotator")
    return pd.concat([campaign.assignments.astype("object"), barred[["pair_id", "annotator"]]], ignore_index=True)


def pool(before: Campaign) -> pd.DataFrame:
    """The active annotators of a campaign as people for another, in the form of `accounts.read_people`.

    A quota is what is left of it.
    """
    people = before.annotators[before.annotators["state"] == ACTIVE].drop(columns="annotator")
    joined = before.joined_as.reindex(people.index)
    people = people.assign(role=joined, email=people.index.map(before.emails()))
    left = before.room(list(people.index)).clip(upper=10**9).astype("int64")
    quota = left.where(people["quota"].notna().to_numpy(bool)).astype("Int64")
    return people.assign(quota=quota)[list(accounts.COLUMNS)].reset_index(drop=True)


def _find(campaign: Campaign, name: str) -> Campaign:
    """The campaign of this name, or the only one that asks the question of this name."""
    plans = campaign.store.read(Campaigns).sort_values("at").drop_duplicates("campaign", keep="last")
    plans = plans[plans["campaign"] != campaign.name]
    known = plans.loc[(plans["campaign"] == name) | (plans["question"] == name), "campaign"].to_list()
    named = [name] if name in known else known
    if len(named) != 1:
        others = ", ".join(plans["campaign"]) or "none is planned yet"
        raise InputError(
            "--items-from",
            expected=f"another campaign of this store, or a question that only one of them asks ({others})",
            found=repr(name) + (f", asked by {' and '.join(named)}" if len(named) > 1 else ""),
            remedy="name one of them",
        )
    return _campaign(campaign, named[0])


def _campaign(campaign: Campaign, name: str) -> Campaign:
    return Campaign(OfCampaign(store=campaign.store.address, campaign=name))


def _require_screening(before: Campaign) -> Control:
    control = before.question.screening
    if control is None:
        raise InputError(
            f"campaign {before.name}, question {before.question.name}",
            expected="answers that keep, change or drop the item",
            found="none declared",
            remedy="see keeps, changes and drops in docs/questions.md",
        )
    return control


def _answers(before: Campaign, control: Control) -> pd.DataFrame:
    """The ratings that count, as `screening.screen` takes them."""
    ballots = counting(before.ballots)
    flagged = (ballots["state"] == "flagged").to_numpy(bool)
    rows = ballots[["assignment_id", "pair_id", "submitted_at"]].assign(flagged=flagged, text=None)
    answers = counted_answers(before.ballots, None if before.question.scale else before.answers, before.question)
    chosen = answers[answers["control"] == control.name].set_index("assignment_id")["chosen"]
    rows["value"] = rows["assignment_id"].map({name: values[0] for name, values in chosen.items()}).astype("object")
    edited = answers[answers["text"].notna()].drop_duplicates("assignment_id").set_index("assignment_id")["text"]
    return rows.assign(text=rows["assignment_id"].map(edited).astype("object"))


def _barred(before: Campaign, following: pd.DataFrame) -> pd.DataFrame:
    """pair_id of the items, and the address (`email`) of everybody who ever corrected their text."""
    edited = before.answers.loc[before.answers["text"].notna(), "assignment_id"]
    wrote = before.assignments[before.assignments["assignment_id"].isin(edited)]
    wrote = wrote[["pair_id"]].assign(email=wrote["annotator"].map(before.emails()))
    earlier = wrote[:0]
    if not pd.isna(name := before.plan["items_from"]):
        asked = before.store.read(Pairs, generator=before.plan["generator"])
        earlier = _barred(_campaign(before, name), asked)
    changed = following.loc[following["selection"] == CORRECTED, ["pair_id", "parents"]].explode("parents")
    old = pd.concat([wrote, earlier]).rename(columns={"pair_id": "parents"}).astype("object")
    found = changed.astype("object").merge(old, on="parents")[["pair_id", "email"]]
    kept = earlier[earlier["pair_id"].isin(following["pair_id"])]
    return pd.concat([found, kept.astype("object")]).drop_duplicates(ignore_index=True)
