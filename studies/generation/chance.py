"""What the lexical baseline says where there is nothing to find: `python -m studies.generation.chance --pairs FILE`.

The features come from real pairs, such as PAWS-Wiki's, and the labels are drawn, by coin or from features that leak;
then the pairs are matched as `recombine` does, by all features or by all but the last. The mean AUC over all draws with
its standard error: learned out of fold, fitted to all, and asked about fresh pairs, which is the truth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from analysis.evaluation.shortcuts import learn, learn_out_of_fold
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import corpora, features
from data.labelled.metrics import Floats, measure_auc
from generation.balancing.matching import match

FRESH = 7_500
"""How many pairs are drawn to be asked; the matching keeps some of them."""
Set = tuple[Floats, NDArray[np.int64]]
"""The features (pairs x 8) and the labels of a set."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure the bias of the lexical baseline's AUC on labels that are drawn."""

    pairs: Path
    """Real pairs for their features, in any form that `identification train --dataset` reads."""
    draws: int = 40
    """How many sets per kind."""


def draw(columns: Floats, leak: Floats, matched_on: slice | None, n: int, seed: int) -> Set:
    """The features and labels of a set: of n pairs, those that the matching keeps."""
    random = np.random.default_rng(seed)
    chosen = columns[random.choice(len(columns), n, replace=False)]
    label = (random.random(n) < 1 / (1 + np.exp(0.7 * leak.any() - chosen @ leak))).astype("int64")
    if matched_on is None:
        return chosen, label
    lots = [f"{lot:.17f}" for lot in random.random(n)]
    stays = match(pd.Series(label), pd.DataFrame(chosen[:, matched_on]), lots).to_numpy()
    return chosen[stays], label[stays]


def measure(make: Callable[[int, int], Set], n: int, seed: int) -> list[float | None]:
    """The number of pairs, and the three AUCs of one set."""
    columns, label = make(n, 2 * seed)
    groups = np.repeat(np.arange(n), np.random.default_rng(seed).integers(1, 5, n))[: len(label)]
    out_of_fold = learn_out_of_fold(label, groups, lambda _: columns, 1)
    fresh, fresh_label = make(FRESH, 2 * seed + 1)
    both, own = np.concatenate([columns, fresh]), np.arange(len(label))
    scores = learn(np.concatenate([label, fresh_label]), lambda _: both, own, 1)
    known = [(label, out_of_fold), (label, scores[own]), (fresh_label, scores[len(label) :])]
    return [len(label), *(measure_auc(truth == 1, values) for truth, values in known)]


def main(arguments: Arguments) -> None:
    """Print one row per kind of labels."""
    pairs, _ = corpora.load(arguments.pairs)
    seen = features.describe(pairs["first"].tolist(), pairs["second"].tolist())
    columns = StandardScaler().fit_transform(seen.to_numpy("float64"))
    some = np.full(8, 1.5 / 8**0.5)
    kinds = {
        "by coin": (np.zeros(8), None, 1098),
        "by coin, then matched": (np.zeros(8), slice(0, 8), 1500),
        "by a leak, matched on all features": (some, slice(0, 8), 2975),
        "by a leak, matched on all but the last feature": (np.r_[some[:7], 0.3], slice(0, 7), 2975),
        "by a leak, not matched": (some / 3, None, 1098),
    }
    for name, (leak, matched_on, n) in kinds.items():
        make = partial(draw, columns, leak, matched_on)
        made = [measure(make, n, seed) for seed in progress(range(arguments.draws), label=name, unit="sets")]
        rows = pd.DataFrame(made, columns=["pairs", "out of fold", "fitted", "fresh pairs"])
        errors = rows.std() / arguments.draws**0.5
        figures = ", ".join(
            f"{column} {rows[column].mean():.4f} +- {errors[column]:.4f}" for column in rows.columns[1:]
        )
        say(f"{name} ({rows['pairs'].mean():.0f} pairs): {figures}")


if __name__ == "__main__":
    run(main, prog="python -m studies.generation.chance")
