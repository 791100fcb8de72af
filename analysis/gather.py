"""The report of a store, and of the published files: reads tables, asks `facts`, says what is missing."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import datasets, facts, flow
from analysis.config import ReportRule
from analysis.flow import Question
from analysis.snapshot import Snapshot
from data import released, schemas, standing
from data.errors import InputError
from data.identity import file_digest
from data.store import Store

SIMULATED = (
    "Simulated labels: {n:,} of {all:,} ratings were made by {people}. "
    "They show that the pipeline works; nothing here says what experts think."
)
FORGOTTEN = (
    "{n:,} labelled pairs are no longer in the table pairs, which was made anew since, and are left out of all figures "
    "but the flow. A report with --as-of shows the earlier state."
)


def from_store(snapshot: Snapshot, asked: Question, rule: ReportRule, as_of: datetime | None) -> dict[str, Any]:
    """The report of one campaign as the snapshot's tables hold it, however far the campaign has come."""
    _check_names(snapshot, asked)
    labels = snapshot.read(schemas.Labels, campaign=asked.campaign, method=asked.method)
    pairs = snapshot.read(schemas.Pairs)
    splits = snapshot.read(schemas.Splits, scheme=asked.scheme)
    frame = datasets.from_tables(labels, pairs, splits) if len(labels) else datasets.unlabelled(pairs)
    simulated = find_simulated(snapshot, asked.campaign)
    steps = flow.trace(snapshot, asked)
    values = {"flow": steps, "annotators": describe_annotators(snapshot, asked.campaign)}
    if len(pairs):
        values |= facts.describe(frame, rule) | {"scores": count_scores(labels)}
    forgotten = datasets.forgotten(labels, pairs)
    notices = [simulated] if simulated else []
    notices += [FORGOTTEN.format(n=forgotten)] if forgotten else []
    head = {
        "simulated": bool(simulated),
        "source": {
            "kind": "store",
            "title": f"Campaign “{asked.campaign}”",
            "store": str(snapshot.store.root),
            "campaign": asked.campaign,
            "method": asked.method,
            "scheme": asked.scheme,
            "as_of": as_of.isoformat() if as_of else None,
        },
        "next": _next(steps, snapshot.store),
        "tables": snapshot.tables(),
    }
    return facts.compose(values, _missing(values, steps), head, notices)


def from_released(folder: Path, rule: ReportRule) -> dict[str, Any]:
    """The report of the published files in `folder`."""
    frame = datasets.from_released(released.read(folder))
    values = facts.describe(frame, rule)
    why = "the published files hold no single ratings and nothing of the stages before the labels"
    missing = {name: why for name in facts.CATALOGUE if values.get(name) is None}
    head = {
        "simulated": False,
        "source": {"kind": "released", "title": "PARADE as published", "folder": str(folder)},
        "next": [],
        "tables": [
            {"table": path.name, "digest": file_digest(path)}
            for path in (released.find(folder, split) for split in released.SPLITS)
        ],
    }
    return facts.compose(values, missing, head, [])


def find_simulated(snapshot: Snapshot, campaign: str) -> str | None:
    """What to say at the top if any of the campaign's ratings is a simulated annotator's; None if none is."""
    people = snapshot.read(schemas.Annotators, ["annotator", "role"], campaign=campaign)
    names = set(people.loc[people["role"] == "simulated", "annotator"])
    ratings = flow.latest_ratings(snapshot, campaign)
    theirs = ratings[ratings["annotator"].isin(names)]
    if theirs.empty:
        return None
    return SIMULATED.format(n=len(theirs), all=len(ratings), people=_simulated_people(theirs))


def _simulated_people(ratings: pd.DataFrame) -> str:
    n = ratings["annotator"].nunique()
    return f"{n:,} simulated annotator{'s' if n > 1 else ''}"


def describe_annotators(snapshot: Snapshot, campaign: str) -> dict[str, Any] | None:
    """`people` (annotator, role, level, state; the latest row of each) and `measures` (the rows of `quality`)."""
    quality = snapshot.read(schemas.Quality, campaign=campaign).drop(columns="campaign")
    if quality.empty:
        return None
    people = snapshot.read(schemas.Annotators, ["annotator", "at", "role", "level", "state"], campaign=campaign)
    latest = people.sort_values("at").drop_duplicates("annotator", keep="last").sort_values("annotator")
    return {"people": _records(latest.drop(columns="at")), "measures": _records(quality)}


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    plain = rows.astype(object)
    return [dict(zip(plain.columns, row, strict=True)) for row in plain.where(plain.notna(), None).to_numpy().tolist()]


def count_scores(labels: pd.DataFrame) -> list[int] | None:
    """How many ratings that count gave the scores 0, 1, 2, 3; None without labels."""
    return [sum(column) for column in zip(*labels["scores"], strict=True)] if len(labels) else None


def _check_names(snapshot: Snapshot, asked: Question) -> None:
    """Raises InputError where a campaign, method or scheme is asked for and only others are there."""
    for flag, table, name in (
        ("campaign", schemas.Assignments, asked.campaign),
        ("method", schemas.Labels, asked.method),
        ("scheme", schemas.Splits, asked.scheme),
    ):
        there = sorted(set(snapshot.read(table, columns=[flag])[flag]))
        if there and name not in there:
            raise InputError(
                f"--{flag}",
                expected=f"one of the table {schemas.name(table)}: {', '.join(there)}",
                found=name,
                remedy="name one of those",
            )


COMMANDS = {schemas.name(table): commands for table, commands in standing.FLOW} | {
    "sightings": ("python -m crawler.definitions",)
}


def _next(steps: list[dict[str, Any]], store: Store) -> list[str]:
    """The commands of the first stage that nothing came out of."""
    empty = next((step for step in steps if not step["rows"]), None)
    return [f"{command} --store {store.root}" for command in COMMANDS[empty["table"]]] if empty else []


def _missing(values: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, str]:
    """Why each figure that is null is so: the first of its tables that nothing came out of."""
    empty = [step["table"] for step in steps if not step["rows"]] + ["quality"]
    reasons = {}
    for name, about in facts.CATALOGUE.items():
        if values.get(name) is None:
            table = next((one for one in empty if one in about.tables), empty[0])
            reasons[name] = f"nothing in the table {table} yet: {' and '.join(COMMANDS[table])}"
    return reasons
