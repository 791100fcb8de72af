"""The verbs about one annotator in mid-campaign: `release` (open pairs go to others), `withdraw`, `pause`, `resume`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import pandas as pd
from tyro.conf import Positional

from annotation.assignment import senior_review
from annotation.assignment.reassignment import replace
from annotation.campaign import accounts, withdrawal
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.plan import complete
from annotation.commands.connection import AtServer, connect
from annotation.config import ReassignRule
from annotation.label_studio.projects import title
from data.console import say, say_next
from data.errors import InputError
from data.tables.campaign import Annotators, Assignments
from data.vocabulary import VOTING


@dataclass(frozen=True, kw_only=True)
class OfPerson(OfCampaign):
    """The annotator that a verb is about."""

    name: Annotated[str, Positional]
    """The annotator's pseudonym, such as a07."""


@dataclass(frozen=True, kw_only=True)
class Release(OfPerson):
    """Give an annotator's open pairs to others who have not seen them, evenly; what was answered stays and counts."""

    seed: int = 1
    """What order and sides of the new assignments are drawn from."""


@dataclass(frozen=True, kw_only=True)
class Withdraw(OfPerson, AtServer):
    """Take all that a person said out for ever, from the server, the tables and their past; others label it again.

    Measures, verdicts and labels go with it and are made again. Copies that were exported, packed or published before,
    and backups of the server, are not reached.
    """

    reason: str = "asked for"
    """Why, for the table of tombstones; no name of a person."""

    seed: int = 1
    """What order and sides of the new assignments are drawn from."""


@dataclass(frozen=True, kw_only=True)
class Pause(OfPerson):
    """Give an annotator no further pairs until `resume`; the open ones stay where they are."""


@dataclass(frozen=True, kw_only=True)
class Resume(OfPerson):
    """Let a paused annotator take further pairs again."""


def release(arguments: Release) -> None:
    """Appends the others' assignments to the rounds of the open ones; run again it finds nothing open."""
    campaign = Campaign(arguments)
    with campaign.alone():
        _demand_known(campaign, arguments.name)
        n_open = len(_open_work(campaign, arguments.name))
        new, rejects = _hand_over(campaign, arguments)
        _set_state(campaign, arguments.name, "left")
    say(f"{len(new)} of {n_open} open pairs of {arguments.name} go to {new['annotator'].nunique()} others")
    _say_rejects(rejects)
    say_next("python -m annotation open", *campaign.flags)


def withdraw(arguments: Withdraw) -> None:
    """The tombstone first, then the server, then the tables; run again after an interruption it ends what was begun."""
    campaign, name = Campaign(arguments), arguments.name
    with campaign.alone():
        parts = withdrawal.arms(campaign)
        _demand_known(campaign, name)
        decided = senior_review.decisions(campaign.assignments, campaign.ratings)
        n_said, n_decided = sum(len(_said(part, name)) for part in parts), int((decided["annotator"] == name).sum())
        withdrawal.mark(campaign, name, arguments.reason)
        n_gone, paid = _withdraw_at_server(parts, arguments)
        for place, n in withdrawal.erase(parts, name):
            if n:
                say(f"  {n} rows removed from {place}")
        for part in parts:
            if name in part.annotators.index:
                _set_state(part, name, "left")
        campaign.refresh()
        new, rejects = _hand_over(campaign, arguments, latest_round=True)
        accounts.forget(campaign.store.root, campaign.name, name)
    say(f"{name} is withdrawn: {n_said} collected ratings and {n_gone} answers on the server are gone")
    n_ratings, hours = (sum(column) for column in zip(*paid, strict=True))
    say(f"{n_ratings} ratings and {hours:.2f} hours stay in the pay list, under {name} alone: the address is forgotten")
    say(f"{len(new)} pairs have to be labelled again and go to {new['annotator'].nunique()} others")
    _say_rejects(rejects)
    if n_decided:
        say(f"{n_decided} pairs lose a senior's decision: python -m annotation review blind")
    say("measures, verdicts and labels are gone: make them again when all is labelled; then splits, report and release")
    say_next("python -m annotation open", *campaign.flags)


def pause(arguments: Pause) -> None:
    """Sets the state `paused`."""
    _change(arguments, "paused", "gets no further pairs; the open ones stay")


def resume(arguments: Resume) -> None:
    """Sets the state `active`."""
    _change(arguments, "active", "may get further pairs")


