"""The command `game`: players sign in, rewrite sentences, and are judged and paid at once."""

from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from annotation.campaign import accounts, game
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import acceptances, withdrawal
from annotation.campaign.people.members import OfPerson, require_annotator, set_state
from annotation.config import settings
from annotation.label_studio import playing
from annotation.label_studio.connection import AtServer, connect, endpoint, people_sign_in_at
from annotation.simulation.habits import HABITS
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit
from data.console.messages import quantity, say
from data.console.paths import existing_file
from data.contract.tables.game import Attempts, Prompts
from data.contract.vocabulary import LEFT
from data.files.sheets import read_sheet
from data.files.whole import PRIVATE, PUBLIC, write_whole
from data.guidance.next_steps import say_steps
from data.provenance.takedown import remove_written

if TYPE_CHECKING:
    from annotation.label_studio.client import LabelStudio


@dataclass(frozen=True, kw_only=True)
class OpenGame(game.GameRules, AtServer):
    """Open a round: accounts, seats and sentences on the server; run again it adds what is missing."""

    prompts: str
    """The source of the sentences, as `paraphrase_game prompts` named it."""
    annotators: str
    """A number of players, or a sheet of people as `plan --annotators` takes it."""
    scorer: str = "http://127.0.0.1:8090"
    """The address of the judges (`paraphrase_game serve` with the store of the server), on this machine."""
    round: int = 1
    """The number of the round, from 1."""
    each: Limit[int | None] = None
    """The most sentences per player; all if omitted."""
    ends: datetime | None = None
    """When the round ends, such as 2027-01-31T18:00; local time unless it names a zone."""
    seed: int = 1
    """Who is dealt which sentence, and in which order."""


@dataclass(frozen=True, kw_only=True)
class GameStatus(AtServer):
    """Show checks, submissions and what has been spent."""


@dataclass(frozen=True, kw_only=True)
class CollectGame(AtServer):
    """Bring the checks into the table `attempts`; those that the judge missed are judged first."""


@dataclass(frozen=True, kw_only=True)
class Close(AtServer):
    """End the rounds that are open, and collect what was played."""


@dataclass(frozen=True, kw_only=True)
class PayPlayers(AtServer):
    """Write what each player has earned, from the collected attempts."""

    out: Path
    """The CSV file."""
    names: bool = False
    """Add e-mail addresses: then the file is readable by you alone."""


@dataclass(frozen=True, kw_only=True)
class WithdrawPlayer(OfPerson, AtServer):
    """Delete all that a player wrote for good, from the server, the tables and their past; pay stays owed."""

    reason: str = "asked for"
    """Why, for the table of tombstones; no name of a person."""


@dataclass(frozen=True, kw_only=True)
class SimulateGame(AtServer):
    """Let simulated players of known habits play through the page; they must be no people."""

    habits: str = "synonyms:3,reorder:1,copy:1"
    """How many players have which habit: copy, reorder, synonyms, replay."""
    attempts: Advanced[Path | None] = None
    """What `replay` plays: a sheet with the columns sentence and candidate."""
    sentences_each: Limit[int | None] = None
    """Stop when each has submitted this many."""
    pause: Advanced[float] = 0.0
    """Seconds between two checks of a player, on average."""
    seed: int = 1
    """Of texts and pauses."""


def _open(arguments: OpenGame) -> None:
    campaign, rules = Campaign(arguments), settings(arguments, game.GameRules)
    prompts = _prompts(campaign, arguments.prompts)
    with connect(arguments) as client:
        about = client.ask_judges(arguments.scorer)
    with campaign.store.lock(campaign.lock):
        people = _people(arguments.annotators, campaign)
        named = people[~people["email"].str.endswith(accounts.NOBODYS_ADDRESS)]
        if len(named) and campaign.documents[0].kind != "consent":
            raise InputError(
                f"campaign {campaign.name}",
                expected=f"a consent text for {len(named)} people to accept",
                found="none",
                remedy=f"give it: python -m annotation consent FILE --ethics REFERENCE --campaign {campaign.name}",
            )
        require_at_least("--each", arguments.each, 1)
        require_at_least("--round", arguments.round, 1)
        with connect(arguments) as client:
            game.enrol(campaign, people, rules)
            names = sorted(account.annotator for account in game.players(campaign))
            round_ = playing.Round(
                number=arguments.round,
                scorer=arguments.scorer,
                rules=game.rules_for_server(rules, about),
                ends=arguments.ends.astimezone() if arguments.ends else None,
                hands=game.deal(prompts["prompt_id"].to_list(), names, arguments.each, arguments.seed),
            )
            n_sentences, n_seats = playing.open_round(campaign, client, round_, prompts)
            if n_sentences or n_seats:
                game.record_opening(campaign)
    say(f"round {arguments.round} is open: {n_sentences} sentences and {n_seats} seats are new, {len(names)} players")
    if about["practice"]:
        say("the judges pay no player: players collect points for practice")
    else:
        _say_terms(rules)
    if about["stand_ins"]:
        say(about["stand_ins"])
    path, address = accounts.accounts_path(campaign.store.root, campaign.study), people_sign_in_at(arguments)
    say(f"players sign in at {address}; their addresses and passwords: {path} (readable by you alone)")
    say_steps(campaign.store, campaign.name)


