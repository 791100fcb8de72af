"""Rows in batches of about the same cost, so that little of a batch is padding; pure."""

import numpy as np

from identification.architectures.model import Numbers

POOL = 50
"""Random batches that are sorted by cost together: large enough to save padding, small enough to stay random."""


def deal(cost: Numbers, size: int, rng: np.random.Generator) -> list[Numbers]:
    """All rows once, in random batches of `size` (the last of each pool may be smaller), in random order."""
    order = rng.permutation(len(cost))
    parts = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        ranked = pool[np.argsort(cost[pool], kind="stable")]
        parts += np.split(ranked, range(size, len(ranked), size))
    return [parts[place] for place in rng.permutation(len(parts))]


def rank(cost: Numbers, size: int) -> list[Numbers]:
    """All rows once, the most expensive first: what needs the most memory fails at once or not at all."""
    ranked = np.argsort(-cost, kind="stable")
    return np.split(ranked, range(size, len(ranked), size)) if len(ranked) else []
