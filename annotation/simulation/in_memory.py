"""Whole campaigns in memory, of annotators whose kind and pairs whose truth are known; no server, no store; pure.

The noise is PARADE's (`noise`), and errors are independent.

    campaign = simulate({"good": 32, "guessing": 4, "careless": 4}, n_pairs=10_182, labels_per_pair=3, seed=1)
    campaign.ballots      what `ballots.cast` returns for a real campaign, so that all that judges ballots takes it
    campaign.truth        what the annotators err from
    campaign.annotators   who is of which kind
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from annotation.assignment import design
from annotation.simulation.assumptions import AS_IN_PARADE, Assumptions
from annotation.simulation.noise import (
    GOOD,
    KINDS,
    Kind,
    draw_scores,
    parade_confusions,
    score_chances,
    spread_ease,
)
from annotation.simulation.truth import graded_overlap, shares
from data.console.errors import InputError
from data.measures.agreement import Integers, Reals
from data.measures.classes import PARADE, Classes


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """A campaign after its first round."""

    ballots: pd.DataFrame
    """One row per label as `ballots.cast` gives it (`scored`, in round 1), and the annotator's `position` from 0."""
    truth: "pd.Series[int]"
    """The number of the deserved answer by pair_id."""
    overlap: "pd.Series[float]"
    """A latent overlap by pair_id, not in 0..1: only its order means something."""
    ease: "pd.Series[float]"
    """By pair_id, what is added to everybody's chance of a right vote (`noise.with_ease`)."""
    classes: Classes
    """The answers that can be given."""
    assumed: Assumptions
    annotators: pd.DataFrame
    """By annotator (index): `kind` and `accuracy` (of the vote at the start; null for kinds that do not look)."""


def simulate(  # noqa: PLR0913 - all but the kinds by name
    kinds: Mapping[Kind, int],
    *,
    n_pairs: int,
    labels_per_pair: int,
    seed: int,
    overlap: Reals | None = None,
    lower: float = 0.0,
    unequal: float = 0.0,
    classes: Classes = PARADE,
    assumed: Assumptions = AS_IN_PARADE,
) -> Simulated:
    """A campaign of `n_pairs` with `labels_per_pair` different annotators each, met at random, with even loads.

    The same arguments give the same campaign. `overlap`: the overlap of real pairs; by default it is drawn so that its
    AUC for the truth is the assumed one. `lower`: how much lower than assumed good annotators are, for a harder task.
    `unequal`: how far the ease of pairs spreads up and down, so that annotators who look at the pair err where others
    err. Raises InputError for fewer annotators than labels per pair.
    """
    random = np.random.default_rng([seed, 5])
    annotators = _annotators(kinds, assumed, random)
    annotators["accuracy"] -= lower * (annotators["kind"] == GOOD)
    truth = random.choice(len(classes), size=n_pairs, p=shares(classes, assumed.positive))
    if overlap is None:
        overlap = random.normal(size=n_pairs) + np.sqrt(2) * ndtri(assumed.overlap_auc) * (
            truth >= len(classes) - classes.n_positive
        )
    asked = _assign(len(annotators), n_pairs, labels_per_pair, random)
    ease = spread_ease(np.random.default_rng([seed, 11]).random(n_pairs), unequal)
    pairs, raters = asked["pair"].to_numpy("int64"), asked["rater"].to_numpy("int64")
    by_overlap = graded_overlap(overlap, classes, assumed.positive)
    asked = asked.assign(truth=truth[pairs], by_overlap=by_overlap[pairs], ease=ease[pairs])
    numbers = np.array(classes.numbers)
    scores = numbers[answer(annotators, asked, random, classes)]
    pair_ids = np.array([f"p{number:06d}" for number in range(n_pairs)], dtype=object)
    names = annotators.index.to_numpy(object)
    given = pd.DataFrame({"pair_id": pair_ids[pairs], "annotator": names[raters], "position": asked["position"]})
    index = pd.Index(pair_ids, name="pair_id")
    return Simulated(
        ballots=_count_all(given.assign(score=pd.array(scores, dtype="Int64"))),
        truth=pd.Series(numbers[truth], index=index),
        overlap=pd.Series(overlap, index=index),
        ease=pd.Series(ease, index=index),
        classes=classes,
        assumed=assumed,
        annotators=annotators,
    )


