"""A campaign that is a game: its players, the sentences that each is dealt, and the rows of their attempts."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.documents import Document
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.contract.tables.campaign import Annotators, Openings, Worked
from data.contract.tables.game import Attempts, Prompts
from data.contract.vocabulary import ACTIVE, PLAYER
from data.provenance.removal import Removal, find_attempted
from data.provenance.takedown import TAKEN
from data.provenance.tombstones import are_withheld, withheld, withheld_sources
from data.storage.manifest import Manifest
from data.texts.identity import text_id

MAX_CHECK_SECONDS = 900.0
"""Seconds: a check counts for no more."""

GUIDE = """# How to play
Version 1

You see one sentence at a time. Write another one that means the same and looks as different as you can.

- It means the same where each of the two follows from the other: leave nothing out and add nothing.
- Use your own words and another way of building the sentence. Copies, the same words in another order, and misspelt
  words earn nothing.
- Check says what a sentence would earn. Check as many as you like, then submit the best one.
- What a machine says of a sentence may be wrong. In a round with pay you get the base pay all the same.
- What you write is stored with every check, under a pseudonym. Write nothing about real people whom you know.
"""


@dataclass(frozen=True, kw_only=True)
class GameRules:
    """What a round of the game pays and allows, in cents."""

    base: Limit[int] = 20
    """Base pay per submitted sentence; the bonus comes on top."""
    cap: Limit[int] = 2_000
    """The most that one person earns in the campaign."""
    budget: Limit[int] = 10_000
    """The most that the campaign pays in all; at this sum it ends."""
    per_minute: Limit[int] = 20
    """The most checks per player and minute."""

    def __post_init__(self) -> None:
        """Raise InputError for amounts below zero, or a game that cannot be played."""
        for name, least in (("base", 0), ("cap", 1), ("budget", 1), ("per_minute", 1)):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), least)


def guide() -> Document:
    """The rules of the game as players accept them."""
    return Document(kind="guide", version="1", text=GUIDE)


def enrol(campaign: Campaign, people: pd.DataFrame, rules: GameRules) -> None:
    """Give the people (as `accounts.read_people`) pseudonyms and accounts in the campaign, as players."""
    people = people.assign(annotator=accounts.name(campaign.store.root, campaign.study, people["email"]))
    accounts.enrol(campaign.store.root, campaign.study, people)
    new = people[~people["annotator"].isin(campaign.annotators.index)]
    rows = new.drop(columns="email").assign(campaign=campaign.name, at=campaign.now(), role=PLAYER, state=ACTIVE)
    manifest = Manifest(stage="annotation.game", part=campaign.name, config=rules, counts={"players": len(rows)})
    campaign.store.append(Annotators, rows.assign(consent_version=None, guide_version="1"), manifest)
    campaign.refresh()


def record_opening(campaign: Campaign) -> None:
    """Remember that a round is on the server."""
    row = pd.DataFrame([{"campaign": campaign.name, "at": campaign.now()}])
    campaign.store.append(Openings, row, Manifest(stage="annotation.game", part=campaign.name))


def is_game(campaign: Campaign) -> bool:
    """Whether the campaign has been opened as a game."""
    return PLAYER in set(campaign.joined_as)


def players(campaign: Campaign) -> list[accounts.Account]:
    """The accounts of the campaign's players who take part. Raises InputError where it has none."""
    rows = campaign.annotators
    active = set(rows.index[(rows["role"] == PLAYER) & (rows["state"] == ACTIVE)]) - campaign.withdrawn
    found = [one for one in accounts.read_accounts(campaign.store.root, campaign.study) if one.annotator in active]
    if not found:
        raise InputError(
            f"campaign {campaign.name}",
            expected="a game with players",
            found="none",
            remedy="open it: python -m annotation game open --annotators FILE --prompts NAME",
        )
    return found


def deal(prompts: list[str], names: list[str], each: int | None, seed: int) -> dict[str, list[str]]:
    """Per player, at most `each` of the prompts in an order of their own; each prompt goes to about as many players."""
    generator, size = np.random.default_rng(seed), min(each or len(prompts), len(prompts))
    hands: dict[str, list[str]] = {}
    deck: list[str] = []
    for name in sorted(names):
        hand: list[str] = []
        while len(hand) < size:
            deck = deck or [prompts[place] for place in generator.permutation(len(prompts))]
            card = next((card for card in deck if card not in hand), None)
            if card is None:
                deck = []
                continue
            deck.remove(card)
            hand.append(card)
        hands[name] = [hand[place] for place in generator.permutation(len(hand))]
    return hands


