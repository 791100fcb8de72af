"""The command `forecast`: what a plan costs in hours, days and pay, and how good its labels would be."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from annotation.assignment import allocation
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.judging import known_pace, learn_from_pilot
from annotation.config import AllocationRule, PlanRule, VerdictRule, settings
from annotation.simulation import allocating, forecast
from annotation.simulation.assumptions import OVERLAP_AUC, PARAPHRASES, Assumptions, Told
from annotation.simulation.noise import ACCURACY, GOOD, Kind, count_kinds
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit
from data.console.messages import figure, progress, say
from data.contract.tables.campaign import Assignments
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FIXED
from data.guidance.next_steps import say_steps
from data.measures.classes import classes_of
from data.measures.rules import IdleRule
from data.storage.engine import HERE, PROCESSES, run_each

Price = Callable[[float, float], forecast.Cost]
"""From the number of labels, and of the busiest annotator's, to the cost."""

FEW_PAIRS = 10_000
"""The number of simulated pairs that takes less time than to start processes for them."""
ForecastLine = tuple[str, str, int]
"""A line's column, name and number of decimals."""

MOST_SIMULATED = 1_000
"""The largest campaign that is simulated to forecast a policy: what it takes per pair is the same for more."""

LABELS_PER_PAIR = (2, 3, 5)
"""The numbers that are compared."""


@dataclass(frozen=True, kw_only=True)
class Arguments(IdleRule, AllocationRule, OfCampaign):
    """Estimate what 2, 3 or 5 labels per pair cost, how accurate they are, and how many careless people are found.

    Also forecast the policy that --allocate names. Unless they are given, pairs and annotators are the plan's, and the
    pace is the campaign's or its pilot's. How often people err, how many pairs get a positive label and how well shared
    words predict it is as in PARADE, or as in a settled pilot.
    """

    kinds: str | None = None
    """The number of annotators of each kind, as in good:32,careless:4,guessing:4 (also always-2, overlap, drifting,
    tiring); if left out, one in five guesses, or as many as in the pilot."""

    pairs: Limit[int | None] = None
    """The number of pairs to label; by default the plan's."""

    annotators: int | None = None
    """The number of annotators, where neither a plan nor --kinds gives it."""

    pace: float | None = None
    """Seconds per label; by default as the campaign or its pilot took."""

    hours_a_day: Advanced[float] = 2.0
    """How long each annotator labels per day."""

    pay: float | None = None
    """Pay per hour, in any currency; without it no sum is given."""

    simulations: Advanced[int] = 8
    """The number of simulated campaigns behind each line."""

    seed: int = 1
    """Seed of the first simulated campaign; the others have the next ones."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is forecast for."""

    kinds: dict[Kind, int]
    n_pairs: int
    assumed: Assumptions


