"""From papers to splits: what came out of each stage, and what was dropped there and why."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import pandas as pd

from analysis.datasets.derived_flow import DerivedFlow
from analysis.datasets.ratings import read_ballots
from analysis.statistics.wording import name_sides
from data.console.messages import quantity
from data.contract.stages import STAGES, UNREAD, Stage, name_stage, stage_of
from data.contract.tables.campaign import Assignments
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import UNANIMOUS
from data.grouping import entities
from data.labelled.label_set import LabelSet, concerns
from data.labelled.release_tables import columns
from data.recorded.cards import latest_cards
from data.recorded.plans import read_question
from data.storage.store import Store

Counts = dict[str, int]
_SHOWN = 20
"""Files without a card that are named."""


def trace(
    store: Store, label_set: LabelSet, base: Mapping[str, Any], ballots: pd.DataFrame | None = None
) -> list[dict[str, Any]]:
    """One entry per stage, in order: step, table, rows, unit, details, rejects.

    `rows`: how many go on to the next stage; `details` and `rejects` (by reason): numbers by name. Rejects of no known
    stage come last, one entry per name under which they are stored. The steps of a set whose labels rest on other
    campaigns (`base`, see `ratings.base_config`) are theirs. `ballots`: the campaign's (see `ratings.read_ballots`),
    where they were read before.
    """
    if base:
        return [*DerivedFlow(store, label_set, base).steps()]
    dropped = store.read(Rejects, columns=["stage", "part", "reason", "method", "control"])
    dropped = dropped[(dropped["stage"] != UNREAD) & concerns(dropped, label_set.method)]
    dropped = dropped.assign(
        step=[_step_of(*named, label_set) for named in zip(dropped["stage"], dropped["part"], strict=True)]
    )
    known = [
        {
            "step": stage.name,
            "table": stage.table.table_name(),
            "rows": rows,
            "unit": stage.unit,
            "details": details,
            "rejects": _by_reason(dropped[dropped["step"] == stage.name]),
        }
        for stage in STAGES
        if stage.in_flow
        for rows, details in [_count(stage, store, label_set, ballots)]
    ]
    known = [each for step in known for each in (*_decks(store, step), step)]
    names = {stage.name for stage in STAGES} | {""}
    return known + [_unknown(name, dropped[dropped["step"] == name]) for name in sorted({*dropped["step"]} - names)]


def _decks(store: Store, cards: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The step before the cards, where pages or files gave none: these are no cards that were dropped."""
    pages = store.read(Rejects, columns=["id", "reason"], stage=UNREAD)
    if cards["step"] != "cards" or pages.empty:
        return
    unread = pages.loc[~pages["id"].str.contains("#", regex=False), "id"]
    files = sorted(unquote(address.removeprefix("file:")) for address in unread if address.startswith("file:"))
    more = {"further files not read": len(files) - _SHOWN} if len(files) > _SHOWN else {}
    yield {
        "step": "decks",
        "table": Cards.table_name(),
        "rows": cards["details"]["sets"],
        "unit": "decks with a card that was kept",
        "details": {"not read": len(unread)} | {f"not read: {name}": 1 for name in files[:_SHOWN]} | more,
        "rejects": _by_reason(pages),
    }


def _count(stage: Stage, store: Store, label_set: LabelSet, ballots: pd.DataFrame | None) -> tuple[int, Counts]:
    if stage.name == "rated":
        return _rated(read_ballots(store, label_set.campaign) if ballots is None else ballots)
    if stage.name in COUNTS:
        return COUNTS[stage.name](store, label_set)
    return store.count(stage.table), {}


def _unknown(name: str, rejects: pd.DataFrame) -> dict[str, Any]:
    return {
        "step": name,
        "table": Rejects.table_name(),
        "rows": 0,
        "unit": "rows known to have come out",
        "details": {},
        "rejects": _by_reason(rejects),
    }


def _by_reason(rejects: pd.DataFrame) -> Counts:
    return {str(reason): int(n) for reason, n in rejects["reason"].value_counts().items()}


def _step_of(rejected_by: str, part: str, label_set: LabelSet) -> str:
    """The stage of these rejects, or their name if it is unknown; empty for another campaign's."""
    stage = stage_of(rejected_by)
    if stage is None:
        return name_stage(rejected_by, part)
    parts = {"campaign": label_set.campaign, "scheme": label_set.store_scheme}
    return stage.name if stage.part is None or part in ("", parts[stage.part]) else ""


