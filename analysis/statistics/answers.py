"""How often each declared answer of a question was given, and how far annotators agree on it; pure."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.examples import records
from data.contract.questions import Control, Question
from data.contract.vocabulary import ALL_ROUNDS, BELOW_RULE, EVERYBODY

OF_SCALE = ("alpha_scores", "alpha", "fleiss_kappa")
OF_VOTE = ("fleiss_kappa", "with_majority", "with_majority_left_out")
"""The measures of all annotators together that are of PARADE's scale, and of another question's vote."""
AGREEMENT = ["measure", "control", "answer", "n", "value", "low", "high", "reason"]


def introduce(question: Question) -> dict[str, Any]:
    """The question itself: name, version, digest, captions (of the texts shown) and guide (its text)."""
    return {
        "name": question.name,
        "version": question.version,
        "digest": question.digest,
        "captions": list(question.shown.captions),
        "guide": question.guide,
    }


def describe(question: Question, labels: pd.DataFrame, measures: pd.DataFrame) -> list[dict[str, Any]]:
    """One entry per control, in the order of the question.

    `labels`: control (null: the vote), value, binary, n_votes, scores, decided_by, of all controls; `measures`: rows of
    `quality`, of which the ones of all annotators over all rounds are shown. An entry: name, heading, kind, level,
    pairs (with an answer), undecided (no label), below_rule (fewer equal votes than the rule asks for), ratings,
    answers ({value, text, positive, ratings, pairs}: how often it was given, and the pairs whose label it is or, of
    several answers, contains; null where the labels name no answer) and agreement (AGREEMENT).
    """
    measures = measures[(measures["round"] == ALL_ROUNDS) & (measures["annotator"] == EVERYBODY)]
    control = labels["control"].astype(object).fillna(question.first.name)
    return [
        {
            "name": asked.name,
            "heading": asked.heading,
            "kind": asked.kind,
            "level": None if asked.kind == "edited-text" else asked.measured,
            **_count(asked, labels[control == asked.name]),
            "agreement": records(measures.loc[_is_of(asked, measures, question), AGREEMENT]),
        }
        for asked in question.asked
    ]


def sum_scores(counts: "pd.Series[Any]") -> list[int] | None:
    """The number of ratings with the scores 0, 1, 2, 3 over all pairs; None without pairs."""
    sums: list[int] = np.stack(counts.tolist()).sum(axis=0).tolist() if len(counts) else []
    return sums if len(counts) else None


def _count(control: Control, labels: pd.DataFrame) -> dict[str, Any]:
    given = sum_scores(labels["scores"]) or []
    values = labels["value"].dropna().astype(object)
    is_known = labels.empty or len(values) > 0 or bool(labels["binary"].isna().all())
    chosen = values.str.split().explode() if control.kind == "several-of" else values
    n_pairs = chosen.value_counts()
    return {
        "pairs": len(labels),
        "undecided": int((labels["value"].isna() & labels["binary"].isna()).sum()),
        "below_rule": int((labels["decided_by"] == BELOW_RULE).sum()),
        "ratings": int(labels["n_votes"].sum()),
        "answers": [
            {
                "value": answer.value,
                "text": answer.text,
                "positive": answer.value in control.positive,
                "ratings": int(n),
                "pairs": int(n_pairs.get(answer.value, 0)) if is_known else None,
            }
            for answer, n in zip(control.answers, given or [0] * len(control.answers), strict=False)
        ],
    }


def _is_of(control: Control, measures: pd.DataFrame, question: Question) -> "pd.Series[bool]":
    """Which measures are of the control's answers."""
    own = measures["control"].eq(control.name).fillna(False)
    joint = OF_SCALE if question.is_paraphrase_scale else OF_VOTE
    of_votes = measures["control"].isna() & measures["measure"].isin(joint)
    return own | of_votes if control is question.vote else own


def of_release(question: Question, tables: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The entries of a release, which has the labels of PARADE's question in its table `pairs` alone."""
    labels = tables["pairs"].assign(control=question.first.name, value=None)
    quality = tables.get("quality", pd.DataFrame(columns=["round", "annotator", *AGREEMENT]))
    return describe(question, tables.get("labels", labels), quality)