def _count_all(given: pd.DataFrame) -> pd.DataFrame:
    """The ballots of answers that all count: pair_id, annotator, position, score."""
    none = pd.array([pd.NA] * len(given), dtype="Int64")
    ballots = given.assign(
        assignment_id=given["pair_id"] + "-" + given["annotator"],
        group=given["pair_id"],
        round=1, kind="work", further=False, state="scored", random=True, replaced_in=none,
    )  # fmt: skip
    return ballots.sort_values("assignment_id", ignore_index=True)


def answer(
    annotators: pd.DataFrame, asked: pd.DataFrame, random: np.random.Generator, classes: Classes = PARADE
) -> Integers:
    """The place of each rating's answer; also for annotators who are put among real ones.

    `annotators`: kind, accuracy. `asked`: as in `noise.score_chances`.
    """
    chances = score_chances(annotators["kind"].to_numpy(object), parade_confusions(annotators, classes), asked, classes)
    return draw_scores(chances, random.random(len(asked)))


def label_again(campaign: Simulated, asked: pd.DataFrame, seed: int) -> Integers:
    """The numbers of further answers, given after everybody's own work. `asked`: pair_id, annotator."""
    classes = campaign.classes
    pairs = campaign.truth.index.get_indexer(pd.Index(asked["pair_id"]))
    overlap = np.asarray(campaign.overlap, dtype=np.float64)
    rows = pd.DataFrame(
        {
            "rater": campaign.annotators.index.get_indexer(pd.Index(asked["annotator"])),
            "truth": classes.places(campaign.truth.to_numpy("int64")[pairs]),
            "by_overlap": graded_overlap(overlap, classes, campaign.assumed.positive)[pairs],
            "progress": 1.0,
            "ease": campaign.ease.to_numpy("float64")[pairs],
        }
    )
    places = answer(campaign.annotators, rows, np.random.default_rng([seed, 7]), classes)
    return np.asarray(np.array(classes.numbers)[places])


def _annotators(kinds: Mapping[Kind, int], assumed: Assumptions, random: np.random.Generator) -> pd.DataFrame:
    """Kind and accuracy of a01, a02, … in the order of the kinds."""
    listed = [kind for kind in KINDS for _ in range(kinds.get(kind, 0))]
    names = pd.Index([f"a{number:02d}" for number in range(1, len(listed) + 1)], name="annotator")
    accuracy = assumed.accuracy_of(listed, random.random(len(listed)))
    return pd.DataFrame({"kind": listed, "accuracy": accuracy}, index=names)


def _assign(n_annotators: int, n_pairs: int, labels_per_pair: int, random: np.random.Generator) -> pd.DataFrame:
    """One row per label: pair, rater (numbers), position (from 0, in the rater's order), progress (0 to 1)."""
    if not 1 <= labels_per_pair <= n_annotators:
        raise InputError(
            "annotators",
            expected=f"at least {labels_per_pair}, one for each label of a pair",
            found=str(n_annotators),
            remedy="simulate more annotators or fewer labels per pair",
        )
    n_labels = n_pairs * labels_per_pair
    loads = design.even_loads(np.full(n_annotators, n_pairs), n_labels, random)
    raters = design.mix(design.deal(loads, n_pairs), random).ravel()
    shuffled = random.permutation(n_labels)
    pairs = np.repeat(np.arange(n_pairs), labels_per_pair)
    asked = pd.DataFrame({"pair": pairs[shuffled], "rater": raters[shuffled]})
    position = asked.groupby("rater").cumcount()
    last = position.groupby(asked["rater"]).transform("max")
    return asked.assign(position=position, progress=position / last.clip(lower=1))
