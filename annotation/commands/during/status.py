"""The command `status`: how the campaign is doing, in the terminal and as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.overview import summarise
from annotation.files import render
from annotation.label_studio.connection import AtServer
from annotation.label_studio.projects import Project, list_projects
from annotation.label_studio.task_counts import count_collected, count_done
from data.console.messages import quantity, say, say_next
from data.files.whole import write_whole
from data.guidance.next_steps import say_steps
from data.measures.progress import count_items


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Show how the campaign is doing: progress (on the server if it answers), agreement, speed, when it will end.

    Agreement, times and suspicious ratings are those last collected. No name or address appears.
    """

    page: Path | None = None
    """Write a page, too: one HTML file that loads nothing from elsewhere."""


def main(arguments: Arguments) -> None:
    """Print tasks done and planned per round and annotator, what the ratings show, and the next command."""
    campaign = Campaign(arguments)
    projects = list_projects(campaign)
    done, source, excessive = count_done(campaign, projects, arguments)
    n_done, n_tasks = sum(done.values()), sum(project.tasks for project in projects)
    summary = summarise(campaign, max(n_tasks - n_done, 0))
    summary["suspicious"] = [*summary["suspicious"], *excessive]
    say(f"campaign {campaign.name}: {count_items(campaign.assignments)}; {source}")
    _say_projects(projects, done)
    _say_summary(summary)
    if now := summary["saved"]:
        pairs = quantity(now["pairs"], "finished pair")
        say(f"{pairs}: {now['ratings']} ratings, where a fixed plan takes {now['fixed']}")
    if arguments.page:
        rows = [
            {
                "round": project.round,
                "annotator": project.annotator,
                "done": done[project.title],
                "tasks": project.tasks,
            }
            for project in projects
        ]
        values = summary | {"campaign": campaign.name, "source": source.partition(" (")[0], "rounds": rows}
        write_whole(arguments.page, render("status.html", values))
        say(f"the page: {arguments.page}")
    say(f"who is who: {accounts.accounts_path(campaign.store.root, campaign.study)} (readable by you alone)")
    n_collected = sum(count_collected(campaign, projects).values())
    if n_done > n_collected:
        say_next("python -m annotation collect", *campaign.flags)
    else:
        say_steps(campaign.store, campaign.name)


def _say_projects(projects: Sequence[Project], done: Mapping[str, int]) -> None:
    say("round  annotator   done  tasks")
    for project in projects:
        say(f"{project.round:>5}  {project.annotator:<9}  {done[project.title]:>5}  {project.tasks:>5}")
    for number in sorted({project.round for project in projects}):
        own = [project for project in projects if project.round == number]
        n_done, n_tasks = sum(done[project.title] for project in own), sum(project.tasks for project in own)
        say(f"{number:>5}  all        {n_done:>5}  {n_tasks:>5}")


def _say_summary(summary: Mapping[str, Any]) -> None:
    for name, value in summary["tiles"]:
        say(f"{name}: {value}")
    for row in summary["levels"]:
        say(f"level {row['level']}: {row['people']} people, {row['seconds']} s per pair, kappa {row['kappa']}")
    for row in summary["suspicious"]:
        say(f"worth a look: {row['annotator']}: {row['what']}")
    for row in summary["drift"]:
        say(f"guide {row['guides']}, {row['annotator']}: {summary['yes']} {row['yes']}, difference {row['difference']}")
