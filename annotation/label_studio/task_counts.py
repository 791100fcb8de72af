"""Counts of finished and open tasks: on the server, or as last collected."""

from collections.abc import Mapping

from annotation.campaign.campaign import Campaign
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import Project
from data.console.errors import ServerError


def count_done(
    campaign: Campaign, projects: list[Project], arguments: AtServer
) -> tuple[dict[str, int], str, list[dict[str, str]]]:
    """The number of tasks done in each project (by title), where it was read, and whose working time is doubtful.

    Raises ServerError where a server that was named does not answer; the store's own need not run.
    """
    collected = count_collected(campaign, projects)
    try:
        with connect(arguments) as client:
            numbers, counts = client.projects(), client.progress()
            done = {
                project.title: _count(counts, numbers.get(project.title), project, collected[project.title])
                for project in projects
            }
            excessive = _excessive_claims(campaign, client)
    except ServerError as fault:
        if arguments.url is not None:
            raise
        return collected, f"as last collected ({fault})", []
    return done, f"as the server at {client.url} says", excessive


def count_collected(campaign: Campaign, projects: list[Project]) -> dict[str, int]:
    """The number of tasks of each project (by title) whose answers were collected."""
    rows = campaign.assignments
    answered = rows[rows["assignment_id"].isin(sorted(campaign.answered))]
    sizes = answered.groupby(["round", "annotator"]).size().to_dict()
    return {project.title: int(sizes.get((project.round, project.annotator), 0)) for project in projects}


def _excessive_claims(campaign: Campaign, client: LabelStudio) -> list[dict[str, str]]:
    """The annotators whose browsers claimed more working time than had passed, which is what counts."""
    claims = client.excess_claims()
    return [
        {"annotator": name, "what": "{} answers claimed {:.0f} s more than had passed".format(*claims[email])}
        for name, email in sorted(campaign.emails().items())
        if email in claims
    ]


def _count(counts: Mapping[int, tuple[int, int]], number: int | None, project: Project, collected: int) -> int:
    """The tasks done on the server, and those collected before it was set up again, which it never got back."""
    if number is None:
        return collected
    done, tasks = counts.get(number, (0, 0))
    return done + max(min(project.tasks - tasks, collected), 0)
