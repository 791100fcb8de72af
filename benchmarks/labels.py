"""How good labels are for what they cost: `python -m benchmarks.labels`.

Simulated campaigns at PARADE's noise (`simulation.in_memory`: 40 annotators, 10,182 pairs, three labels per pair).
After the first round (`none`) each strategy pays for the same number of further labels: 5 %, which is what the
paper's reassignment of two of 40 annotators costs. `replaced (paper)`: all ratings of the two annotators with the
lowest kappa are replaced by the five with the highest (the paper's 0.75 is ignored: at this noise nobody reaches it).
`uncertain`: as with `reassign --low-by verdict --relabel uncertain`, the five most skilled give one further rating to
each of the least certain pairs. Intervals: the mean plus or minus two standard errors. `--lower 0.028`: good
annotators are right in 65 to 77 % of the votes, a harder task, in which the paper's procedure leaves the majority
right in 76.4 % where eight guess.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Memory

from annotation.aggregation.models import Method, posteriors
from annotation.assignment.reassignment import call_on_doubt, low_ratings, rank_by_verdict, replace
from annotation.campaign.rounds.replacing import ON_DOUBT
from annotation.config import ReassignRule, VoteRule
from annotation.quality.verdict import judge
from annotation.ratings.ballots import standing, votes_of
from annotation.simulation.in_memory import Simulated, label_again, simulate
from annotation.simulation.noise import Kind
from benchmarks.verdict import kappas
from data.console.commands import run
from data.console.messages import progress, say

ANNOTATORS, PAIRS, LABELS, EXTRA = 40, 10_182, 3, 0.05
CROWDS: tuple[dict[Kind, int], ...] = ({"guessing": 8}, {"guessing": 4, "careless": 4})
METHODS: tuple[Method, ...] = ("majority", "dawid-skene", "dawid-skene-pooled")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulate campaigns and count right labels by each strategy for spending the same number of further ratings."""

    campaigns: int = 24
    """How many campaigns per crowd."""
    lower: float = 0.0
    """How much lower the accuracy of good annotators is."""
    keep: Path | None = None
    """A folder for the campaigns labelled so far, to resume a stopped run; empty it when a rule has changed."""


def main(arguments: Arguments) -> None:
    """Print one line per crowd, strategy and method."""
    label_campaign = _right if arguments.keep is None else Memory(arguments.keep, verbose=0).cache(_right)
    say(f"{arguments.campaigns} campaigns per crowd, accuracy of good annotators lowered by {arguments.lower:g}")
    say(f"{'careless annotators':24} {'further ratings':22} {'labels paid':>11}  {'method':20} {'right':>24}")
    for crowd in CROWDS:
        seeds = progress(range(arguments.campaigns), label="campaigns", unit="campaigns")
        rows = pd.DataFrame([row for seed in seeds for row in label_campaign(crowd, seed, arguments.lower)])
        for (strategy, method), part in rows.groupby(["strategy", "method"], sort=False):
            error = 2 * part["right"].std(ddof=1) / np.sqrt(len(part))
            right = (
                f"{part['right'].mean():.4f} ({part['right'].mean() - error:.4f} to {part['right'].mean() + error:.4f})"
            )
            name = ", ".join(f"{n} {kind}" for kind, n in crowd.items())
            say(f"{name:24} {strategy:22} {part['paid'].mean():>11.0f}  {method:20} {right:>24}")


def _right(crowd: dict[Kind, int], seed: int, lower: float) -> list[dict[str, object]]:
    """One row per strategy and method: the share of right labels, a tie counted half, and the labels paid for."""
    kinds: dict[Kind, int] = {"good": ANNOTATORS - sum(crowd.values())} | crowd
    campaign = simulate(kinds, n_pairs=PAIRS, labels_per_pair=LABELS, seed=seed, lower=lower)
    truth = (campaign.truth >= VoteRule().lowest_yes).astype("int64")
    rows: list[dict[str, object]] = []
    for strategy, ballots in _strategies(campaign, seed):
        votes = votes_of(standing(ballots), VoteRule())
        for method in METHODS:
            chances = posteriors(votes, method).reindex(truth.index)
            right = np.where(chances == 0.5, 0.5, (chances > 0.5) == (truth == 1)).mean()
            rows.append({"strategy": strategy, "method": method, "right": right, "paid": len(ballots)})
    return rows


def _strategies(campaign: Simulated, seed: int) -> Iterator[tuple[str, pd.DataFrame]]:
    ballots, rule = campaign.ballots, ReassignRule()
    everybody = set(campaign.annotators.index)
    seen = ballots.assign(supersedes=None, kind="work")
    yield "none", ballots
    votes = votes_of(ballots, rule)
    order = kappas(votes).sort_values().index
    low = low_ratings(ballots, tuple(order[:2]), rule)
    new, _ = replace(low, seen, pd.Series(np.inf, index=list(order[: -rule.best - 1 : -1])), rule, seed)
    gone = ballots["assignment_id"].isin(new["supersedes"])
    left = ballots.assign(replaced_in=ballots["replaced_in"].mask(gone, 2))
    yield "replaced (paper)", pd.concat([left, _answered(campaign, new, seed)])
    verdicts = judge(votes.assign(place=ballots["position"]), rule, campaign.overlap)
    best = rank_by_verdict(verdicts, everybody, rule).best
    room = pd.Series(np.inf, index=list(best))
    new, _ = call_on_doubt(posteriors(votes, ON_DOUBT), seen, room, round(EXTRA * len(ballots)), seed)
    yield "uncertain", pd.concat([ballots, _answered(campaign, new, seed)])


def _answered(campaign: Simulated, new: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The ballots of a second round."""
    scores = pd.array(label_again(campaign, new, seed), dtype="Int64")
    rows = new[["pair_id", "annotator"]].assign(round=2, state="scored", score=scores)
    rows["replaced_in"] = pd.array([pd.NA] * len(rows), dtype="Int64")
    return rows.assign(assignment_id="2-" + rows["pair_id"] + "-" + rows["annotator"])


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.labels")