def _change(arguments: OfPerson, state: str, meaning: str) -> None:
    campaign = Campaign(arguments)
    with campaign.alone():
        _demand_known(campaign, arguments.name)
        if campaign.annotators.loc[arguments.name, "state"] == "left":
            raise InputError(
                arguments.name, expected="an annotator of the campaign", found="one who left", remedy="name another"
            )
        _set_state(campaign, arguments.name, state)
    say(f"{arguments.name} {meaning}")


def _set_state(campaign: Campaign, name: str, state: str) -> None:
    row = campaign.annotators.loc[[name]]
    if (row["state"] != state).item():
        manifest = campaign.manifest("people", ReassignRule(), counts={name: state})
        campaign.store.append(Annotators, row.assign(state=state, at=datetime.now(UTC)), manifest)


def _demand_known(campaign: Campaign, name: str) -> None:
    if name not in campaign.annotators.index:
        raise InputError(
            f"campaign {campaign.name}",
            expected="one of the annotators " + ", ".join(campaign.annotators.index),
            found=repr(name),
            remedy="name one of them (`python -m annotation status`)",
        )


def _open_work(campaign: Campaign, name: str) -> pd.DataFrame:
    """The assignments of work that wait for the annotator."""
    waiting = campaign.waiting
    return waiting[(waiting["annotator"] == name) & waiting["kind"].isin(VOTING)].reset_index(drop=True)


def _hand_over(
    campaign: Campaign, arguments: Release | Withdraw, *, latest_round: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Appends others' assignments for the person's open work, in its rounds or all in the latest; and the rejects."""
    open_, rule = _open_work(campaign, arguments.name), ReassignRule()
    room = campaign.room(sorted(campaign.working() - {arguments.name}))
    new, rejects = replace(open_, campaign.assignments, room, rule, arguments.seed)
    rounds = new["supersedes"].map(open_.set_index("assignment_id")["round"]).astype("int64")
    new = new.assign(round=int(campaign.assignments["round"].max()) if latest_round else rounds)
    verb = "withdraw" if latest_round else "release"
    manifest = campaign.manifest(verb, rule, arguments.seed, {"open": len(open_), "given": len(new)})
    if len(new):
        campaign.store.append(Assignments, complete(campaign, _behind(campaign, new)), manifest)
    campaign.reject(rejects, manifest)
    return new, rejects


def _say_rejects(rejects: pd.DataFrame) -> None:
    for reason, n in rejects["reason"].value_counts().items():
        say(f"{n} stay without an annotator: {reason}")


def _behind(campaign: Campaign, new: pd.DataFrame) -> pd.DataFrame:
    """The new rows, in their order behind what each annotator has in that round already."""
    last = campaign.assignments.groupby(["round", "annotator"])["position"].max()
    before = pd.MultiIndex.from_frame(new[["round", "annotator"]]).map(last.to_dict())
    return new.assign(position=new["position"] + pd.Series(before, index=new.index).fillna(-1).astype("int64") + 1)


def _said(campaign: Campaign, name: str) -> pd.DataFrame:
    """The person's collected ratings."""
    own = campaign.assignments.loc[campaign.assignments["annotator"] == name, "assignment_id"]
    return campaign.ratings[campaign.ratings["assignment_id"].isin(own)]


def _withdraw_at_server(parts: Sequence[Campaign], arguments: Withdraw) -> tuple[int, list[tuple[int, float]]]:
    """Deletes the person's projects: how many answers went, and of each campaign the ratings and hours to be paid.

    Raises ServerError where a named server does not answer. A store whose own server was never started has nothing
    there.
    """
    root, name = parts[0].store.root, arguments.name
    said = [_said(part, name) for part in parts]
    if arguments.url is None and not (root / "server").exists():
        return 0, [withdrawal.note_work(part, name, rows) for part, rows in zip(parts, said, strict=True)]
    email = parts[0].emails()[name]
    with connect(arguments) as client:
        there, own, paid = client.projects(), [], []
        for part, rows in zip(parts, said, strict=True):
            titles = [title(part, int(number), name) for number in part.assignments["round"].unique()]
            found = [there[title] for title in titles if title in there]
            frames = [client.collect(one).rename(columns={"assignment": "assignment_id"}) for one in found]
            columns = ["assignment_id", "submitted_at", "skipped", "seconds"]
            paid.append(withdrawal.note_work(part, name, pd.concat([one[columns] for one in (rows, *frames)])))
            own += found
        return client.withdraw(own, email, close=not accounts.elsewhere(root, parts[0].name, email)), paid
