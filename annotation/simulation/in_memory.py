"""Whole campaigns in memory, of annotators whose kind and pairs whose truth are known; no server, no store; pure.

The noise is PARADE's: an accuracy is that of the *vote* (paraphrase or not), and errors are independent. With good
annotators right in 68 to 80 % of the pairs and three a pair, 58 % of the pairs are 2:1 splits and Fleiss' kappa is
0.23; PARADE's released votes have 58.9 % and 0.212.

    campaign = simulate({"good": 32, "guessing": 4, "careless": 4}, n_pairs=10_182, labels_per_pair=3, seed=1)
    campaign.ballots      what `votes.cast` returns of a real campaign, so that quality, rounds and adjudication take it
    campaign.truth        what they err from
    campaign.annotators   who is of which kind
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from annotation.assignment import design as planning
from annotation.config import Kind
from data.errors import InputError
from data.vocabulary import SCORES

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

KINDS: tuple[Kind, ...] = get_args(Kind)

ACCURACY: Mapping[Kind, tuple[float, float]] = {
    "good": (0.68, 0.80),
    "careless": (0.60, 0.60),
    "drifting": (0.68, 0.80),
    "tiring": (0.68, 0.80),
}
"""Lowest and highest chance of a right vote, drawn for each annotator. Who drifts begins there and ends by guessing;
who tires guesses all of the last third. The other kinds do not look at the pair: `guessing` any score, `always-2`,
`overlap` by the share of common words."""

CAREFUL: Kind = "good"
"""The only kind that nobody should accuse."""

PARAPHRASES = 0.469
"""The share of paraphrases among PARADE's pairs (He et al. 2020, Table 3)."""

OVERLAP_AUC = 0.758
"""How well Jaccard overlap tells PARADE's paraphrases from the others."""

EXACT = 0.8
"""The chance of the deserved one of the two scores, where the vote is right."""

NEAR = 0.7
"""The chance of the score beside the border (1 or 2), where the vote is wrong."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """A campaign after its first round."""

    ballots: pd.DataFrame
    """One row a label, as `votes.cast` gives them (all `scored`, round 1), and the annotator's `position` from 0."""
    truth: "pd.Series[int]"
    """The deserved score by pair_id."""
    overlap: "pd.Series[float]"
    """A latent overlap by pair_id, not in 0..1: only its order means something."""
    ease: "pd.Series[float]"
    """By pair_id, what is added to everybody's chance of a right vote."""
    annotators: pd.DataFrame
    """By annotator (index): `kind` and `accuracy` (of the vote at the start; null for kinds that have none)."""


def read_kinds(text: str) -> dict[Kind, int]:
    """How many annotators are of each kind, from `good:32,guessing:8`. Raises InputError for anything else."""
    parts = [part.partition(":") for part in text.split(",")]
    known = all(kind in KINDS and number.isdecimal() for kind, _, number in parts)
    if not known or len({kind for kind, _, _ in parts}) < len(parts):
        raise InputError(
            "kinds of annotators",
            expected="each once with a number, as in good:32,guessing:8, of " + ", ".join(KINDS),
            found=repr(text),
            remedy="write it in that form",
        )
    return {kind: int(number) for kind in KINDS for name, _, number in parts if name == kind}


def simulate(  # noqa: PLR0913 - all but the kinds by name
    kinds: Mapping[Kind, int],
    *,
    n_pairs: int,
    labels_per_pair: int,
    seed: int,
    overlap: Reals | None = None,
    lower: float = 0.0,
    unequal: float = 0.0,
) -> Simulated:
    """A campaign of `n_pairs` with `labels_per_pair` different annotators each, loads even, met at random.

    Same arguments, same campaign. `overlap`: that of real pairs, else drawn so that its AUC for the truth is 0.758.
    `lower`: how much less than `ACCURACY` good annotators get right, for a harder task. `unequal`: how far the ease of
    pairs spreads up and down, so that who looks at a pair errs where others err.
    Raises InputError for fewer annotators than labels a pair.
    """
    random = np.random.default_rng([seed, 5])
    people = _people(kinds, random)
    people["accuracy"] -= lower * (people["kind"] == CAREFUL)
    truth = random.choice(len(SCORES), size=n_pairs, p=_shares())
    if overlap is None:
        overlap = random.normal(size=n_pairs) + np.sqrt(2) * norm.ppf(OVERLAP_AUC) * (truth >= 2)
    asked = _design(len(people), n_pairs, labels_per_pair, random)
    ease = np.random.default_rng([seed, 11]).uniform(-unequal, unequal, n_pairs)
    pairs, raters = asked["pair"].to_numpy("int64"), asked["rater"].to_numpy("int64")
    asked = asked.assign(truth=truth[pairs], by_overlap=_graded(overlap)[pairs], ease=ease[pairs])
    scores = answer(people, asked, random)
    pair_ids = np.array([f"p{number:06d}" for number in range(n_pairs)], dtype=object)
    names = people.index.to_numpy(object)
    ballots = pd.DataFrame({"pair_id": pair_ids[pairs], "annotator": names[raters], "position": asked["position"]})
    ballots["assignment_id"] = ballots["pair_id"] + "-" + ballots["annotator"]
    ballots = ballots.assign(round=1, state="scored", score=pd.array(scores, dtype="Int64"))
    ballots["replaced_in"] = pd.array([pd.NA] * len(ballots), dtype="Int64")
    index = pd.Index(pair_ids, name="pair_id")
    return Simulated(
        ballots=ballots.sort_values("assignment_id", ignore_index=True),
        truth=pd.Series(truth, index=index),
        overlap=pd.Series(overlap, index=index),
        ease=pd.Series(ease, index=index),
        annotators=people,
    )


