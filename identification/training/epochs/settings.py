"""The settings of a training: what was asked for, filled up from the recipe and the model's paper; pure."""

from dataclasses import dataclass
from typing import Literal

from data.models.runs import TRANSFORMERS, ModelName
from identification.architectures.networks.base import Recipe
from identification.architectures.transformers import MAX_TOKENS as LONGEST_TOKENS
from identification.config import Measure, TrainingConfig

MAX_WORDS = 200
"""Words of a text that a network reads, unless told otherwise: some seven times the paper's longest definition."""
PAPER_PATIENCE = 10
"""Epochs without a better one after which a paper's training ends; the papers go on for up to 5,000 (our choice)."""
SMALL_WIDTH = 512
"""Transformers up to this width take the larger learning rate."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that the loop needs to know."""

    optimizer: Literal["adam", "adamw", "adagrad", "rmsprop", "adadelta"]
    learning_rate: float
    batch_size: int
    epochs: int
    patience: int
    loss: Literal["cross-entropy", "multi-margin"] = "cross-entropy"
    reduction: Literal["mean", "sum"] = "mean"
    clip_norm: float | None = None
    weight_decay: float = 0.0
    decay: float = 1.0
    """What the learning rate is multiplied by after each epoch."""
    warm_up: float = 0.0
    """The share of all steps in which the learning rate rises; above 0 it then falls in a line to 0."""
    soft: bool = True
    select: Measure = "nll"
    longest: int = MAX_WORDS
    train_words: bool = False

    def rate(self, step: int, n_steps: int, epoch: int) -> float:
        """The learning rate of a step, counted from 0 over all epochs; `epoch` from 0."""
        rate = self.learning_rate * self.decay**epoch
        if not self.warm_up:
            return rate
        rising = max(1, round(self.warm_up * n_steps))
        return rate * min((step + 1) / rising, (n_steps - step) / max(1, n_steps - rising))


def is_transformer(model: str) -> bool:
    """Whether the model's name names a transformer: `cross-encoder:…` or `bi-encoder:…`."""
    return ModelName.parse(model).kind in TRANSFORMERS


def settle(
    config: TrainingConfig, model: str, paper: Recipe, *, trains_words: bool, width: int = SMALL_WIDTH
) -> Settings:
    """The settings by the recipe, with what the configuration says instead; `width`: of a transformer's states."""
    transformer = is_transformer(model)
    if config.recipe == "paper":
        base = _by_paper(paper, trains_words)
    else:
        base = _recommended_transformer(width) if transformer else RECOMMENDED
    chosen = {
        "learning_rate": config.learning_rate,
        "batch_size": config.batch_size,
        "epochs": config.epochs,
        "patience": config.patience,
        "soft": None if config.labels is None else config.labels == "soft",
        "select": config.select,
        "longest": config.longest,
        "train_words": config.train_words,
    }
    return Settings(**(vars(base) | {name: value for name, value in chosen.items() if value is not None}))


RECOMMENDED = Settings(optimizer="adam", learning_rate=5e-4, batch_size=32, epochs=15, patience=3, clip_norm=10.0)
"""For the networks: measured on PARADE (docs/identification.md)."""


def _recommended_transformer(width: int) -> Settings:
    return Settings(
        optimizer="adamw",
        learning_rate=5e-5 if width <= SMALL_WIDTH else 3e-5,
        batch_size=32,
        epochs=3,
        patience=1,
        clip_norm=1.0,
        weight_decay=0.01,
        warm_up=0.1,
        longest=LONGEST_TOKENS,
    )


def _by_paper(paper: Recipe, train_words: bool) -> Settings:
    return Settings(
        **{name: value for name, value in vars(paper).items() if name != "longest"},
        patience=PAPER_PATIENCE,
        soft=False,
        select="f1",
        longest=MAX_WORDS,
        train_words=train_words,
    )
