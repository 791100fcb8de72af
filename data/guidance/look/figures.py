"""How each campaign of a store is doing, as plain values that a page shows."""

from typing import Any

import numpy as np
import pandas as pd

from data.contract.stages import concerns
from data.contract.tables.campaign import Annotators, Assignments, Ratings, Worked
from data.contract.tables.labels import Copying, Labels, Quality, Verdicts
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import ALL_ROUNDS, LEFT, MAJORITY, MUTUAL_ENTAILMENT, SIMULATED
from data.guidance import status
from data.guidance.next_steps import next_steps
from data.measures import ballots as votes
from data.measures import progress
from data.measures.ballots import given, held, latest, seconds_spent
from data.measures.rules import CountRule, QualityRule, lowest_positive
from data.recorded.plans import Plans, opened_games, read_gold, read_plans, withdrawn_from
from data.storage.store import Store

SHOWN = {"kappa": "majority", "kappa_left_out": "kappa", "gold_accuracy": "gold", "fast_share": "fast"}
"""The measures of an annotator that are shown, and under which name."""
PLANNED = ("study", "arm", "generator", "question", "allocate", "budget")
"""What is shown of a campaign's plan."""


def list_tables(store: Store) -> list[dict[str, Any]]:
    """The rows of `status.tables`."""
    rows: list[Any] = status.tables(store).to_dict("records")
    return [row | {"at": row["at"].isoformat()} for row in rows]


