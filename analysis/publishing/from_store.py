"""The tables of a release, gathered from a store or from a data set elsewhere."""

from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.metadata import metadata
from typing import Any

import pandas as pd

from analysis.datasets.ratings import (
    base_config,
    find_roles,
    gather_bases,
    of_release,
    read_answers,
    read_governing,
    read_rated,
    read_ratings,
    with_accepted,
)
from analysis.statistics import funnel
from data.contract import licences, register
from data.contract.questions import Question
from data.contract.tables.campaign import Documents, SimulatedTruth
from data.contract.tables.definitions import Cards, Licences, Sightings
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels, Quality
from data.contract.vocabulary import FIXED, MAJORITY, SIMULATED
from data.grouping.entities import each
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import TABLES, columns
from data.labelled.releases import Facts, FurtherRatings, Release
from data.measures import soft_labels
from data.measures.ballots import stratify
from data.measures.raters import certainty
from data.measures.rules import CountRule, read_rule
from data.provenance.descent import made_for
from data.recorded.plans import Plans, withdrawn_from
from data.storage.store import Store


def gather(
    dataset: Dataset, label_set: LabelSet, name: str = "", permissions: Mapping[str, str] | None = None
) -> Release:
    """The release of a data set under this name, without statements, with everything that a store knows about it.

    `permissions`: source or licence -> by what right its texts are published.
    """
    frame, question = dataset.frame, dataset.question
    share = (frame["votes"] / frame["n_votes"]).astype("Float64").where(frame["n_votes"] > 0)
    frame = frame.assign(group=dataset.groups, share=share, overlap=dataset.overlap)
    if dataset.kind != "store":
        tables, manifests = {"pairs": _arrange(_add_votes(frame), question)}, list(dataset.versions)
        rule, synonyms, allocation = CountRule(), {}, None
    else:
        store = Store(dataset.path)
        tables = _gather_tables(store, replace(label_set, scheme=dataset.scheme), replace(dataset, frame=frame))
        manifests, synonyms = _read_manifests(store, label_set, dataset.scheme), dict(dataset.synonyms)
        rule, plan = _read_rule(store, label_set, question), dataset.plans.latest.get(label_set.campaign)
        allocation = None
        if plan is not None and plan["allocate"] != FIXED:
            allocation = FurtherRatings(**{part.name: plan[part.name] for part in fields(FurtherRatings)})
    facts = Facts(
        name=name,
        simulated=sum(int((tables[name]["role"] == SIMULATED).sum()) for name in RATED if name in tables),
        permissions=dict(permissions or {}),
        recipe=next((one["recipe"] for one in manifests if one["table"] == "pairs" and "recipe" in one), None),
        scheme=dataset.scheme,
        synonyms=synonyms,
        names={entity: dataset.names[entity] for entity in sorted({*each(frame)} & {*dataset.names})},
        rule=rule,
        without_text=False,
        language=dataset.language.code,
        allocation=allocation,
        question=question,
        software=_describe_software(),
    )
    return Release(tables=tables, facts=facts, manifests=manifests)


def _describe_software() -> dict[str, str]:
    """The version of this package, and its first address where it has one."""
    about = metadata("parade-builder")
    addresses = [line.partition(",")[2].strip() for line in about.get_all("Project-URL") or []]
    return {"version": about["Version"]} | ({"url": addresses[0]} if addresses else {})


