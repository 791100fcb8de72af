"""How often a good annotator's kappa falls below 0.4 by chance alone: `python -m studies.quality.one_sided`.

Annotators whose kappa with the truth is 0.8 rate pairs of which few are paraphrases. Each line: how many disagreements
chance gives in a draw, in how many draws that was so, and in what share of these the kappa is below 0.4. An undefined
kappa is not below it.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from data.console.commands import run
from data.console.messages import say

KAPPA, LOW = 0.8, 0.4
STEPS = (0, 2, 3, 5, 7, 10, 20, 100)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulate annotators on one-sided pairs."""

    draws: int = 20_000
    """How many for each share of paraphrases and number of pairs."""


def main(arguments: Arguments) -> None:
    """Print a line per number of disagreements by chance."""
    random = np.random.default_rng(1)
    settings = [(share, n) for share in (0.02, 0.05, 0.1) for n in (20, 50, 75, 100, 200, 400)]
    rows = pd.concat([_draw(share, n, arguments.draws, random) for share, n in settings])
    say("disagreements by chance    draws   kappa below 0.4   in the worst setting")
    for low, high in pairwise(STEPS):
        part = rows[(rows["by_chance"] >= low) & (rows["by_chance"] < high)]
        worst = part.groupby(["share", "n"])["is_low"].agg(["mean", "size"]).query("size >= 200")["mean"].max()
        say(f"{low:>8} to below {high:<4} {len(part):>12} {part['is_low'].mean():>17.3f} {worst:>22.3f}")


def _draw(share: float, n: int, draws: int, random: np.random.Generator) -> pd.DataFrame:
    """The draws of annotators who say yes as often as it is true: share, n, by_chance, is_low."""
    truth = random.random((draws, n)) < share
    wrong = (1 - KAPPA) * np.where(truth, 1 - share, share)
    given = truth ^ (random.random((draws, n)) < wrong)
    yes, true = given.mean(axis=1), truth.mean(axis=1)
    same, expected = (given == truth).mean(axis=1), yes * true + (1 - yes) * (1 - true)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = (same - expected) / (1 - expected)
    return pd.DataFrame({"share": share, "n": n, "by_chance": n * (1 - expected), "is_low": kappa < LOW})


if __name__ == "__main__":
    run(main, prog="python -m studies.quality.one_sided")
