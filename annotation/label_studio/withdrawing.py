"""Delete what a person who withdraws has on the server."""

from collections.abc import Sequence
from datetime import datetime

import pandas as pd

from annotation.assignment import senior_review
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import withdrawal
from annotation.campaign.texts import answers_in_words
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import title


def collected(campaign: Campaign, name: str) -> pd.DataFrame:
    """The person's collected ratings."""
    own = campaign.assignments.loc[campaign.assignments["annotator"] == name, "assignment_id"]
    return campaign.ratings[campaign.ratings["assignment_id"].isin(own)]


def withdraw_at_server(
    parts: Sequence[Campaign], name: str, asked: dict[Campaign, pd.DataFrame], at: datetime, arguments: AtServer
) -> tuple[int, list[tuple[int, float]]]:
    """Delete a person's projects; returns the number of answers deleted and, per campaign, ratings and hours to pay.

    `asked`: the assignments of other campaigns that ask about the person's texts; they are deleted, too, once their
    annotators' work is stored. `at`: the time of the tombstone.
    Raises ServerError where a server that was named does not answer. A store whose own server was never started has
    nothing there.
    """
    root, ratings = parts[0].store.root, [collected(part, name) for part in parts]
    if arguments.url is None and not (root / "server").exists():
        for other, rows in asked.items():
            withdrawal.note_others(other, rows, other.ratings[:0][list(withdrawal.PAY_COLUMNS)], at)
        return 0, [withdrawal.note_work(part, name, rows, at) for part, rows in zip(parts, ratings, strict=True)]
    email = parts[0].emails()[name]
    with connect(arguments) as client:
        numbers, own, paid = client.projects(), [], []
        for part, rows in zip(parts, ratings, strict=True):
            titles = [title(part, int(number), name) for number in part.assignments["round"].unique()]
            projects = [numbers[title] for title in titles if title in numbers]
            work = client.work(projects)
            paid.append(withdrawal.note_work(part, name, pd.concat([rows[work.columns], work]), at))
            own += projects
        tasks: dict[int, list[str]] = {}
        for other, rows in asked.items():
            shown = _projects(other, rows, numbers)
            withdrawal.note_others(other, rows, client.work(list(shown)), at)
            tasks |= shown
        votes = {number: texts for part in parts for number, texts in _votes_without(part, name, numbers).items()}
        close = not accounts.elsewhere(root, parts[0].study, email)
        return client.withdraw(own, email, close=close, tasks=tasks, votes=votes), paid


def _votes_without(campaign: Campaign, name: str, numbers: dict[str, int]) -> dict[int, dict[str, str]]:
    """What the others' second looks are to show without the person's votes, by project and assignment."""
    rows = campaign.assignments
    others = rows[rows["annotator"] != name]
    votes = senior_review.summarise(others, campaign.ratings, answers_in_words(campaign))
    asked = others[others["assignment_id"].isin(votes.index)]
    shown = _projects(campaign, asked, numbers)
    return {number: {name: votes[name] for name in assignments} for number, assignments in shown.items()}


def _projects(campaign: Campaign, asked: pd.DataFrame, numbers: dict[str, int]) -> dict[int, list[str]]:
    """The assignments by the number of their project, for the projects that are on the server."""
    titles = [title(campaign, *place) for place in asked[["round", "annotator"]].itertuples(index=False, name=None)]
    shown = asked["assignment_id"].groupby(titles).agg(list).to_dict()
    return {numbers[name]: assignments for name, assignments in shown.items() if name in numbers}
