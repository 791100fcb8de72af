"""The command line of the room: `python -m annotation VERB`."""

from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from annotation import (
    simulation,
    verbs_control,
    verbs_documents,
    verbs_forecast,
    verbs_judge,
    verbs_label,
    verbs_letters,
    verbs_people,
    verbs_pilot,
    verbs_plan,
    verbs_reassign,
    verbs_review,
    verbs_server,
    verbs_status,
    verbs_verdict,
)
from annotation.simulation import Simulate
from annotation.verbs_control import Control
from annotation.verbs_documents import Consent, Guide
from annotation.verbs_forecast import Forecast
from annotation.verbs_judge import Adjudicate, Quality
from annotation.verbs_label import Collect, Open
from annotation.verbs_letters import Letters, Pay
from annotation.verbs_people import Pause, Release, Resume, Withdraw
from annotation.verbs_pilot import Pilot
from annotation.verbs_plan import Plan
from annotation.verbs_reassign import Reassign
from annotation.verbs_review import Review
from annotation.verbs_server import Server
from annotation.verbs_status import Status
from annotation.verbs_verdict import Verdict
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
    Plan: verbs_plan.main,
    Consent: verbs_documents.consent,
    Guide: verbs_documents.guide,
    Forecast: verbs_forecast.main,
    Pilot: verbs_pilot.main,
    Server: verbs_server.main,
    Open: verbs_label.open_projects,
    Simulate: simulation.main,
    Status: verbs_status.status,
    Collect: verbs_label.collect,
    Letters: verbs_letters.letters,
    Pay: verbs_letters.pay,
    Control: verbs_control.main,
    Release: verbs_people.release,
    Withdraw: verbs_people.withdraw,
    Pause: verbs_people.pause,
    Resume: verbs_people.resume,
    Quality: verbs_judge.measure,
    Verdict: verbs_verdict.main,
    Reassign: verbs_reassign.main,
    Review: verbs_review.main,
    Adjudicate: verbs_judge.adjudicate,
}


def main(arguments: Verb) -> None:
    """Pairs -> assignments -> ratings -> quality, labels: the verbs of a campaign, in the order of its life."""
    VERBS[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m annotation")
