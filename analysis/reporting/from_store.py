"""What the report of a campaign in a store is made from, however far the campaign has come."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from analysis.datasets.ratings import (
    Rated,
    Votes,
    base_config,
    find_roles,
    gather_bases,
    read_rated,
    read_votes,
    warn_of_simulated,
)
from analysis.reporting.catalogue import CATALOGUE, Content, show_derived, show_question
from analysis.reporting.explorer import Provenance
from analysis.statistics import answers, derivation, funnel
from analysis.statistics.examples import records
from data.console.errors import InputError
from data.console.messages import figure
from data.contract import licences, register
from data.contract.base import Table
from data.contract.licences import DECK
from data.contract.stages import STAGES, missing
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Assignments
from data.contract.tables.definitions import Cards, Licences, Sightings
from data.contract.tables.generated import PairMeasures
from data.contract.tables.labels import Copying, Labels, Quality, Splits, Verdicts
from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY, JUDGEMENT, MAJORITY, RULE, SILVER
from data.labelled import metrics
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import columns
from data.labelled.sources import read_store
from data.measures.ballots import latest
from data.storage.store import Store

FORGOTTEN = (
    "{n:,} labelled pairs are no longer in the table pairs, which was rewritten since, and are left out of all figures "
    "but the flow. A report with --as-of shows the earlier state."
)
JUDGED = (
    "An entailment model judged {n:,} of these pairs in the paraphrasing game. People and it agree on a share of "
    "{accuracy} (MCC {mcc}); people accept a share of {precision} of what it accepts. Its word is no label here."
)
DERIVED = (
    "The labels rest on the campaigns {names}. Agreement, annotators and single answers are theirs: "
    "`python -m analysis.report --campaign NAME` shows each."
)
NAMED_IN: dict[str, tuple[type[Table], ...]] = {
    "campaign": (Assignments, Labels), "method": (Labels,), "scheme": (Splits,),
}  # fmt: skip
"""By flag, the tables that have such names."""
COMMANDS = {stage.table.table_name(): stage.commands for stage in STAGES}


def read(store: Store, label_set: LabelSet, as_of: datetime | None = None) -> Content:
    """The content of one campaign as the tables have it; `as_of`: the moment that was asked for.

    Raises InputError if the tables have no campaign, method or scheme of that name but have others.
    """
    label_set = find_method(store, label_set)
    require_names(store, label_set)
    pairs = read_store(store, label_set)
    base = base_config(store, label_set)
    roles = find_roles(store, base, pairs.plans) if base else {label_set.campaign: ""}
    rated = {name: read_rated(store, name, pairs.plans.question(name)) for name in roles}
    flow = funnel.trace(store, label_set, pairs, base, rated)
    tables: dict[type[Table], pd.DataFrame] = {
        table: store.read(table) for table in (Quality, Verdicts, Copying, PairMeasures, Attacks)
    }
    n_forgotten = max(int((~pairs.tables["labels"]["further"]).sum()) - len(pairs), 0)
    predictions, left_out = _read_predictions(store, label_set, pairs)
    notices = [FORGOTTEN.format(n=n_forgotten)] if n_forgotten else []
    found = Content(
        pairs=pairs,
        source=_describe(label_set, pairs, as_of, is_derived=bool(base)),
        tables=_list_versions(store),
        reasons=_explain(flow),
        notices=[*notices, *filter(None, [left_out, _compare_with_judges(pairs, tables[PairMeasures])])],
        values={"flow": flow},
        predictions=predictions,
        attacks=_find_attacks(pairs, tables[Attacks]),
        provenance=_trace_cards(store),
    )
    if base:
        bases = gather_bases(store, base, pairs, roles, rated)
        judging = {
            name: LabelSet(campaigns=(name,), method=base.get("method", label_set.method))
            for name, role in roles.items()
            if role == JUDGEMENT
        }
        judged = [read_votes(store, one, pairs.plans.question(name), rated[name]) for name, one in judging.items()]
        simulated = warn_of_simulated(*(one.every for one in rated.values()))
        content = _add_bases(replace(found, simulated=simulated), bases, judged, tables)
    else:
        own = rated[label_set.campaign]
        content = _add_ratings(found, own, read_votes(store, label_set, pairs.question, own), tables)
    return replace(content, pairs=replace(pairs, tables={}))  # the figures follow from its frame: let the rows go


def _add_ratings(content: Content, rated: Rated, votes: Votes, tables: Mapping[type[Table], pd.DataFrame]) -> Content:
    """The content of a campaign with its own question, ratings and annotators."""
    campaign, question, labels = content.source["campaign"], content.pairs.question, content.pairs.tables["labels"]
    quality, verdicts, copying = (
        tables[table][tables[table]["campaign"] == campaign] for table in (Quality, Verdicts, Copying)
    )
    own = {
        "scores": answers.sum_scores(labels.loc[~labels["further"], "scores"]),
        "annotators": _describe_annotators(rated.people, quality, verdicts, copying),
    }
    shown = show_question(question, answers.describe(question, labels, quality))
    return replace(
        content,
        random_part=votes.random_part,
        **shown | {"values": content.values | own | shown.get("values", {})},
        simulated=warn_of_simulated(votes.every),
        votes=votes.counting,
        ratings=_with_comments(votes.voting, rated.ratings),
        first_votes=votes.at_first,
    )


def _with_comments(voting: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """The answered ballots, with their comments."""
    comments = latest(ratings)[["assignment_id", "comment"]]
    return voting[voting["state"] != "open"].merge(comments, on="assignment_id", how="left")


def _add_bases(
    content: Content,
    bases: dict[str, pd.DataFrame],
    votes: list[Votes],
    tables: Mapping[type[Table], pd.DataFrame],
) -> Content:
    """The content of a set whose labels rest on other campaigns, with what these say of it.

    `bases`: see `ratings.gather_bases`; `votes`: of the campaigns that judged.
    """
    labels = content.pairs.tables["labels"]
    decided = content.pairs.frame.merge(labels.loc[~labels["further"], ["pair_id", "decided_by"]], on="pair_id")
    none = {"campaigns": pd.DataFrame(columns=columns("campaigns"))}
    basis = derivation.describe(none | bases | {"pairs": decided}) or {}
    campaigns = [row["campaign"] for row in basis["campaigns"]]
    judged = [row["campaign"] for row in basis["campaigns"] if row["role"] == JUDGEMENT]
    shown = show_derived(basis | _measure_agreement(tables[Quality], judged))
    question = answers.introduce(votes[0].question) if votes and votes[0].question.is_asked else None
    measures = tables[PairMeasures][["pair_id", "measure", "value", "model_sha256"]]
    return replace(
        content,
        **shown | {"values": content.values | {"question": question} | shown["values"]},
        notices=[*content.notices, *([DERIVED.format(names=", ".join(campaigns))] if campaigns else [])],
        votes=pd.concat([one.counting for one in votes]) if votes else None,
        measures=measures[measures["pair_id"].isin(content.pairs.frame["pair_id"])],
    )


def _measure_agreement(quality: pd.DataFrame, campaigns: list[str]) -> dict[str, Any]:
    """How far the raters of each campaign agree on all its pairs, those included that were not kept (`agreement`:
    campaign, measure, n, value), and in which campaigns it was not measured (`unmeasured`).

    `alpha` is over all rounds, `fleiss_kappa` over the first: later rounds ask only about what the first left open.
    """
    rows = []
    for campaign in campaigns:
        joint = quality[(quality["campaign"] == campaign) & (quality["annotator"] == EVERYBODY)]
        for measure, number in (("alpha", ALL_ROUNDS), ("fleiss_kappa", 1)):
            own = joint[(joint["measure"] == measure) & (joint["round"] == number)]
            rows += [{"campaign": campaign, "measure": measure, **row} for row in records(own[["n", "value"]])]
    measured = {row["campaign"] for row in rows}
    return {"agreement": rows, "unmeasured": [name for name in campaigns if name not in measured]}


def _compare_with_judges(pairs: Dataset, measures: pd.DataFrame) -> str:
    """How far people agree with the judges of a game (1: entailed both ways); empty where none judged a pair."""
    judged = measures.loc[measures["measure"] == "mi", ["pair_id", "value"]].drop_duplicates("pair_id")
    both = pairs.frame[["pair_id", "binary"]].merge(judged, on="pair_id").dropna()
    if both.empty:
        return ""
    people, machine = ((both[name] == 1).to_numpy(np.bool_) for name in ("binary", "value"))
    found = metrics.measures_of(metrics.cells(people, machine).sum(axis=0, keepdims=True))
    shown = {name: figure(metrics.plain(found[name][0])) for name in ("accuracy", "mcc", "precision")}
    return JUDGED.format(n=len(both), **shown)


def require_names(store: Store, label_set: LabelSet, flags: Iterable[str] = NAMED_IN, when: str = "") -> None:
    """Raise InputError if the tables have no campaign, method or scheme of that name but have others.

    `flags`: which of those; `when`: the moment of the store, for the message.
    """
    for flag in flags:
        tables, name = NAMED_IN[flag], label_set.store_scheme if flag == "scheme" else getattr(label_set, flag)
        names = sorted(set().union(*(store.distinct(table, flag) for table in tables)))
        if names and name not in names:
            where = " or ".join(table.table_name() for table in tables)
            raise InputError(
                f"--{flag}",
                expected=f"one of the table {where}{when}: {', '.join(names)}",
                found=name,
                remedy="give one of those",
            )


def find_method(store: Store, label_set: LabelSet) -> LabelSet:
    """The label set, by the method of a derived set where it has no labels by the default one."""
    methods = store.distinct(Labels, "method", campaign=label_set.campaign)
    derived = [method for method in (RULE, SILVER) if method in methods]
    if label_set.method == MAJORITY and MAJORITY not in methods and derived:
        return replace(label_set, method=derived[0])
    return label_set


def _describe(label_set: LabelSet, pairs: Dataset, as_of: datetime | None, *, is_derived: bool) -> dict[str, Any]:
    what = "Set" if is_derived else "Campaign"
    return {
        "kind": "store",
        "title": f"{what} “{label_set.campaign}”",
        "store": str(pairs.path),
        "campaign": label_set.campaign,
        "method": label_set.method,
        "scheme": label_set.store_scheme,
        "language": pairs.language.code,
        "as_of": as_of.isoformat() if as_of else None,
    }


def _list_versions(store: Store) -> list[dict[str, Any]]:
    """The versions in use, one per table: table, version, at (UTC), stage, recipe, seed, code, inputs."""
    manifests = {table.table_name(): store.manifest(table) for table in register.TABLES}
    return [
        {
            "table": table,
            "version": last["version"],
            "at": f"{datetime.fromtimestamp(last['at'] / 1000, UTC):%Y-%m-%d %H:%M:%S}",
            **{field: last[field] for field in ("stage", "recipe", "seed", "code", "inputs")},
        }
        for table, last in manifests.items()
        if last is not None
    ]


def _explain(flow: list[dict[str, Any]]) -> dict[str, str]:
    """Why each figure may have no value: the first of its tables that has no rows."""
    unused = [step["table"] for step in flow if not step["rows"] and step["table"] in COMMANDS]
    empty = list(dict.fromkeys([*_empty(flow), "quality", "predictions", *unused]))
    first = {name: next((t for t in empty if t in about.tables), empty[0]) for name, about in CATALOGUE.items()}
    reasons = {name: _ask_for(table) for name, table in first.items()}
    return reasons | dict.fromkeys(("question", "answers"), "no plan in the table campaigns records the question")


def _ask_for(table: str) -> str:
    return f"the table {table} is empty: run {' and '.join(COMMANDS[table])}"


def _empty(flow: list[dict[str, Any]]) -> list[str]:
    """The tables of the needed stages that have no rows."""
    lacking = missing([step["step"] for step in flow if step["rows"]])
    return [step["table"] for step in flow if step["step"] in lacking]


def _describe_annotators(
    people: pd.DataFrame, quality: pd.DataFrame, verdicts: pd.DataFrame, copying: pd.DataFrame
) -> dict[str, Any] | None:
    """The figure `annotators` (see `catalogue.Content`); None as long as nothing is measured."""
    if quality.empty:
        return None
    known = people[["annotator", "role", "level", "state"]]
    known = known.merge(verdicts[["annotator", "verdict"]], on="annotator", how="left")
    couples = copying.drop(columns="campaign").sort_values("z", ascending=False)
    measures = records(quality.drop(columns="campaign"))
    return {"people": records(known), "measures": measures, "copying": records(couples)}


def _read_predictions(store: Store, label_set: LabelSet, pairs: Dataset) -> tuple[dict[str, Any], str | None]:
    """The scores of the models that may be judged on this split, and which runs were left out and why."""
    if not pairs.is_split:
        return {}, None
    from data.guidance.scored import read_usable

    return read_usable(store, label_set, pairs.frame)


def _find_attacks(pairs: Dataset, attempts: pd.DataFrame) -> pd.DataFrame:
    """The attempts of the attacks whose originals are these pairs, or were put together from them."""
    parents = attempts[["attack", "parents"]].explode("parents")
    ours = parents.loc[parents["parents"].isin(pairs.frame["pair_id"]), "attack"]
    return attempts[attempts["attack"].isin(ours)]


def _trace_cards(store: Store) -> Provenance:
    """The cards of some definitions, as last fetched, with their licences."""

    @cache
    def read() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        cards = store.read(Cards, columns=["card_id", *DECK, "set_title", "fetched_at", "licence_note"])
        last = cards.sort_values("fetched_at").drop_duplicates("card_id", keep="last")
        return store.read(Sightings), last, licences.of_decks(last, store.read(Licences))[[*DECK, "licence"]]

    def trace(ids: "pd.Series[str]") -> pd.DataFrame:
        sightings, cards, decks = read()
        return sightings[sightings["definition_id"].isin(ids)].merge(cards, on="card_id").merge(decks, on=DECK)

    return trace
