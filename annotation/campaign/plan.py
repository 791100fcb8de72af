"""A plan: which pairs, which people, and how it is written."""

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from data.console import existing_file
from data.errors import InputError
from data.identity import digest
from data.manifest import Manifest
from data.tables.campaign import Annotators, Assignments
from data.tables.pairs import Pairs

DECIDED = ["assignment_id", "position", "flipped"]


def complete(campaign: Campaign, rows: pd.DataFrame) -> pd.DataFrame:
    """New rows of the table `assignments`, from round, pair_id, annotator, position, flipped and supersedes.

    `kind` may be left out where all is work. Ids are keyed digests: the same on every run, and nothing to who does
    not hold the campaign's key.
    """
    key = accounts.campaign_key(campaign.store.root, campaign.name)
    rows = rows if "kind" in rows else rows.assign(kind="work")
    named = zip(rows["round"], rows["pair_id"], rows["annotator"], rows["kind"], strict=True)
    ids = [digest("assignment", campaign.name, *parts, key=key) for parts in named]
    return rows.assign(assignment_id=ids, campaign=campaign.name, at=datetime.now(UTC))


def read_pairs(campaign: Campaign, generator: str | None) -> tuple["pd.Series[str]", str]:
    """The pair ids of the generator, and its name."""
    pairs = campaign.store.read(Pairs, columns=["generator", "pair_id"])
    generators = sorted(pairs["generator"].unique())
    if not generators:
        raise InputError(
            f"{campaign.store.root}, table pairs",
            expected="pairs to label",
            found="none",
            remedy="make some first: python -m clustering",
        )
    if generator not in generators and (generator is not None or len(generators) > 1):
        raise InputError(
            "--generator",
            expected=" or ".join(generators),
            found=repr(generator) if generator else "nothing",
            remedy="name one of them",
        )
    name = generator or generators[0]
    return pairs.loc[pairs["generator"] == name, "pair_id"], name


def read_people(annotators: int | Path, campaign: str) -> pd.DataFrame:
    """The people of `--annotators`, as `accounts.read_people` gives them."""
    if isinstance(annotators, int):
        return accounts.unnamed_people(annotators, campaign)
    return accounts.read_people(existing_file(annotators, "a number or a CSV file of annotators"))


def check_same(campaign: Campaign, rows: pd.DataFrame, manifest: Manifest) -> None:
    """Raises InputError where the campaign has another plan: one that people work on is never changed."""
    planned = campaign.store.read(Assignments, columns=[*DECIDED, "round", "supersedes"], campaign=campaign.name)
    if planned.empty:
        return
    first = planned.loc[(planned["round"] == 1) & planned["supersedes"].isna(), DECIDED].sort_values("assignment_id")
    same = first.to_numpy().tolist() == rows[DECIDED].sort_values("assignment_id").to_numpy().tolist()
    if not same or campaign.plan["show_entity"] != manifest.config["show_entity"]:
        raise InputError(
            f"campaign {campaign.name}",
            expected="the arguments that it was planned with",
            found="others (annotators, pairs, labels per pair, entity, seed), or pairs that have changed since",
            remedy="start another campaign with --campaign NAME",
        )


def write(campaign: Campaign, people: pd.DataFrame, rows: pd.DataFrame, manifest: Manifest) -> int | None:
    """Keeps a plan with its accounts and annotators; the assignments' version, None where all stood there already.

    `people`: as of `read_people`, with their pseudonyms. Raises InputError where the campaign has another plan.
    """
    check_same(campaign, rows, manifest)
    accounts.enrol(campaign.store.root, campaign.name, people)
    version = campaign.store.append(Assignments, rows, manifest)
    _join(campaign, people, manifest)
    return version


def _join(campaign: Campaign, people: pd.DataFrame, manifest: Manifest) -> None:
    """Appends who is not in the campaign yet."""
    new = people[~people["annotator"].isin(campaign.annotators.index)].drop(columns="email")
    rows = new.assign(campaign=campaign.name, at=datetime.now(UTC), state="active", consent_version=None)
    campaign.store.append(Annotators, rows.assign(guide_version=campaign.guide.version), manifest)
