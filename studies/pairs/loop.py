"""Labels bought lot by lot among the published pairs: what a model learns from them, by the way of choosing; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve

from clustering.acquisition import priorities
from clustering.config import ByModel, SelectConfig
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.labelled.dataset import Dataset
from data.texts import similarity
from data.texts.languages.en import ENGLISH
from studies.pairs.judged_pairs import BORDER, measure
from studies.pairs.learners import Learner, Reals

RANDOM, ALL = "random", "all"


@dataclass(frozen=True, eq=False)
class Market:
    """The published pairs, their labels hidden until they are bought."""

    frame: pd.DataFrame
    """In the form of `data.labelled.dataset`, with the published split."""
    group: NDArray[np.intp]
    """The number of each pair's group: what intervals are drawn by."""
    overlap: Reals
    """What the selections use."""
    is_hard: NDArray[np.bool_]
    """As `judged_pairs` defines it: a paraphrase with little overlap, or the contrary."""

    says: NDArray[np.object_]
    """As `priorities.what_they_say`."""

    @property
    def label(self) -> NDArray[np.int64]:
        """1 for paraphrases."""
        return self.frame["binary"].to_numpy("int64")

    def rows(self, split: str) -> NDArray[np.intp]:
        """The rows of a split."""
        return np.flatnonzero(self.frame["split"] == split)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is bought, and how."""

    start: int = 1_000
    """Labels at first, drawn at random."""
    step: int = 500
    """Labels in a lot."""
    most: int = 3_775
    """Labels in the end."""
    random_share: float = 0.2
    per_entity: int | None = 5
    mix: float | None = None

    def __post_init__(self) -> None:
        """Raise InputError for numbers with which nothing can be bought."""
        for flag, value, least in (
            ("--start", self.start, 2),
            ("--step", self.step, 1),
            ("--most", self.most, self.start),
        ):
            require_at_least(flag, value, least)

    @property
    def sizes(self) -> list[int]:
        """The numbers of labels after each lot."""
        return [*range(self.start, self.most, self.step), self.most]


@dataclass(frozen=True, eq=False)
class Point:
    """A model after some labels."""

    way: str
    seed: int
    bought: NDArray[np.intp]
    """The rows whose labels it knew."""
    scores: Reals
    """Of all rows, one column per model; the first is the one judged."""
    thresholds: Reals
    """Of each model: the best F1 on validation."""


def prepare(frame: pd.DataFrame) -> Market:
    """The market of a data set in the form of `data.labelled.dataset`."""
    texts = frame["first"].tolist(), frame["second"].tolist()
    overlaps = np.array(measure(*texts)) >= BORDER
    overlap = similarity.jaccard(*texts).to_numpy("float64", na_value=np.nan)
    group = pd.factorize(Dataset(frame).groups)[0]
    is_hard = overlaps != (frame["binary"] == 1).to_numpy(dtype=bool)
    says = priorities.what_they_say(*texts, ENGLISH).to_numpy(object)
    return Market(frame, group, overlap, is_hard, says)


def buy_all(market: Market, learner: Learner, seed: int) -> Point:
    """The model that knows the labels of all training pairs."""
    return _learn(market, learner, market.rows("train"), ALL, seed)


def buy(market: Market, learner: Learner, way: str, seed: int, plan: Plan) -> Iterator[Point]:
    """The points of one way. All ways of a seed begin with the same pairs.

    A way is `random`, a selection by models, or two of them as `a+b`, of which each buys half.
    """
    bought = np.random.default_rng(seed).permutation(market.rows("train"))[: plan.start]
    point = _learn(market, learner, bought, way, seed)
    yield point
    for before, after in pairwise(plan.sizes):
        more = _next_lot(market, point, after - before, plan)
        point = _learn(market, learner, np.concatenate([point.bought, more]), way, seed)
        yield point


def _learn(market: Market, learner: Learner, bought: NDArray[np.intp], way: str, seed: int) -> Point:
    split = np.full(len(market.frame), "test", dtype=object)
    split[market.rows("validation")] = "validation"
    split[bought] = "train"
    scores = learner(market.frame.assign(split=split), seed)
    tuned, label = market.rows("validation"), market.label
    thresholds = np.array([_best_threshold(column[tuned], label[tuned]) for column in scores.T])
    return Point(way, seed, bought, scores, thresholds)


def _best_threshold(scores: Reals, label: NDArray[np.int64]) -> float:
    """The score with the best F1."""
    precision, recall, thresholds = precision_recall_curve(label, scores)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0)
    return float(thresholds[np.argmax(f1[:-1])])


def _next_lot(market: Market, point: Point, n: int, plan: Plan) -> NDArray[np.intp]:
    """The rows to buy next."""
    rest = np.setdiff1d(market.rows("train"), point.bought)
    if point.way == RANDOM:
        return np.random.default_rng((point.seed, len(point.bought))).permutation(rest)[:n]
    names = cast(list[ByModel], point.way.split("+"))
    lot: list[NDArray[np.intp]] = []
    for place, selection in enumerate(names):
        left = np.setdiff1d(rest, np.concatenate([np.empty(0, np.intp), *lot]))
        size = n * (place + 1) // len(names) - n * place // len(names)
        if size == 0:
            continue
        config = SelectConfig(
            selection=selection, limit=size, random_share=plan.random_share, per_entity=plan.per_entity, mix=plan.mix,
            seed=point.seed * 10_000 + len(point.bought),
        )  # fmt: skip
        lot.append(_choose(market, point, left, config))
    return np.concatenate([np.empty(0, np.intp), *lot])


def _choose(market: Market, point: Point, left: NDArray[np.intp], config: SelectConfig) -> NDArray[np.intp]:
    """The rows that `clustering select` would choose of those that are left."""
    judges = slice(None) if config.selection == priorities.DISAGREEMENT else slice(1)
    scores, thresholds = point.scores[left, judges], point.thresholds[judges]
    rows = pd.DataFrame(
        {
            "pair_id": [f"{row:06}" for row in left],
            "entity": market.frame["entity"].to_numpy(dtype=object)[left],
            "priority": priorities.prioritise(scores, thresholds, market.overlap[left], config.selection),
            "chance": priorities.mean_of_runs(scores),
            "is_scored": True,
            "says": market.says[left],
            "detail": "",
        }
    )
    return np.asarray(priorities.buy(rows, config)[0]["pair_id"].astype("int64"), dtype=np.intp)


def require_known(ways: Sequence[str]) -> None:
    """Raise InputError where a way names no selection."""
    for name in (name for way in ways if way != RANDOM for name in way.split("+")):
        if name not in get_args(ByModel):
            known = ", ".join((RANDOM, *get_args(ByModel)))
            raise InputError("--ways", expected=f"{known}, or two as a+b", found=name, remedy="correct it")