def describe_store(store: Store, tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Tables, rejects, next commands and open games of a store, and each campaign's figures, the last rated first."""
    plans = read_plans(store)
    return {
        "tables": tables,
        "rejects": status.rejects(store).to_dict("records"),
        "next": list(next_steps(store)),
        "collected": _collected(store),
        "campaigns": [describe_campaign(store, plans, name) for name in _campaigns(store, plans)],
        "games": [
            {"name": row["campaign"], "players": int(row["players"]), "opened": _time(row["opened"])}
            | {"next": next(iter(next_steps(store, row["campaign"])), "")}
            for row in opened_games(store).to_dict("records")
        ],
    }


def describe_campaign(store: Store, plans: Plans, name: str) -> dict[str, Any]:
    """Progress, cost, agreement, people and open work of a campaign; times are ISO texts, what is not known is None."""
    plan, question = plans.latest[name], plans.question(name)
    quality, verdicts = store.read(Quality, campaign=name), store.read(Verdicts, campaign=name)
    asked, collected = _collect(store, plans, name, quality, verdicts)
    ratings, people = collected.ratings, collected.annotators
    answers = given(ratings)
    own = held(collected.assignments, ratings)
    waiting = own[~own["assignment_id"].isin(answers["assignment_id"])]
    rule = CountRule(paraphrase_from=lowest_positive(question))
    now = pd.Timestamp.now("UTC")
    found = progress.describe(collected, rule, len(waiting), now)
    simulated = sorted(people.loc[people["role"] == SIMULATED, "annotator"])
    by = latest(ratings).merge(asked[["assignment_id", "annotator"]], on="assignment_id")
    no, yes = question.sides
    return {
        "name": name,
        "plan": {key: _plain(plan[key]) for key in PLANNED},
        "labels_per_pair": int(plan["labels_per_pair"]),
        "sides": [no, yes],
        "answers": [] if question.vote is None else [str(code) for code in question.vote.codes.values()],
        "items": progress.count_items(asked),
        "planned": len(own),
        "done": len(own) - len(waiting),
        "open": len(waiting),
        "days": [
            {"day": f"{row['day']:%Y-%m-%d}", "n": int(row["n"]), "total": int(row["total"])}
            for row in found.days.to_dict("records")
        ],
        "end": None if found.end is None else found.end.isoformat(),
        "last": _time(ratings["submitted_at"].max()),
        "hours": _worked(store, name) + seconds_spent(answers) / 3600,
        "seconds": seconds_spent(answers) / len(answers) if len(answers) else None,
        "saved": found.saved,
        "agreement": found.agreement,
        "rounds": [] if question.vote is None else progress.agreement_by_round(collected.ballots, rule),
        "people": _people(found.people, people, waiting, by, quality, verdicts),
        "notes": found.suspicious,
        "one_sided": found.one_sided,
        "measured": _measured(store, name, ratings),
        "simulated": {"people": len(simulated), "ratings": int(by["annotator"].isin(simulated).sum())},
        "flagged": _count_flagged(collected.ballots),
        "commented": int(by["comment"].notna().sum()),
        **_label_counts(store, name),
        "next": next(iter(next_steps(store, name)), ""),
    }


def _collect(
    store: Store, plans: Plans, name: str, quality: pd.DataFrame, verdicts: pd.DataFrame
) -> tuple[pd.DataFrame, progress.Collected]:
    """The campaign's assignments, and what was collected of those who have not withdrawn."""
    question = plans.question(name)
    asked = store.read(Assignments, campaign=name)
    ratings = votes.read_ratings(store, asked, question, question.vote)
    ballots, rule = votes.of_campaign(asked, ratings), CountRule(paraphrase_from=lowest_positive(question))
    people = store.read(Annotators, campaign=name).sort_values(["annotator", "at"])
    alike = "the same answer in {same:.0%} of {n} pairs: did one copy?"
    couples = store.read(Copying, campaign=name)
    return asked, progress.Collected(
        ballots=votes.voting(ballots),
        assignments=asked[~asked["annotator"].isin(withdrawn_from(store, plans.study(name)))],
        ratings=ratings,
        annotators=people.drop_duplicates("annotator", keep="last").reset_index(drop=True),
        measures=quality,
        verdicts=verdicts,
        n_answers=None if question.vote is None else len(question.vote.codes),
        couples=[(f"{row['first']} and {row['second']}", alike.format_map(row)) for row in couples.to_dict("records")],
        copies=votes.find_copies(couples),
        plan=plans.latest[name],
        gold=votes.gold_votes(ballots, rule, read_gold(store, name)),
    )


def _count_flagged(ballots: pd.DataFrame) -> int:
    return int(ballots.loc[ballots["state"] == "flagged", "pair_id"].nunique())


def _campaigns(store: Store, plans: Plans) -> list[str]:
    """The campaigns with a plan, by their last rating, then by when they were planned; the latest first."""
    planned = {name: plan["at"] for name, plan in plans.latest.items()}
    asked = store.read(Assignments, ["assignment_id", "campaign"])
    rated = store.read(Ratings, ["assignment_id", "submitted_at"]).merge(asked, on="assignment_id")
    last = rated.groupby("campaign")["submitted_at"].max()
    return sorted(planned, key=lambda name: (_time(last.get(name)) or "", _time(planned[name]) or ""), reverse=True)


def _people(  # noqa: PLR0913, PLR0917 - a row each, from all that is known of them
    rows: list[dict[str, Any]],
    people: pd.DataFrame,
    waiting: pd.DataFrame,
    by: pd.DataFrame,
    quality: pd.DataFrame,
    verdicts: pd.DataFrame,
) -> list[dict[str, Any]]:
    """One row per annotator with work: what `progress.people` says, with role, state, measures and verdict."""
    known = people.set_index("annotator")[["role", "level", "state"]].to_dict("index")
    open_ = waiting["annotator"].value_counts()
    last = by.groupby("annotator")["submitted_at"].max()
    own = quality[(quality["round"] == ALL_ROUNDS) & quality["control"].isna()]
    measured = {(row["annotator"], row["measure"]): row for row in own.to_dict("records")}
    judged = {row["annotator"]: row for row in verdicts.to_dict("records")}
    found: list[dict[str, Any]] = []
    for row in rows:
        name = row["annotator"]
        verdict = judged.get(name)
        found.append(
            {
                **{key: _plain(value) for key, value in row.items() if key != "kappa"},
                **{str(key): _plain(value) for key, value in known.get(name, {}).items()},
                "open": int(open_.get(name, 0)),
                "last": _time(last.get(name)),
                **{short: _measure(measured.get((name, measure))) for measure, short in SHOWN.items()},
                "verdict": None if verdict is None else verdict["verdict"],
                "reasons": [] if verdict is None else [str(reason) for reason in verdict["reasons"]],
                "skill": None if verdict is None else [float(verdict[key]) for key in ("skill", "low", "high")],
            }
        )
    return [row for row in found if row["done"] or row.get("state") != LEFT]


def _measure(row: Any) -> dict[str, Any] | None:
    if row is None:
        return None
    return {key: _plain(row[key]) for key in ("n", "value", "low", "high", "reason", "detail")}


def _measured(store: Store, name: str, ratings: pd.DataFrame) -> dict[str, Any] | None:
    """When annotators were measured, how many ratings are newer, and below which kappa one is low; None if never."""
    last = store.manifest(Quality, campaign=name)
    if last is None:
        return None
    at = pd.Timestamp(last["at"], unit="ms", tz="UTC")
    since = last["inputs"].get(Ratings.table_name())
    newer = 0 if since == store.version(Ratings) else int((ratings["submitted_at"] > at).sum())
    low = last["config"].get("low_kappa", QualityRule.low_kappa)
    return {"at": at.isoformat(), "newer": newer, "low": low}


def _collected(store: Store) -> str | None:
    """When answers were last collected that were new."""
    last = store.manifest(Ratings)
    return None if last is None else pd.Timestamp(last["at"], unit="ms", tz="UTC").isoformat()


def _worked(store: Store, name: str) -> float:
    """The hours whose ratings were deleted."""
    return float(store.read(Worked, ["seconds"], campaign=name)["seconds"].sum()) / 3600


def _label_counts(store: Store, name: str) -> dict[str, Any]:
    """The pairs by label, and why others have none, by the majority or else the first method of votes by name.

    `labels` (no, yes, none; None without labels) and `unlabelled` (reason -> how many).
    """
    labels = store.read(Labels, ["method", "binary"], campaign=name, further=False)
    rejects = store.read(Rejects, ["reason", "method", "control"], stage="annotation.adjudicate", part=name)
    known = {*labels["method"], *rejects["method"]} - {MUTUAL_ENTAILMENT}
    method = MAJORITY if MAJORITY in known else min(known, default=None)
    binary = labels.loc[labels["method"] == method, "binary"]
    reasons = rejects.loc[concerns(rejects, method), "reason"].value_counts()
    counted = {"no": int((binary == 0).sum()), "yes": int((binary == 1).sum()), "none": int(binary.isna().sum())}
    return {
        "labels": counted if len(binary) else None,
        "unlabelled": {str(reason): int(n) for reason, n in reasons.items()},
    }


def _time(value: Any) -> str | None:
    return None if value is None or pd.isna(value) else str(value.isoformat())


def _plain(value: Any) -> Any:
    """The value as JSON knows it; None for null."""
    if value is None or pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
