"""The report of a store: reads tables, asks `facts`, says what is missing."""

from datetime import datetime
from typing import Any

import pandas as pd

from analysis.config import LabelSet, ReportRule, ScoringRule
from analysis.datasets.snapshot import Snapshot
from analysis.reporting import catalogue, explorer
from analysis.reporting.content import Gathered, count_scores, records, warn
from analysis.statistics import funnel, order_effect
from data.errors import InputError
from data.labelled import frame as datasets
from data.stages import STAGES
from data.store import Store
from data.tables.campaign import Annotators, Assignments
from data.tables.definitions import Cards, Sightings
from data.tables.labels import Labels, Quality, Splits, Verdicts
from data.tables.pairs import Pairs
from data.vocabulary import SIMULATED

FORGOTTEN = (
    "{n:,} labelled pairs are no longer in the table pairs, which was made anew since, and are left out of all figures "
    "but the flow. A report with --as-of shows the earlier state."
)


def from_store(snapshot: Snapshot, label_set: LabelSet, rule: ReportRule, as_of: datetime | None) -> Gathered:
    """The report of one campaign as the snapshot's tables hold it, however far the campaign has come."""
    _check_names(snapshot, label_set)
    labels = snapshot.read(Labels, campaign=label_set.campaign, method=label_set.method)
    pairs = snapshot.read(Pairs)
    splits = snapshot.read(Splits, scheme=label_set.store_scheme)
    frame = datasets.from_tables(labels, pairs, splits) if len(labels) else datasets.unlabelled(pairs)
    simulated = find_simulated(snapshot, label_set.campaign)
    steps = funnel.trace(snapshot, label_set)
    values = {
        "flow": steps,
        "annotators": describe_annotators(snapshot, label_set.campaign),
        "sides": order_effect.compare(funnel.counted_votes(snapshot, label_set)),
    }
    left_out = None
    if len(pairs):
        values |= catalogue.describe(
            frame, rule, snapshot.config(Splits, scheme=label_set.store_scheme).get("synonyms", {})
        ) | {"scores": count_scores(labels)}
        values["baselines"], left_out = score_predictions(snapshot, label_set, frame)
    forgotten = datasets.forgotten(labels, pairs)
    notices = [simulated] if simulated else []
    notices += [FORGOTTEN.format(n=forgotten)] if forgotten else []
    notices += [left_out] if left_out else []
    head = {
        "simulated": bool(simulated),
        "source": {
            "kind": "store",
            "title": f"Campaign “{label_set.campaign}”",
            "store": str(snapshot.store.root),
            "campaign": label_set.campaign,
            "method": label_set.method,
            "scheme": label_set.store_scheme,
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
    sightings = snapshot.read(Sightings)
    used = sightings[sightings["definition_id"].isin({*frame["first_id"], *frame["second_id"]})]
    cards = snapshot.read(Cards, columns=["card_id", *explorer.CARD])
    return used.merge(cards.sort_values("fetched_at").drop_duplicates("card_id", keep="last"), on="card_id")


def score_predictions(
    snapshot: Snapshot, label_set: LabelSet, frame: pd.DataFrame
) -> tuple[list[dict[str, Any]] | None, str | None]:
    """The rows of `judging.judge_all` for every model whose run may be judged here, and what was left out and why.

    The rows are None where nothing can be scored.
    """
    if frame["split"].isna().all():
        return None, None
    from analysis.evaluation import judging, runs
    from analysis.evaluation.baselines import MODELS

    chosen, left_out = runs.choose(snapshot, label_set)
    prepared = judging.prepare(frame, {})
    scores = runs.read_scores(snapshot, prepared, chosen)
    ordered = {name: scores[name] for name in sorted(scores, key=lambda name: [*MODELS, name].index(name))}
    return judging.judge_all(prepared, ordered, ScoringRule()) or None, left_out


def find_simulated(snapshot: Snapshot, campaign: str) -> str | None:
    """What to say at the top if any of the campaign's ratings is a simulated annotator's; None if none is."""
    people = snapshot.read(Annotators, ["annotator", "role"], campaign=campaign)
    names = set(people.loc[people["role"] == SIMULATED, "annotator"])
    ratings = funnel.latest_ratings(snapshot, campaign)
    return warn(ratings[ratings["annotator"].isin(names)], ratings)


def describe_annotators(snapshot: Snapshot, campaign: str) -> dict[str, Any] | None:
    """`people` (annotator, role, level, state, verdict; the latest of each) and `measures` (the rows of `quality`)."""
    quality = snapshot.read(Quality, campaign=campaign).drop(columns="campaign")
    if quality.empty:
        return None
    people = snapshot.read(Annotators, ["annotator", "at", "role", "level", "state"], campaign=campaign)
    latest = people.sort_values("at").drop_duplicates("annotator", keep="last").sort_values("annotator")
    verdicts = snapshot.read(Verdicts, ["annotator", "verdict"], campaign=campaign)
    latest = latest.drop(columns="at").merge(verdicts, on="annotator", how="left")
    return {"people": records(latest), "measures": records(quality)}


def _check_names(snapshot: Snapshot, label_set: LabelSet) -> None:
    """Raises InputError where a campaign, method or scheme is asked for and only others are there."""
    for flag, table, name in (
        ("campaign", Assignments, label_set.campaign),
        ("method", Labels, label_set.method),
        ("scheme", Splits, label_set.store_scheme),
    ):
        there = sorted(set(snapshot.read(table, columns=[flag])[flag]))
        if there and name not in there:
            raise InputError(
                f"--{flag}",
                expected=f"one of the table {table.table_name()}: {', '.join(there)}",
                found=name,
                remedy="name one of those",
            )


COMMANDS = {stage.table.table_name(): stage.commands for stage in STAGES}


def _next(steps: list[dict[str, Any]], store: Store) -> list[str]:
    """The commands of the first stage that nothing came out of."""
    return [f"{command} --store {store.root}" for table in _empty(steps)[:1] for command in COMMANDS[table]]


def _empty(steps: list[dict[str, Any]]) -> list[str]:
    """The tables of the stages that nothing came out of."""
    return [step["table"] for step in steps if not step["rows"] and step["table"] in COMMANDS]


def _missing(values: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, str]:
    """Why each figure that is null is so: the first of its tables that nothing came out of."""
    empty = [*_empty(steps), "quality", "predictions"]
    reasons = {}
    for name, about in catalogue.CATALOGUE.items():
        if values.get(name) is None and name not in catalogue.OPTIONAL:
            table = next((one for one in empty if one in about.tables), empty[0])
            reasons[name] = f"nothing in the table {table} yet: {' and '.join(COMMANDS[table])}"
    return reasons
