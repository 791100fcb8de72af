"""The pairs of a data set as training sees them: numbers of distinct texts, targets and labels; pure."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import TableError
from data.labelled.dataset import Dataset
from identification.config import TrainingConfig

TRAIN, VALIDATION = "train", "validation"


@dataclass(frozen=True, kw_only=True)
class NumberedPairs:
    """Pairs of texts given by their numbers."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    target: NDArray[np.float64]
    """What is to be learned, 0 to 1: the label, or the share of votes; NaN where there is neither."""
    label: NDArray[np.float64]
    """1 paraphrase, 0 not, NaN undecided."""

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.first)

    def where(self, rows: NDArray[np.bool_]) -> "NumberedPairs":
        """The pairs of those rows."""
        return replace(
            self, first=self.first[rows], second=self.second[rows], target=self.target[rows], label=self.label[rows]
        )


@dataclass(frozen=True, kw_only=True)
class Examples:
    """All pairs of a data set, and which of them train and tune."""

    texts: list[str]
    """Each distinct text once."""
    all: NumberedPairs
    """One per row of the frame, in its order."""
    in_train: NDArray[np.bool_]
    in_validation: NDArray[np.bool_]

    @property
    def train(self) -> NumberedPairs:
        """The decided pairs to learn from."""
        return self.all.where(self.in_train)

    @property
    def validation(self) -> NumberedPairs:
        """The decided pairs to choose epoch, temperature and threshold by."""
        return self.all.where(self.in_validation)


def prepare(frame: pd.DataFrame, config: TrainingConfig, *, soft: bool) -> Examples:
    """The examples of a data set in the form of `data.labelled.dataset`.

    Raises TableError where no pair is in train, where a label is missing among them, or where there is no validation.
    """
    split = hold_out(frame, config)
    if config.share < 1:
        split = split.where((split != TRAIN) | _choose_groups(frame, split, config.share, config.seed))
    codes, texts = pd.factorize(pd.concat([frame["first"], frame["second"]]).astype("object"))
    label = frame["binary"].to_numpy("float64", na_value=np.nan)
    first, second = codes.reshape(2, -1).astype(np.int64)
    decided = ~np.isnan(label)
    examples = Examples(
        texts=[str(text) for text in texts],
        all=NumberedPairs(first=first, second=second, target=_targets(frame, label, soft=soft), label=label),
        in_train=decided & (split == TRAIN).to_numpy(),
        in_validation=decided & (split == VALIDATION).to_numpy(),
    )
    _require_both_labels(examples)
    return examples


def index(first: list[str], second: list[str]) -> tuple[list[str], NumberedPairs]:
    """The distinct texts of pairs without labels, and the pairs."""
    codes, texts = pd.factorize(np.array([*first, *second], dtype=object))
    one, other = codes.reshape(2, -1).astype(np.int64)
    nothing = np.full(len(one), np.nan)
    return [str(text) for text in texts], NumberedPairs(first=one, second=other, target=nothing, label=nothing)


def _targets(frame: pd.DataFrame, label: NDArray[np.float64], *, soft: bool) -> NDArray[np.float64]:
    if not soft:
        return label
    votes, n = (frame[name].to_numpy("float64", na_value=0) for name in ("votes", "n_votes"))
    shares: NDArray[np.float64] = np.divide(votes, n, out=label.copy(), where=n > 0)
    return shares


def hold_out(frame: pd.DataFrame, config: TrainingConfig) -> "pd.Series[Any]":
    """The splits; without validation, groups of about `validation_share` of the training pairs are moved there."""
    split = frame["split"].astype("object")
    if (split == VALIDATION).any() or config.validation_share is None:
        return split
    return split.where(~_choose_groups(frame, split, config.validation_share, config.seed), VALIDATION)


def _choose_groups(frame: pd.DataFrame, split: "pd.Series[str]", share: float, seed: int) -> "pd.Series[bool]":
    """Whether each row is a training pair of some groups, in a seeded order, with about that share of these pairs."""
    train = frame[split == TRAIN]
    groups = Dataset(train).groups
    sizes = groups.value_counts().sort_index()
    order = sizes.iloc[np.random.default_rng(seed).permutation(len(sizes))]
    chosen = order.index[order.cumsum() <= max(share * len(train), order.iloc[0])] if len(order) else order.index
    return frame.index.to_series().isin(train.index[groups.isin(chosen)])


def _require_both_labels(examples: Examples) -> None:
    for name, pairs in ((TRAIN, examples.train), (VALIDATION, examples.validation)):
        if len(np.unique(pairs.label)) == 2:
            continue
        remedy = "label more pairs, or choose another split"
        if name == VALIDATION and not len(pairs):
            remedy = "give --validation-share 0.1 to take some of the training pairs, or --scheme by-entity"
        elif not len(pairs):
            remedy = "give --scheme by-entity to split the data set, or a file that has train in its name"
        raise TableError(
            "data set",
            expected=f"paraphrases and non-paraphrases in its {name} split",
            found=f"{len(pairs):,} decided pairs" + (" with one label" if len(pairs) else ""),
            remedy=remedy,
        )