def _say_terms(rules: game.GameRules) -> None:
    say(
        f"a submitted sentence earns {rules.base} cents and a bonus; at most {rules.cap / 100:.2f} per person and "
        f"{rules.budget / 100:.2f} in all"
    )


def _people(players: str, campaign: Campaign) -> pd.DataFrame:
    if players.isdecimal():
        return accounts.unnamed_people(int(players), campaign.host)
    return accounts.read_people(existing_file(Path(players), "a number or a sheet of players"))


def _prompts(campaign: Campaign, source: str) -> pd.DataFrame:
    rows = campaign.store.read(Prompts)
    own = rows[rows["source"] == source]
    if own.empty:
        known = ", ".join(sorted(rows["source"].unique())) or "none yet"
        raise InputError(
            "--prompts", expected=f"a source of sentences ({known})", found=repr(source),
            remedy="make them: python -m paraphrase_game prompts SOURCE",
        )  # fmt: skip
    return own


def _status(arguments: GameStatus) -> None:
    campaign = Campaign(arguments)
    names = len(game.players(campaign))
    with connect(arguments) as client:
        checks, spent = client.checks(playing.server_name(campaign))
    judged = checks[checks["judged_at"].notna()]
    refused = [judgement["refused"] for judgement in judged["judgement"] if judgement.get("refused")]
    implied = sum(bool(judgement.get("implied")) for judgement in judged["judgement"])
    submitted = int(checks["submitted_at"].notna().sum())
    known = campaign.store.read(Attempts, ["attempt_id"], campaign=campaign.name)["attempt_id"]
    n_new = int((~checks["key"].isin(known)).sum())
    say(f"{names} players, {checks['email'].nunique()} have begun; {len(checks)} checks, {submitted} submitted")
    if n_new:
        say(f"{n_new} checks are not in the table yet: `annotation game collect` brings them")
    say(f"{implied} mean the same by the judges, {len(refused)} refused, {len(checks) - len(judged)} not judged yet")
    for reason, n in pd.Series(refused, dtype="object").value_counts().items():
        say(f"  {n} {reason}")
    left_by = game.kept_pay(campaign)
    say(f"{spent / 100:.2f} spent" + (f", {left_by / 100:.2f} of it on players who have withdrawn" if left_by else ""))
    say_steps(campaign.store, campaign.name)


def _collect(arguments: CollectGame) -> None:
    campaign = Campaign(arguments)
    game.players(campaign)
    with connect(arguments) as client:
        _bring(campaign, client)
    say_steps(campaign.store, campaign.name)


def _bring(campaign: Campaign, client: "LabelStudio") -> None:
    """Bring the checks and what players have accepted into the store, and say how many."""
    with campaign.store.lock(campaign.lock):
        n_new, n_checks, n_unjudged = playing.collect(campaign, client)
        _keep_acceptances(campaign, client.acceptances())
    say(f"{n_new} rows of {n_checks} checks written to {campaign.store.path(Attempts)}")
    if n_unjudged:
        say(f"{n_unjudged} are not judged yet: start the judges (python -m paraphrase_game serve) and collect again")


def _keep_acceptances(campaign: Campaign, accepted: pd.DataFrame) -> None:
    consent = {document.key for document in campaign.documents if document.kind == "consent"}
    acceptances.keep(campaign, accepted[accepted["key"].isin(consent)])


def _close(arguments: Close) -> None:
    campaign = Campaign(arguments)
    game.players(campaign)
    with connect(arguments) as client:
        n = client.close_game(playing.server_name(campaign))
        say(f"{quantity(n, 'round')} ended" if n else "no round was open")
        _bring(campaign, client)
    say_steps(campaign.store, campaign.name)


