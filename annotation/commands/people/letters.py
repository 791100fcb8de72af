"""The command `letters`: what a lead sends to the annotators or players."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.campaign import accounts, game
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.documents import Document
from annotation.campaign.progress.judging import known_pace
from annotation.files import render
from annotation.questions.answers import join_or
from data.console.messages import quantity, say
from data.contract.questions import Question
from data.files.whole import PRIVATE, write_whole
from data.guidance.next_steps import say_steps
from data.measures.rules import IdleRule


@dataclass(frozen=True, kw_only=True)
class Arguments(IdleRule, OfCampaign):
    """Write what people are sent: an invitation, the guide, and for each person how to sign in."""

    out: Path
    """The folder: invitation.txt, guide.md and sign-in/PSEUDONYM.txt, which hold addresses and passwords."""

    url: str
    """The address at which people reach the server."""

    pay: str = ""
    """What is paid, in words, such as "20 EUR per hour"."""

    contact: str = ""
    """Whom people ask."""

    pace: float | None = None
    """Seconds per pair, from which the hours are estimated; the campaign's or its pilot's if left out. Not for a
    game."""


@dataclass(frozen=True, kw_only=True)
class _Contents:
    """What the letters of a campaign say."""

    form: str
    """How the templates' names begin."""
    guide: Document
    invitation: Mapping[str, Any]
    sign_in: Mapping[str, str]
    people: Sequence[accounts.Account]
    load: str
    """How much each person is asked for."""


def main(arguments: Arguments) -> None:
    """Write the texts, in place of earlier ones."""
    campaign = Campaign(arguments)
    contents = _for_players(campaign) if game.is_game(campaign) else _for_annotators(campaign, arguments)
    consents = [document for document in campaign.documents if document.kind == "consent"]
    to_all = {
        "pay": arguments.pay,
        "contact": arguments.contact,
        "guide": contents.guide.version,
        "reference": consents[0].reference if consents else "",
    }
    invitation = render(f"{contents.form}invitation.txt", {**to_all, **contents.invitation})
    write_whole(arguments.out / "invitation.txt", invitation)
    write_whole(arguments.out / "guide.md", contents.guide.text)
    for person in contents.people:
        own = {"url": arguments.url, "contact": arguments.contact, "email": person.email, "password": person.password}
        letter = render(f"{contents.form}sign-in.txt", {**own, **contents.sign_in})
        write_whole(arguments.out / "sign-in" / f"{person.annotator}.txt", letter, mode=PRIVATE)
    say(f"{arguments.out}/invitation.txt and guide.md, for everybody: {contents.load}")
    say(f"{arguments.out}/sign-in: {len(contents.people)} letters with a password each, readable by you alone")
    if not arguments.contact:
        say("note: the letters name no person to ask: give --contact")
    say_steps(campaign.store, campaign.name)


def _for_players(campaign: Campaign) -> _Contents:
    people, load = game.players(campaign), "sentences to rewrite"
    return _Contents(form="game-", guide=game.guide(), invitation={}, sign_in={}, people=people, load=load)


def _for_annotators(campaign: Campaign, arguments: Arguments) -> _Contents:
    loads = campaign.assignments["annotator"].value_counts()
    known = known_pace(campaign, arguments.idle_seconds)
    seconds = arguments.pace or (known[0] if known else None)
    pairs, time = int(loads.median()), _in_words(loads.median() * seconds) if seconds else ""
    present = set(loads.index) - campaign.withdrawn
    about = f", about {time} at {seconds:.1f} s per pair" if seconds else "; without a time: give --pace"
    return _Contents(
        form="",
        guide=campaign.guide,
        invitation={"pairs": pairs, "time": time, "question": campaign.question},
        sign_in={**_keys(campaign.question), "boxes": _boxes(campaign)},
        people=[
            account
            for account in accounts.read_accounts(campaign.store.root, campaign.study)
            if account.annotator in present
        ],
        load=f"{quantity(pairs, 'pair')} each{about}",
    )


def _boxes(campaign: Campaign) -> str:
    """What the page before the first pair asks for."""
    if any(document.kind == "consent" for document in campaign.documents):
        return "Read the consent and the guide, tick both boxes"
    return "Read the guide, tick its box"


def _keys(question: Question) -> dict[str, str]:
    """The keys of the answers and of the flags, in words."""
    *others, last = [flag.key for flag in question.flags.answers]
    return {
        "keys": join_or([answer.key for control in question.asked for answer in control.answers]),
        "flags": f"{', '.join(others)} and {last}" if others else last,
    }


def _in_words(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{max(seconds / 60, 1):.0f} minutes"
