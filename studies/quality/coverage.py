"""How often each kind of interval holds the true value: `python -m studies.quality.coverage`.

Each design draws a world again and again, by a seed, and asks `data.measures.intervals` for the interval; the truth is
known exactly or taken from one world of 60,000 groups. Designs vary the number of groups, their sizes, how alike pairs
of a group are, and how good raters or models are. None of them was used to choose the methods. An interval that holds
the truth in 95 % of N worlds is seen to hold it in 95 % plus or minus 2 * sqrt(.05 * .95 / N).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from annotation.config import VerdictRule
from annotation.quality.verdict import judge
from annotation.simulation.in_memory import simulate
from annotation.simulation.noise import Kind
from data.console.commands import run
from data.console.messages import say
from data.labelled.metrics import cells, measures_of, weigh_auc
from data.measures import agreement, intervals
from data.measures.ballots import votes_of
from data.measures.intervals import Floats, Groups, Limits

SKILLED = {"equally hard pairs": 0.0, "unequal pairs (0.2)": 0.2, "very unequal pairs (0.5)": 0.5}
"""How far the ease of pairs spreads in simulated campaigns whose annotators' skills are estimated."""
TEAM: dict[Kind, int] = {"good": 8, "careless": 1, "guessing": 1}
MANY = 60_000
"""Groups of the world that the truth is taken from."""
Random = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure the coverage of every kind of interval."""

    worlds: int = 1_000
    """How many worlds per design."""
    seed: int = 11


@dataclass(frozen=True)
class Sampled:
    """How the things of a world are made."""

    groups: int
    size: float
    """Mean things per group."""
    good: float
    """How often raters or models are right on average."""
    alike: float = 0.0
    """How much the shares of "yes" of groups differ (0: not at all, to 1)."""
    uneven: float = 0.0
    """How much it differs between groups how often they are right."""
    skewed: bool = False
    """Whether a few groups are much larger than the rest."""

    def __str__(self) -> str:
        """Groups, their size, and how good."""
        made = f"{self.groups} groups of {'mostly few' if self.skewed else format(self.size, 'g')}, {self.good:g} right"
        return made + (f", groups differ {self.alike:g}/{self.uneven:g}" if self.alike or self.uneven else "")

    def draw(self, random: Random, n: int | None = None) -> tuple[Groups, NDArray[np.bool_], Floats]:
        """The group, the truth, and the chance to be right of each thing."""
        n = n or self.groups
        sizes = np.ones(n, dtype="int64") if self.size == 1 else 1 + random.poisson(self.size - 1, n)
        if self.skewed:
            sizes = np.ceil(self.size * random.pareto(1.5, n).clip(0.1, 20)).astype("int64")
        codes = np.repeat(np.arange(n), sizes)
        shares, right = _spread(random, 0.43, self.alike, n), _spread(random, self.good, self.uneven, n)
        return Groups(codes), random.random(len(codes)) < shares[codes], right[codes]


def _spread(random: Random, mean: float, by: float, n: int) -> Floats:
    """Draws of a beta distribution with this mean, whose variance is this share of the largest possible one."""
    return random.beta(mean * (1 / by - 1), (1 - mean) * (1 / by - 1), n) if by else np.full(n, mean)


RATED = (Sampled(30, 1, 0.97), Sampled(60, 1, 0.96), Sampled(150, 1, 0.9), Sampled(40, 1, 0.7),
    Sampled(4, 7, 0.8, 0.15, 0.05), Sampled(7, 9, 0.92, 0.25, 0.1), Sampled(15, 7, 0.7, 0.25, 0.05),
    Sampled(15, 8, 0.96, 0.1, 0.03), Sampled(30, 13, 0.78, 0.3, 0.1), Sampled(6, 60, 0.8, 0.15, 0.1),
    Sampled(60, 13, 0.72, 0.2, 0.1), Sampled(30, 4, 0.78, 0.2, 0.1, skewed=True))  # fmt: skip
SCORED = (Sampled(3, 12, 0.75, 0.2), Sampled(4, 25, 0.85, 0.1), Sampled(6, 12, 0.8, 0.2), Sampled(9, 12, 0.9, 0.2),
    Sampled(15, 6, 0.7, 0.2), Sampled(25, 8, 0.93, 0.3), Sampled(50, 3, 0.8, 0.2),
    Sampled(20, 4, 0.8, 0.2, skewed=True))  # fmt: skip


def main(arguments: Arguments) -> None:
    """Print the coverage of each kind over its designs."""
    for name, truth, trials in kinds(arguments):
        found = [trial for trial in trials if trial is not None]
        low, high = (np.array(side) for side in zip(*found, strict=True))
        held = ((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean()
        lost = f"; {arguments.worlds - len(found)} without" if len(found) < arguments.worlds else ""
        say(f"{name:<68} {held:5.1%}  mean width {(high - low).mean():.3f}{lost}")


Trials = tuple[str, float, list[Limits | None]]


def kinds(arguments: Arguments) -> Iterator[Trials]:
    """Each design of each kind with its true value and the interval of each world."""

    def repeat(one: Callable[[Random], Limits | None]) -> list[Limits | None]:
        return [one(np.random.default_rng([arguments.seed, number])) for number in range(arguments.worlds)]

    for n, chance in ((12, 0.8), (30, 0.93), (200, 0.5)):
        yield f"share: {n} things, {chance:g}", chance, repeat(partial(_share, n, chance))
    for n in (10, 20, 33, 150):
        yield f"median: {n} times", 20.0, repeat(partial(_median, n))
    yield "mean: 15 grades", 0.5, repeat(lambda random: intervals.mean(random.random(15)))
    for name, votes in AGREEMENTS.items():
        for world in RATED:
            big = votes(world, np.random.default_rng(arguments.seed), MANY).value
            yield f"{name}: {world}", float(big or 0), repeat(partial(_limits, votes, world))
    for world in SCORED:
        truths = _measure(world, np.random.default_rng(arguments.seed), MANY)
        worlds = [_measure(world, np.random.default_rng([arguments.seed, n])) for n in range(arguments.worlds)]
        for name, (value, _) in truths.items():
            yield f"{name}: {world}", value, [one[name][1] for one in worlds]
    for name, unequal in SKILLED.items():
        campaigns = range(-(-arguments.worlds // sum(TEAM.values())))
        skills = [limits for number in campaigns for limits in _skills(unequal, arguments.seed + number)]
        yield f"skill minus the true one: {name}", 0.0, skills


def _skills(unequal: float, seed: int) -> Iterator[Limits]:
    """By annotator of a simulated campaign, the limits of the skill, minus the true skill."""
    campaign = simulate(TEAM, n_pairs=300, labels_per_pair=3, seed=seed, unequal=unequal)
    rule = VerdictRule()
    votes = votes_of(campaign.ballots, rule).assign(place=campaign.ballots["position"])
    share = float((campaign.truth >= rule.lowest_yes).mean())
    for row in judge(votes, rule).to_dict("records"):
        right = campaign.annotators["accuracy"].astype("Float64").fillna(0.5)[row["annotator"]]
        yes = share * right + (1 - share) * (1 - right)
        skill = 2 * share * (1 - share) * (2 * right - 1) / (share * (1 - yes) + (1 - share) * yes)
        yield float(row["low"] - skill), float(row["high"] - skill)


def _share(n: int, chance: float, random: Random) -> Limits:
    low, high = intervals.share(random.binomial(n, chance), n)
    return float(low), float(high)


def _median(n: int, random: Random) -> Limits | None:
    return intervals.median(random.lognormal(np.log(20), 1, n))


def _limits(votes: "Voting", world: Sampled, random: Random) -> Limits | None:
    found = votes(world, random)
    return None if found.low is None or found.high is None else (found.low, found.high)


def _votes(world: Sampled, random: Random, n: int | None, raters: int) -> tuple[Groups, NDArray[np.int64]]:
    groups, truth, right = world.draw(random, n)
    hits = random.random((len(truth), raters)) < right[:, None]
    return groups, np.where(hits, truth[:, None], ~truth[:, None]).astype("int64")


def _fleiss(world: Sampled, random: Random, n: int | None = None) -> agreement.Agreement:
    groups, votes = _votes(world, random, n, 3)
    yes = votes.sum(axis=1)
    return agreement.fleiss_kappa(np.column_stack([3 - yes, yes]), groups.codes)


def _alpha(world: Sampled, random: Random, n: int | None = None) -> agreement.Agreement:
    groups, votes = _votes(world, random, n, 3)
    n_votes = random.integers(2, 4, len(votes))
    yes = np.where(n_votes == 3, votes.sum(axis=1), votes[:, :2].sum(axis=1))
    return agreement.krippendorff_alpha(np.column_stack([n_votes - yes, yes]), groups=groups.codes)


def _cohen(world: Sampled, random: Random, n: int | None = None) -> agreement.Agreement:
    groups, votes = _votes(world, random, n, 2)
    return agreement.cohen_kappa(votes[:, 0], votes[:, 1], groups=groups.codes)


Voting = Callable[..., agreement.Agreement]
AGREEMENTS: dict[str, Voting] = {"Fleiss": _fleiss, "Cohen": _cohen, "alpha": _alpha}


def _measure(world: Sampled, random: Random, n: int | None = None) -> dict[str, tuple[float, Limits | None]]:
    """Accuracy, F1, MCC and AUC of a model, and its lead over a similar one: value and limits."""
    groups, label, _ = world.draw(random, n)
    side, habit = np.where(label, 1, -1), random.normal(0, 0.5, groups.n)[groups.codes]
    common = random.normal(size=len(label)) * 0.7
    scores = [
        side * (ndtri(world.good) + habit) + common + random.normal(size=len(label)) * 0.7 + shift
        for shift in (0.0, -0.2)
    ]
    drawn = groups.weigh()[:, groups.codes] if n is None else np.empty((0, len(label)))
    weights: Floats = np.vstack([np.ones((1, len(label))), drawn])
    first, second = (
        measures_of(weights @ cells(label, some >= 0)) | {"auc": weigh_auc(label, some, weights)} for some in scores
    )
    found: dict[str, tuple[float, Limits | None]] = {}
    for name in ("accuracy", "f1", "mcc", "auc"):
        own, lead = first[name], first[name] - second[name]
        bounds = (-1.0, 1.0) if name == "mcc" else (0.0, 1.0)
        found[name] = float(own[0]), intervals.bounded(own[0], own[1:], groups.effective, bounds)
        found[f"lead in {name}"] = float(lead[0]), intervals.free(lead[0], lead[1:], groups.effective)
    return found


if __name__ == "__main__":
    run(main, prog="python -m studies.quality.coverage")
