"""The cost of splitting a large entity: `python -m studies.pairs.split --definitions FILE`.

FILE is tab-separated with the columns entity and definition. The first definitions of its largest entity are clustered
as a whole and in parts (`--exact-size`). Shown are the sum of squares about the cluster means and the share of pairs
that stay the same, and for comparison the same for another seed of k-means.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd

from clustering.candidates.clusters import cluster
from clustering.candidates.pairs import pair_within
from clustering.candidates.vectors import Dense, describe
from clustering.config import Clusters, Config
from data.console.commands import run
from data.console.messages import progress, say


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Cluster one entity as a whole and in parts."""

    definitions: Path
    """Tab-separated file with the columns entity and definition."""
    n: int = 2_000
    """The number of definitions of the largest entity."""
    exact_size: int = Config.exact_size
    """The largest number of definitions in a part."""


def main(arguments: Arguments) -> None:
    """Print one line per method."""
    rows = pd.read_csv(arguments.definitions, sep="\t", quoting=3, keep_default_na=False)
    largest = rows["entity"].value_counts().index[0]
    config = Config.recommended()
    texts = rows.loc[rows["entity"] == largest, "definition"].head(arguments.n).tolist()
    vectors, _ = describe(texts, config, progress)
    for method in get_args(Clusters):
        for line in losses(np.asarray(vectors), replace(config, clusters=method), arguments.exact_size):
            say(f"{method} of {len(texts)}, {line}")


def losses(vectors: Dense, config: Config, exact_size: int) -> Iterator[str]:
    """One line each for the whole, the parts, and another seed of the whole."""
    whole = replace(config, exact_size=len(vectors))
    variants = {"whole": whole, "parts": replace(config, exact_size=exact_size), "seed 2": replace(whole, seed=2)}
    labels = {name: cluster(vectors, [np.arange(len(vectors))], variant) for name, variant in variants.items()}
    squares = {name: sum_of_squares(vectors, clusters) for name, clusters in labels.items()}
    pairs = {
        name: set(zip(*map(np.ndarray.tolist, pair_within(clusters)), strict=True)) for name, clusters in labels.items()
    }
    for name in variants:
        kept = len(pairs[name] & pairs["whole"]) / len(pairs["whole"])
        more = squares[name] / squares["whole"] - 1
        yield f"{name}: {len(pairs[name])} pairs, {kept:.0%} of those of the whole; sum of squares {more:+.1%}"


def sum_of_squares(vectors: Dense, labels: np.ndarray) -> float:
    """The sum of the squared distances to the cluster means."""
    sums = pd.DataFrame(vectors.astype(np.float64)).groupby(labels).transform("mean").to_numpy()
    return float(((vectors - sums) ** 2).sum())


if __name__ == "__main__":
    run(main, prog="python -m studies.pairs.split")
