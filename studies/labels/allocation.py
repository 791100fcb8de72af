"""Accuracy against ratings by each way of giving them out: `python -m studies.labels.allocation [--annotations DIR]`.

Simulated worlds, and public sets replayed with the answers that real people gave, each asked only about what they
rated (`truth_inference`: `product`, `duck`; `snow2008`: `rte`, `temp`; those that are in DIR). The labels are
`dawid-skene-pooled`'s, whatever the policy. Intervals are 95 % over campaigns; in a replay these differ in who is asked
when, not in pairs and people.
With `--coverage`, how often the intervals of Krippendorff's alpha, of Fleiss' kappa and of the share of positive votes
from the random part hold what the same raters would reach on infinitely many pairs: of whole campaigns, and of those
that stop when half of three ratings per pair are answered, by people of different speeds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.statistics.agreement import share_votes
from annotation.assignment.allocation import ratings_at_first, settle
from annotation.config import PlanRule
from annotation.questions.declarations import shipped_question
from annotation.simulation.allocating import CampaignOutcome, World, allocate, recorded, simulated
from annotation.simulation.assumptions import AS_IN_PARADE
from annotation.simulation.in_memory import simulate
from annotation.simulation.noise import Kind, parade_confusions, score_chances, spread_ease
from annotation.simulation.truth import shares
from data.console.commands import run
from data.console.messages import progress, say
from data.measures import agreement
from data.measures.agreement import Integers, Reals
from data.measures.classes import PARADE
from data.storage.engine import PROCESSES, run_each
from studies.rating_data import read_snow, read_truth_inference

WORLDS: dict[str, tuple[dict[Kind, int], float]] = {
    "PARADE-like": ({"good": 17, "guessing": 2, "careless": 1}, 0.1),
    "many careless": ({"good": 15, "guessing": 3, "always-2": 2}, 0.1),
    "easy": ({"good": 20}, 0.0),
    "unequal pairs": ({"good": 17, "guessing": 3}, 0.25),
}
"""The people, and how far the ease of pairs spreads; all answer on a scale of four."""

AT = (1.6, 1.8, 2.0, 2.2, 2.5, 3.0)
"""The ratings per pair at which accuracies are compared."""

SETS = {"product": read_truth_inference, "duck": read_truth_inference, "rte": read_snow, "temp": read_snow}

FOLDERS = {read_truth_inference: "truth_inference", read_snow: "snow2008"}

GRID = np.arange(1.0, 3.001, 0.02)
"""Where curves are read, to find the ratings per pair at which they reach an accuracy."""

RESAMPLES = 1_000

STOPS = {"whole": None, "half": 0.5}
"""At which share of three ratings per pair a campaign ends early."""

MEASURES = ("alpha", "kappa", "share")

EASES = 40
"""The number of pairs, each of another ease, that represent all."""

SPEEDS = 0.4
"""How far people's speeds differ (standard deviation of the logarithm)."""

CURVES = ("majority-decided", "certain", "oracle")
"""The policies whose accuracy is followed from the first ratings on."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Compare the policies, or say how often the intervals of the random part hold."""

    annotations: Path | None = None
    """The folder with truth_inference and snow2008, whose sets are replayed in place of simulated worlds."""
    campaigns: int = 20
    """Campaigns of each world."""
    pairs: int = 2_000
    """Pairs of each campaign."""
    random_share: float = 0.15
    """The share of the pairs in the random part."""
    coverage: bool = False
    """Say how often the intervals hold, in place of the accuracies."""


def main(arguments: Arguments) -> None:
    """Print a line per world and policy."""
    if arguments.coverage:
        for name in WORLDS:
            _say_coverage(name, arguments)
        return
    say(f"{'world':14} {'policy':16} {'ratings':>7} {'right':>15}   right at " + "".join(f"{at:>15}" for at in AT))
    folder = arguments.annotations
    for name in _sets(folder) if folder else WORLDS:
        make = partial(_recorded, folder=folder) if folder else _simulated
        compare = partial(make, name=name, n_pairs=arguments.pairs, share=arguments.random_share)
        _say(name, list(run_each(compare, range(arguments.campaigns), PROCESSES, progress, name)))


def _sets(folder: Path) -> list[str]:
    """The sets that are in the folder."""
    return [name for name, read in SETS.items() if any((folder / FOLDERS[read]).glob(f"{name}[._]*"))]


def _simulated(seed: int, name: str, n_pairs: int, share: float) -> pd.DataFrame:
    kinds, unequal = WORLDS[name]
    return _compare(simulated(kinds, n_pairs=n_pairs, seed=seed, unequal=unequal), seed, share)


def _recorded(seed: int, name: str, n_pairs: int, share: float, folder: Path) -> pd.DataFrame:
    """As `_simulated`, of all pairs of the set."""
    del n_pairs
    read = SETS[name]
    return _compare(recorded(*read(folder / FOLDERS[read], name)), seed, share)


