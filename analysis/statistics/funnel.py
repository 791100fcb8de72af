"""From papers to splits: what came out of each stage, and what was dropped there for which reason; pure."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from analysis.config import PARAPHRASE_FROM, LabelSet
from analysis.datasets.snapshot import Snapshot
from data.tables.base import Table
from data.tables.campaign import Assignments, Ratings
from data.tables.definitions import Cards, Definitions, Sightings, Terms
from data.tables.labels import Labels, Splits
from data.tables.pairs import Pairs
from data.tables.removals import Rejects

Counts = dict[str, int]


def trace(snapshot: Snapshot, label_set: LabelSet) -> list[dict[str, Any]]:
    """One entry a stage, in order: step, table, rows, unit, details, rejects.

    `rows` counts what goes on to the next stage; `details` and `rejects` (by reason) are names with numbers.
    """
    dropped = snapshot.read(Rejects, columns=["stage", "reason"])
    dropped = dropped.assign(step=[_step_of(str(stage), label_set.campaign) or "" for stage in dropped["stage"]])
    return [
        {
            "step": step,
            "table": table.table_name(),
            "rows": rows,
            "unit": unit,
            "details": details,
            "rejects": _by_reason(dropped[dropped["step"] == step]),
        }
        for step, table, unit, count in STEPS
        for rows, details in [count(snapshot, label_set)]
    ]


def _by_reason(rejects: pd.DataFrame) -> Counts:
    return {str(reason): int(n) for reason, n in rejects["reason"].value_counts().items()}


def _step_of(stage: str, campaign: str) -> str | None:
    """The step that a stage's rejects belong to; None for another campaign's."""
    room, _, rest = stage.partition(".")
    verb, _, whose = rest.partition(".")
    if room == "annotation":
        return _VERBS.get(verb) if whose in ("", campaign) else None
    return _STAGES.get(f"{room}.{verb}") or _ROOMS.get(room)


_VERBS = {"plan": "assigned", "reassign": "assigned", "collect": "rated", "adjudicate": "labelled"}
_STAGES = {"crawler.terminology": "terms", "crawler.definitions": "accepted"}
_ROOMS = {"crawler": "cards", "clustering": "pairs", "analysis": "split"}


def _terms(snapshot: Snapshot, _: LabelSet) -> tuple[int, Counts]:
    terms = snapshot.read(Terms, columns=["term", "canonical", "documents"])
    papers = terms["documents"].max()
    return len(terms), {"entities": terms["canonical"].nunique()} | ({} if pd.isna(papers) else {"papers": int(papers)})


def _cards(snapshot: Snapshot, _: LabelSet) -> tuple[int, Counts]:
    cards = snapshot.read(Cards, columns=["card_id", "source", "set_id"])
    distinct = cards.drop_duplicates("card_id")
    sources = {f"from {source}": int(n) for source, n in distinct["source"].value_counts().items()}
    sets = len(distinct[["source", "set_id"]].drop_duplicates())
    return len(distinct), {"sets": sets, "fetches": len(cards)} | sources


def _accepted(snapshot: Snapshot, _: LabelSet) -> tuple[int, Counts]:
    return snapshot.read(Sightings, columns=["card_id"])["card_id"].nunique(), {}


def _definitions(snapshot: Snapshot, _: LabelSet) -> tuple[int, Counts]:
    definitions = snapshot.read(Definitions, columns=["definition_id", "entity", "n_cards"])
    return len(definitions), {
        "entities": definitions["entity"].nunique(),
        "found on several cards": int((definitions["n_cards"] > 1).sum()),
    }


def _pairs(snapshot: Snapshot, _: LabelSet) -> tuple[int, Counts]:
    pairs = snapshot.read(Pairs, columns=["generator", "pair_id", "entity", "first_id", "second_id"])
    generators = {f"by {generator}": int(n) for generator, n in pairs["generator"].value_counts().items()}
    used = pd.concat([pairs["first_id"], pairs["second_id"]]).nunique()
    return pairs["pair_id"].nunique(), {"entities": pairs["entity"].nunique(), "definitions used": used} | generators


def _assigned(snapshot: Snapshot, label_set: LabelSet) -> tuple[int, Counts]:
    rows = snapshot.read(Assignments, campaign=label_set.campaign)
    rounds = {f"in round {number}": int(n) for number, n in rows["round"].value_counts().sort_index().items()}
    people = {"pairs": rows["pair_id"].nunique(), "annotators": rows["annotator"].nunique()}
    return len(rows), people | rounds


def _rated(snapshot: Snapshot, label_set: LabelSet) -> tuple[int, Counts]:
    rows = latest_ratings(snapshot, label_set.campaign)
    scored = rows["score"].notna()
    return int(scored.sum()), {
        "replaced later": int((scored & rows["superseded"]).sum()),
        "flag in place of a score": int((~scored & ~rows["skipped"]).sum()),
        "skipped": int(rows["skipped"].sum()),
    }


def _labelled(snapshot: Snapshot, label_set: LabelSet) -> tuple[int, Counts]:
    labels = snapshot.read(Labels, campaign=label_set.campaign, method=label_set.method)
    return len(labels), {
        "paraphrases": int((labels["binary"] == 1).sum()),
        "non-paraphrases": int((labels["binary"] == 0).sum()),
        "unanimous": int((labels["stratum"] == "unanimous").sum()),
    }


def _split(snapshot: Snapshot, label_set: LabelSet) -> tuple[int, Counts]:
    splits = snapshot.read(Splits, scheme=label_set.store_scheme)
    parts = {str(split): int(n) for split, n in splits["split"].value_counts().items()}
    return len(splits), {"groups": splits["group"].nunique()} | parts


RATED = ["assignment_id", "pair_id", "annotator", "kind", "flipped", "score", "skipped"]


def latest_ratings(snapshot: Snapshot, campaign: str) -> pd.DataFrame:
    """The last rating of each of the campaign's assignments: RATED, and `superseded` by a later assignment."""
    assigned = snapshot.read(Assignments, campaign=campaign)
    ratings = snapshot.read(Ratings, ["assignment_id", "submitted_at", "score", "skipped"])
    last = ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")
    replaced = assigned["supersedes"].dropna()
    rows = assigned.assign(superseded=assigned["assignment_id"].isin(replaced)).merge(last, on="assignment_id")
    return rows[[*RATED, "superseded"]]


