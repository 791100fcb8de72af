"""The tables of a release, gathered from a store or from a data set elsewhere."""

from typing import Any

import pandas as pd

from analysis.datasets import grounds
from analysis.datasets.from_campaign import read_annotators, read_answers, read_of_study, read_ratings
from analysis.publishing.edition import Edition, list_flow
from analysis.statistics import funnel
from data.contract import licences, register
from data.contract.questions import Question
from data.contract.tables.campaign import Assignments, Documents, SimulatedTruth
from data.contract.tables.definitions import Cards, Licences, Sightings
from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels, Quality
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import LEFT_OUT, MAJORITY, SIMULATED, SPLIT, TIE, UNANIMOUS, VOTING
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import columns
from data.labelled.snapshot import Snapshot
from data.labelled.sources import Source
from data.measures import soft_labels
from data.measures.rules import read_rule
from data.provenance.lineage import made_for
from data.recorded.plans import read_question, withdrawn_from
from data.storage.store import Store


def gather(source: Source, label_set: LabelSet) -> Edition:
    """The edition of a data set, with everything that a store knows about it."""
    frame = source.pairs.frame
    share = (frame["votes"] / frame["n_votes"]).astype("Float64").where(frame["n_votes"] > 0)
    frame = frame.assign(group=source.pairs.groups, share=share, overlap=source.pairs.overlap)
    language = source.pairs.language
    if source.kind != "store":
        pairs = _arrange(_add_votes(frame), None)
        return Edition(pairs=pairs, scheme=source.scheme, language=language, manifests=source.tables)
    store = Store(source.path)
    part: dict[str, Any] = {"campaign": label_set.campaign, "method": label_set.method}
    labels, snapshot = store.read(Labels, **part, further=False), Snapshot(store)
    added = ["pair_id", "scores", "posterior", "stratum", "decided_by"]
    question = read_question(store, label_set.campaign)
    ratings = read_ratings(store, label_set.campaign, question)
    withdrawn = withdrawn_from(store, label_set.campaign)
    is_other = question is not None and not question.is_paraphrase_scale
    people = read_annotators(store, label_set.campaign)
    quality = store.read(Quality, campaign=label_set.campaign).drop(columns="campaign")
    made = made_for([*frame["first_id"], *frame["second_id"]], store)
    cards = _read_cards(store, {*frame["first_id"], *frame["second_id"], *made["source_id"]})
    bases = grounds.gather(snapshot, label_set)
    based_on = bases["campaigns"]["campaign"] if bases else ()
    return Edition(
        pairs=_arrange(frame.merge(labels[added], on="pair_id"), question),
        labels=_read_labels(store, label_set, frame) if is_other else None,
        ratings=ratings,
        answers=read_answers(store, label_set.campaign) if is_other and question and not question.scale else None,
        annotators=people.loc[~people["annotator"].isin(sorted(withdrawn)), columns("annotators")],
        documents=_read_documents(store, label_set.campaign),
        quality=quality,
        provenance=cards[columns("provenance")].sort_values(["definition_id", "card_id"], ignore_index=True),
        sources=licences.of_decks(cards, store.read(Licences))[columns("sources")],
        **(_list_origins(store, made) if len(made) else {}),
        **bases,
        flow=list_flow(funnel.trace(snapshot, LabelSet(**part, scheme=source.scheme))),
        scheme=source.scheme,
        language=language,
        question=question,
        synonyms=dict(source.pairs.synonyms),
        simulated=_count_simulated(ratings) + _count_simulated(bases.get("campaign_ratings", ratings[:0])),
        withdrawn=withdrawn,
        withdrawn_from_bases={name: withdrawn_from(store, name) for name in based_on},
        unresolved=_count_unresolved(store, label_set.campaign, labels["pair_id"], question),
        forgotten=len(labels) - len(frame),
        rule=read_rule(
            snapshot.config(Quality, campaign=label_set.campaign) | snapshot.config(Labels, **part), question
        ),
        manifests=_read_manifests(store, label_set, source.scheme),
    )


def _add_votes(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the columns that only a store knows, as far as they follow from the votes."""
    agreed = (frame["votes"] == 0) | (frame["votes"] == frame["n_votes"])
    nothing = pd.Series(pd.NA, index=frame.index, dtype="object")
    stratum = agreed.map({True: UNANIMOUS, False: SPLIT})
    return frame.assign(stratum=stratum, decided_by=MAJORITY, scores=nothing, posterior=nothing)


def _arrange(frame: pd.DataFrame, question: Question | None) -> pd.DataFrame:
    frame = frame.assign(expected_share=soft_labels.of_pairs(frame, question)[1])
    pairs = frame[columns("pairs")].sort_values("pair_id", ignore_index=True)
    return pairs.astype({"posterior": "Float64", "share": "Float64", "overlap": "Float64"})


def _read_labels(store: Store, label_set: LabelSet, frame: pd.DataFrame) -> pd.DataFrame:
    """The labels of every control, of the pairs of the frame."""
    rows = store.read(Labels, campaign=label_set.campaign, method=label_set.method)
    rows = rows[rows["pair_id"].isin(frame["pair_id"])]
    return rows[columns("labels")].sort_values(["pair_id", "control"], ignore_index=True)


def _count_simulated(ratings: pd.DataFrame) -> int:
    return int((ratings["role"] == SIMULATED).sum())


def _read_documents(store: Store, campaign: str) -> pd.DataFrame | None:
    rows = read_of_study(store, Documents, campaign)[columns("documents")]
    return rows.drop_duplicates(["kind", "version"]).reset_index(drop=True) if len(rows) else None


def _count_unresolved(store: Store, campaign: str, labelled: "pd.Series[str]", question: Question | None) -> int:
    """The pairs that may still get a label.

    A tie leaves a pair open where a senior could end it: not where answers are no votes, nor where they keep or drop
    items, since an item that as many people drop as keep does not go on.
    """
    given = store.read(Assignments, ["pair_id", "kind"], campaign=campaign)
    work = set(given.loc[given["kind"].isin(VOTING), "pair_id"])
    rejects = store.read(Rejects, ["id", "reason"], part=campaign)
    ends = question is not None and (question.vote is None or any(control.drops for control in question.asked))
    reasons = (*LEFT_OUT, TIE) if ends else LEFT_OUT
    out = set(rejects.loc[rejects["reason"].isin(reasons), "id"])
    return len(work - set(labelled) - out)


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