def _pay(arguments: PayPlayers) -> None:
    campaign = Campaign(arguments)
    rows = game.earned(campaign)
    if rows.empty:
        raise InputError(
            f"campaign {campaign.name}", expected="attempts", found="none",
            remedy="collect them first: python -m annotation game collect",
        )  # fmt: skip
    rows["amount"] = rows["cents"].astype(float) / 100
    rows["per_hour"] = (rows["amount"] / rows["hours"].astype(float)).where(rows["hours"] > 0).round(2)
    if arguments.names:
        rows.insert(1, "email", rows["annotator"].map(campaign.emails()))
    table = rows.assign(hours=rows["hours"].astype(float).round(3)).to_csv(index=False)
    write_whole(arguments.out, table, mode=PRIVATE if arguments.names else PUBLIC)
    say(f"{len(rows)} players, {rows['amount'].sum():.2f} to pay in total, {rows['hours'].sum():.1f} hours")
    say(f"the list: {arguments.out}" + (" (readable by you alone)" if arguments.names else ", by pseudonym"))
    say_steps(campaign.store, campaign.name)


def _withdraw(arguments: WithdrawPlayer) -> None:
    campaign, name = Campaign(arguments), arguments.name
    require_annotator(campaign, name)
    with connect(arguments) as client, campaign.store.lock(campaign.lock):
        removal = game.find_attempts(campaign, name)
        withdrawal.require_unquoted(removal, campaign.store)
        at = withdrawal.mark(campaign, name, arguments.reason)
        cents = playing.withdraw(campaign, client, name, at)
        for place, n in chain(remove_written(campaign.store, removal), game.erase(campaign, name)):
            if n:
                say(f"  {n} rows removed from {place}")
        campaign.refresh()
        set_state(campaign, name, LEFT)
        accounts.forget(campaign.store.root, campaign.study, name)
    say(f"{name} is withdrawn: every check is deleted, on the server and in the tables, with the pairs made of them")
    say(f"{cents / 100:.2f} stay in the pay list, under {name} alone: the address is deleted")
    say_steps(campaign.store, campaign.name)


def _simulate(arguments: SimulateGame) -> None:
    campaign = Campaign(arguments)
    people = game.players(campaign)
    real = [one.annotator for one in people if not one.email.endswith(accounts.NOBODYS_ADDRESS)]
    if real:
        raise InputError(
            f"campaign {campaign.name}", expected="players who are no people", found=", ".join(real[:5]),
            remedy="simulate in a campaign that was opened with --annotators NUMBER",
        )  # fmt: skip
    names = _habits(arguments.habits, [one.annotator for one in people])
    people = [one for one in people if one.annotator in names]
    pace = playing.Pace(
        habits=names,
        known=_known(arguments.attempts),
        sentences_each=arguments.sentences_each,
        pause=arguments.pause,
        seed=arguments.seed,
    )
    url, _ = endpoint(arguments)
    times = playing.play(url, people, pace)
    if times:
        p50, p95 = np.percentile([seconds for _, _, seconds in times], [50, 95])
        wrong = sum(status >= 500 for _, status, _ in times)
        say(f"{len(times)} checks by {len(people)} players: half within {p50:.2f} s, 95 % within {p95:.2f} s")
        say(f"{wrong} answered with an error")
    say_steps(campaign.store, campaign.name)


def _habits(text: str, names: list[str]) -> dict[str, str]:
    parts = [part.partition(":") for part in text.split(",")]
    wrong = [part for part in parts if part[0] not in HABITS or not part[2].isdecimal()]
    wanted = [name for name, _, n in parts if not wrong for _ in range(int(n))]
    if wrong or len(wanted) > len(names):
        raise InputError(
            "--habits",
            expected=f"NAME:NUMBER of {', '.join(HABITS)}, for at most {len(names)} players",
            found=repr(text),
            remedy="open the round with more --annotators, or name fewer",
        )
    return dict(zip(names, wanted, strict=False))


def _known(path: Path | None) -> dict[str, list[str]]:
    if path is None:
        return {}
    sheet = read_sheet(path, "a table of sentences and candidates", "name the columns sentence and candidate")
    sheet.require_columns(["sentence", "candidate"])
    return {str(sentence): list(part["candidate"]) for sentence, part in sheet.rows.groupby("sentence")}


VERBS = {
    "open": _open,
    "status": _status,
    "collect": _collect,
    "close": _close,
    "pay": _pay,
    "withdraw": _withdraw,
    "simulate": _simulate,
}
