"""How many tasks of each project are done: on the server, or as last collected."""

from annotation.campaign.campaign import Campaign
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import Project
from data.errors import ServerError


def count_done(campaign: Campaign, projects: list[Project], arguments: AtServer) -> tuple[dict[str, int], str]:
    """The number of tasks done in each project (by title), and where it was read.

    Raises ServerError where a server that was named does not answer; the store's own need not run.
    """
    collected = count_collected(campaign, projects)
    try:
        with connect(arguments) as client:
            numbers = client.projects()
            done = {
                project.title: _count(client, numbers.get(project.title), project, collected[project.title])
                for project in projects
            }
    except ServerError as fault:
        if arguments.url is not None:
            raise
        return collected, f"as last collected ({fault})"
    return done, f"as the server at {client.url} says"


def count_collected(campaign: Campaign, projects: list[Project]) -> dict[str, int]:
    """The number of tasks of each project (by title) whose answers were collected."""
    rows = campaign.assignments
    answered = rows[rows["assignment_id"].isin(sorted(campaign.answered))]
    sizes = answered.groupby(["round", "annotator"]).size().to_dict()
    return {project.title: int(sizes.get((project.round, project.annotator), 0)) for project in projects}


def _count(client: LabelStudio, number: int | None, project: Project, collected: int) -> int:
    """The tasks done on the server, and those collected before it was set up again, which it never got back."""
    if number is None:
        return collected
    done, tasks = client.progress(number)
    return done + max(min(project.tasks - tasks, collected), 0)
