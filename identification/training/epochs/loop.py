"""The one training loop: the same seed gives the same weights, in one go or resumed after any epoch."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from identification.architectures.model import Numbers, PairModel, Reading
from identification.training.epochs.batches import deal
from identification.training.epochs.calibration import is_better, measure, scores_of
from identification.training.epochs.checkpoints import Checkpoints
from identification.training.epochs.examples import Examples
from identification.training.epochs.inference import score
from identification.training.epochs.machine import Device
from identification.training.epochs.settings import Settings

ACCUMULATED = 0.1
"""What Adagrad's sums of squares start from in TensorFlow, where DecAtt's learning rate comes from. From torch's 0 the
first step moves every weight by the whole rate: on PARADE the loss is 28 in the first epoch, and the end a constant."""
RHO, EPSILON = 0.95, 1e-8
"""Of Adadelta in TensorFlow, where DIIN's learning rate comes from; torch's are 0.9 and 1e-6."""
OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "adagrad": partial(torch.optim.Adagrad, initial_accumulator_value=ACCUMULATED),
    "rmsprop": torch.optim.RMSprop,
    "adadelta": partial(torch.optim.Adadelta, rho=RHO, eps=EPSILON),
}


@dataclass(kw_only=True)
class TrainingProgress:
    """How far a training has come."""

    epoch: int = 0
    """Epochs that are done."""
    best: int = 0
    """The best of them, from 1."""
    history: list[dict[str, float]] = field(default_factory=list)
    """Of each epoch: training loss, seconds of the processor, and the measures on validation."""

    def is_over(self, settings: Settings) -> bool:
        """Whether all epochs are done, or the last ones brought nothing."""
        return self.epoch >= settings.epochs or self.epoch - self.best >= settings.patience


@dataclass(frozen=True, kw_only=True)
class TrainingWork:
    """What a training works on."""

    model: PairModel
    reading: Reading
    examples: Examples
    settings: Settings
    place: Device
    seed: int
    watch: Callable[..., Iterator[Any]]
    report: Callable[[str], None]

    def fit(self, checkpoints: Checkpoints) -> tuple[TrainingProgress, float]:
        """Train until it is over, and give the model the weights of the best epoch.

        Goes on from the checkpoint, if there is one. Returns also the seconds of the processor before that.
        """
        settings = self.settings
        weights = [weight for weight in self.model.parameters() if weight.requires_grad]
        optimizer = OPTIMIZERS[settings.optimizer](
            weights,
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
        )
        done, earlier = TrainingProgress(), 0.0
        state = checkpoints.read()
        if state is not None:
            checkpoints.load(self.model, optimizer, state)
            done = TrainingProgress(epoch=state["epoch"], best=state["best"], history=state["history"])
            earlier = sum(epoch["seconds"] for epoch in done.history)
            self.report(f"resumed after epoch {done.epoch}")
        while not done.is_over(settings):
            self._advance(optimizer, done)
            checkpoints.save(self.model, optimizer, vars(done))
        checkpoints.load_best(self.model, done.best)
        return done, earlier

    def _advance(self, optimizer: torch.optim.Optimizer, done: TrainingProgress) -> None:
        """Train one epoch and measure it on validation."""
        started = time.process_time()
        loss = self._train_epoch(optimizer, done.epoch)
        validation = self.examples.validation
        logits = np.mean(score(self.model, self.reading, (validation.first, validation.second), self.place, _unseen), 0)
        measures = measure(scores_of(logits, 1.0), validation.label)
        best = done.history[done.best - 1] if done.best else None
        done.epoch += 1
        if is_better(measures, best, self.settings.select):
            done.best = done.epoch
        done.history.append({"loss": loss, "seconds": time.process_time() - started} | measures)
        self.report(
            f"epoch {done.epoch}: loss {loss:.4f}; validation NLL {measures['nll']:.4f}, F1 {measures['f1']:.3f}, "
            f"accuracy {measures['accuracy']:.3f}, AUC {measures['auc']:.3f}"
            + (", the best" * (done.best == done.epoch))
        )

    def _train_epoch(self, optimizer: torch.optim.Optimizer, epoch: int) -> float:
        """Train on every pair once, each in a random order of its two texts; return the mean loss.

        All randomness comes from the seed and the epoch's number, so that a resumed training goes on as it would have.
        """
        pairs, model, settings = self.examples.train, self.model, self.settings
        rng = np.random.default_rng([self.seed, epoch])
        torch.manual_seed(int(np.random.default_rng([self.seed, epoch, 1]).integers(2**62)))
        flipped = rng.random(len(pairs)) < 0.5
        first, second = np.where(flipped, [pairs.second, pairs.first], [pairs.first, pairs.second])
        parts = deal(model.cost(self.reading, first, second), settings.batch_size, rng)
        model.prepare(training=True)
        total = 0.0
        for number, rows in enumerate(self.watch(parts, label=f"epoch {epoch + 1}", unit="batches", total=len(parts))):
            for group in optimizer.param_groups:
                group["lr"] = settings.rate(epoch * len(parts) + number, settings.epochs * len(parts), epoch)
            optimizer.zero_grad(set_to_none=True)
            total += self.add_gradients(first[rows], second[rows], pairs.target[rows])
            if settings.clip_norm is not None:
                weights = [weight for group in optimizer.param_groups for weight in group["params"]]
                torch.nn.utils.clip_grad_norm_(weights, settings.clip_norm)
            optimizer.step()
        return total / len(pairs)

    def add_gradients(self, first: Numbers, second: Numbers, target: NDArray[np.float64]) -> float:
        """Set the gradient of a batch's loss on weights that have none; return the summed losses."""
        n, sums = len(target), list[float]()

        def compute(rows: Numbers) -> None:
            with self.place.computing():
                logits = self.model(self.reading, first[rows], second[rows])
            losses = loss_of(logits.float(), torch.from_numpy(target[rows]).to(logits.device), self.settings)
            torch.autograd.backward(losses.sum() / n if self.settings.reduction == "mean" else losses.sum())
            sums.append(float(losses.detach().sum()))

        def undo() -> None:
            self.model.zero_grad()
            sums.clear()

        self.place.in_parts(np.arange(n), self.model.count_at_once(self.reading, first, second), compute, undo)
        return sum(sums)


def loss_of(logits: Tensor, target: Tensor, settings: Settings) -> Tensor:
    """The loss of each pair, [pairs]; `target`: shares of "paraphrase", 0 to 1."""
    shares = torch.stack([1 - target, target], dim=1).to(logits.dtype)
    if settings.loss == "cross-entropy":
        return functional.cross_entropy(logits, shares, reduction="none")
    classes = torch.arange(2, device=logits.device)
    margins = [functional.multi_margin_loss(logits, of.expand(len(logits)), reduction="none") for of in classes]
    return (torch.stack(margins, dim=1) * shares).sum(dim=1)


def _unseen(items: Any, **_: object) -> Iterator[Any]:
    return iter(items)
