"""The game on the server: open a round, bring its checks into the store, and let simulated players play."""

import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from annotation.campaign import game
from annotation.campaign.accounts import Account, campaign_key, elsewhere
from annotation.campaign.campaign import Campaign
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.simulated.player import Player
from annotation.simulation.habits import HABITS
from data.console.messages import progress
from data.contract.tables.game import Attempts, Prompts
from data.grouping.entities import name_entities
from data.recorded.names import read_names
from data.storage.manifest import Manifest
from data.texts.identity import digest

MAX_ROUNDS = 200
EMPTY_PAGE = "<View><Text name='text' value='$text'/></View>"
"""What Label Studio shows in the project that a seat belongs to; it has no tasks."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """A round of a game, ready to be opened."""

    number: int
    scorer: str
    rules: Mapping[str, Any]
    ends: datetime | None
    hands: Mapping[str, list[str]]
    """Player -> the sentences in their order."""


def title(campaign: Campaign, number: int, player: str) -> str:
    """The title of a player's project in a round: always the same, and meaningless to its readers."""
    key = campaign_key(campaign.store.root, campaign.name)
    return "Game " + digest("game", campaign.name, number, player, key=key)[:8]


def open_round(campaign: Campaign, client: LabelStudio, round_: Round, prompts: pd.DataFrame) -> tuple[int, int]:
    """Create accounts, projects and seats that are missing; return the numbers of new sentences and seats."""
    people = [account for account in game.players(campaign) if account.annotator in round_.hands]
    client.ensure_accounts(people)
    projects = {}
    for account in progress(people, label="opening", unit="players"):
        name = title(campaign, round_.number, account.annotator)
        projects[account.annotator] = client.ensure_project(title=name, labelling=EMPTY_PAGE)
    consent = [document for document in campaign.documents if document.kind == "consent"]
    members = {projects[account.annotator]: (account.email, True) for account in people}
    client.open_for(members, [*consent, game.guide()])
    rows = prompts[["prompt_id", "text", "entity"]].astype(object)
    rows["entity"] = name_entities(rows["entity"], read_names(campaign.store))
    sentences = rows.where(rows.notna(), None).set_axis(["key", "text", "entity"], axis="columns")
    seats = [
        {"project": projects[one.annotator], "email": one.email, "order": round_.hands[one.annotator]} for one in people
    ]
    return client.open_game(
        {
            "campaign": server_name(campaign),
            "round": round_.number,
            "scorer": round_.scorer,
            "rules": dict(round_.rules),
            "ends": round_.ends.isoformat() if round_.ends else None,
            "sentences": sentences.to_dict("records"),
            "seats": seats,
        }
    )


def server_name(campaign: Campaign) -> str:
    """The campaign's name on the server: two stores may share one."""
    return digest("game", campaign.name, key=campaign_key(campaign.store.root, campaign.name))


def collect(campaign: Campaign, client: LabelStudio) -> tuple[int, int, int]:
    """Append the server's checks to `attempts`: the numbers of new rows, of all checks, and of those not judged."""
    checks, _ = client.checks(server_name(campaign))
    names = {email.lower(): name for name, email in campaign.emails().items()}
    checks = checks[checks["email"].isin(names)].reset_index(drop=True)
    rows = game.attempt_rows(campaign.name, checks, names)
    rows = game.blank_withheld(campaign, rows[~rows["player"].isin(sorted(campaign.withdrawn))])
    manifest = Manifest(
        stage="annotation.game-collect",
        part=campaign.name,
        inputs=campaign.store.inputs(Prompts),
        counts={"attempts": len(rows), "unjudged": int(checks["judged_at"].isna().sum())},
    )
    before = len(campaign.store.read(Attempts, ["attempt_id"], campaign=campaign.name))
    campaign.store.append(Attempts, rows, manifest)
    after = len(campaign.store.read(Attempts, ["attempt_id"], campaign=campaign.name))
    return after - before, len(checks), int(checks["judged_at"].isna().sum())


def withdraw(campaign: Campaign, client: LabelStudio, name: str, at: datetime) -> int:
    """Note a player's pay, then delete their seats with all checks and close the account; return the cents earned."""
    email = campaign.emails()[name]
    checks, _ = client.checks(server_name(campaign))
    own = checks[checks["email"] == email.lower()]
    cents = game.note_pay(campaign, name, own, at)
    numbers = client.projects()
    titles = (title(campaign, number, name) for number in range(1, MAX_ROUNDS + 1))
    projects = [numbers[one] for one in titles if one in numbers]
    client.withdraw(projects, email, close=not elsewhere(campaign.store.root, campaign.study, email))
    return cents


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How simulated players play."""

    habits: Mapping[str, str]
    """Player -> name of the habit."""
    known: Mapping[str, list[str]]
    """Sentence -> texts that `replay` plays."""
    sentences_each: int | None
    pause: float
    """Seconds between two checks on average."""
    seed: int


AT_ONCE = 8
"""Players at the same time."""


def play(url: str, people: Sequence[Account], pace: Pace) -> list[tuple[str, int, float]]:
    """Let the players play through the page; per check (player, status, seconds until its answer was shown).

    An interruption waits for no more than the checks that are on their way.
    """
    over = threading.Event()

    def one(account: Account) -> list[tuple[str, int, float]]:
        return _play_one(url, account, pace, over)

    with ThreadPoolExecutor(AT_ONCE) as pool, ExitStack() as leaving:
        leaving.callback(over.set)
        parts = list(progress(pool.map(one, people), label="playing", unit="players", total=len(people)))
    return [check for part in parts for check in part]


def _play_one(url: str, account: Account, pace: Pace, over: threading.Event) -> list[tuple[str, int, float]]:
    chance = random.Random(f"{pace.seed} {account.annotator}")  # noqa: S311 - a simulation
    times: list[tuple[str, int, float]] = []
    habit = HABITS[pace.habits[account.annotator]]
    with Player(url, account) as player:
        player.enter()
        sight, played = player.look(), 0
        while sight.sentence and (pace.sentences_each is None or played < pace.sentences_each):
            for text in habit(sight.sentence, chance, pace.known):
                if over.wait(chance.expovariate(1 / pace.pause) if pace.pause else 0):
                    return times
                started = time.perf_counter()
                sight = player.check(text, sight)
                times.append((account.annotator, sight.status, time.perf_counter() - started))
            sight, played = player.look(), played + 1
            if not sight.payable:
                return times  # nothing to submit, and too few tries to give up
            sight = player.hand_in(sight.payable[0], sight)
    return times
