"""The command `watch`: collect every few minutes, hand out what is due, and measure the annotators."""

import re
import time
from dataclasses import dataclass, field
from multiprocessing.pool import AsyncResult, ThreadPool
from typing import TYPE_CHECKING

from annotation.campaign.campaign import Campaign
from annotation.campaign.people.members import hand_over, open_work
from annotation.campaign.progress.measuring import Due, find_due, record
from annotation.campaign.rounds.allocating import call_where_needed, is_finished, is_short_of_work, say_further
from annotation.label_studio import collecting
from annotation.label_studio.connection import AtServer, connect
from data.console.errors import InputError, ServerError, StoreBusy
from data.console.messages import say
from data.contract.vocabulary import LEFT
from data.guidance.next_steps import say_steps

if TYPE_CHECKING:
    import pandas as pd

    from annotation.label_studio.client import LabelStudio, Latest

UNITS = {"s": 1, "m": 60, "h": 3600}

POLL = 0.5
"""How often the server is asked for a new answer while someone has nothing to do, in seconds."""


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Collect every few minutes, give out further pairs by the campaign's policy and what annotators who left had open,
    measure and judge the annotators, and say what was done, until all is answered. Ctrl-C ends it at any time; run
    again it goes on.
    """

    every: str = "5m"
    """How long to wait between two looks at the server, such as 30s, 5m or 1h; while someone has nothing to do, only
    until the next answer."""


@dataclass(kw_only=True)
class Kept:
    """What a watch remembers from look to look; without it, it only does more."""

    known: set[str] = field(default_factory=set)
    """The assignments that are open for sure. Others may not be, where an earlier look or an earlier watch ended before
    it had opened them."""
    took: float | None = None
    """How many seconds the last look took; None before the first."""
    latest: "Latest" = field(default_factory=dict)
    """What the last look collected."""
    is_short: bool = False
    """Whether someone had nothing to do then."""
    threads: ThreadPool
    """A thread that ends with the process, whatever it does."""
    measuring: "tuple[Due, AsyncResult[list[pd.DataFrame]]] | None" = None
    """What is being measured."""


def main(arguments: Arguments) -> None:
    """Look until no answer is waited for; a server or store that is busy is looked at again after the wait."""
    campaign, seconds = Campaign(arguments), _read_seconds(arguments.every)
    _ = campaign.assignments  # a mistyped name is reported before a missing server
    with campaign.store.lock(f"{campaign.lock}-watch"), ThreadPool(1) as threads:
        kept, is_over = Kept(threads=threads), False
        while not is_over:
            try:
                with connect(arguments) as client:
                    while not (is_over := _look(campaign, client, seconds, kept)):
                        _wait(client, seconds, kept)
            except (ServerError, StoreBusy) as fault:
                if kept.took is None and isinstance(fault, ServerError):
                    raise
                say(f"not now: {fault}")
                time.sleep(seconds)
    say("all is answered")
    say_steps(campaign.store, campaign.name)


def _look(campaign: Campaign, client: "LabelStudio", seconds: float, kept: Kept) -> bool:
    """Collect, hand out and open once, and have the annotators measured; return whether all is answered.

    `seconds`: how long until the next look, at most. Measuring keeps no one waiting: it goes on beside the next looks,
    and the first one that finds it done writes it.
    """
    began = time.monotonic()
    with campaign.alone():
        _open(campaign, client, kept.known)
    kept.latest = collecting.collect(campaign, client)
    with campaign.alone():
        _hand_over(campaign)
        progress = call_where_needed(campaign, seconds + (kept.took or 0)) if len(campaign.ratings) else None
        if progress:
            say_further(progress)
        is_over = bool(len(campaign.ratings)) and is_finished(campaign, progress)
        kept.is_short = is_short_of_work(campaign, progress)
        _open(campaign, client, kept.known)
        _measure(campaign, kept, is_over=is_over)
    if is_over and kept.measuring:
        due, made = kept.measuring
        rows = made.get()
        with campaign.alone():
            record(campaign, due, rows)
    kept.took = time.monotonic() - began
    return is_over


def _wait(client: "LabelStudio", seconds: float, kept: Kept) -> None:
    """Let the seconds pass; where someone has nothing to do, only until the server has a new answer.

    It is at least as long as the look took, so that looks never take more than half of the time.
    """
    end = time.monotonic() + seconds
    time.sleep(min(seconds, kept.took or 0) if kept.is_short else seconds)
    while time.monotonic() < end and client.latest() == kept.latest:
        time.sleep(min(POLL, seconds))


def _measure(campaign: Campaign, kept: Kept, *, is_over: bool) -> None:
    """Write what has been measured, and begin with what is due, unless that still goes on."""
    if kept.measuring and (is_over or kept.measuring[1].ready()):
        due, made = kept.measuring
        kept.measuring = None
        record(campaign, due, made.get())
    if kept.measuring is None and (next_due := find_due(campaign, is_over=is_over)):
        kept.measuring = next_due, kept.threads.apply_async(next_due.compute)


def _open(campaign: Campaign, client: "LabelStudio", known: set[str]) -> None:
    """Open what is not yet `known` to be open, and add it there."""
    from annotation.label_studio.opening import open_projects

    if new := set(campaign.assignments["assignment_id"]) - known:
        opened = open_projects(campaign, client, new)
        known |= new
        if opened.tasks:
            say(f"{opened.tasks} tasks are new in {opened.open} projects")


def _hand_over(campaign: Campaign) -> None:
    """Give the open pairs of those who left to others, where anybody can take them now."""
    left = campaign.annotators.index[campaign.annotators["state"] == LEFT]
    for name in left:
        if len(open_work(campaign, name)):
            new, _ = hand_over(campaign, name, int(campaign.plan["seed"]), "release")
            campaign.refresh()
            if len(new):
                say(f"{len(new)} open pairs of {name} go to {new['annotator'].nunique()} others")


def _read_seconds(every: str) -> float:
    found = re.fullmatch(r"([0-9]{1,6}+(?:\.[0-9]{1,3}+)?+)([smh])", every)
    if found is None or float(found[1]) == 0:
        raise InputError("--every", expected="a time such as 30s, 5m or 1h", found=repr(every), remedy="write it so")
    return float(found[1]) * UNITS[found[2]]
