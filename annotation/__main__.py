"""The command line of the room: `python -m annotation COMMAND`."""

from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from annotation.commands.after import adjudicate, quality, reassign, review, verdict
from annotation.commands.before import consent, control, forecast, guide, mix, pilot, plan, server
from annotation.commands.during import collect, game, open_projects, simulate, status
from annotation.commands.people import hand_over, letters, pause, pay, resume, withdraw
from data.console.commands import run

Command = (
    Annotated[plan.Plan, subcommand("plan", prefix_name=False)]
    | Annotated[consent.Consent, subcommand("consent", prefix_name=False)]
    | Annotated[guide.Guide, subcommand("guide", prefix_name=False)]
    | Annotated[forecast.Forecast, subcommand("forecast", prefix_name=False)]
    | Annotated[mix.Mix, subcommand("mix", prefix_name=False)]
    | Annotated[pilot.Pilot, subcommand("pilot", prefix_name=False)]
    | Annotated[server.Server, subcommand("server", prefix_name=False)]
    | Annotated[open_projects.Open, subcommand("open", prefix_name=False)]
    | Annotated[simulate.Simulate, subcommand("simulate", prefix_name=False)]
    | Annotated[status.Status, subcommand("status", prefix_name=False)]
    | Annotated[collect.Collect, subcommand("collect", prefix_name=False)]
    | Annotated[game.Game, subcommand("game", prefix_name=False)]
    | Annotated[letters.Letters, subcommand("letters", prefix_name=False)]
    | Annotated[pay.Pay, subcommand("pay", prefix_name=False)]
    | Annotated[control.Control, subcommand("control", prefix_name=False)]
    | Annotated[hand_over.HandOver, subcommand("hand-over", prefix_name=False)]
    | Annotated[withdraw.Withdraw, subcommand("withdraw", prefix_name=False)]
    | Annotated[pause.Pause, subcommand("pause", prefix_name=False)]
    | Annotated[resume.Resume, subcommand("resume", prefix_name=False)]
    | Annotated[quality.Quality, subcommand("quality", prefix_name=False)]
    | Annotated[verdict.Verdict, subcommand("verdict", prefix_name=False)]
    | Annotated[reassign.Reassign, subcommand("reassign", prefix_name=False)]
    | Annotated[review.Review, subcommand("review", prefix_name=False)]
    | Annotated[adjudicate.Adjudicate, subcommand("adjudicate", prefix_name=False)]
)

MAIN: dict[type, Callable[..., None]] = {
    plan.Plan: plan.main,
    consent.Consent: consent.main,
    guide.Guide: guide.main,
    forecast.Forecast: forecast.main,
    mix.Mix: mix.main,
    pilot.Pilot: pilot.main,
    server.Server: server.main,
    open_projects.Open: open_projects.main,
    simulate.Simulate: simulate.main,
    status.Status: status.main,
    collect.Collect: collect.main,
    game.Game: game.main,
    letters.Letters: letters.main,
    pay.Pay: pay.main,
    control.Control: control.main,
    hand_over.HandOver: hand_over.main,
    withdraw.Withdraw: withdraw.main,
    pause.Pause: pause.main,
    resume.Resume: resume.main,
    quality.Quality: quality.main,
    verdict.Verdict: verdict.main,
    reassign.Reassign: reassign.main,
    review.Review: review.main,
    adjudicate.Adjudicate: adjudicate.main,
}


def main(arguments: Command) -> None:
    """Pairs -> assignments -> ratings -> quality, labels: the commands of a campaign, in the order of its life."""
    MAIN[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m annotation")
