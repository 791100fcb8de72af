"""The report of a store: reads tables, asks `facts`, says what is missing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from analysis import datasets, explorer, facts, flow, sides
from analysis.config import ReportRule, ScoringRule
from analysis.flow import Question
from analysis.snapshot import Snapshot
from data import schemas, similarity, standing
from data.errors import InputError
from data.store import Store

SIMULATED = (
    "Simulated labels: {n:,} of {all:,} ratings were made by {people}. "
    "They show that the pipeline works; nothing here says what experts think."
)
FORGOTTEN = (
    "{n:,} labelled pairs are no longer in the table pairs, which was made anew since, and are left out of all figures "
    "but the flow. A report with --as-of shows the earlier state."
)


@dataclass(kw_only=True)
class Gathered:
    """Everything that a report shows, before it is put together."""

    values: dict[str, Any]
    """The figures by name."""
    missing: dict[str, str]
    head: dict[str, Any]
    notices: list[str]
    frame: pd.DataFrame
    """The pairs, in the form of `analysis.datasets`."""
    provenance: pd.DataFrame | None

    def add(self, name: str, value: Any) -> None:
        """Adds a figure that was asked for."""
        self.values[name] = value
        self.missing.pop(name, None)

    def report(self) -> dict[str, Any]:
        """The report (see `analysis.facts`)."""
        return facts.compose(self.values, self.missing, self.head, self.notices)

    def explorer(self) -> dict[str, Any]:
        """What the page's search reads (see `analysis.explorer`)."""
        frame = self.frame
        overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
        return explorer.collect(frame, overlap, self.provenance)


def from_store(snapshot: Snapshot, asked: Question, rule: ReportRule, as_of: datetime | None) -> Gathered:
    """The report of one campaign as the snapshot's tables hold it, however far the campaign has come."""
    _check_names(snapshot, asked)
    labels = snapshot.read(schemas.Labels, campaign=asked.campaign, method=asked.method)
    pairs = snapshot.read(schemas.Pairs)
    splits = snapshot.read(schemas.Splits, scheme=asked.scheme)
    frame = datasets.from_tables(labels, pairs, splits) if len(labels) else datasets.unlabelled(pairs)
    simulated = find_simulated(snapshot, asked.campaign)
    steps = flow.trace(snapshot, asked)
    values = {
        "flow": steps,
        "annotators": describe_annotators(snapshot, asked.campaign),
        "sides": sides.compare(flow.counted_votes(snapshot, asked)),
    }
    if len(pairs):
        values |= facts.describe(
            frame, rule, snapshot.config(schemas.Splits, scheme=asked.scheme).get("synonyms", {})
        ) | {"scores": count_scores(labels)}
        values["baselines"] = score_predictions(snapshot, frame)
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
    return Gathered(
        values=values,
        missing=_missing(values, steps),
        head=head,
        notices=notices,
        frame=frame,
        provenance=_provenance(snapshot, frame),
    )


def _provenance(snapshot: Snapshot, frame: pd.DataFrame) -> pd.DataFrame:
    """The cards of each definition of the pairs."""
    sightings = snapshot.read(schemas.Sightings)
    used = sightings[sightings["definition_id"].isin({*frame["first_id"], *frame["second_id"]})]
    cards = snapshot.read(schemas.Cards, columns=["card_id", *explorer.CARD])
    return used.merge(cards.sort_values("fetched_at").drop_duplicates("card_id", keep="last"), on="card_id")


def score_predictions(snapshot: Snapshot, frame: pd.DataFrame) -> list[dict[str, Any]] | None:
    """The rows of `scored.judge_all` for every model of the table `predictions`; None where nothing can be scored."""
    rows = snapshot.read(schemas.Predictions)
    if rows.empty or frame["split"].isna().all():
        return None
    from analysis import scored
    from analysis.models import MODELS

    prepared = scored.prepare(frame, {})
    scores = {
        str(model).removeprefix("baseline."): prepared["pair_id"].map(some.set_index("pair_id")["score"])
        for model, some in rows.sort_values("seed").drop_duplicates(["model", "pair_id"]).groupby("model")
    }
    order = sorted(scores, key=lambda name: [*MODELS, name].index(name))
    plain = {name: np.asarray(scores[name].astype("float64"), dtype=np.float64) for name in order}
    return scored.judge_all(prepared, plain, ScoringRule()) or None


def find_simulated(snapshot: Snapshot, campaign: str) -> str | None:
    """What to say at the top if any of the campaign's ratings is a simulated annotator's; None if none is."""
    people = snapshot.read(schemas.Annotators, ["annotator", "role"], campaign=campaign)
    names = set(people.loc[people["role"] == "simulated", "annotator"])
    ratings = flow.latest_ratings(snapshot, campaign)
    return warn(ratings[ratings["annotator"].isin(names)], ratings)


def warn(simulated: pd.DataFrame, ratings: pd.DataFrame) -> str | None:
    """What to say at the top where some of the ratings are simulated; None where none is."""
    if simulated.empty:
        return None
    n = simulated["annotator"].nunique()
    people = f"{n:,} simulated annotator{'s' if n > 1 else ''}"
    return SIMULATED.format(n=len(simulated), all=len(ratings), people=people)


def describe_annotators(snapshot: Snapshot, campaign: str) -> dict[str, Any] | None:
    """`people` (annotator, role, level, state, verdict; the latest of each) and `measures` (the rows of `quality`)."""
    quality = snapshot.read(schemas.Quality, campaign=campaign).drop(columns="campaign")
    if quality.empty:
        return None
    people = snapshot.read(schemas.Annotators, ["annotator", "at", "role", "level", "state"], campaign=campaign)
    latest = people.sort_values("at").drop_duplicates("annotator", keep="last").sort_values("annotator")
    verdicts = snapshot.read(schemas.Verdicts, ["annotator", "verdict"], campaign=campaign)
    latest = latest.drop(columns="at").merge(verdicts, on="annotator", how="left")
    return {"people": records(latest), "measures": records(quality)}


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain objects; null is None."""
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
    "sightings": ("python -m crawler.definitions",),
    "predictions": ("python -m analysis.baselines",),
}


def _next(steps: list[dict[str, Any]], store: Store) -> list[str]:
    """The commands of the first stage that nothing came out of."""
    empty = next((step for step in steps if not step["rows"]), None)
    return [f"{command} --store {store.root}" for command in COMMANDS[empty["table"]]] if empty else []


def _missing(values: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, str]:
    """Why each figure that is null is so: the first of its tables that nothing came out of."""
    empty = [step["table"] for step in steps if not step["rows"]] + ["quality", "predictions"]
    reasons = {}
    for name, about in facts.CATALOGUE.items():
        if values.get(name) is None and name not in facts.OPTIONAL:
            table = next((one for one in empty if one in about.tables), empty[0])
            reasons[name] = f"nothing in the table {table} yet: {' and '.join(COMMANDS[table])}"
    return reasons
