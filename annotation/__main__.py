"""The command line of the room: `python -m annotation VERB`."""

from typing import Annotated

from tyro.conf import subcommand

from annotation import simulation, verbs_judge, verbs_label, verbs_plan, verbs_reassign, verbs_server
from annotation.simulation import Simulate
from annotation.verbs_judge import Adjudicate, Quality
from annotation.verbs_label import Collect, Open, Status
from annotation.verbs_plan import Plan
from annotation.verbs_reassign import Reassign
from annotation.verbs_server import Server
from data.console import run

Verb = (
    Annotated[Plan, subcommand("plan", prefix_name=False)]
    | Annotated[Server, subcommand("server", prefix_name=False)]
    | Annotated[Open, subcommand("open", prefix_name=False)]
    | Annotated[Simulate, subcommand("simulate", prefix_name=False)]
    | Annotated[Status, subcommand("status", prefix_name=False)]
    | Annotated[Collect, subcommand("collect", prefix_name=False)]
    | Annotated[Quality, subcommand("quality", prefix_name=False)]
    | Annotated[Reassign, subcommand("reassign", prefix_name=False)]
    | Annotated[Adjudicate, subcommand("adjudicate", prefix_name=False)]
)


def main(arguments: Verb) -> None:
    """Pairs -> assignments -> ratings -> quality, labels: the verbs of a campaign, in the order of its life."""
    match arguments:
        case Plan():
            verbs_plan.main(arguments)
        case Server():
            verbs_server.main(arguments)
        case Open():
            verbs_label.open_projects(arguments)
        case Simulate():
            simulation.main(arguments)
        case Status():
            verbs_label.status(arguments)
        case Collect():
            verbs_label.collect(arguments)
        case Quality():
            verbs_judge.measure(arguments)
        case Reassign():
            verbs_reassign.main(arguments)
        case Adjudicate():
            verbs_judge.adjudicate(arguments)


if __name__ == "__main__":
    run(main, prog="python -m annotation")