def _compare(world: World, seed: int, share: float) -> pd.DataFrame:
    """One row per policy: ratings per pair and accuracy at the end, and accuracy along GRID."""
    rows = []
    for policy, outcome in _outcomes(world, seed, share):
        end = outcome.steps.iloc[-1]
        along = np.interp(GRID, outcome.steps["ratings"], outcome.steps["right"], left=np.nan)
        alpha = agreement.krippendorff_alpha(_table(outcome.votes)).value
        rows.append(
            {"policy": policy, "ratings": end["ratings"], "right": end["right"], "along": along, "alpha": alpha}
        )
    return pd.DataFrame(rows)


def _outcomes(world: World, seed: int, share: float) -> Iterator[tuple[str, CampaignOutcome]]:
    n, question = len(world.truth), shipped_question()

    def settled(labels: int, **values: object) -> PlanRule:
        return settle(PlanRule(labels_per_pair=labels, **values), question, n)

    for labels in (2, 3, 5):
        if labels <= np.median(world.may.sum(axis=1)):
            yield f"fixed {labels}", allocate(world, settled(labels, allocate="fixed"), seed)
    yield "majority-decided", allocate(world, settled(3, allocate="majority-decided", random_share=share), seed)
    certain = settled(3, allocate="certain", random_share=share, target=0.999, budget=3 * n)
    yield "certain", allocate(world, certain, seed)
    yield "oracle", allocate(world, certain, seed, oracle=True)


def _say(name: str, campaigns: list[pd.DataFrame]) -> None:
    rows = pd.concat(campaigns)
    ends = {policy: own["right"].to_numpy("float64") for policy, own in rows.groupby("policy")}
    curves = {policy: np.stack(list(own["along"])) for policy, own in rows.groupby("policy")}
    for policy, own in rows.groupby("policy", sort=False):
        mean, at = own["ratings"].mean(), ""
        if policy in CURVES:
            along = {x: _at(curves[policy], x) for x in AT if x <= mean + 0.05}
            at = "".join(f"{_within(along[x]) if x in along and not np.isnan(along[x]).any() else '':>15}" for x in AT)
        say(f"{name:14} {policy:16} {mean:>7.2f} {_within(own['right']):>15}            {at}")
    alphas = {policy: own["alpha"].to_numpy("float64") for policy, own in rows.groupby("policy")}
    for policy in CURVES:
        beyond = _within(alphas[policy] - alphas["fixed 3"])
        say(f"{name:14} alpha of all votes of {policy}, less the one of fixed 3: {beyond}")
        reached = _reaches(curves[policy], ends["fixed 3"])
        gain = _within(ends[policy] - ends["fixed 3"])
        say(f"{name:14} {policy} is as right as fixed 3 with {reached} ratings; at its end, less fixed 3: {gain}")
    for ratings, other in ((2.0, "fixed 3"), (2.2, "fixed 3"), (3.0, "fixed 3"), (3.0, "fixed 5")):
        if other in ends:
            gain = _at(curves["certain"], ratings) - ends[other]
            say(f"{name:14} certain at {ratings:.2f}, less {other}: {_within(gain)}")


def _at(curves: Reals, ratings: float) -> Reals:
    """The accuracy of each campaign at this number of ratings per pair."""
    return np.array([np.interp(ratings, GRID, curve) for curve in curves])


def _reaches(curves: Reals, wanted: Reals) -> str:
    """The ratings per pair from which the mean curve is at or above the mean accuracy wanted, with its interval.

    Infinite where the curve stays below it.
    """
    random = np.random.default_rng(0)
    drawn = random.integers(len(wanted), size=(RESAMPLES, len(wanted)))
    found = [_crossing(curves[rows].mean(axis=0), wanted[rows].mean()) for rows in drawn]
    low, high = np.quantile(found, [0.025, 0.975], method="nearest")
    return f"{_crossing(curves.mean(axis=0), wanted.mean()):.2f} [{low:.2f}, {high:.2f}]"


def _crossing(curve: Reals, wanted: float) -> float:
    """Where the curve passes this accuracy; infinity where it does not."""
    above = np.flatnonzero(curve >= wanted)
    return float(GRID[above[0]]) if len(above) else np.inf


def _within(values: "pd.Series[float] | Reals") -> str:
    """The mean over the campaigns, and half the width of its 95 % interval."""
    known = np.asarray(values, dtype="float64")
    return f"{known.mean():.3f} ±{1.96 * known.std(ddof=1) / np.sqrt(len(known)):.3f}"


