"""What every network reads and returns, and what it says about itself."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor, nn


@dataclass(frozen=True)
class Side:
    """One text of each pair of a batch: at most T words per text, at most C characters per word."""

    vectors: Tensor
    """Word vectors, float32 [batch, T, width]; zeros at padding and at unknown words."""
    mask: Tensor
    """Whether there is a word, bool [batch, T]: a text's words come first, padding follows; at least one word."""
    characters: Tensor | None = None
    """Numbers of the characters, int64 [batch, T, C], 0 at padding; for networks with `needs_characters`."""
    exact: Tensor | None = None
    """1 where the lower-cased word occurs in the other text, float32 [batch, T]; for those with `needs_exact`."""
    tags: Tensor | None = None
    """Numbers of the parts of speech, int64 [batch, T], 0 where unknown; `diin` does without where there are none."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a paper's released code trains its network."""

    optimizer: Literal["adam", "adagrad", "rmsprop", "adadelta"]
    learning_rate: float
    batch_size: int
    epochs: int
    loss: Literal["cross-entropy", "multi-margin"] = "cross-entropy"
    reduction: Literal["mean", "sum"] = "mean"
    """Whether a step follows the mean of its pairs' gradients or their sum."""
    clip_norm: float | None = None
    """The largest norm of all gradients together."""
    weight_decay: float = 0.0
    decay: float = 1.0
    """What the learning rate is multiplied by after each epoch."""
    longest: int | None = None
    """How many words of a text the released code reads."""


class PairNetwork(nn.Module, ABC):
    """A network that tells for each pair of a batch how likely the two texts are paraphrases.

    The score of a pair does not depend on the padding or on the other pairs of its batch.
    """

    paper: ClassVar[str]
    deviations: ClassVar[tuple[str, ...]]
    """Where the released code or the paper is silent, faulty or differs, and the reading here."""
    recipe: ClassVar[Recipe]
    symmetric: ClassVar[bool] = False
    """Whether both orders of a pair get the same score by construction."""
    needs_characters: ClassVar[bool] = False
    needs_exact: ClassVar[bool] = False
    trains_vectors: ClassVar[bool] = False
    """Whether the paper trains the word vectors as well."""
    without_gradient: ClassVar[tuple[str, ...]] = ()
    """Parameters that the paper's formulas have but that cannot move a score."""

    @abstractmethod
    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits, float32 [batch, 2]; class 1 is "paraphrase"."""

    def count_at_once(self, n_pairs: int, longest: tuple[int, int]) -> int:  # noqa: ARG002
        """How many of `n_pairs` pairs fit into memory together, by the words of each side's longest text."""
        return n_pairs


class AligningNetwork(PairNetwork):
    """A network whose inner alignment of words can be shown."""

    @abstractmethod
    def alignment(self, first: Side, second: Side) -> Tensor:
        """How much each word of the first text belongs to each of the second, 0 to 1, [batch, T1, T2]; 0 at padding."""
