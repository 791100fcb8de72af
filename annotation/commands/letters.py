"""The verbs `letters` (what a lead sends to people) and `pay` (what each has earned)."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import known_pace
from annotation.campaign.withdrawal import arms
from annotation.config import HabitRule, settings
from annotation.files import render
from annotation.quality import progress
from annotation.ratings.ballots import given
from data.console import say
from data.errors import InputError
from data.files import PRIVATE, write_whole
from data.tables.campaign import Worked


@dataclass(frozen=True, kw_only=True)
class Letters(HabitRule, OfCampaign):
    """Write the texts that people get: an invitation, the guide, and for each how to sign in."""

    out: Path
    """The folder: invitation.txt, guide.md and sign-in/PSEUDONYM.txt, which hold addresses and passwords."""

    url: str
    """The address at which people reach the server."""

    pay: str = ""
    """What is paid, in words, as in "20 EUR an hour"."""

    contact: str = ""
    """Whom people ask."""

    pace: float | None = None
    """Seconds a pair, from which the hours are told; the campaign's or its pilot's if left out."""


@dataclass(frozen=True, kw_only=True)
class Pay(HabitRule, OfCampaign):
    """Write what each has earned, with pilot and control arm: a CSV of pseudonyms, ratings, hours and amounts."""

    out: Path
    """The CSV file."""

    per_hour: float = 0.0
    """Pay an hour at the pairs; a pause longer than --idle-seconds counts as so many."""

    per_label: float = 0.0
    """Pay a rating, skips left out."""

    names: bool = False
    """With e-mail addresses: then the file is readable by you alone."""


def letters(arguments: Letters) -> None:
    """Writes the texts anew."""
    campaign = Campaign(arguments)
    loads = campaign.assignments["annotator"].value_counts()
    known = known_pace(campaign, arguments.idle_seconds)
    seconds = arguments.pace or (known[0] if known else None)
    consent = [one for one in campaign.documents if one.kind == "consent"]
    about = {
        "pairs": int(loads.median()),
        "time": _spoken(loads.median() * seconds) if seconds else "",
        "pay": arguments.pay,
        "contact": arguments.contact,
        "guide": campaign.guide.version,
        "reference": consent[0].reference if consent else "",
    }
    _write(arguments.out / "invitation.txt", render("invitation.txt", about))
    _write(arguments.out / "guide.md", campaign.guide.text)
    people = [
        one
        for one in accounts.read_accounts(campaign.store.root, campaign.name)
        if one.annotator in set(loads.index) - campaign.withdrawn
    ]
    for one in people:
        own = {"url": arguments.url, "email": one.email, "password": one.password, "contact": arguments.contact}
        write_whole(arguments.out / "sign-in" / f"{one.annotator}.txt", render("sign-in.txt", own), mode=PRIVATE)
    time = f", some {about['time']} at {seconds:.1f} s a pair" if seconds else "; no time is known (--pace)"
    say(f"{arguments.out}/invitation.txt and guide.md, for everybody: {about['pairs']} pairs each{time}")
    say(f"{arguments.out}/sign-in: {len(people)} letters with a password each, readable by you alone")


def _spoken(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{max(seconds / 60, 1):.0f} minutes"


def pay(arguments: Pay) -> None:
    """Writes the list anew; of people who withdrew it has what they had worked until then."""
    if arguments.per_hour <= 0 and arguments.per_label <= 0:
        raise InputError("--per-hour", expected="it or --per-label above 0", found="neither", remedy="say what is paid")
    campaign, rule = Campaign(arguments), settings(arguments, HabitRule)
    _ = campaign.assignments  # a mistyped name is said
    rows = pd.DataFrame([one for part in arms(campaign) for one in _earned(part, rule)])
    if rows.empty:
        campaign.require_ratings()
    rows["amount"] = (rows["hours"] * arguments.per_hour + rows["ratings"] * arguments.per_label).round(2)
    if arguments.names:
        rows.insert(1, "email", rows["annotator"].map(campaign.emails()))
    table = rows.assign(hours=rows["hours"].round(3)).to_csv(index=False)
    if arguments.names:
        write_whole(arguments.out, table, mode=PRIVATE)
    else:
        _write(arguments.out, table)
    say(f"{rows['annotator'].nunique()} annotators, {rows['hours'].sum():.1f} hours, {rows['amount'].sum():.2f} in all")
    say(f"the list: {arguments.out}" + (" (readable by you alone)" if arguments.names else ", by pseudonym"))


def _earned(campaign: Campaign, rule: HabitRule) -> list[dict[str, object]]:
    """By annotator: annotator, campaign, ratings, hours."""
    gone = campaign.store.read(Worked, campaign=campaign.name)
    rows = [(str(one["annotator"]), one["ratings"], one["seconds"] / 3600) for one in gone.to_dict("records")]
    said = given(campaign.ratings).merge(campaign.assignments[["assignment_id", "annotator"]], on="assignment_id")
    rows += [
        (str(name), len(part), progress.minutes_spent(part, rule) / 60) for name, part in said.groupby("annotator")
    ]
    return [
        {"annotator": name, "campaign": campaign.name, "ratings": n, "hours": hours} for name, n, hours in sorted(rows)
    ]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