def answer(people: pd.DataFrame, asked: pd.DataFrame, random: np.random.Generator) -> Integers:
    """The score of each label, by the annotators' kinds; also for raters who are put among real ones.

    `people`: kind, accuracy. `asked`, a row a label: `rater` (row number in `people`), `truth` (0-3; 0 or 3 where only
    a vote is known), `by_overlap` (0-3, what overlap alone suggests), `progress` (0-1 of the rater's own work) and,
    where pairs differ in it, `ease`.
    """
    raters, truth = asked["rater"].to_numpy("int64"), asked["truth"].to_numpy("int64")
    progress = asked["progress"].to_numpy("float64")
    kinds, start = people["kind"].to_numpy(object)[raters], people["accuracy"].to_numpy("float64")[raters]
    accuracy = np.where(kinds == "drifting", start + (0.5 - start) * progress, start)
    accuracy = accuracy + asked.get("ease", 0)
    right, fine = random.random(len(raters)) < accuracy, random.random(len(raters))
    yes = truth >= 2
    within = np.where(fine < EXACT, truth, np.where(yes, 5, 1) - truth)  # 2 <-> 3, 0 <-> 1
    across = np.where(fine < NEAR, np.where(yes, 1, 2), np.where(yes, 0, 3))
    scores = np.where(right, within, across)
    any_score = random.integers(len(SCORES), size=len(raters))
    blind = {
        "guessing": any_score,
        "always-2": np.full(len(raters), 2),
        "overlap": asked["by_overlap"].to_numpy("int64"),
    }
    for kind, said in blind.items():
        scores = np.where(kinds == kind, said, scores)
    scores = np.where((kinds == "tiring") & (progress > 2 / 3), any_score, scores)
    return np.asarray(scores, dtype="int64")


def label_again(campaign: Simulated, asked: pd.DataFrame, seed: int) -> Integers:
    """The scores of further labels, given after everybody's own work. `asked`: pair_id, annotator."""
    pairs = campaign.truth.index.get_indexer(pd.Index(asked["pair_id"]))
    rows = pd.DataFrame(
        {
            "rater": campaign.annotators.index.get_indexer(pd.Index(asked["annotator"])),
            "truth": campaign.truth.to_numpy("int64")[pairs],
            "by_overlap": _graded(np.asarray(campaign.overlap, dtype=np.float64))[pairs],
            "progress": 1.0,
            "ease": campaign.ease.to_numpy("float64")[pairs],
        }
    )
    return answer(campaign.annotators, rows, np.random.default_rng([seed, 7]))


def _people(kinds: Mapping[Kind, int], random: np.random.Generator) -> pd.DataFrame:
    """Kind and accuracy of a01, a02, … in the order of the kinds."""
    listed = [kind for kind in KINDS for _ in range(kinds.get(kind, 0))]
    low, high = (np.array([ACCURACY.get(kind, (np.nan, np.nan))[end] for kind in listed]) for end in (0, 1))
    names = pd.Index([f"a{number:02d}" for number in range(1, len(listed) + 1)], name="annotator")
    return pd.DataFrame({"kind": listed, "accuracy": low + (high - low) * random.random(len(listed))}, index=names)


def _design(n_people: int, n_pairs: int, k: int, random: np.random.Generator) -> pd.DataFrame:
    """A row a label: pair, rater (numbers), position (from 0, in the rater's order), progress (0 to 1)."""
    if not 1 <= k <= n_people:
        raise InputError(
            "annotators",
            expected=f"at least {k}, one for each label of a pair",
            found=str(n_people),
            remedy="simulate more annotators or fewer labels a pair",
        )
    loads = planning.even_loads(np.full(n_people, n_pairs), n_pairs * k, random)
    design = planning.mix(planning.deal(loads, n_pairs), random)
    shuffled = random.permutation(n_pairs * k)
    asked = pd.DataFrame({"pair": np.repeat(np.arange(n_pairs), k)[shuffled], "rater": design.ravel()[shuffled]})
    position = asked.groupby("rater").cumcount()
    last = position.groupby(asked["rater"]).transform("max")
    return asked.assign(position=position, progress=position / last.clip(lower=1))


def _shares() -> Reals:
    """The chance of each score, two on each side of the border."""
    return np.array([(1 - PARAPHRASES) / 2] * 2 + [PARAPHRASES / 2] * 2)


def _graded(overlap: Reals) -> Integers:
    """The score that overlap alone suggests: the pairs' ranks cut at the shares of the scores."""
    ranks = overlap.argsort(kind="stable").argsort(kind="stable") / max(len(overlap), 1)
    return np.searchsorted(np.cumsum(_shares())[:-1], ranks, side="right").astype("int64")
