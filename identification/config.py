"""What training is asked for, with the two recipes and where their values come from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from data.console import demand_at_least
from data.errors import InputError

Measure = Literal["nll", "f1", "auc"]
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where a model is computed."""

    device: Device = "auto"
    """`auto` takes a CUDA device where there is one."""
    precision: Precision = "auto"
    """`auto` takes bfloat16 for transformers where the processor or device computes in it, otherwise float32."""
    threads: int | None = None
    """Threads of the processor; by default one per core. On a busy machine one is faster than two."""

    def __post_init__(self) -> None:
        """Raise InputError for fewer threads than one."""
        demand_at_least("--threads", self.threads, 1)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained. What is none follows the recipe and the model."""

    recipe: Literal["recommended", "paper"] = "recommended"
    """`paper`: the optimiser, loss and epochs of the model's paper, hard labels, the epoch with the best F1 on
    validation. `recommended`: soft labels, the epoch with the lowest NLL, settings measured on PARADE."""
    seed: int = 1
    """The source of all randomness."""
    labels: Literal["soft", "hard"] | None = None
    """Learn the share of votes for "paraphrase" (`soft`; where there are no votes, the label), or the label itself."""
    select: Measure | None = None
    """The measure on validation by which the epoch is chosen: the lowest NLL, or the highest F1 at 0.5 or ROC AUC."""
    epochs: int | None = None
    """At most so many passes over the training pairs."""
    patience: int | None = None
    """Stop after so many epochs without a better one."""
    batch_size: int | None = None
    """Pairs per step."""
    learning_rate: float | None = None
    """Of the first steps, or at its highest."""
    train_words: bool | None = None
    """Also train the vectors of the words (in transformers: the word embeddings)."""
    vectors: Path | None = None
    """Word vectors for the networks, as text: word2vec's or GloVe's form, plain or .gz. By default they are learned
    from the texts of the data set (in a store: of all its definitions) and those of --texts."""
    texts: tuple[Path, ...] = ()
    """Files with more texts to learn word vectors from, one per line, plain or .gz."""
    vector_size: int = 300
    """Dimensions of the word vectors that are learned."""
    longest: int | None = None
    """How many words of a text are read, and in transformers how many tokens of a pair or text; what follows is left
    out, and the number of pairs that it concerns is printed."""
    share: float = 1.0
    """Learn from this share of the training pairs alone, whole groups (above 0, at most 1): for learning curves."""
    validation_share: float | None = None
    """Where the data set has no validation split: tune on this share of its training pairs, whole groups (0 to 1)."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        least = {"epochs": 1, "patience": 1, "batch_size": 1, "vector_size": 1, "longest": 4, "seed": 0}
        for name, lowest in least.items():
            demand_at_least("--" + name.replace("_", "-"), getattr(self, name), lowest)
        rate, share = self.learning_rate, self.validation_share
        if rate is not None and not 0 < rate < 10:
            raise InputError("--learning-rate", expected="above 0, below 10", found=str(rate), remedy="try 0.0005")
        if not 0 < self.share <= 1:
            raise InputError("--share", expected="above 0, at most 1", found=str(self.share), remedy="try 0.5")
        if share is not None and not 0 < share < 1:
            raise InputError("--validation-share", expected="between 0 and 1", found=str(share), remedy="try 0.1")
