"""How well votes foretell one that is held out, and how often limits hold: `python -m studies.labels.held_out
--annotations DIR --dataset DIR`.

Sets of real annotators (as in `studies.labels.soft_labels`) and simulated campaigns with equal and unequal pairs. Each
line: votes; log loss (nats per vote) by the pooled model, by the majority, and their difference with its 95 % interval
from drawing pairs; the expected calibration error, and the middle 95 % of those that right chances would give. Of
simulated campaigns also the share of right labels by the model and by the majority, and how often the limits of
sensitivity and specificity hold the true value. Means over draws.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from annotation.aggregation.models import POOLED, posteriors
from annotation.simulation.in_memory import Simulated, simulate
from annotation.simulation.noise import Kind
from data.console.commands import run
from data.console.messages import progress, say
from data.measures.ballots import votes_of
from data.measures.intervals import Groups, free
from data.measures.raters.error_rates import assess_error_rates
from data.measures.raters.held_out import assess_held_out, foretell, losses
from data.measures.rules import VoteRule
from studies.labels.soft_labels import read_sets

TEAMS: dict[str, tuple[dict[Kind, int], int, float]] = {
    "20 people, 400 equal pairs": ({"good": 17, "careless": 3}, 400, 0.0),
    "40 people, 800 pairs": ({"good": 32, "guessing": 8}, 800, 0.2),
    "40 people, 2,000 pairs": ({"good": 32, "guessing": 8}, 2_000, 0.2),
    "20 people, 5 careless, 1,000 pairs": ({"good": 15, "careless": 5}, 1_000, 0.2),
}
"""The people, the pairs (three votes each), and how far pairs are unequal."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print how well votes foretell others, on real and simulated votes."""

    annotations: Path
    """The folder of `truth_inference` and `lewidi2025`."""
    dataset: Path
    """The folder of the published PARADE files."""
    draws: int = 5
    """Simulated campaigns of each kind."""


def main(arguments: Arguments) -> None:
    """Print a line per set."""
    for name, votes, _ in read_sets(arguments.annotations, arguments.dataset):
        say(f"{name}: {_show(measure(by_place(votes)))}")
    for name, (kinds, n_pairs, unequal) in TEAMS.items():
        rows = []
        for seed in progress(range(arguments.draws), label=name, unit="campaigns"):
            team = simulate(kinds, n_pairs=n_pairs, labels_per_pair=3, seed=seed, unequal=unequal)
            votes = votes_of(team.ballots, VoteRule())
            rows.append(measure(votes) | check(votes, team))
        say(f"{name}: {_show(pd.DataFrame(rows).mean().to_dict())}")


def by_place(votes: pd.DataFrame) -> pd.DataFrame:
    """The votes; where annotators are not known, votes of a pair are dealt out at random to as many as it has."""
    if votes["annotator"].notna().all():
        return votes
    mixed = votes.sample(frac=1, random_state=1)
    return mixed.assign(annotator=mixed.groupby("pair_id").cumcount().astype("str"))


def measure(votes: pd.DataFrame) -> dict[str, float]:
    """The measures of one set's votes."""
    rows = votes.assign(group=votes["pair_id"], score=3 * votes["vote"])
    none = rows[:0].assign(truth=0)
    found = {str(row["measure"]): row for row in assess_held_out(rows, none)}
    error = found["calibration_error"]
    foretold = foretell(rows, none)
    better = losses(foretold["vote"], foretold["by_majority"]) - losses(foretold["vote"], foretold["chance"])
    groups = Groups.of(foretold["pair_id"])
    weights = groups.weigh()
    draws = (weights @ groups.add(better)) / (weights @ groups.add(np.ones(len(better))))
    low, high = free(float(better.mean()), draws, groups.effective, np.inf) or (np.nan, np.nan)
    known = {name: found[name]["value"] for name in ("log_loss", "log_loss_majority")}
    return {
        "votes": len(foretold),
        **{name: float(str(value)) for name, value in known.items()},
        "better by": float(better.mean()),
        "from": low,
        "to": high,
        "ece": float(str(error["value"])),
        "of right chances from": float(str(error["low"])),
        "to ": float(str(error["high"])),
    }


def check(votes: pd.DataFrame, team: Simulated) -> dict[str, float]:
    """The share of right labels, and how often limits hold."""
    truth = team.truth >= VoteRule().lowest_yes
    chances = posteriors(votes, POOLED)
    shares = votes.groupby("pair_id")["vote"].mean()
    rates = pd.DataFrame(assess_error_rates(votes, None))
    true = rates["annotator"].map(team.annotators["accuracy"].astype("float64").fillna(0.5))
    return {
        "right": float(((chances > 0.5) == truth.reindex(chances.index)).mean()),
        "right by majority": float(((shares > 0.5) == truth.reindex(shares.index)).mean()),
        "limits hold": float(((rates["low"] <= true) & (true <= rates["high"])).mean()),
    }


def _show(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:,.3f}" for name, value in figures.items())


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.held_out")