def _terms(store: Store, _: LabelSet) -> tuple[int, Counts]:
    terms = store.read(Terms, columns=["term", "canonical", "documents"])
    papers = terms["documents"].max()
    return len(terms), {"entities": terms["canonical"].nunique()} | ({} if pd.isna(papers) else {"papers": int(papers)})


def _cards(store: Store, _: LabelSet) -> tuple[int, Counts]:
    cards = store.read(Cards, columns=["card_id", "source", "set_id", "url", "body_sha256", "fetched_at"])
    distinct = latest_cards(cards)
    sources = {f"from {source}": int(n) for source, n in distinct["source"].value_counts().items()}
    sets = len(distinct[["source", "set_id"]].drop_duplicates())
    return len(distinct), {"sets": sets, "fetches": len(cards)} | sources


def _accepted(store: Store, _: LabelSet) -> tuple[int, Counts]:
    return len(store.distinct(Sightings, "card_id")), {}


def _definitions(store: Store, _: LabelSet) -> tuple[int, Counts]:
    definitions = store.read(Definitions, columns=["definition_id", "entity", "n_cards"])
    return len(definitions), {
        "entities": definitions["entity"].nunique(),
        "found on several cards": int((definitions["n_cards"] > 1).sum()),
    }


def _pairs(store: Store, _: LabelSet) -> tuple[int, Counts]:
    pairs = store.read(Pairs, columns=["generator", "pair_id", *entities.ENTITIES, "first_id", "second_id"])
    generators = {f"by {generator}": int(n) for generator, n in pairs["generator"].value_counts().items()}
    used = pd.concat([pairs["first_id"], pairs["second_id"]]).nunique()
    return pairs["pair_id"].nunique(), {
        "entities": entities.each(pairs).nunique(),
        "definitions used": used,
    } | generators


def _assigned(store: Store, label_set: LabelSet) -> tuple[int, Counts]:
    rows = store.read(Assignments, campaign=label_set.campaign)
    rounds = {f"in round {number}": int(n) for number, n in rows["round"].value_counts().sort_index().items()}
    people = {"pairs": rows["pair_id"].nunique(), "annotators": rows["annotator"].nunique()}
    return len(rows), people | rounds


def _rated(ballots: pd.DataFrame) -> tuple[int, Counts]:
    states = ballots["state"].value_counts()
    scored = ballots["state"] == "scored"
    return int(scored.sum()), {
        "replaced later": int((scored & ballots["replaced_in"].notna()).sum()),
        "flag in place of a score": int(states.get("flagged", 0)),
        "skipped": int(states.get("skipped", 0)),
    }


def _labelled(store: Store, label_set: LabelSet) -> tuple[int, Counts]:
    labels = store.read(Labels, campaign=label_set.campaign, method=label_set.method, further=False)
    agreed = labels.loc[labels["stratum"] == UNANIMOUS, "n_votes"].value_counts().sort_index()
    called = name_sides(read_question(store, label_set.campaign))
    return len(labels), {
        called.are_yes: int((labels["binary"] == 1).sum()),
        called.are_no: int((labels["binary"] == 0).sum()),
    } | {
        f"unanimous in {quantity(n_votes, 'vote')}": n
        for n_votes, n in zip(agreed.index.tolist(), agreed.tolist(), strict=True)
    }


def _split(store: Store, label_set: LabelSet) -> tuple[int, Counts]:
    splits = store.read(Splits, scheme=label_set.store_scheme)
    parts = {str(split): int(n) for split, n in splits["split"].value_counts().items()}
    return len(splits), {"groups": splits["group"].nunique()} | parts


COUNTS: dict[str, Callable[[Store, LabelSet], tuple[int, Counts]]] = {
    "terms": _terms,
    "cards": _cards,
    "accepted": _accepted,
    "definitions": _definitions,
    "pairs": _pairs,
    "assigned": _assigned,
    "labelled": _labelled,
    "split": _split,
}
"""How rows are counted, for the stages that report more than the number of rows in their table."""


def tabulate(steps: list[dict[str, Any]]) -> pd.DataFrame:
    """The stages as a release's table `flow`: one row per number."""
    rows = [
        (step["step"], step["unit"], what, name, n)
        for step in steps
        for what, numbers in (("rows", {"": step["rows"]}), ("detail", step["details"]), ("reject", step["rejects"]))
        for name, n in numbers.items()
    ]
    return pd.DataFrame(rows, columns=columns("flow"))


def list_flow(flow: pd.DataFrame) -> list[dict[str, Any]]:
    """The stages of a release's table `flow` in order: step, unit, rows, details, rejects (see `trace`)."""
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