def main(arguments: Arguments) -> None:
    """Print the forecast; write nothing."""
    campaign = Campaign(arguments)
    vote = campaign.question.vote
    told, source = learn_from_pilot(campaign) if vote else (Told(), "")
    n_pairs, kinds = _pairs(campaign, arguments), _kinds(campaign, arguments, told.assumptions)
    seconds, timed = _pace(campaign, arguments)
    n_people, setting = sum(kinds.values()), Setting(kinds=kinds, n_pairs=n_pairs, assumed=told.assumptions)
    _require_positive(arguments, seconds)
    for flag, value, least in (
        ("--pairs", n_pairs, 1),
        ("--simulations", arguments.simulations, 1),
        ("--seed", arguments.seed, 0),
    ):
        require_at_least(flag, value, least)
    price = partial(forecast.cost, seconds=seconds, hours_a_day=arguments.hours_a_day, pay=arguments.pay)
    people = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n)
    say(f"{n_pairs} pairs, {n_people} annotators: {people}" + (f"; {_name_noise(told, source)}" if vote else ""))
    for line in _describe(told):
        say(line)
    say(f"{seconds:.1f} s per label ({timed}), {arguments.hours_a_day:g} hours per day")
    say("labels per pair   labels  hours  hours each  days      pay")
    usable = [k for k in sorted({*LABELS_PER_PAIR, campaign.question.raters}) if k <= n_people]
    for k in usable:
        cost = price(n_pairs * k, -(-n_pairs * k // n_people))
        say(
            f"{k:>15}  {cost.labels:>7}  {cost.hours:>5.1f}  {cost.hours_each:>10.1f}  {cost.days:>4.1f}  "
            f"{figure(cost.pay, 0):>7}"
        )
    seeds = range(arguments.seed, arguments.seed + arguments.simulations)
    runs = [(k, seed) for k in usable if k >= min(LABELS_PER_PAIR) for seed in seeds]
    if vote:
        rule = campaign.with_vote_rule(VerdictRule())
        expect = partial(_expect, setting=setting, rule=rule, classes=classes_of(vote))
        engine = PROCESSES if n_pairs * len(runs) > FEW_PAIRS else HERE
        outcomes = pd.DataFrame(run_each(expect, runs, engine, progress, "campaigns")).astype("Float64")
        _show(outcomes, _lines(kinds), arguments.simulations)
        if arguments.allocate:
            _show_allocation(campaign, arguments, setting, price)
    else:
        say(f"how good the labels would be is not forecast: question {campaign.question.name} asks for no vote")
    if len(usable) < len(LABELS_PER_PAIR):
        say(f"with {n_people} annotators no pair can have {max(LABELS_PER_PAIR)} labels")
    say_steps(campaign.store)


def _name_noise(told: Told, source: str) -> str:
    """Whose pairs and people are assumed; `source` is the pilot's name, or why it tells nothing."""
    return f"as in {source}" if told.positive else "at PARADE's noise" + (f": {source}" if source else "")


def _describe(told: Told) -> Iterator[str]:
    """Each figure that a pilot tells, with its interval, and PARADE's where it tells some but not this one."""
    low, high = ACCURACY[GOOD]
    for words, form, in_parade, found, of in (
        ("positive labels", ".0%", f"{PARAPHRASES:.0%}", told.positive, "pairs"),
        ("AUC of shared words", ".2f", f"{OVERLAP_AUC:.2f}", told.overlap_auc, "pairs"),
        ("right votes", ".0%", f"{low:.0%} to {high:.0%} by the good", told.accuracy, "annotators"),
    ):
        if found is not None:
            value, at_least, at_most = (format(number, form) for number in (found.value, *found.limits))
            yield f"  {words}: {value} [{at_least}, {at_most}] ({found.n} {of})"
        elif told.positive:
            yield f"  {words}: {in_parade}, as in PARADE, since the pilot does not tell"


def _expect(run: tuple[int, int], setting: Setting, **asked: Any) -> forecast.Expected:
    k, seed = run
    found = forecast.expect(
        setting.kinds, seed, n_pairs=setting.n_pairs, labels_per_pair=k, assumed=setting.assumed, **asked
    )
    return {"k": k} | found


def _show_allocation(campaign: Campaign, arguments: Arguments, setting: Setting, price: Price) -> None:
    """Print what the policy costs beside the fixed plan, and how right its labels are; with many pairs, by a part."""
    question, n_pairs = campaign.question, setting.n_pairs
    asked = PlanRule(**asdict(settings(arguments, AllocationRule)))
    asked = replace(asked, labels_per_pair=asked.labels_per_pair or question.raters)
    fixed = PlanRule(labels_per_pair=asked.labels_per_pair, allocate=FIXED)
    rules = [allocation.settle(fixed, question, n_pairs)]
    if asked.allocate != FIXED:
        rules.append(allocation.settle(asked, question, n_pairs))
    size = min(n_pairs, MOST_SIMULATED)
    simulated = partial(
        allocating.expect, n_pairs=size, kinds=setting.kinds, classes=campaign.classes, assumed=setting.assumed
    )
    seeds = range(arguments.seed, arguments.seed + arguments.simulations)
    say(f"over {len(seeds)} simulated campaigns of {size} pairs: mean (lowest–highest)")
    say("allocation        labels per pair   labels  hours      pay   right")
    for rule in rules:
        own = rule if rule.budget is None else replace(rule, budget=max(round(rule.budget * size / n_pairs), size))
        expect = partial(simulated, rule=own)
        found = pd.DataFrame(run_each(expect, seeds, PROCESSES, progress, "campaigns")).astype("Float64")
        labels = float(found["ratings"].mean()) * n_pairs
        cost = price(labels, labels / sum(setting.kinds.values()))
        say(
            f"{rule.allocate:<16}  {found['ratings'].mean():>15.2f}  {cost.labels:>7.0f}  {cost.hours:>5.1f}  "
            f"{figure(cost.pay, 0):>7}   {_cell(found['right'], 3)}"
        )


def _show(outcomes: pd.DataFrame, lines: Iterable[ForecastLine], n: int) -> None:
    ks = sorted(outcomes["k"].astype("int64").unique())
    say(f"{f'simulated {n} times: mean (lowest–highest)':<42}" + "".join(f"{f'{k} labels':>21}" for k in ks))
    for column, name, digits in lines:
        cells = [_cell(outcomes.loc[outcomes["k"] == k, column], digits) for k in ks]
        if outcomes[column].notna().any():
            say(f"{name:<42}" + "".join(f"{cell:>21}" for cell in cells))


def _lines(kinds: dict[Kind, int]) -> Iterator[ForecastLine]:
    """What is shown of the outcomes."""
    yield "right", "right by majority", 3
    for kind, number in kinds.items():
        if number:
            yield kind, f"of {number} {kind}, {'accused' if kind == GOOD else 'found'} by verdict", 1
    yield "reassigned", "right once others have replaced these", 3


def _cell(values: "pd.Series[float]", digits: int) -> str:
    found = forecast.summarise(values)
    return "not applicable" if found is None else "{:.{d}f} ({:.{d}f}–{:.{d}f})".format(*found, d=digits)


def _pairs(campaign: Campaign, arguments: Arguments) -> int:
    """The number given, else planned, else in the table."""
    if arguments.pairs is not None:
        return arguments.pairs
    planned = campaign.store.read(Assignments, columns=["pair_id", "kind"], campaign=campaign.name)
    rows = planned[planned["kind"] == "work"] if len(planned) else campaign.store.read(Pairs, ["pair_id"])
    if rows.empty:
        raise InputError(
            "--pairs", expected="a number of pairs", found="neither plan nor pairs", remedy="give it: --pairs 10000"
        )
    return int(rows["pair_id"].nunique())


def _kinds(campaign: Campaign, arguments: Arguments, assumed: Assumptions) -> dict[Kind, int]:
    kinds = count_kinds(arguments.kinds, "--kinds") if arguments.kinds is not None else None
    planned = campaign.store.read(Assignments, columns=["annotator"], campaign=campaign.name)
    n = sum(kinds.values()) if kinds else arguments.annotators or int(planned["annotator"].nunique())
    if n < min(LABELS_PER_PAIR):
        raise InputError(
            "--annotators",
            expected=f"at least {min(LABELS_PER_PAIR)}, from a plan, --annotators or --kinds",
            found=str(n),
            remedy="give it: --annotators 40",
        )
    return kinds or assumed.team(n)


def _pace(campaign: Campaign, arguments: Arguments) -> tuple[float, str]:
    """Seconds per label, and where they come from."""
    if arguments.pace is not None:
        return arguments.pace, "as given"
    known = known_pace(campaign, arguments.idle_seconds)
    if known is not None:
        return known
    raise InputError(
        "--pace",
        expected="seconds per label, or the times of a pilot",
        found="neither",
        remedy="give it (--pace 25), or run a pilot: python -m annotation pilot plan",
    )


def _require_positive(arguments: Arguments, seconds: float) -> None:
    for name, value in (("--pace", seconds), ("--hours-a-day", arguments.hours_a_day)):
        if not value > 0:
            raise InputError(name, expected="more than 0", found=f"{value:g}", remedy="give another")
