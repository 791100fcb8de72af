"""The verb `forecast`: what the plan costs in hours, days and pay, and what its labels would be worth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import known_pace
from annotation.config import settings
from annotation.simulation import forecast
from annotation.simulation.forecast import ForecastRule
from annotation.simulation.noise import GOOD, Kind, count_kinds
from data.console import demand_at_least, progress, say, say_next
from data.engine import PROCESSES, run_each
from data.errors import InputError
from data.tables.campaign import Assignments
from data.tables.pairs import Pairs

KS = (2, 3, 5)
"""The numbers of labels a pair that are compared."""


@dataclass(frozen=True, kw_only=True)
class Forecast(ForecastRule, OfCampaign):
    """Say what 2, 3 or 5 labels a pair cost, how right they would be, and whom each rule of quality would find.

    And what the reassignment that follows each rule would cost, and give.

    Numbers of pairs and annotators are the plan's, times the pilot's or the campaign's, unless they are given.
    """

    kinds: str | None = None
    """How many annotators are of which kind, as in good:32,careless:4,guessing:4 (also always-2, overlap, drifting,
    tiring); if left out, one in five guesses."""

    pairs: int | None = None
    """How many pairs are labelled."""

    annotators: int | None = None
    """How many people label, where there is no plan and --kinds does not say it."""

    pace: float | None = None
    """Seconds a label."""

    hours_a_day: float = 2.0
    """How long each labels a day."""

    pay: float | None = None
    """Pay an hour, in any currency."""

    campaigns: int = 20
    """How many simulated campaigns each line rests on."""

    seed: int = 1
    """Of the first one; the others count on."""


def main(arguments: Forecast) -> None:
    """Prints; writes nothing."""
    campaign = Campaign(arguments)
    n_pairs, kinds = _pairs(campaign, arguments), _kinds(campaign, arguments)
    seconds, source = _pace(campaign, arguments)
    rule, n_people = settings(arguments, ForecastRule), sum(kinds.values())
    _demand_positive(arguments, seconds)
    for flag, value, least in (
        ("--pairs", n_pairs, 1),
        ("--campaigns", arguments.campaigns, 1),
        ("--seed", arguments.seed, 0),
    ):
        demand_at_least(flag, value, least)
    price = partial(forecast.cost, seconds=seconds, hours_a_day=arguments.hours_a_day, pay=arguments.pay)
    say(f"{n_pairs} pairs, {n_people} annotators: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n))
    say(f"{seconds:.1f} s a label ({source}), {arguments.hours_a_day:g} hours a day")
    say("labels a pair   labels  hours  hours each  days      pay")
    usable = [k for k in KS if k <= n_people]
    for k in usable:
        told = price(n_pairs * k, -(-n_pairs * k // n_people))
        pay = "–" if told.pay is None else f"{told.pay:.0f}"
        say(f"{k:>13}  {told.labels:>7}  {told.hours:>5.1f}  {told.hours_each:>10.1f}  {told.days:>4.1f}  {pay:>7}")
    seeds = range(arguments.seed, arguments.seed + arguments.campaigns)
    runs = [(k, seed) for k in usable for seed in seeds]
    expect = partial(_expect, kinds=kinds, n_pairs=n_pairs, rule=rule)
    found = pd.DataFrame(run_each(expect, runs, PROCESSES, progress, "campaigns")).astype("Float64")
    _show(_priced(found, price), kinds, arguments.campaigns)
    if len(usable) < len(KS):
        say(f"with {n_people} annotators no pair can have {max(KS)} labels")
    say_next("python -m annotation plan", *campaign.flags)


def _expect(run: tuple[int, int], kinds: dict[Kind, int], n_pairs: int, rule: ForecastRule) -> forecast.Expected:
    k, seed = run
    return {"k": k} | forecast.expect(kinds, seed, n_pairs=n_pairs, labels_per_pair=k, rule=rule)


def _priced(found: pd.DataFrame, price: Callable[[float, float], forecast.Cost]) -> pd.DataFrame:
    """With the hours, days and pay of each reassignment."""
    for rule in forecast.RULES:
        costs = [
            None if pd.isna(n) else price(n, most)
            for n, most in found[[f"{rule}: labels", f"{rule}: heaviest"]].itertuples(index=False)
        ]
        for what in ("hours", "days", "pay"):
            values = [None if one is None else getattr(one, what) for one in costs]
            found[f"{rule}: {what}"] = pd.array(values, dtype="Float64")
    return found


def _show(found: pd.DataFrame, kinds: dict[Kind, int], n: int) -> None:
    say(f"over {n} simulated campaigns at PARADE's noise: mean (95 % of them)")
    ks = sorted(found["k"].astype("int64").unique())
    say(f"{'labels a pair':<38}" + "".join(f"{k:>22}" for k in ks))
    for column, name, digits in _lines(kinds):
        cells = [_cell(found.loc[found["k"] == k, column], digits) for k in ks]
        if found[column].notna().any():
            say(f"{name:<38}" + "".join(f"{cell:>22}" for cell in cells))


def _lines(kinds: dict[Kind, int]) -> Iterator[tuple[str, str, int]]:
    """Column, name and digits of each line."""
    yield "right", "right by majority", 3
    yield "ties", "ties", 3
    for rule in forecast.RULES:
        for kind in (one for one, number in kinds.items() if number):
            found = "accused" if kind == GOOD else "found"
            yield f"{rule}: {kind}", f"of {kinds[kind]} {kind}, {found} by {rule}", 1
        yield f"{rule}: labels", f"reassigned by {rule}: labels", 0
        yield f"{rule}: hours", "  hours", 1
        yield f"{rule}: days", "  days", 1
        yield f"{rule}: pay", "  pay", 0
        yield f"{rule}: right", "  right by majority then", 3
        yield f"{rule}: nobody", "  nobody good enough to take them", 2


def _cell(values: "pd.Series[float]", digits: int) -> str:
    limits = forecast.limits(values)
    return "not applicable" if limits is None else "{:.{d}f} ({:.{d}f}–{:.{d}f})".format(*limits, d=digits)


def _pairs(campaign: Campaign, arguments: Forecast) -> int:
    """As given, else as planned, else all that the table has."""
    if arguments.pairs is not None:
        return arguments.pairs
    planned = campaign.store.read(Assignments, columns=["pair_id", "kind"], campaign=campaign.name)
    rows = planned[planned["kind"] == "work"] if len(planned) else campaign.store.read(Pairs, ["pair_id"])
    if rows.empty:
        raise InputError(
            "--pairs", expected="a number of pairs", found="neither plan nor pairs", remedy="give it: --pairs 10000"
        )
    return int(rows["pair_id"].nunique())


def _kinds(campaign: Campaign, arguments: Forecast) -> dict[Kind, int]:
    given = count_kinds(arguments.kinds, "--kinds") if arguments.kinds is not None else None
    planned = campaign.store.read(Assignments, columns=["annotator"], campaign=campaign.name)
    n = sum(given.values()) if given else arguments.annotators or int(planned["annotator"].nunique())
    if n < min(KS):
        raise InputError(
            "--annotators",
            expected=f"at least {min(KS)}, by a plan, --annotators or --kinds",
            found=str(n),
            remedy="give it: --annotators 40",
        )
    return given or {"good": n - n // 5, "guessing": n // 5}


def _pace(campaign: Campaign, arguments: Forecast) -> tuple[float, str]:
    """Seconds a label, and where they come from."""
    if arguments.pace is not None:
        return arguments.pace, "as given"
    known = known_pace(campaign, arguments.idle_seconds)
    if known is not None:
        return known
    raise InputError(
        "--pace",
        expected="seconds a label, or the times of a pilot",
        found="neither",
        remedy="give it (--pace 25), or run a pilot: python -m annotation pilot plan",
    )


def _demand_positive(arguments: Forecast, seconds: float) -> None:
    for name, value in (("--pace", seconds), ("--hours-a-day", arguments.hours_a_day)):
        if not value > 0:
            raise InputError(name, expected="more than 0", found=f"{value:g}", remedy="give another")
