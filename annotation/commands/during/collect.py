"""The command `collect`: the server's answers -> ratings."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign.campaign import Campaign
from annotation.campaign.progress import collection
from annotation.campaign.rounds.allocating import call_where_needed, say_further
from annotation.label_studio import collecting
from annotation.label_studio.connection import AtServer, connect
from data.guidance.next_steps import say_steps
from data.texts.identity import file_digest


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Copy the annotators' answers into the table `ratings`; a changed answer is a new row, and the latest counts."""

    file: Path | None = None
    """Read this sheet (CSV, Excel) instead of a server: assignment_id, score (or a column for each control of the
    question), and perhaps submitted_at, flags (separated by spaces), comment, seconds and skipped."""


def main(arguments: Arguments) -> None:
    """Append the ratings that are new; an answer that cannot be a rating is a reject with its reason."""
    campaign = Campaign(arguments)
    if arguments.file:
        ratings = collection.read_file(arguments.file, campaign.assignments, campaign.question)
        inputs: dict[str, int | str | None] = {arguments.file.name: file_digest(arguments.file)}
        with campaign.alone():
            # an annotator may have withdrawn while the file was read
            collecting.store_ratings(campaign, collecting.without_withdrawn(campaign, ratings), None, inputs)
    else:
        _ = campaign.assignments  # a mistyped name is reported before a missing server
        with connect(arguments) as client:
            collecting.collect(campaign, client)
    _call_further(campaign)
    say_steps(campaign.store, campaign.name)


def _call_further(campaign: Campaign) -> None:
    """Ask further raters where the campaign's policy needs them."""
    if campaign.ratings.empty:
        return
    with campaign.alone():
        progress = call_where_needed(campaign)
    if progress is not None:
        say_further(progress)
