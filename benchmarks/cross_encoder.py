"""How fast a cross-encoder trains and scores, beside padded and pair by pair: `python -m benchmarks.cross_encoder`.

Pairs of the published files, one thread, processor milliseconds per pair, in turns, in one run: the median of the
repeats. Training: batches of 32 as in training (`training.batches.deal`), eager attention, bfloat16 where the processor
has it, beside the same pairs padded to 80 tokens, scaled dot products, float32. Scoring: sorted batches of 64, beside
one pair at a time in float32; `apart`: the largest difference of their probabilities. Last, how many texts a bi-encoder
encodes for the pairs. `MiB`: what the process held at most until then.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import Any

import numpy as np
import torch
from scipy.special import expit
from torch.nn.functional import cross_entropy

from data.console.commands import run
from data.console.messages import say
from data.labelled import parade
from identification.architectures.transformers import CrossEncoder, load
from identification.training.epochs.batches import POOL, deal
from identification.training.epochs.examples import index
from identification.training.epochs.inference import score
from identification.training.epochs.machine import Device, has_bfloat16

BATCH, PADDED = 32, 80
CPU = torch.device("cpu")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Time a cross-encoder's training and scoring."""

    dataset: Path
    """The folder of the published PARADE files."""
    model: str = "minilm"
    """A folder or name of an encoder."""
    batches: int = 4
    """Batches of 32 pairs to train on; as many pairs are scored."""
    repeats: int = 3
    """How many times each is timed."""
    seed: int = 0
    """The seed of the draw."""


def main(arguments: Arguments) -> None:
    """Print a line per comparison."""
    torch.set_num_threads(1)
    frame = parade.read(arguments.dataset).sample(BATCH * POOL, random_state=arguments.seed)
    texts, pairs = index(frame["first"].tolist(), frame["second"].tolist())
    model: Any = load(f"cross-encoder:{arguments.model}", seed=arguments.seed)
    reading = model.read(texts)
    rng = np.random.default_rng(arguments.seed)
    batches = deal(model.cost(reading, pairs.first, pairs.second), BATCH, rng)[: arguments.batches]
    rows = np.concatenate(batches)
    sides = [(pairs.first[some], pairs.second[some]) for some in batches]
    bfloat16 = has_bfloat16(CPU)
    say(f"{len(rows)} pairs, bfloat16 {'as the processor computes it' if bfloat16 else 'missing'}")

    def learn() -> None:
        model.prepare(training=True)
        for first, second in sides:
            with Device(device=CPU, bfloat16=bfloat16).computing():
                logits = model(reading, first, second)
            _step(model, logits)

    def learn_padded() -> None:
        model.prepare(training=True)
        model.encoder.set_attn_implementation("sdpa")
        for first, second in sides:
            _step(model, _padded(model, [texts[n] for n in first], [texts[n] for n in second]))

    def predict(place: Device) -> Any:
        first, second = pairs.first[rows], pairs.second[rows]
        return expit(np.mean(score(model, reading, (first, second), place, lambda items, **_: items), axis=0))

    def predict_alone() -> Any:
        model.prepare(training=False)
        with torch.inference_mode():
            logits = [
                [model(reading, one[[row]], other[[row]]) for row in rows]
                for one, other in ((pairs.first, pairs.second), (pairs.second, pairs.first))
            ]
        return expit(np.mean([[float(pair[0, 1] - pair[0, 0]) for pair in side] for side in logits], axis=0))

    _compare("training step", learn_padded, {"buckets" + ", bfloat16" * bfloat16: (learn, 3.0)}, arguments, len(rows))
    fast = {"sorted, float32": (lambda: predict(Device(device=CPU, bfloat16=False)), 1.25)}
    if bfloat16:
        fast["sorted, bfloat16"] = (lambda: predict(Device(device=CPU, bfloat16=True)), 4.0)
    _compare("scoring", predict_alone, fast, arguments, len(rows))
    bi_encoder: Any = load(f"bi-encoder:{arguments.model}", seed=arguments.seed)
    score(bi_encoder, bi_encoder.read(texts), (pairs.first, pairs.second), Device(device=CPU, bfloat16=bfloat16), _all)
    n, n_texts = bi_encoder.n_encoded, len(texts)
    say(f"bi-encoder: {n:,} of {n_texts:,} distinct texts encoded, {2 * len(frame):,} sides of pairs")


def _all(items: Any, **_: object) -> Any:
    return items


def _padded(model: CrossEncoder, first: Sequence[str], second: Sequence[str]) -> torch.Tensor:
    tokens = model.tokenizer(
        list(first), list(second), padding="max_length", truncation=True, max_length=PADDED, return_tensors="pt"
    )
    logits: torch.Tensor = model.encoder(**tokens).logits
    return logits


def _step(model: CrossEncoder, logits: torch.Tensor) -> None:
    cross_entropy(logits.float(), torch.arange(len(logits)) % 2).backward()
    model.zero_grad()


def _compare(
    what: str, slow: Callable[[], Any], fast: dict[str, tuple[Callable[[], Any], float]], arguments: Arguments, n: int
) -> None:
    """Print how many times faster each is, beside its goal."""
    works = {"": slow} | {name: work for name, (work, _) in fast.items()}
    times: dict[str, list[float]] = {name: [] for name in works}
    answers: dict[str, Any] = {}
    for _ in range(arguments.repeats):
        for name, work in works.items():
            started = time.process_time()
            answers[name] = work()
            times[name].append(1000 * (time.process_time() - started) / n)
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    for name, (_, goal) in fast.items():
        apart = "" if answers[name] is None else f", {np.abs(answers[name] - answers['']).max():.0e} apart"
        before, after = median(times[""]), median(times[name])
        faster = f"{before:.1f} -> {after:.1f} ms per pair, {before / after:.2f} times faster (goal {goal:g})"
        say(f"{what}, {name}: {faster}{apart}; {memory:.0f} MiB")


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.cross_encoder")
