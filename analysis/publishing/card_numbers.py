"""Every number of a data card, counted from a release's tables; pure."""

from dataclasses import asdict
from typing import Any

import pandas as pd

from analysis.datasets.ratings import Votes, of_release
from analysis.publishing import personal_data
from analysis.splitting import leaks
from analysis.statistics import (
    agreement,
    answers,
    contradictions,
    derivation,
    lexical,
    order_effect,
    transitivity,
)
from analysis.statistics.examples import records
from analysis.statistics.funnel import list_flow
from data.contract.licences import DECK, name
from data.contract.measures import CHANCE, MEASURES
from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY, SCORES, SILVER, SPLITS
from data.grouping import entities
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset
from data.labelled.releases import Facts
from data.measures import progress, soft_labels
from data.measures.ballots import in_random_part
from data.measures.raters.finished import find_finished
from data.texts.languages.base import language

Tables = dict[str, pd.DataFrame]
KNOWN = {"generated_texts": "text_id", "sentences": "sentence_id", "provenance": "definition_id"}
"""The tables that know texts others were made from, and the column of their ids."""


def count(tables: Tables, facts: Facts) -> dict[str, Any]:
    """The numbers of a release's tables; those that need texts are null where these were left out.

    So are numbers of votes where no answer to the question is one, and of pairs where it shows one text. Agreement
    on pairs that were kept because raters agree says nothing: where labels rest on other campaigns there is none.
    """
    pairs, question = tables["pairs"], facts.question
    has_text = "first" in pairs
    spoken = language(facts.language)
    frame = pairs.reindex(columns=[*COLUMNS, "overlap"]).astype(INTEGERS)
    labelled = Dataset(frame, facts.synonyms, spoken, names=facts.names)
    has_vote = question.vote is not None
    votes = of_release(tables, facts.rule, question)
    part = votes.random_part if votes else None
    return {
        "pairs": len(pairs),
        "entities": int(entities.each(pairs).nunique()),
        "groups": int(pairs["group"].nunique()),
        "definitions": int(pd.concat([pairs["first_id"], pairs["second_id"]]).nunique()),
        "labels": agreement.describe_labels(labelled),
        "votes": agreement.count_votes(labelled) if has_vote else None,
        "soft_labels": asdict(soft_labels.of_pairs(pairs, question, part)[0]),
        "random_part": None if part is None else agreement.share_votes(in_random_part(labelled.frame, part)),
        "saved": _count_saved(votes, facts) if has_vote and votes else None,
        "agreement": _count_agreement(labelled, votes) if has_vote and "campaigns" not in tables else None,
        "question": answers.introduce(question) if question.is_asked else None,
        "answers": answers.of_release(question, tables) if question.is_asked else None,
        "splits": agreement.describe_splits(labelled, part),
        "triangles": transitivity.count_triangles(labelled) if question.is_about_pairs else None,
        "texts": _count_texts(labelled, is_paired=question.is_about_pairs) if has_text else None,
        "ratings": _count_ratings(tables["ratings"], votes) if votes else None,
        "annotators": _count_annotators(tables["annotators"]) if "annotators" in tables else None,
        "quality": _summarise_quality(tables["quality"]) if "quality" in tables else None,
        "sources": _count_sources(tables["provenance"], tables["sources"]) if "sources" in tables else None,
        "derived": derivation.describe(tables),
        "silver": int((pairs["decided_by"] == SILVER).sum()),
        "made": _count_made(tables) if "generated_texts" in tables else None,
        "flow": list_flow(tables["flow"]) if "flow" in tables else None,
    }


def _count_saved(votes: Votes, facts: Facts) -> dict[str, int] | None:
    """The finished pairs, their ratings, and how many a fixed plan takes, as `progress.saved` counts them."""
    if facts.allocation is None:
        return None
    rule = votes.rule
    finished = find_finished(asdict(facts.allocation), votes.voting, rule, votes.gold_votes, rule.one_vote)
    return progress.saved(asdict(facts.allocation), finished)


def _count_agreement(pairs: Dataset, votes: Votes | None) -> dict[str, Any]:
    """The agreement on the pairs' votes (of the random part, where there is one) and, as `at_first`, before any was
    replaced; null where none was.
    """
    found = agreement.agree(in_random_part(pairs.frame, votes.random_part if votes else None))
    if votes:
        found["at_first"] = agreement.agree_at_first(pairs.frame, votes.at_first)
    return found


def _count_texts(pairs: Dataset, *, is_paired: bool) -> dict[str, Any]:
    both = pd.concat([pairs.frame["first"], pairs.frame["second"]])
    comparisons = leaks.compare_splits(pairs)
    return {
        "words": lexical.measure_lengths(pairs)["slots"]["whitespace"],
        "overlap": lexical.describe_overlap(pairs),
        "entity_named": lexical.count_named(pairs),
        "leaks": {kind: sum(row[kind] for row in comparisons) for kind in leaks.KINDS},
        "equal_texts": contradictions.count_equal_texts(pairs) if is_paired else None,
        "masked": {kind: int(both.str.contains(mask, regex=False).sum()) for kind, mask in personal_data.MASKS.items()},
        "size": lexical.measure_size(pairs),
        "examples": [shown for label in (1, 0) if (shown := _show_first(pairs, label)) is not None],
    }


