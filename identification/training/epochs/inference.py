"""Logits of pairs by a model with weights: sorted batches, both orders, each text of a bi-encoder once."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from data.measures.agreement import Reals
from identification.architectures.model import Numbers, PairModel, Reading
from identification.architectures.transformers import BiEncoder
from identification.training.epochs.batches import rank
from identification.training.epochs.machine import Device

Watch = Callable[..., Iterator[Any]]


def score(
    model: PairModel, reading: Reading, pairs: tuple[Numbers, Numbers], place: Device, watch: Watch
) -> tuple[Reals, Reals]:
    """The logit of "paraphrase" for each pair in both orders; the same twice where the model is symmetric."""
    model.prepare(training=False)
    with torch.inference_mode(), place.computing():
        if isinstance(model, BiEncoder):
            logits = _score_once(model, reading, pairs, place, watch)
            return logits, logits
        there = _score_ordered(model, reading, pairs, place, watch)
        return there, there if model.symmetric else _score_ordered(model, reading, pairs[::-1], place, watch)


def _score_ordered(
    model: PairModel, reading: Reading, pairs: tuple[Numbers, Numbers], place: Device, watch: Watch
) -> Reals:
    first, second = pairs
    logits = np.zeros(len(first))

    def compute(rows: Numbers) -> None:
        logits[rows] = _difference(model(reading, first[rows], second[rows]))

    parts = rank(model.cost(reading, first, second), place.batch_pairs)
    for batch in watch(parts, label="scores", unit="batches", total=len(parts)):
        place.in_parts(batch, model.count_at_once(reading, first[batch], second[batch]), compute)
    return logits


def _score_once(
    model: BiEncoder, reading: Reading, pairs: tuple[Numbers, Numbers], place: Device, watch: Watch
) -> Reals:
    """Each distinct text is encoded once, however many pairs it is in."""
    vectors = torch.zeros(len(reading.lengths), model.encoder.config.hidden_size, device=model.device)
    used = np.unique(np.concatenate(pairs))

    def embed(numbers: Numbers) -> None:
        vectors[torch.from_numpy(numbers).to(model.device)] = model.embed([reading.content[n] for n in numbers])

    parts = [used[rows] for rows in rank(reading.lengths[used], place.batch_pairs)]
    for numbers in watch(parts, label="texts", unit="batches", total=len(parts)):
        place.in_parts(numbers, len(numbers), embed)
    logits = np.zeros(len(pairs[0]))
    for start in range(0, len(logits), 8192):
        rows = slice(start, start + 8192)
        sides = (vectors[torch.from_numpy(side[rows]).to(model.device)] for side in pairs)
        logits[rows] = _difference(model.compare(*sides))
    return logits


def _difference(logits: Tensor) -> Reals:
    difference: Reals = (logits[:, 1] - logits[:, 0]).double().cpu().numpy()
    return difference