def _gather_tables(store: Store, label_set: LabelSet, dataset: Dataset) -> dict[str, pd.DataFrame]:
    """The tables of a campaign in a store; `dataset`: its pairs with group, share and overlap."""
    campaign, frame, plans, labels = label_set.campaign, dataset.frame, dataset.plans, dataset.tables["labels"]
    question, base = plans.question(campaign), base_config(store, label_set)
    roles = find_roles(store, base, plans)
    rated = {name: read_rated(store, name, plans.question(name)) for name in (campaign, *roles)}
    is_other = not question.has_paraphrases
    people = with_accepted(store, rated[campaign].people, campaign, plans)
    withdrawn = withdrawn_from(store, plans.study(campaign))
    made = made_for([*frame["first_id"], *frame["second_id"]], store.read(GeneratedTexts))
    cards = _read_cards(store, {*frame["first_id"], *frame["second_id"], *made["source_id"]})
    added = [name for name in columns("pairs") if name in labels and name not in frame]
    of_store = frame.merge(labels.loc[~labels["further"], ["pair_id", *added]], on="pair_id")
    ratings = read_ratings(store, campaign, rated[campaign], dataset)
    votes = of_release({"ratings": ratings}, _read_rule(store, label_set, question), question)
    gathered = {
        "pairs": _arrange(of_store, question, votes.random_part if votes else None),
        "ratings": ratings,
        "annotators": people.loc[~people["annotator"].isin(withdrawn), columns("annotators")],
        "quality": store.read(Quality, campaign=campaign).drop(columns="campaign"),
        "provenance": cards[columns("provenance")].sort_values(["definition_id", "card_id"], ignore_index=True),
        "sources": licences.of_decks(cards, store.read(Licences))[columns("sources")],
        "flow": funnel.tabulate(funnel.trace(store, label_set, dataset, base, rated)),
        **(_list_origins(store, made) if len(made) else {}),
        **gather_bases(store, base, dataset, roles, rated),
        **({"labels": _arrange_labels(labels, frame)} if is_other else {}),
        **({"answers": read_answers(store, rated[campaign])} if is_other and not question.scale else {}),
    }
    if len(documents := _read_documents(store, campaign, plans)):
        gathered["documents"] = documents
    for group in LEFT_OUT_EMPTY:
        if not any(len(gathered[name]) for name in group):
            gathered = {name: table for name, table in gathered.items() if name not in group}
    return {name: gathered[name] for name in TABLES if name in gathered}


RATED = ("ratings", "campaign_ratings")
LEFT_OUT_EMPTY = (("ratings", "annotators", "quality"), ("provenance", "sources"))
"""Tables that are left out where none of them has a row: the set itself was not rated; no text of it is on a card."""


def _read_rule(store: Store, label_set: LabelSet, question: Question) -> CountRule:
    measured = store.config(Quality, campaign=label_set.campaign)
    return read_rule(measured | store.config(Labels, campaign=label_set.campaign, method=label_set.method), question)


def _add_votes(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the columns that only a store knows, null where they do not follow from the votes."""
    agreed = (frame["votes"] == 0) | (frame["votes"] == frame["n_votes"])
    nothing = pd.Series(pd.NA, index=frame.index, dtype="object")
    stratum = stratify(agreed.to_numpy(bool), frame["n_votes"].to_numpy("int64"))
    known = frame.assign(stratum=stratum, decided_by=MAJORITY)
    return known.assign(**{name: nothing for name in columns("pairs") if name not in known})


def _arrange(frame: pd.DataFrame, question: Question, part: pd.DataFrame | None = None) -> pd.DataFrame:
    frame = frame.assign(expected_share=soft_labels.of_pairs(frame, question, part)[1])
    pairs = frame[columns("pairs")].sort_values("pair_id", ignore_index=True)
    return pairs.astype(dict.fromkeys(("share", "overlap", *certainty.COLUMNS), "Float64"))


def _arrange_labels(labels: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The labels of every control, of the pairs of the frame."""
    rows = labels[labels["pair_id"].isin(frame["pair_id"])]
    return rows[columns("labels")].sort_values(["pair_id", "control"], ignore_index=True)


def _read_documents(store: Store, campaign: str, plans: Plans) -> pd.DataFrame:
    rows = read_governing(store, Documents, campaign, plans)[columns("documents")]
    return rows.drop_duplicates(["kind", "version"]).reset_index(drop=True)


def _read_cards(store: Store, ids: set[str]) -> pd.DataFrame:
    """The cards that hold these definitions, as last fetched, with definition_id."""
    sightings = store.read(Sightings)
    used = sightings[sightings["definition_id"].isin(ids)]
    cards = store.read(Cards).sort_values("fetched_at").drop_duplicates("card_id", keep="last")
    return used.merge(cards, on="card_id")


def _list_origins(store: Store, made: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables `generated_texts` and `sentences`: how these texts were made, and where their sentences are from."""
    sentences = store.read(Sentences, columns("sentences"))
    sentences = sentences[sentences["sentence_id"].isin(made["source_id"])]
    return {
        "generated_texts": made[columns("generated_texts")].sort_values(["generator", "text_id"], ignore_index=True),
        "sentences": sentences.sort_values(["source", "sentence_id"], ignore_index=True),
    }


def _read_manifests(store: Store, label_set: LabelSet, scheme: str) -> list[dict[str, Any]]:
    part = {"campaign": label_set.campaign, "method": label_set.method, "scheme": scheme}
    found = []
    for table in register.TABLES:
        names = table.scope_columns()
        asked = {name: part[name] for name in names} if part.keys() >= set(names) else {}
        last = store.manifest(table, **asked) if table is not SimulatedTruth else None
        if last is not None:
            found.append({"table": table.table_name(), **last})
    return found