def _show_first(pairs: Dataset, label: int) -> dict[str, Any] | None:
    """The pair with this label whose id comes first, of the training pairs where they have it; None without one."""
    having = pairs.frame[pairs.frame["binary"] == label]
    some = having[having["split"] == SPLITS[0]] if (having["split"] == SPLITS[0]).any() else having
    if some.empty:
        return None
    row = some.sort_values("pair_id").iloc[0].astype(object)
    shown = {name: None if pd.isna(row[name]) else str(row[name]) for name in ("pair_id", "first", "second")}
    return shown | {"entity": entities.name_pair(*row[entities.ENTITIES], names=pairs.names), "binary": label}


def _count_ratings(ratings: pd.DataFrame, votes: Votes) -> dict[str, Any]:
    seconds, question = ratings["seconds"].dropna(), votes.question
    return {
        "ratings": len(ratings),
        "annotators": int(ratings["annotator"].nunique()),
        "by_role": {str(role): int(n) for role, n in ratings.groupby("role")["annotator"].nunique().items()},
        "guide_versions": sorted(ratings["guide_version"].dropna().unique().tolist()),
        "superseded": int(ratings["replaced_in"].notna().sum()),
        "median_seconds": float(seconds.median()) if len(seconds) else None,
        "scores": [int((ratings["score"] == score).sum()) for score in SCORES]
        if question.is_paraphrase_scale
        else None,
        "sides": order_effect.compare(votes.counting) if question.is_about_pairs else None,
    }


def _count_annotators(annotators: pd.DataFrame) -> dict[str, Any]:
    """How many annotators have each role, level, guide version and consent version; `none` counts those without."""
    columns = ("role", "level", "guide_version", "consent_version")
    return {
        name: {
            str(value): int(n)
            for value, n in annotators[name].astype(object).fillna("none").value_counts().sort_index().items()
        }
        for name in columns
    }


def _summarise_quality(quality: pd.DataFrame) -> list[dict[str, Any]]:
    """The mean over annotators of every measure over all rounds, but of what chance would reach: measure, answer,
    annotators, mean.
    """
    overall = quality[(quality["round"] == ALL_ROUNDS) & quality["value"].notna()]
    overall = overall[overall["measure"].isin(set(MEASURES) - set(CHANCE))]
    single = overall[overall["annotator"] != EVERYBODY]
    return [
        {
            "measure": str(some["measure"].iloc[0]),
            "answer": some["answer"].astype(object).where(some["answer"].notna(), None).iloc[0],
            "annotators": len(some),
            "mean": float(some["value"].mean()),
        }
        for _, some in single.groupby(["measure", "answer"], dropna=False)
    ]


def _count_made(tables: Tables) -> dict[str, Any]:
    """Made texts by method, generator and model; sentences, and what they are from, by source and licence.

    `unknown`: the texts that others were made from and no table knows.
    """
    made, sentences = tables["generated_texts"], tables["sentences"]
    texts = made.groupby(["method", "generator", "model"], dropna=False).agg(texts=("text_id", "nunique"))
    stands = sentences.groupby(["source", "licence"], dropna=False)
    places = stands.agg(sentences=("sentence_id", "nunique"), places=("source_id", "nunique"))
    return {
        "texts": records(texts.reset_index()),
        "sentences": records(places.reset_index()),
        "unknown": count_unknown(tables),
    }


def count_unknown(tables: Tables) -> int:
    """How many texts that others were made from are no sentence, on no card and not made themselves."""
    known = [tables[name][column] for name, column in KNOWN.items() if name in tables]
    sources = tables["generated_texts"]["source_id"]
    return int(sources[~sources.isin(pd.concat(known))].nunique())


def _count_sources(provenance: pd.DataFrame, sources: pd.DataFrame) -> list[dict[str, Any]]:
    """Decks, cards and definitions by licence and source; licences in the order of their names, unknown ones last."""
    called = sources["licence_id"].astype(object).map(name, na_action="ignore")
    named = sources.assign(called=called.where(called.notna(), sources["licence"].astype(object)))
    by = ["called", "licence_id", "source"]
    cards = provenance.merge(named, on=DECK, how="left").groupby(by, dropna=False)
    counts = cards.agg(cards=("card_id", "nunique"), definitions=("definition_id", "nunique"))
    counts.insert(0, "decks", named.groupby(by, dropna=False).size())
    return records(counts.rename_axis(index={"called": "licence"}).reset_index())
