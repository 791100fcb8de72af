"""The verb `status`: how the campaign stands, in the terminal and as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.judging import judge_campaign, measure_campaign
from annotation.commands.connection import AtServer, connect
from annotation.config import MeasureRule, VerdictRule
from annotation.files import render
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.projects import Project, list_projects
from annotation.quality import progress
from data.console import figure, say, say_next
from data.errors import ServerError
from data.tables.labels import Quality
from data.vocabulary import ALL_ROUNDS, EVERYBODY


@dataclass(frozen=True, kw_only=True)
class Status(AtServer):
    """Show how the campaign stands: progress (on the server where it answers), agreement, speed, when it ends.

    Agreement, times and what looks suspicious are of the ratings as last collected. Nobody's name or address appears.
    """

    page: Path | None = None
    """Write it as a page, too: one HTML file that needs nothing from elsewhere."""


def status(arguments: Status) -> None:
    """Prints done and planned by round and annotator, what is known of the ratings, and the command to run next."""
    campaign = Campaign(arguments)
    projects = list_projects(campaign)
    done, source = _progress(campaign, projects, arguments)
    say(f"campaign {campaign.name}: {campaign.assignments['pair_id'].nunique()} pairs; {source}")
    say("round  annotator   done  tasks")
    for one in projects:
        say(f"{one.round:>5}  {one.annotator:<9}  {done[one.title]:>5}  {one.tasks:>5}")
    for number in sorted({one.round for one in projects}):
        own = [one for one in projects if one.round == number]
        say(f"{number:>5}  all        {sum(done[one.title] for one in own):>5}  {sum(one.tasks for one in own):>5}")
    n_done, n_tasks = sum(done.values()), sum(one.tasks for one in projects)
    known = _known(campaign, max(n_tasks - n_done, 0))
    for name, value in known["tiles"]:
        say(f"{name}: {value}")
    for one in known["levels"]:
        say(f"level {one['level']}: {one['people']} people, {one['seconds']} s a pair, kappa {one['kappa']}")
    for one in known["suspicious"]:
        say(f"worth a look: {one['annotator']}: {one['what']}")
    for one in known["drift"]:
        say(f"guide {one['guides']}, {one['annotator']}: paraphrases {one['yes']}, difference {one['difference']}")
    if arguments.page:
        rounds = [{"round": one.round, "annotator": one.annotator, "done": done[one.title], "tasks": one.tasks}
                  for one in projects]  # fmt: skip
        told = source.partition(" (")[0]
        arguments.page.parent.mkdir(parents=True, exist_ok=True)
        values = known | {"campaign": campaign.name, "source": told, "rounds": rounds}
        arguments.page.write_text(render("status.html", values), encoding="utf-8")
        say(f"the page: {arguments.page}")
    say(f"who is who: {accounts.accounts_path(campaign.store.root, campaign.name)} (readable by you alone)")
    say_next(*_next_command(campaign, n_done, n_tasks))


def _known(campaign: Campaign, n_open: int) -> dict[str, Any]:
    """What the collected ratings tell, as texts for the page and the terminal."""
    rule, now = MeasureRule(), pd.Timestamp.now("UTC").floor("s")
    ratings, assignments = campaign.ratings, campaign.present
    so_far = progress.agreement_so_far(campaign.ballots, rule)
    spent, agreed = progress.minutes_spent(ratings, rule), so_far["agreed"]
    ends = progress.end(ratings, n_open, now)
    tiles = [
        ("pairs complete", f"{so_far['complete']} of {campaign.ballots['pair_id'].nunique()}"),
        ("pairs agreed by all", f"{agreed}"),
        ("minutes for each agreed pair", f"{spent / agreed:.1f}" if agreed else "–"),
        ("Fleiss' kappa", figure(so_far["fleiss"])),
        ("Krippendorff's alpha", figure(so_far["alpha"])),
        ("answers still open", f"{n_open}"),
        ("end at this speed", "done" if n_open == 0 else "not known" if ends is None else f"{ends:%Y-%m-%d %H:%M} UTC"),
    ]
    scored = bool((campaign.ballots["state"] == "scored").any())
    measures = _overall(measure_campaign(campaign, rule)) if scored else {}
    verdicts = judge_campaign(campaign, VerdictRule()) if scored else None
    people = progress.people(assignments, ratings, measures)
    groups = progress.levels(people, campaign.annotators.reset_index(drop=True))
    noted = progress.suspicious(assignments, ratings, verdicts, measures) if verdicts is not None else []
    return {
        "at": f"{now:%Y-%m-%d %H:%M}",
        "tiles": tiles,
        "people": [_person(one) for one in people],
        "levels": [_person(one) for one in groups],
        "suspicious": noted,
        "drift": [_drift(one) for one in progress.drift(assignments, ratings, rule)],
        "line": _line(progress.pace_of_days(ratings)),
    }


def _person(one: dict[str, Any]) -> dict[str, Any]:
    return one | {"seconds": figure(one["seconds"], 0), "kappa": figure(one["kappa"])}


def _overall(measures: pd.DataFrame) -> dict[tuple[str, str], float | None]:
    """By annotator and measure, over all rounds."""
    rows = measures[measures["round"] == ALL_ROUNDS]
    keys = zip(rows["annotator"].astype("str"), rows["measure"], strict=True)
    return {key: None if pd.isna(value) else float(value) for key, value in zip(keys, rows["value"], strict=True)}


def _drift(one: dict[str, Any]) -> dict[str, str]:
    return {
        "annotator": "all" if one["annotator"] == EVERYBODY else one["annotator"],
        "guides": f"{one['before']} → {one['after']}",
        "ratings": f"{one['n_before']} → {one['n_after']}",
        "yes": f"{one['yes_before']:.0%} → {one['yes_after']:.0%}",
        "difference": f"{one['yes_after'] - one['yes_before']:+.2f} ({one['low']:+.2f} to {one['high']:+.2f})",
        "agree": f"{figure(one['agree_before'])} → {figure(one['agree_after'])}",
    }


def _line(days: pd.DataFrame) -> dict[str, Any] | None:
    """The answers so far as points of a drawing of 590 x 160 at (40, 10); None for less than two days."""
    if len(days) < 2:
        return None
    since = (days["day"] - days["day"].iloc[0]) / (days["day"].iloc[-1] - days["day"].iloc[0])
    most = int(days["total"].iloc[-1])
    dots = [(f"{40 + 590 * x:.1f}", f"{170 - 160 * y / most:.1f}") for x, y in zip(since, days["total"], strict=True)]
    first, last = (f"{days['day'].iloc[place]:%Y-%m-%d}" for place in (0, -1))
    return {"points": " ".join(",".join(dot) for dot in dots), "dots": dots, "most": most, "first": first, "last": last}


def _progress(campaign: Campaign, projects: list[Project], arguments: AtServer) -> tuple[dict[str, int], str]:
    """How many tasks of each project (by title) are done, and where that was read."""
    try:
        with connect(arguments) as client:
            there, collected = client.projects(), _collected_so_far(campaign, projects)
            done = {one.title: _done(client, there.get(one.title), one, collected[one.title]) for one in projects}
    except ServerError as fault:
        if arguments.url is not None:
            raise
        return _collected_so_far(campaign, projects), f"as last collected ({fault})"
    return done, f"as the server at {client.url} says"


def _done(client: LabelStudio, number: int | None, project: Project, collected: int) -> int:
    """How many of a project's tasks are done: on the server, and those that a server made anew never got again."""
    if number is None:
        return collected
    done, tasks = client.progress(number)
    return done + max(min(project.tasks - tasks, collected), 0)


def _collected_so_far(campaign: Campaign, projects: list[Project]) -> dict[str, int]:
    asked = campaign.assignments
    answered = asked[asked["assignment_id"].isin(sorted(campaign.answered))]
    sizes = answered.groupby(["round", "annotator"]).size().to_dict()
    return {one.title: int(sizes.get((one.round, one.annotator), 0)) for one in projects}


def _next_command(campaign: Campaign, done: int, planned: int) -> Sequence[str]:
    """What the lead should run, by how far the campaign is."""
    collected = sum(_collected_so_far(campaign, list_projects(campaign)).values())
    if done == 0:
        verb = "open"
    elif done > collected or done < planned:
        verb = "collect"
    elif campaign.store.read(Quality, campaign=campaign.name).empty:
        verb = "quality"
    else:
        verb = "adjudicate"
    return [f"python -m annotation {verb}", *campaign.flags]
