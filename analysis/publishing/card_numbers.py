"""Every number of a data card, counted from a release's tables; pure."""

from typing import Any

import pandas as pd

from analysis.publishing import personal_data
from analysis.splitting import leaks
from analysis.statistics import agreement, contradictions, lexical, order_effect, recount, transitivity
from analysis.statistics.funnel import list_flow
from data.labelled import entities
from data.labelled.entities import Synonyms
from data.labelled.frame import COLUMNS, INTEGERS
from data.labelled.pairs import LabelledPairs
from data.languages.base import Language
from data.licences import DECK, name
from data.vocabulary import ALL_ROUNDS, EVERYBODY

Tables = dict[str, pd.DataFrame]


def count(tables: Tables, synonyms: Synonyms, language: Language, paraphrase_from: int) -> dict[str, Any]:
    """The numbers of a release's tables; those that need texts are null where these were left out.

    `paraphrase_from`: the lowest score that is a vote for "paraphrase".
    """
    pairs = tables["pairs"]
    has_text = "first" in pairs
    labelled = LabelledPairs(pairs.reindex(columns=[*COLUMNS, "overlap"]).astype(INTEGERS), synonyms, language)
    return {
        "pairs": len(pairs),
        "entities": int(entities.each(pairs["entity"]).nunique()),
        "groups": int(pairs["group"].nunique()),
        "definitions": int(pd.concat([pairs["first_id"], pairs["second_id"]]).nunique()),
        "labels": agreement.describe_labels(labelled),
        "votes": agreement.count_votes(labelled),
        "agreement": agreement.agree(labelled.frame),
        "splits": agreement.describe_splits(labelled),
        "triangles": transitivity.count_triangles(labelled),
        "texts": _count_texts(labelled) if has_text else None,
        "ratings": _count_ratings(tables["ratings"], paraphrase_from) if "ratings" in tables else None,
        "annotators": _count_annotators(tables["annotators"]) if "annotators" in tables else None,
        "quality": _summarise_quality(tables["quality"]) if "quality" in tables else None,
        "sources": _count_sources(tables["provenance"], tables["sources"]) if "sources" in tables else None,
        "flow": list_flow(tables["flow"]) if "flow" in tables else None,
    }


def _count_texts(pairs: LabelledPairs) -> dict[str, Any]:
    both = pd.concat([pairs.frame["first"], pairs.frame["second"]])
    comparisons = leaks.compare_splits(pairs)
    return {
        "words": lexical.measure_lengths(pairs)["slots"]["whitespace"],
        "overlap": lexical.describe_overlap(pairs),
        "entity_named": lexical.count_named(pairs),
        "leaks": {kind: sum(row[kind] for row in comparisons) for kind in leaks.KINDS},
        "equal_texts": contradictions.count_equal_texts(pairs),
        "masked": {kind: int(both.str.contains(mask, regex=False).sum()) for kind, mask in personal_data.MASKS.items()},
        "size": lexical.measure_size(pairs),
    }


def _count_ratings(ratings: pd.DataFrame, paraphrase_from: int) -> dict[str, Any]:
    seconds = ratings["seconds"].dropna()
    counted = recount.standing(recount.last(ratings))
    return {
        "ratings": len(ratings),
        "annotators": int(ratings["annotator"].nunique()),
        "by_role": {str(role): int(n) for role, n in ratings.groupby("role")["annotator"].nunique().items()},
        "guide_versions": sorted(ratings["guide_version"].dropna().unique().tolist()),
        "superseded": int(ratings["replaced_in"].notna().sum()),
        "median_seconds": float(seconds.median()) if len(seconds) else None,
        "scores": [int((ratings["score"] == score).sum()) for score in range(4)],
        "sides": order_effect.compare(counted.assign(vote=(counted["score"] >= paraphrase_from).astype("int64"))),
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


def _summarise_quality(quality: pd.DataFrame) -> dict[str, Any]:
    """The mean over annotators of every measure, over all rounds, that follows from the ratings."""
    overall = quality[(quality["round"] == ALL_ROUNDS) & quality["value"].notna()]
    overall = overall[overall["measure"].isin(recount.MEASURES)]
    single = overall[overall["annotator"] != EVERYBODY]
    return {
        str(measure): {"annotators": len(some), "mean": float(some["value"].mean())}
        for measure, some in single.groupby("measure")
    }


def _count_sources(provenance: pd.DataFrame, sources: pd.DataFrame) -> list[dict[str, Any]]:
    """Decks, cards and definitions by licence and source; licences in the order of their names, unknown ones last."""
    called = sources["licence_id"].astype(object).map(name, na_action="ignore")
    named = sources.assign(called=called.where(called.notna(), sources["licence"].astype(object)))
    by = ["called", "licence_id", "source"]
    cards = provenance.merge(named, on=DECK, how="left").groupby(by, dropna=False)
    counts = cards.agg(cards=("card_id", "nunique"), definitions=("definition_id", "nunique"))
    counts.insert(0, "decks", named.groupby(by, dropna=False).size())
    rows = counts.reset_index().rename(columns={"called": "licence"}).astype(object)
    return [dict(zip(rows.columns, row, strict=True)) for row in rows.where(rows.notna(), None).to_numpy().tolist()]