def counted_votes(snapshot: Snapshot, label_set: LabelSet) -> pd.DataFrame:
    """The votes that count: RATED, and `vote`, 1 for a paraphrase."""
    rated = latest_ratings(snapshot, label_set.campaign)
    counted = rated[(rated["kind"] == "work") & ~rated["superseded"] & ~rated["skipped"] & rated["score"].notna()]
    rule = snapshot.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return counted.assign(vote=(counted["score"] >= rule.get("paraphrase_from", PARAPHRASE_FROM)).astype("int64"))


STEPS: tuple[tuple[str, type[Table], str, Callable[[Snapshot, LabelSet], tuple[int, Counts]]], ...] = (
    ("terms", Terms, "terms", _terms),
    ("cards", Cards, "cards whose front is a term", _cards),
    ("accepted", Sightings, "cards accepted", _accepted),
    ("definitions", Definitions, "distinct definitions", _definitions),
    ("pairs", Pairs, "pairs of definitions", _pairs),
    ("assigned", Assignments, "assignments to annotators", _assigned),
    ("rated", Ratings, "ratings with a score", _rated),
    ("labelled", Labels, "labelled pairs", _labelled),
    ("split", Splits, "pairs in a split", _split),
)
"""The stages in order: name, table, what a row is, and how its rows are counted."""


def list_flow(flow: pd.DataFrame) -> list[dict[str, Any]]:
    """Each stage in order: step, unit, rows, details, rejects (see `flow.trace`)."""
    return [
        {
            "step": str(step),
            "unit": str(some["unit"].iloc[0]),
            "rows": int(some.loc[some["what"] == "rows", "n"].iloc[0]),
            **{
                f"{what}s": {str(name): int(n) for name, n in some.loc[some["what"] == what, ["name", "n"]].to_numpy()}
                for what in ("detail", "reject")
            },
        }
        for step, some in flow.groupby("step", sort=False)
    ]
