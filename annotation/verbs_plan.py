"""The verb `plan`: pairs -> assignments of round 1, annotators."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from annotation import accounts, pilot, planning
from annotation.campaign import Campaign, OfCampaign
from annotation.config import CheckRule, PlanRule, settings
from annotation.inputs import read_sheet
from annotation.votes import SCORES
from data import schemas
from data.console import existing_file, say, say_next
from data.errors import InputError
from data.identity import digest
from data.manifest import Manifest

DECIDED = ["assignment_id", "position", "flipped"]


@dataclass(frozen=True, kw_only=True)
class Plan(PlanRule, CheckRule, OfCampaign):
    """Give each pair to three annotators at random and evenly, each in an own order, sides shuffled (round 1)."""

    annotators: int | Path
    """A number of annotators (named a01, a02, …), or a CSV file of people: email, role, level, areas, quota."""

    generator: str | None = None
    """Whose pairs are labelled; may be left out where the table `pairs` has one generator only."""

    pairs: int | None = None
    """Take a sample of so many pairs; all if left out."""

    gold: Path | None = None
    """A CSV file of pairs whose score is known (pair_id, score): mixed into everybody's work, and left out of it."""

    seed: int = 1
    """What sample, assignment, order and sides are drawn from."""


def main(arguments: Plan) -> None:
    """Writes the tables assignments and annotators and the accounts; the same plan again adds nothing."""
    campaign = Campaign(arguments)
    pair_ids, generator = read_pairs(campaign, arguments.generator)
    piloted, settled = _piloted(campaign)
    people = read_people(arguments.annotators, arguments.campaign)
    gold = settled | _gold(arguments, set(pair_ids))
    chosen = planning.sample(pair_ids[~pair_ids.isin([*gold, *piloted])], arguments.pairs, arguments.seed)
    with campaign.store.lock(campaign.lock):
        people = people.assign(annotator=accounts.name(campaign.store.root, campaign.name, people["email"]))
        working = people[people["role"].isin(accounts.WORKING_ROLES)].set_index("annotator")["quota"]
        rows = planning.assign(chosen, working, arguments.labels_per_pair, arguments.seed)
        checks = settings(arguments, CheckRule)
        others = sorted(set(pair_ids) - piloted)
        rows = planning.mix_in(rows, others, sorted(gold), checks, arguments.seed)
        rows = complete(campaign, rows.assign(round=1, supersedes=None))
        manifest = _manifest(campaign, arguments, {"generator": generator, "gold": gold}, rows)
        version = write(campaign, people, rows, manifest)
    _report(campaign, rows, people, version)


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


def read_people(annotators: int | Path, campaign: str) -> pd.DataFrame:
    """The people of `--annotators`, as `accounts.read_people` gives them."""
    if isinstance(annotators, int):
        return accounts.unnamed_people(annotators, campaign)
    return accounts.read_people(existing_file(annotators, "a number or a CSV file of annotators"))


def _piloted(campaign: Campaign) -> tuple[set[str], dict[str, int]]:
    """The pairs of the campaign's pilot, and the scores of those that its discussion made gold."""
    name = campaign.arm(accounts.PILOT).name
    pairs = campaign.store.read(schemas.Assignments, columns=["pair_id"], campaign=name)["pair_id"]
    labels = campaign.store.read(schemas.Labels, campaign=name, method=pilot.METHOD)
    return set(pairs), pilot.settled_scores(labels[labels["decided_by"] == pilot.GOLD])


def _gold(arguments: Plan, known: set[str]) -> dict[str, int]:
    """Pair id -> score of the file, if any. Raises InputError for an unknown pair or a score off the scale."""
    if arguments.gold is None:
        return {}
    sheet = read_sheet(arguments.gold, "a CSV file of gold pairs", remedy="mend the file and plan again")
    sheet.require(["pair_id", "score"])
    pairs, scores = (sheet.rows[name].str.strip() for name in ("pair_id", "score"))
    sheet.demand(pairs.isin(known), "a pair_id of this generator", pairs)
    sheet.demand(~pairs.duplicated(), "each pair_id once", pairs)
    sheet.demand(scores.isin(list(map(str, SCORES))), "a score of 0, 1, 2 or 3", scores)
    return dict(zip(pairs, scores.astype("int64").tolist(), strict=True))


def _manifest(campaign: Campaign, arguments: Plan, chosen: dict[str, Any], rows: pd.DataFrame) -> Manifest:
    about = {"campaign": campaign.name, "pairs": arguments.pairs} | chosen
    return Manifest(
        stage=campaign.stage("plan"),
        config=asdict(settings(arguments, PlanRule)) | asdict(settings(arguments, CheckRule)) | about,
        seed=arguments.seed,
        inputs=campaign.store.inputs(schemas.Pairs),
        counts={"pairs": rows["pair_id"].nunique(), "assignments": len(rows)},
    )


def check_same(campaign: Campaign, rows: pd.DataFrame, manifest: Manifest) -> None:
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


def write(campaign: Campaign, people: pd.DataFrame, rows: pd.DataFrame, manifest: Manifest) -> int | None:
    """Keeps a plan with its accounts and annotators; the assignments' version, None where all stood there already.

    `people`: as of `read_people`, with their pseudonyms. Raises InputError where the campaign has another plan.
    """
    check_same(campaign, rows, manifest)
    accounts.enrol(campaign.store.root, campaign.name, people)
    version = campaign.store.append(schemas.Assignments, rows, manifest)
    _join(campaign, people, manifest)
    return version


def _join(campaign: Campaign, people: pd.DataFrame, manifest: Manifest) -> None:
    """Appends who is not in the campaign yet."""
    new = people[~people["annotator"].isin(campaign.annotators.index)].drop(columns="email")
    rows = new.assign(campaign=campaign.name, at=datetime.now(UTC), state="active", consent_version=None)
    campaign.store.append(schemas.Annotators, rows.assign(guide_version=campaign.guide.version), manifest)


def _report(campaign: Campaign, rows: pd.DataFrame, people: pd.DataFrame, version: int | None) -> None:
    loads = rows["annotator"].value_counts()
    if version is None:
        say(f"campaign {campaign.name} is planned already: {len(rows)} assignments, nothing added")
    else:
        n_pairs = rows.loc[rows["kind"] == "work", "pair_id"].nunique()
        checks = rows.loc[rows["kind"] != "work", "kind"].value_counts().sort_index()
        say(f"{len(rows)} assignments of {n_pairs} pairs written to {campaign.store.root}/assignments")
        least, most = loads.min(), loads.max()
        span = f"{least} to {most}" if least < most else f"{most}"
        say(
            f"{len(loads)} annotators, {span} pairs each; their accounts: "
            f"{accounts.accounts_path(campaign.store.root, campaign.name)} (readable by you alone)"
        )
        if len(checks):
            say("mixed in, not voting: " + ", ".join(f"{n} {kind}" for kind, n in checks.items()))
    idle = int((~people["role"].isin(accounts.WORKING_ROLES)).sum())
    if idle:
        say(f"{idle} non-experts are recorded and get no pairs")
    say_next("python -m annotation server start", "--store", campaign.store.root)
    say_next("python -m annotation open", *campaign.flags)
