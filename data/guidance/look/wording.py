"""What the pages say, in words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from data.console.messages import figure, quantity
from data.contract.vocabulary import ACTIVE, CARELESS, CERTAIN, MAJORITY_DECIDED

IDLE_DAYS = 3
"""After how many days without an answer an annotator with open work is idle."""

OUTCOMES: Mapping[str, str] = {
    "fooled": "misled the model",
    "limit": "still right after all steps",
    "stuck": "no word left to replace",
    "budget": "no more answers of the model",
    "wrong_at_start": "wrong before, so not changed",
}
"""What became of an attack on a pair."""

REFUSALS: Mapping[str, str] = {
    "marks": "markup",
    "earlier": "tried before",
    "elsewhere": "like one's own text for another sentence",
    "others": "like another player's text",
    "language": "another language",
}
"""Why a rule refused an attempt, where its name does not say it."""

VERDICTS: Mapping[str, str] = {
    "careful": "careful",
    "careless": "careless",
    "undecided": "too few answers to judge",
}
REASONS: Mapping[str, str] = {
    "guesses": "guesses",
    "one_score": "gives one score nearly always",
    "weak": "is often wrong",
    "drifts": "was good at first, and is no longer",
    "follows_overlap": "follows shared words",
    "few_labels": "few answers",
    "one_sided": "nearly all answers are the same",
}


def warn_simulated(campaigns: Sequence[Mapping[str, Any]]) -> str | None:
    """What every page says where ratings are simulated."""
    counts = {one["name"]: one["simulated"]["ratings"] for one in campaigns if one["simulated"]["ratings"]}
    people = sum(one["simulated"]["people"] for one in campaigns)
    if not people:
        return None
    if not counts:
        return f"Simulated: {quantity(people, 'annotator is a program', 'annotators are programs')}, not people."
    n = sum(counts.values())
    made = f"Simulated: {quantity(n, 'rating was', 'ratings were')} made by programs, not by people"
    return made + (f" ({', '.join(f'{own:,} of {name}' for name, own in counts.items())})." if len(counts) > 1 else ".")


def describe_plan(campaign: Mapping[str, Any]) -> str:
    """How many answers the pairs of a campaign get."""
    plan, n = campaign["plan"], campaign["labels_per_pair"]
    if plan.get("allocate") == CERTAIN:
        return f"at most {quantity(plan['budget'], 'answer')}, asked where labels are least certain"
    return f"{'at most ' if plan.get('allocate') == MAJORITY_DECIDED else ''}{quantity(n, 'answer')} per pair"


def next_command(campaign: Mapping[str, Any], watched: str | None) -> str:
    """What to run next for a campaign; empty where it is `watch`, which runs for it already."""
    runs = campaign["name"] == watched and " annotation watch " in campaign["next"]
    return "" if runs else str(campaign["next"])


def find_idle(campaign: Mapping[str, Any], now: pd.Timestamp) -> list[tuple[str, str]]:
    """The active annotators with open work who have not begun, or not gone on for days; and for how long.

    None on the day of the campaign's first answer, or before.
    """
    found: list[tuple[str, str]] = []
    people, days = campaign["people"], campaign["days"]
    if not days or f"{now:%Y-%m-%d}" <= days[0]["day"]:
        return found
    for row in people:
        if not row["open"] or row.get("state", ACTIVE) != ACTIVE:
            continue
        if row["last"] is None:
            found.append((row["annotator"], f"has not begun; {row['open']} open"))
        elif (idle := (now - pd.Timestamp(row["last"])).days) >= IDLE_DAYS:
            found.append((row["annotator"], f"no answer for {quantity(idle, 'day')}; {row['open']} open"))
    return found


def is_low(person: Mapping[str, Any], measured: Mapping[str, Any] | None) -> bool:
    """Whether the kappa with the majority, which includes the annotator's own vote, is below the campaign's rule."""
    kappa = person["majority"]
    known = measured is not None and kappa is not None and kappa["value"] is not None and not kappa["reason"]
    return bool(known and kappa["value"] < measured["low"])  # type: ignore[index]


def judge(person: Mapping[str, Any], measured: Mapping[str, Any] | None) -> str:
    """The verdict on an annotator with its reasons; without one, what kappa with the majority says."""
    if person["verdict"] is not None:
        words = VERDICTS.get(person["verdict"], person["verdict"])
        reasons = ", ".join(REASONS.get(reason, reason) for reason in person["reasons"])
        return f"{words} ({reasons})" if reasons and person["verdict"] == CARELESS else words
    if is_low(person, measured):
        return f"low: κ with the majority is {figure(person['majority']['value'])}"
    if measured is None or person["majority"] is None:
        return "not judged yet"
    return f"not low: κ with the majority is {figure(person['majority']['value'])}"


def find_low(campaign: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The annotators without a verdict whose kappa with the majority is low, each with the figures."""
    measured = campaign["measured"]
    return [
        (row["annotator"], f"κ with the majority is {figure(row['majority']['value'])}, below {measured['low']:g}")
        for row in campaign["people"]
        if row["verdict"] is None and is_low(row, measured)
    ]


def mark_flags(text: str) -> Markup:
    """The text with its flags, and what is between backticks, as code."""
    parts = re.split(r"(`[^`]+`|(?<!\w)(?:--[a-z-]+|-a [a-z]+(?:=[A-Za-z]+(?:[.]csv)?)?))", text)
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(part.strip("`")) if at % 2 else escape(part) for at, part in enumerate(parts))


def refusal(rule: str) -> str:
    """Why the rule refuses an attempt."""
    return REFUSALS.get(rule, rule.replace("_", " "))


def number(value: Any, digits: int = 2) -> str:
    """The number with that many decimals, an en dash for null."""
    return figure(value, digits)


def work(hours: float) -> tuple[str, str]:
    """The time as number and unit: hours, or minutes where it is less than one."""
    return (figure(hours, 1), "hours") if hours >= 1 else (figure(hours * 60, 0), "minutes")


def share(part: int, whole: int) -> str:
    """The part as a percentage of the whole."""
    return f"{part / whole:.0%}" if whole else "–"


def time(value: str | None) -> str:
    """The time to the minute, UTC."""
    return "–" if value is None else f"{pd.Timestamp(value):%Y-%m-%d %H:%M} UTC"


def ago(value: str | None) -> str:
    """How long ago a time was."""
    if value is None:
        return "never"
    seconds = max(int((pd.Timestamp.now("UTC") - pd.Timestamp(value)).total_seconds()), 0)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{quantity(seconds // length, unit)} ago"
    return "just now"


def interval(measure: Mapping[str, Any] | None) -> str:
    """A measure with its 95 % interval, or why it says nothing."""
    if measure is None:
        return "–"
    if measure["reason"]:
        return str(measure["reason"])
    if measure["low"] is None:
        return figure(measure["value"])
    return f"{figure(measure['value'])} ({figure(measure['low'])} to {figure(measure['high'])})"
