"""The verb `plan`: pairs -> assignments of round 1, annotators."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from annotation import accounts, planning
from annotation.campaign import Campaign, OfCampaign
from annotation.config import PlanRule, settings
from data import schemas
from data.console import existing_file, say, say_next
from data.errors import InputError
from data.identity import digest
from data.manifest import Manifest

DECIDED = ["assignment_id", "position", "flipped"]


@dataclass(frozen=True, kw_only=True)
class Plan(PlanRule, OfCampaign):
    """Give each pair to three annotators at random and evenly, each in an own order, sides shuffled (round 1)."""

    annotators: int | Path
    """A number of annotators (named a01, a02, …), or a CSV file of people: email, role, level, areas, quota."""

    generator: str | None = None
    """Whose pairs are labelled; may be left out where the table `pairs` has one generator only."""

    pairs: int | None = None
    """Take a sample of so many pairs; all if left out."""

    seed: int = 1
    """What sample, assignment, order and sides are drawn from."""


def main(arguments: Plan) -> None:
    """Writes the tables assignments and annotators and the accounts; the same plan again adds nothing."""
    campaign = Campaign(arguments)
    pair_ids, generator = _pairs(campaign, arguments.generator)
    people = _people(arguments)
    chosen = planning.sample(pair_ids, arguments.pairs, arguments.seed)
    with campaign.store.lock(campaign.lock):
        named = accounts.enrol(campaign.store.root, campaign.name, list(people["email"]))
        people = people.assign(annotator=[one.annotator for one in named])
        working = people[people["role"].isin(accounts.WORKING_ROLES)].set_index("annotator")["quota"]
        rows = planning.assign(chosen, working, arguments.labels_per_pair, arguments.seed)
        rows = complete(campaign, rows.assign(round=1, supersedes=None))
        manifest = _manifest(campaign, arguments, generator, rows)
        _check_same(campaign, rows, manifest)
        accounts.keep_accounts(campaign.store.root, campaign.name, named)
        version = campaign.store.append(schemas.Assignments, rows, manifest)
        _join(campaign, people, manifest)
    _report(campaign, rows, people, version)


def complete(campaign: Campaign, rows: pd.DataFrame) -> pd.DataFrame:
    """New rows of the table `assignments`, from round, pair_id, annotator, position, flipped and supersedes.

    Ids are keyed digests: the same on every run, and nothing to who does not hold the campaign's key.
    """
    key = accounts.campaign_key(campaign.store.root, campaign.name)
    named = zip(rows["round"], rows["pair_id"], rows["annotator"], strict=True)
    ids = [digest("assignment", campaign.name, *parts, key=key) for parts in named]
    return rows.assign(assignment_id=ids, campaign=campaign.name, kind="work", at=datetime.now(UTC))


def _pairs(campaign: Campaign, generator: str | None) -> tuple["pd.Series[str]", str]:
    """The pair ids of the generator, and its name."""
    pairs = campaign.store.read(schemas.Pairs, columns=["generator", "pair_id"])
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


def _people(arguments: Plan) -> pd.DataFrame:
    if isinstance(arguments.annotators, int):
        return accounts.unnamed_people(arguments.annotators, arguments.campaign)
    return accounts.read_people(existing_file(arguments.annotators, "a number or a CSV file of annotators"))


def _manifest(campaign: Campaign, arguments: Plan, generator: str, rows: pd.DataFrame) -> Manifest:
    about = {"campaign": campaign.name, "generator": generator, "pairs": arguments.pairs}
    return Manifest(
        stage=campaign.stage("plan"),
        config=asdict(settings(arguments, PlanRule)) | about,
        seed=arguments.seed,
        inputs=campaign.store.inputs(schemas.Pairs),
        counts={"pairs": rows["pair_id"].nunique(), "assignments": len(rows)},
    )


def _check_same(campaign: Campaign, rows: pd.DataFrame, manifest: Manifest) -> None:
    """Raises InputError where the campaign has another plan: one that people work on is never changed."""
    planned = campaign.store.read(
        schemas.Assignments, columns=[*DECIDED, "round", "supersedes"], campaign=campaign.name
    )
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


def _join(campaign: Campaign, people: pd.DataFrame, manifest: Manifest) -> None:
    """Appends who is not in the campaign yet."""
    from annotation.label_studio.labelling import guide_version

    new = people[~people["annotator"].isin(campaign.annotators.index)].drop(columns="email")
    rows = new.assign(campaign=campaign.name, at=datetime.now(UTC), state="active", consent_version=None)
    campaign.store.append(schemas.Annotators, rows.assign(guide_version=guide_version()), manifest)


def _report(campaign: Campaign, rows: pd.DataFrame, people: pd.DataFrame, version: int | None) -> None:
    loads = rows["annotator"].value_counts()
    if version is None:
        say(f"campaign {campaign.name} is planned already: {len(rows)} assignments, nothing added")
    else:
        n_pairs = rows["pair_id"].nunique()
        say(f"{len(rows)} assignments of {n_pairs} pairs written to {campaign.store.root}/assignments")
        say(
            f"{len(loads)} annotators, {loads.min()} to {loads.max()} pairs each; their accounts: "
            f"{accounts.accounts_path(campaign.store.root, campaign.name)} (readable by you alone)"
        )
    idle = int((~people["role"].isin(accounts.WORKING_ROLES)).sum())
    if idle:
        say(f"{idle} non-experts are recorded and get no pairs")
    say_next("python -m annotation server start", "--store", campaign.store.root)
    say_next("python -m annotation open", *campaign.flags)