def _say_coverage(name: str, arguments: Arguments) -> None:
    for policy in ("majority-decided", "certain"):
        cover = partial(_cover, name=name, policy=policy, n_pairs=arguments.pairs, share=arguments.random_share)
        found = pd.DataFrame(run_each(cover, range(arguments.campaigns), PROCESSES, progress, f"{name}, {policy}"))
        for what in (f"{when} {measure}" for when in STOPS for measure in MEASURES):
            value, low, high, true = (found[f"{what} {part}"] for part in ("value", "low", "high", "true"))
            held, bias = ((low <= true) & (true <= high)).astype("float64"), value - true
            say(
                f"{name:14} {policy:16} {what:11} holds {_within(held)}, "
                f"is off by {bias.mean():+.4f} ±{1.96 * bias.sem():.4f}, width {(high - low).mean():.3f}"
            )


def _cover(seed: int, name: str, policy: str, n_pairs: int, share: float) -> dict[str, float]:
    """Value, limits and true value of each measure of the random part, of a whole campaign and of half of one."""
    kinds, unequal = WORLDS[name]
    world = simulated(kinds, n_pairs=n_pairs, seed=seed, unequal=unequal)
    asked = PlanRule(labels_per_pair=3, allocate=policy, random_share=share)
    rule, truth = settle(asked, shipped_question(), n_pairs), _true(kinds, unequal, seed)
    found: dict[str, float] = {}
    for when, stop in STOPS.items():
        votes = first_answers(world, rule, seed, stop)
        for what, estimate in _measure(votes[votes["random"]]).items():
            named = dict(zip(("value", "low", "high", "true"), (*estimate, truth[what]), strict=True))
            found |= {f"{when} {what} {part}": value for part, value in named.items()}
    return found


def _true(kinds: dict[Kind, int], unequal: float, seed: int) -> dict[str, float]:
    """What these raters, each asked as often, would reach on infinitely many pairs."""
    people = simulate(kinds, n_pairs=len(WORLDS), labels_per_pair=1, seed=seed).annotators
    ease = spread_ease((np.arange(EASES) + 0.5) / EASES, unequal)
    every = pd.MultiIndex.from_product([range(len(people)), range(len(PARADE)), ease], names=["rater", "truth", "ease"])
    asked = every.to_frame(index=False).assign(by_overlap=0, progress=1.0)
    chances = score_chances(people["kind"].to_numpy(object), parade_confusions(people), asked)
    yes = chances[:, len(PARADE) - PARADE.n_positive :].sum(axis=1).reshape(len(people), -1)
    weights = np.repeat(shares(PARADE, AS_IN_PARADE.positive), EASES) / EASES
    both, share = (yes * weights) @ yes.T, float((yes @ weights).mean())
    agreed = (both.sum() - np.trace(both)) / (both.size - len(both))
    alpha = 1 - (share - agreed) / (share * (1 - share))
    return {"alpha": alpha, "kappa": alpha, "share": share}


def first_answers(world: World, rule: PlanRule, seed: int, stop: float | None) -> pd.DataFrame:
    """The answers of the first round, as `allocate` gives them, if a campaign ends early; else of its random part.

    It ends when the share `stop` of its `fixed` plan is answered, further ratings included. Each person answers their
    part of the first round in its order, at a speed of their own. Later rounds add nothing to the random part.
    """
    n, raters = len(world.truth), int(rule.labels_per_pair or 1)
    at_first = ratings_at_first(rule, shipped_question(), list(world.truth.index), seed)
    asked = world.deal(at_first, seed)
    speeds = pd.Series(np.random.default_rng([seed, 3]).lognormal(sigma=SPEEDS, size=len(world.names)), world.names)
    if stop is None:
        asked = asked[asked["pair_id"].map(at_first) == raters]
    else:
        done = (stop * raters * n * speeds / speeds.sum()).round()
        asked = asked[asked.groupby("annotator").cumcount() < asked["annotator"].map(done)]
    scores = world.ask(asked, seed)
    votes = asked.assign(score=scores, vote=(scores >= world.lowest_yes).astype("int64"))
    return votes.assign(random=votes["pair_id"].map(at_first) == raters)


def _measure(votes: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """The value and the limits of each measure, as they are published."""
    table = _table(votes)
    alpha, kappa = agreement.krippendorff_alpha(table), agreement.fleiss_kappa(table)
    counted = votes.groupby("pair_id", as_index=False).agg(votes=("vote", "sum"), n_votes=("vote", "size"))
    share = share_votes(counted.assign(entity=counted["pair_id"]))
    found = {name: (known.value, known.low, known.high) for name, known in (("alpha", alpha), ("kappa", kappa))}
    found["share"] = share["share"], share["low"], share["high"]
    return {name: (value or 0.0, low or 0.0, high or 0.0) for name, (value, low, high) in found.items()}


def _table(votes: pd.DataFrame) -> Integers:
    """How many votes of each kind each pair has."""
    return agreement.counts(pd.factorize(votes["pair_id"])[0].astype("int64"), votes["vote"].to_numpy("int64"), 2)


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.allocation")
