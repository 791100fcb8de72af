"""How fast the networks train, beside one pair at a time: `python -m benchmarks.identification --dataset DIR`.

Pairs of the published files in batches of 32 of similar length, as in training, with random word vectors. Per network:
processor milliseconds per pair for scores and gradients on one thread, in batches and pair by pair in the style of the
released code (`benchmarks.pair_by_pair`), in turns, in one run; the median and the best of the repeats. Before that,
both are compared: `apart` is the largest difference of their logits, without dropout. `MiB` is what a process holds at
most that trains on pairs of 48 words each, in batches of the paper's size or of 32 if that is less.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, pad
from torch.nn.utils.rnn import pad_sequence

from benchmarks import pair_by_pair
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import parade
from identification.architectures.networks.base import PairNetwork, Side
from identification.architectures.networks.registry import build

Pair = tuple[Side, Side]
Score = Callable[[Side, Side], Tensor]
WIDTH, BATCH, CHARACTERS, LONGEST_WORD = 300, 32, 100, 16
REFERENCES: dict[str, tuple[Callable[..., Tensor], float]] = {
    "decatt": (pair_by_pair.decatt, 2),
    "esim": (pair_by_pair.esim, 2),
    "pwim": (pair_by_pair.pwim_pair, 8),
    "bimpm": (pair_by_pair.bimpm_pair, 5),
    "diin": (pair_by_pair.diin_pair, 5),
}
"""The reference of each network, and how many times faster its batches shall be."""
SIZES = {"bimpm": {"n_characters": CHARACTERS}, "diin": {"n_characters": CHARACTERS}}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Time scores and gradients of each network in batches and pair by pair."""

    dataset: Path
    """The folder of the published PARADE files."""
    networks: tuple[str, ...] = tuple(REFERENCES)
    """The networks to time."""
    batches: int = 2
    """How many batches of 32 pairs, drawn at random from the batches of all training pairs."""
    repeats: int = 3
    """How many times each is timed."""
    seed: int = 0
    """The seed of the draw and of the weights."""


def main(arguments: Arguments) -> None:
    """Print one line per network."""
    torch.set_num_threads(1)
    batches = list(draw(arguments.dataset, arguments.batches, arguments.seed))
    n_pairs = sum(len(batch) for batch in batches)
    say(f"{n_pairs} pairs, processor milliseconds per pair: median (best) of {arguments.repeats}")
    say(f"{'network':10} {'pair by pair':>18} {'in batches':>18} {'faster':>7} {'goal':>5} {'apart':>6} {'MiB':>6}")
    for name in arguments.networks:
        reference, goal = REFERENCES[name]
        network = build(name, WIDTH, seed=arguments.seed, **SIZES.get(name, {})).eval()
        apart = difference(network, partial(reference, network), batches[0])
        repeats = progress(range(arguments.repeats), label=name, unit="repeats", total=arguments.repeats)
        times = [_both_times(network, partial(reference, network), batches) for _ in repeats]
        slow, fast = ([1000 * seconds / n_pairs for seconds in column] for column in zip(*times, strict=True))
        cells = [f"{median(column):.2f} ({min(column):.2f})" for column in (slow, fast)]
        ratio = median(slow) / median(fast)
        say(f"{name:10} {cells[0]:>18} {cells[1]:>18} {ratio:7.1f} {goal:5g} {apart:6.0e} {memory(name):6.0f}")


def _both_times(network: PairNetwork, reference: Score, batches: Sequence[Sequence[Pair]]) -> tuple[float, float]:
    pairs = [pair for batch in batches for pair in batch]
    together = [padded(group) for batch in batches for group in _groups(network, batch)]
    return seconds(network, reference, pairs), seconds(network, network, together)


