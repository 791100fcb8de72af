"""What training and prediction ask of every trainable model: texts are read once, pairs are scored in batches."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from identification.architectures.networks.base import Recipe

Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Distinct texts as a model reads them; pairs are numbers of two of them."""

    lengths: Numbers
    """Words or tokens of each text that are read."""
    content: Any
    """In the model's own form."""
    n_unknown: int = 0
    """Occurrences of words that the model has no vector of."""
    n_words: int = 0
    """Occurrences of words."""


class PairModel(nn.Module, ABC):
    """A model with weights that gives two logits per pair of texts; class 1 is "paraphrase"."""

    recipe: Recipe
    """The settings of the model's paper."""
    symmetric: bool
    """Whether both orders of a pair get the same score by construction."""
    computes_in_bfloat16: ClassVar[bool] = False
    """Whether bfloat16 pays where the machine has it."""

    @abstractmethod
    def read(self, texts: Sequence[str]) -> Reading:
        """The texts, each read once."""

    @abstractmethod
    def forward(self, reading: Reading, first: Numbers, second: Numbers) -> Tensor:
        """Logits, float32 [pairs, 2], of pairs of the reading's texts given by their numbers."""

    @abstractmethod
    def count_shortened(self, reading: Reading, first: Numbers, second: Numbers) -> int:
        """The number of pairs of which the model does not read everything."""

    @abstractmethod
    def save_form(self, folder: Path) -> dict[str, Any]:
        """What is needed beside the weights to build the model again, as JSON; files go to the folder."""

    def cost(self, reading: Reading, first: Numbers, second: Numbers) -> Numbers:
        """What each pair costs: pairs of about the same cost share a batch, so that little is padded."""
        return np.maximum(reading.lengths[first], reading.lengths[second])

    def count_at_once(self, reading: Reading, first: Numbers, second: Numbers) -> int:  # noqa: ARG002
        """How many of these pairs are computed together at most, for the sake of memory."""
        return len(first)

    def prepare(self, *, training: bool) -> None:
        """Get ready for training, or for scoring."""
        self.train(training)
