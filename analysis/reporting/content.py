"""What a report is made from, wherever it comes from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.reporting.explorer import Provenance
from analysis.statistics import answers
from analysis.statistics.wording import PARADE, VoteNames, name_sides
from data.contract.questions import Question
from data.labelled.dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class Content:
    """Labelled pairs and all that is known of how they came to be; None where nothing is known."""

    pairs: Dataset
    source: dict[str, Any]
    """What is shown: kind ("store" or "released"), title; of a store also store, campaign, method, scheme, as_of."""
    tables: list[dict[str, Any]]
    """The versions of the tables, or the files with their digests."""
    reasons: dict[str, str]
    """Why a figure has no value, by figure."""
    simulated: str | None = None
    """What to say at the top if any rating is simulated."""
    notices: list[str] = field(default_factory=list)
    """What else to read before any figure."""
    flow: list[dict[str, Any]] | None = None
    """What came out of each stage (see `funnel.trace`)."""
    votes: pd.DataFrame | None = None
    """The single votes that count: pair_id, vote, flipped."""
    ratings: pd.DataFrame | None = None
    """The latest rating of each assignment that was answered and votes: pair_id, annotator, score, comment,
    replaced_in."""
    scores: list[int] | None = None
    """The number of ratings that count with the scores 0, 1, 2, 3."""
    question: dict[str, Any] | None = None
    """What annotators were asked (see `answers.introduce`)."""
    answers: list[dict[str, Any]] | None = None
    """How often each declared answer was given (see `answers.describe`)."""
    called: VoteNames = PARADE
    """What the sides of the vote are called."""
    meaningless: dict[str, str] = field(default_factory=dict)
    """The figures that mean nothing for this question, and why."""
    annotators: dict[str, Any] | None = None
    """`people` (annotator, role, level, state, verdict), `measures` (the rows of `quality`), `copying` (its rows)."""
    random_part: pd.DataFrame | None = None
    """The votes of the random part (`ballots.count_at_random`); None where all pairs are of it."""
    first_votes: pd.DataFrame | None = None
    """The votes before any was replaced: pair_id, vote, replaced."""
    predictions: dict[str, dict[int, NDArray[np.float64]]] = field(default_factory=dict)
    """By model and seed, the score of each pair, NaN where it has none."""
    attacks: pd.DataFrame | None = None
    """The attempts of attacks on models that began with these pairs: rows of the table `attacks`."""
    basis: dict[str, Any] | None = None
    """What the labels of a set made from several campaigns rest on (see `derivation.describe`); from a store also the
    agreement of raters (see `from_store`)."""
    measures: pd.DataFrame | None = None
    """Rows of `pair_measures` of a set whose texts were made from one another."""
    provenance: Provenance | None = None
    """The cards of some definitions."""


def show_question(question: Question, described: list[dict[str, Any]] | None) -> dict[str, Any]:
    """The fields of Content that the question and the value of `answers.describe` determine."""
    if not question.is_asked:
        return {}
    return {
        "question": answers.introduce(question),
        "answers": described,
        "called": name_sides(question),
        "meaningless": _find_meaningless(question),
    }


def _find_meaningless(question: Question) -> dict[str, str]:
    """The figures that mean nothing for the question, and why."""
    of_votes = ("votes", "agreement", "sides", "triangles", "equal_texts", "baselines")
    if question.vote is None:
        return dict.fromkeys(("scores", *of_votes), f"no answer to the question {question.name} is a vote")
    found = {"scores": "see the answers by control"}
    if not question.is_about_pairs:
        found |= dict.fromkeys(("triangles", "equal_texts", "sides"), "the question shows one text, not a pair")
    return found


def show_derived(basis: dict[str, Any]) -> dict[str, Any]:
    """The fields of Content that a set has whose labels rest on other campaigns."""
    names = [row["campaign"] for row in basis["campaigns"]]
    see = f"see the report of {' or '.join(names)} (--campaign NAME)" if names else "these pairs were not rated"
    reasons = {
        "agreement": "pairs are kept because their raters agree, so agreement on them says nothing; see what the "
        "labels rest on",
        "annotators": f"they are measured in each campaign: {see}",
        "answers": f"each campaign has its own: {see}",
        "scores": f"each campaign has its own: {see}",
    }
    return {"basis": basis, "meaningless": reasons | ({} if names else {"sides": see, "votes": see, "question": see})}