def attempt_rows(campaign: str, checks: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Rows of the table `attempts` from the server's checks (`LabelStudio.checks`); `names`: e-mail -> pseudonym."""
    judgements = [judgement or {} for judgement in checks["judgement"]]
    rows = pd.DataFrame(
        {
            "attempt_id": checks["key"],
            "campaign": campaign,
            "round": checks["round"],
            "player": checks["email"].map(names),
            "prompt_id": checks["prompt_id"],
            "text": checks["text"],
            "asked_at": checks["at"],
            "changed_at": checks[["at", "judged_at", "submitted_at"]].max(axis=1),
            "seconds": checks["seconds"],
            "submitted_at": checks["submitted_at"],
            "base": checks["base"],
            "bonus": checks["bonus"],
            "practice": [
                bool(one.get("practice", flag)) or flag
                for one, flag in zip(judgements, checks["practice"], strict=True)
            ],
        },
        index=checks.index,
    )
    fields = [_judged(judgement) for judgement in judgements]
    judged = pd.DataFrame(fields, index=rows.index, columns=JUDGED, dtype="object")
    return pd.concat([rows, judged], axis="columns")


def blank_withheld(campaign: Campaign, attempts: pd.DataFrame) -> pd.DataFrame:
    """The attempts, with TAKEN for those at sentences that were taken down, and for texts that were."""
    gone = attempts["prompt_id"].isin(withheld_sources(campaign.store))
    gone |= pd.Series(are_withheld(attempts["text"], withheld(campaign.store)), attempts.index, dtype=bool)
    return attempts.assign(text=attempts["text"].mask(gone, TAKEN))


DIRECTIONS = ("forward", "backward")
JUDGED = [
    "refused",
    *(f"{way}_{name}" for way in DIRECTIONS for name in ("entailment", "neutral", "contradiction")),
    *(f"{way}_bleurt" for way in DIRECTIONS),
    "bleurt", "implied", "reward", "judges",
]  # fmt: skip
"""The columns of `attempts` that come from a judgement."""


def _judged(judgement: dict[str, Any]) -> list[Any]:
    if judgement.get("refused") or not judgement:
        return [judgement.get("refused"), *[None] * (len(JUDGED) - 1)]
    odds = [value for way in DIRECTIONS for value in judgement[way]]
    return [
        None,
        *odds,
        *judgement["bleurts"],
        *(judgement[name] for name in ("bleurt", "implied", "reward", "judges")),
    ]


def latest(attempts: pd.DataFrame) -> pd.DataFrame:
    """The latest row of each attempt."""
    return attempts.sort_values("changed_at").drop_duplicates("attempt_id", keep="last").sort_values("asked_at")


def earned(campaign: Campaign) -> pd.DataFrame:
    """Per player: annotator, checks, submitted, base, bonus, cents, hours; after a withdrawal, what was noted then."""
    left = campaign.store.read(Worked, campaign=campaign.name)
    rows = latest(campaign.store.read(Attempts, campaign=campaign.name))
    rows = rows[~rows["player"].isin(left["annotator"])]  # still there if a withdrawal was killed half-way
    table = rows.groupby("player").agg(
        checks=("attempt_id", "size"),
        submitted=("submitted_at", "count"),
        base=("base", "sum"),
        bonus=("bonus", "sum"),
        hours=("seconds", lambda seconds: seconds.clip(upper=MAX_CHECK_SECONDS).sum() / 3600),
    )
    table = table.rename_axis("annotator").reset_index().assign(cents=lambda own: own["base"] + own["bonus"])
    gone = pd.DataFrame({"annotator": left["annotator"], "submitted": left["ratings"], "cents": left["cents"]})
    return pd.concat([table.astype("object"), gone.assign(hours=left["seconds"] / 3600).astype("object")])


def kept_pay(campaign: Campaign) -> int:
    """What players who have withdrawn had earned, in cents: it stays owed to them, and spent."""
    return int(campaign.store.read(Worked, campaign=campaign.name)["cents"].sum())


def find_attempts(campaign: Campaign, name: str) -> Removal:
    """What falls with the texts that this player alone wrote."""
    attempts = campaign.store.read(Attempts, ["campaign", "player", "prompt_id", "text"])
    prompts = campaign.store.read(Prompts, ["prompt_id", "entity"]).drop_duplicates("prompt_id")
    rows = attempts.merge(prompts, on="prompt_id", how="left").astype("object")
    entities = rows["entity"].where(rows["entity"].notna(), None)
    ids = pd.Series(map(text_id, rows["text"], entities), rows.index, dtype="object")
    own = (rows["campaign"] == campaign.name) & (rows["player"] == name)
    return find_attempted(campaign.store, frozenset(ids[own]).difference(ids[~own]))


def note_pay(campaign: Campaign, name: str, checks: pd.DataFrame, at: datetime) -> int:
    """Store what a player who withdraws has earned, under the pseudonym; return the cents.

    `checks`: the server's, or none where they are deleted already: then what was stored before remains.
    """
    if len(checks):
        row = {
            "campaign": campaign.name,
            "annotator": name,
            "ratings": int(checks["submitted_at"].notna().sum()),
            "seconds": float(checks["seconds"].clip(upper=MAX_CHECK_SECONDS).sum()),
            "cents": int(checks["base"].sum() + checks["bonus"].sum()),
            "at": at,
        }
        campaign.store.append(Worked, pd.DataFrame([row]), Manifest(stage="annotation.withdraw", part=campaign.name))
    return int(campaign.store.read(Worked, campaign=campaign.name, annotator=name)["cents"].sum())


def erase(campaign: Campaign, name: str) -> Iterator[tuple[str, int]]:
    """Delete the player's attempts from the table and its past; yield the table with the number of rows removed."""

    def remaining(rows: pd.DataFrame) -> pd.DataFrame:
        own = (rows["campaign"] == campaign.name) & (rows["player"] == name)
        return rows[~own.astype("bool")]

    yield Attempts.table_name(), campaign.store.erase(Attempts, remaining, "annotation.withdraw")


def rules_for_server(rules: GameRules, about: dict[str, Any]) -> dict[str, Any]:
    """The rules as the gate keeps them, with what the judges say of themselves."""
    own = {
        "highest": int(about["highest"]),
        "practice": bool(about["practice"]),
        "judges_note": str(about["stand_ins"]),
    }
    return asdict(rules) | own
