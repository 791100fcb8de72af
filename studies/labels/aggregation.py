"""Which way of making labels is right most often: `python -m studies.labels.aggregation --annotations DIR`.

Real raters with known answers (`truth_inference`: `product`, 8,315 pairs of products with three raters each; `duck`,
108 pictures with 39 each), whole and cut to fewer raters or items, and simulated campaigns at PARADE's noise.
Each line: raters per item, the median number of ratings per rater, the share of right labels by the majority (a tie
counts half), and by how many points each method is above it, on average over the draws.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from annotation.aggregation.models import posteriors
from annotation.simulation.in_memory import simulate
from annotation.simulation.noise import Kind
from data.console.commands import run
from data.console.messages import progress, say
from data.contract.vocabulary import Method
from data.measures.ballots import votes_of
from data.measures.rules import VoteRule
from studies.rating_data import read_truth_inference

METHODS: tuple[Method, ...] = ("dawid-skene", "dawid-skene-pooled", "one-coin", "mace")
CUTS = {
    "product": ((3, None), (3, 2_000), (3, 500), (3, 150)),
    "duck": ((39, None), (15, None), (9, None), (5, None), (3, None)),
}
"""Of each set the raters per item, and how many items."""
TEAMS: dict[str, tuple[dict[Kind, int], int, int, float]] = {
    "simulated, 5 people": ({"good": 5}, 300, 3, 0.0),
    "simulated, 5, one guesses": ({"good": 4, "guessing": 1}, 300, 3, 0.0),
    "simulated, 10, unequal pairs": ({"good": 8, "guessing": 2}, 300, 3, 0.3),
    "simulated, 40, few ratings": ({"good": 32, "guessing": 8}, 300, 3, 0.1),
    "simulated, 40, as PARADE": ({"good": 32, "guessing": 8}, 10_182, 3, 0.1),
}
"""The people, pairs, raters per pair, and how far pairs are unequal."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Compare the majority with the models of how annotators err."""

    annotations: Path
    """The folder with truth_inference."""
    draws: int = 10
    """How often a set is cut, or a campaign simulated."""


def main(arguments: Arguments) -> None:
    """Print a line for each set and cut."""
    say(f"{'set':32} {'raters':>6} {'ratings each':>12} {'majority':>9}  " + "".join(f"{name:>20}" for name in METHODS))
    for name, cuts in CUTS.items():
        votes, truth = read_truth_inference(arguments.annotations / "truth_inference", name)
        votes = votes.assign(score=votes["vote"])
        for raters, n_items in cuts:
            is_whole = n_items is None and raters == max(most for most, _ in cuts)
            seeds = progress(range(1 if is_whole else arguments.draws), label=name, unit="draws")
            _say(
                f"{name}, {n_items or len(truth)} items",
                [_compare(_cut(votes, raters, n_items, seed), truth) for seed in seeds],
            )
    for name, team in TEAMS.items():
        _say(name, [_compare(*_simulate(*team, seed)) for seed in range(arguments.draws)])


def _say(name: str, rows: list[dict[str, float]]) -> None:
    mean, spread = pd.DataFrame(rows).mean(), pd.DataFrame(rows).std(ddof=1)
    above = "".join(f"{f'{100 * mean[method]:+.1f} (sd {100 * spread[method]:.1f})':>20}" for method in METHODS)
    say(f"{name:32} {mean['raters']:>6.1f} {mean['each']:>12.0f} {mean['majority']:>9.3f}  {above}")


def _cut(votes: pd.DataFrame, raters: int, n_items: int | None, seed: int) -> pd.DataFrame:
    """The votes of some raters of each of some items, at random."""
    random = np.random.default_rng(seed)
    items = votes["pair_id"].unique()
    chosen = items if n_items is None else random.choice(items, n_items, replace=False)
    shuffled = votes[votes["pair_id"].isin(chosen)].sample(frac=1, random_state=seed)
    return shuffled[shuffled.groupby("pair_id").cumcount() < raters]


def _simulate(
    kinds: dict[Kind, int], n_pairs: int, labels_per_pair: int, unequal: float, seed: int
) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    campaign = simulate(kinds, n_pairs=n_pairs, labels_per_pair=labels_per_pair, seed=seed, unequal=unequal)
    truth = (campaign.truth >= VoteRule().lowest_yes).astype("int64")
    return votes_of(campaign.ballots, VoteRule()), truth


def _compare(votes: pd.DataFrame, truth: "pd.Series[int]") -> dict[str, float]:
    sizes = votes["annotator"].value_counts()
    row = {"raters": len(votes) / votes["pair_id"].nunique(), "each": float(sizes.median())}
    row["majority"] = _right(votes, truth, "majority")
    return row | {str(method): _right(votes, truth, method) - row["majority"] for method in METHODS}


def _right(votes: pd.DataFrame, truth: "pd.Series[int]", method: Method) -> float:
    chances = posteriors(votes, method)
    known = truth.reindex(chances.index)
    return float(np.where(chances == 0.5, 0.5, (chances > 0.5) == (known == 1)).mean())


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.aggregation")
