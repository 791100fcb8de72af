"""Delete what a person who withdraws has on the server."""

from collections.abc import Sequence

import pandas as pd

from annotation.campaign import accounts, withdrawal
from annotation.campaign.campaign import Campaign
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import title


def collected(campaign: Campaign, name: str) -> pd.DataFrame:
    """The person's collected ratings."""
    own = campaign.assignments.loc[campaign.assignments["annotator"] == name, "assignment_id"]
    return campaign.ratings[campaign.ratings["assignment_id"].isin(own)]


def withdraw_at_server(
    parts: Sequence[Campaign], name: str, arguments: AtServer
) -> tuple[int, list[tuple[int, float]]]:
    """Delete a person's projects; returns the number of answers deleted and, per campaign, ratings and hours to pay.

    Raises ServerError where a server that was named does not answer. A store whose own server was never started has
    nothing there.
    """
    root, ratings = parts[0].store.root, [collected(part, name) for part in parts]
    if arguments.url is None and not (root / "server").exists():
        return 0, [withdrawal.note_work(part, name, rows) for part, rows in zip(parts, ratings, strict=True)]
    email = parts[0].emails()[name]
    with connect(arguments) as client:
        numbers, own, paid = client.projects(), [], []
        for part, rows in zip(parts, ratings, strict=True):
            titles = [title(part, int(number), name) for number in part.assignments["round"].unique()]
            projects = [numbers[title] for title in titles if title in numbers]
            work = client.work(projects)
            paid.append(withdrawal.note_work(part, name, pd.concat([rows[work.columns], work])))
            own += projects
        return client.withdraw(own, email, close=not accounts.elsewhere(root, parts[0].name, email)), paid
