"""The command line of the room: `python -m annotation VERB`."""

from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from annotation.commands import (
    adjudicate,
    collect,
    control,
    documents,
    forecast,
    letters,
    open_projects,
    people,
    pilot,
    plan,
    quality,
    reassign,
    review,
    server,
    simulate,
    status,
    verdict,
)
from annotation.commands.adjudicate import Adjudicate
from annotation.commands.collect import Collect
from annotation.commands.control import Control
from annotation.commands.documents import Consent, Guide
from annotation.commands.forecast import Forecast
from annotation.commands.letters import Letters, Pay
from annotation.commands.open_projects import Open
from annotation.commands.people import Pause, Release, Resume, Withdraw
from annotation.commands.pilot import Pilot
from annotation.commands.plan import Plan
from annotation.commands.quality import Quality
from annotation.commands.reassign import Reassign
from annotation.commands.review import Review
from annotation.commands.server import Server
from annotation.commands.simulate import Simulate
from annotation.commands.status import Status
from annotation.commands.verdict import Verdict
from data.console import run

Verb = (
    Annotated[Plan, subcommand("plan", prefix_name=False)]
    | Annotated[Consent, subcommand("consent", prefix_name=False)]
    | Annotated[Guide, subcommand("guide", prefix_name=False)]
    | Annotated[Forecast, subcommand("forecast", prefix_name=False)]
    | Annotated[Pilot, subcommand("pilot", prefix_name=False)]
    | Annotated[Server, subcommand("server", prefix_name=False)]
    | Annotated[Open, subcommand("open", prefix_name=False)]
    | Annotated[Simulate, subcommand("simulate", prefix_name=False)]
    | Annotated[Status, subcommand("status", prefix_name=False)]
    | Annotated[Collect, subcommand("collect", prefix_name=False)]
    | Annotated[Letters, subcommand("letters", prefix_name=False)]
    | Annotated[Pay, subcommand("pay", prefix_name=False)]
    | Annotated[Control, subcommand("control", prefix_name=False)]
    | Annotated[Release, subcommand("release", prefix_name=False)]
    | Annotated[Withdraw, subcommand("withdraw", prefix_name=False)]
    | Annotated[Pause, subcommand("pause", prefix_name=False)]
    | Annotated[Resume, subcommand("resume", prefix_name=False)]
    | Annotated[Quality, subcommand("quality", prefix_name=False)]
    | Annotated[Verdict, subcommand("verdict", prefix_name=False)]
    | Annotated[Reassign, subcommand("reassign", prefix_name=False)]
    | Annotated[Review, subcommand("review", prefix_name=False)]
    | Annotated[Adjudicate, subcommand("adjudicate", prefix_name=False)]
)


VERBS: dict[type, Callable[..., None]] = {
    Plan: plan.main,
    Consent: documents.consent,
    Guide: documents.guide,
    Forecast: forecast.main,
    Pilot: pilot.main,
    Server: server.main,
    Open: open_projects.open_projects,
    Simulate: simulate.main,
    Status: status.status,
    Collect: collect.collect,
    Letters: letters.letters,
    Pay: letters.pay,
    Control: control.main,
    Release: people.release,
    Withdraw: people.withdraw,
    Pause: people.pause,
    Resume: people.resume,
    Quality: quality.measure,
    Verdict: verdict.main,
    Reassign: reassign.main,
    Review: review.main,
    Adjudicate: adjudicate.adjudicate,
}


def main(arguments: Verb) -> None:
    """Pairs -> assignments -> ratings -> quality, labels: the verbs of a campaign, in the order of its life."""
    VERBS[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m annotation")
