"""The command `letters`: what a lead sends to the annotators."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import known_pace
from annotation.config import HabitRule
from annotation.files import render
from annotation.questions.answers import join_or
from data.console import say
from data.files import PRIVATE, write_whole
from data.questions import Question


@dataclass(frozen=True, kw_only=True)
class Letters(HabitRule, OfCampaign):
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
    """Seconds per pair, from which the hours are estimated; those of the campaign or its pilot if left out."""


def main(arguments: Letters) -> None:
    """Write the texts, in place of earlier ones."""
    campaign = Campaign(arguments)
    loads = campaign.assignments["annotator"].value_counts()
    known = known_pace(campaign, arguments.idle_seconds)
    seconds = arguments.pace or (known[0] if known else None)
    consents = [document for document in campaign.documents if document.kind == "consent"]
    values = {
        "pairs": int(loads.median()),
        "time": _in_words(loads.median() * seconds) if seconds else "",
        "pay": arguments.pay,
        "contact": arguments.contact,
        "guide": campaign.guide.version,
        "reference": consents[0].reference if consents else "",
        "question": campaign.question,
    }
    write_whole(arguments.out / "invitation.txt", render("invitation.txt", values))
    write_whole(arguments.out / "guide.md", campaign.guide.text)
    present = set(loads.index) - campaign.withdrawn
    people = [
        person for person in accounts.read_accounts(campaign.store.root, campaign.name) if person.annotator in present
    ]
    to_all = {"url": arguments.url, "contact": arguments.contact, **_keys(campaign.question)}
    for person in people:
        own = to_all | {"email": person.email, "password": person.password}
        write_whole(arguments.out / "sign-in" / f"{person.annotator}.txt", render("sign-in.txt", own), mode=PRIVATE)
    time = f", about {values['time']} at {seconds:.1f} s per pair" if seconds else "; without a time: give --pace"
    say(f"{arguments.out}/invitation.txt and guide.md, for everybody: {values['pairs']} pairs each{time}")
    say(f"{arguments.out}/sign-in: {len(people)} letters with a password each, readable by you alone")


def _keys(question: Question) -> dict[str, str]:
    """The keys of the answers, and those of the flags, in words."""
    *others, last = [flag.key for flag in question.flags.answers]
    return {
        "keys": join_or([answer.key for control in question.asked for answer in control.answers]),
        "flags": f"{', '.join(others)} and {last}" if others else last,
    }


def _in_words(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{max(seconds / 60, 1):.0f} minutes"