def _groups(network: PairNetwork, batch: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
    """The pairs of a batch that are computed together, as in training."""
    first, second = (max(sides[place].mask.shape[1] for sides in batch) for place in (0, 1))
    size = network.count_at_once(len(batch), (first, second))
    return (batch[start : start + size] for start in range(0, len(batch), size))


def draw(folder: Path, n_batches: int, seed: int) -> Iterator[list[Pair]]:
    """Batches of pairs of similar length; each word has a random vector and its own letters."""
    frame = parade.read(folder)
    frame = frame[frame["split"] == "train"]
    texts = [frame[side].str.lower().str.split() for side in ("first", "second")]
    order = np.lexsort([texts[1].str.len(), np.maximum(texts[0].str.len(), texts[1].str.len())])
    random = np.random.default_rng(seed)
    vectors: dict[str, Tensor] = {}
    for start in random.choice(len(order) // BATCH, size=n_batches, replace=False) * BATCH:
        rows = order[start : start + BATCH]
        yield [
            (_side(first, second, vectors, random), _side(second, first, vectors, random))
            for first, second in zip(texts[0].iloc[rows], texts[1].iloc[rows], strict=True)
        ]


def _side(words: list[str], others: list[str], vectors: dict[str, Tensor], random: np.random.Generator) -> Side:
    for word in words:
        vectors.setdefault(word, torch.from_numpy(random.standard_normal(WIDTH, dtype=np.float32) / WIDTH**0.5))
    letters = [torch.tensor([ord(letter) % CHARACTERS + 1 for letter in word[:LONGEST_WORD]]) for word in words]
    return Side(
        vectors=torch.stack([vectors[word] for word in words]).unsqueeze(0),
        mask=torch.ones(1, len(words), dtype=torch.bool),
        characters=pad_sequence(letters, batch_first=True).unsqueeze(0),
        exact=torch.tensor([[float(word in others) for word in words]]),
    )


def padded(pairs: Sequence[Pair]) -> Pair:
    """The pairs as one batch."""
    first, second = (_padded(sides) for sides in zip(*pairs, strict=True))
    return first, second


def _padded(sides: Sequence[Side]) -> Side:
    longest = max(side.characters.shape[2] for side in sides)
    letters = [pad(side.characters[0], (0, longest - side.characters.shape[2])) for side in sides]
    return Side(
        vectors=pad_sequence([side.vectors[0] for side in sides], batch_first=True),
        mask=pad_sequence([side.mask[0] for side in sides], batch_first=True),
        characters=pad_sequence(letters, batch_first=True),
        exact=pad_sequence([side.exact[0] for side in sides], batch_first=True),
    )


def difference(network: PairNetwork, reference: Score, pairs: Sequence[Pair]) -> float:
    """The largest difference of the logits in a batch from those pair by pair."""
    with torch.no_grad():
        alone = torch.cat([reference(*pair) for pair in pairs])
        return float((network(*padded(pairs)) - alone).abs().max())


def seconds(network: PairNetwork, score: Score, inputs: Sequence[Pair]) -> float:
    """Processor seconds for logits and gradients of all inputs."""
    started = time.process_time()
    for sides in inputs:
        logits = score(*sides)
        cross_entropy(logits, torch.arange(len(logits)) % 2, reduction="sum").backward()
    network.zero_grad()
    return time.process_time() - started


def memory(name: str) -> float:
    """The most MiB that a process of its own holds, torch included, while it trains on pairs of 48 words each."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(_train, name).result()


def _train(name: str) -> float:
    torch.set_num_threads(1)
    network = build(name, WIDTH, **SIZES.get(name, {})).train()
    optimizer = torch.optim.Adam(network.parameters())
    size = max(BATCH, network.recipe.batch_size)
    at_once = network.count_at_once(size, (48, 48))
    for _ in range(2):
        for start in range(0, size, at_once):
            shape = (min(at_once, size - start), 48)
            characters = torch.ones(*shape, LONGEST_WORD).long()
            side = Side(torch.randn(*shape, WIDTH), torch.ones(shape) > 0, characters, torch.ones(shape))
            network(side, side).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.identification")
