"""`annotation collect`: from the server's answers to ratings."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign import acceptances, collection
from annotation.campaign.campaign import Campaign
from annotation.commands.connection import AtServer, connect
from annotation.label_studio.collecting import fetch_ratings, store_ratings, without_withdrawn
from data.console import say_next
from data.identity import file_digest


@dataclass(frozen=True, kw_only=True)
class Collect(AtServer):
    """Fetch what the annotators said into the table `ratings`; a changed annotation is a new row, the latest counts."""

    file: Path | None = None
    """Read this CSV file instead of a server (the columns of the table `ratings`, flags joined by spaces)."""


def collect(arguments: Collect) -> None:
    """Appends the ratings that are new; what cannot be one is a reject with its reason."""
    campaign = Campaign(arguments)
    assignments, accepted = campaign.assignments, None
    if arguments.file:
        ratings, rejects = collection.read_file(arguments.file, assignments), None
        inputs: dict[str, int | str | None] = {arguments.file.name: file_digest(arguments.file)}
    else:
        with connect(arguments) as client:
            ratings, rejects = collection.accept(fetch_ratings(campaign, client), assignments)
            accepted = client.acceptances()
        inputs = {}
    with campaign.alone():
        if accepted is not None:
            acceptances.keep(campaign, accepted)
        # somebody may have withdrawn while their answers were on the way
        store_ratings(campaign, without_withdrawn(campaign, ratings), rejects, inputs)
    say_next("python -m annotation quality", *campaign.flags)
