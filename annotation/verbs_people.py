"""The verbs about one annotator in mid-campaign: `release` (open pairs go to others), `withdraw`, `pause`, `resume`."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import pandas as pd
from tyro.conf import Positional

from annotation import accounts, review, withdrawal
from annotation.campaign import Campaign, OfCampaign
from annotation.config import ReassignRule
from annotation.connection import AtServer, connect
from annotation.rounds import replace
from annotation.verbs_plan import complete
from data import schemas
from data.console import say, say_next
from data.errors import InputError


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
        open_ = _open_work(campaign, arguments.name)
        others = campaign.working() - {arguments.name}
        room, rule = campaign.room(sorted(others)), ReassignRule()
        parts = [replace(rows, campaign.assignments, room, rule, arguments.seed) for _, rows in open_.groupby("round")]
        numbers = sorted(open_["round"].unique())
        new = pd.concat([rows.assign(round=n) for n, (rows, _) in zip(numbers, parts, strict=True)] or [_nothing()])
        rejects = pd.concat([rows for _, rows in parts] or [pd.DataFrame(columns=["id", "reason", "detail"])])
        manifest = campaign.manifest("release", rule, arguments.seed, {"open": len(open_), "given": len(new)})
        if len(new):
            campaign.store.append(schemas.Assignments, complete(campaign, _behind(campaign, new)), manifest)
        campaign.reject(rejects, manifest)
        _set_state(campaign, arguments.name, "left")
    say(f"{len(new)} of {len(open_)} open pairs of {arguments.name} go to {new['annotator'].nunique()} others")
    for reason, n in rejects["reason"].value_counts().items():
        say(f"{n} stay without an annotator: {reason}")
    say_next("python -m annotation open", *campaign.flags)


def withdraw(arguments: Withdraw) -> None:
    """The tombstone first, then the server, then the tables; run again after an interruption it ends what was begun."""
    campaign, name = Campaign(arguments), arguments.name
    with ExitStack() as locks:
        for one in withdrawal.arms(campaign):
            locks.enter_context(one.alone())
        parts = withdrawal.arms(campaign)
        _demand_known(campaign, name)
        decided = review.decisions(campaign.assignments, campaign.ratings)
        n_said, n_decided = sum(len(_said(part, name)) for part in parts), int((decided["annotator"] == name).sum())
        withdrawal.mark(campaign, name, arguments.reason)
        n_gone, paid = _withdraw_at_server(parts, arguments)
        for place, n in withdrawal.erase(parts, name):
            if n:
                say(f"  {n} rows removed from {place}")
        for part in parts:
            if name in part.annotators.index:
                _set_state(part, name, "left")
        again, rejects = _label_again(Campaign(arguments), arguments)
        accounts.forget(campaign.store.root, campaign.name, name)
    say(f"{name} is withdrawn: {n_said} collected ratings and {n_gone} answers on the server are gone")
    n_ratings, hours = (sum(column) for column in zip(*paid, strict=True))
    say(f"{n_ratings} ratings and {hours:.2f} hours stay in the pay list, under {name} alone: the address is forgotten")
    say(f"{len(again)} pairs have to be labelled again and go to {again['annotator'].nunique()} others")
    for reason, n in rejects["reason"].value_counts().items():
        say(f"{n} stay without an annotator: {reason}")
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
        campaign.store.append(schemas.Annotators, row.assign(state=state, at=datetime.now(UTC)), manifest)


def _demand_known(campaign: Campaign, name: str) -> None:
    if name not in campaign.annotators.index:
        raise InputError(
            f"campaign {campaign.name}",
            expected="one of the annotators " + ", ".join(campaign.annotators.index),
            found=repr(name),
            remedy="name one of them (`python -m annotation status`)",
        )


def _open_work(campaign: Campaign, name: str) -> pd.DataFrame:
    """assignment_id, pair_id and round of what the annotator has not answered and nobody has taken over."""
    ballots = campaign.ballots
    mine = (ballots["annotator"] == name) & ballots["state"].isin(["open", "skipped"]) & ballots["replaced_in"].isna()
    return ballots.loc[mine, ["assignment_id", "pair_id", "round"]].reset_index(drop=True)


def _behind(campaign: Campaign, new: pd.DataFrame) -> pd.DataFrame:
    """The new rows, in their order behind what each annotator has in that round already."""
    last = campaign.assignments.groupby(["round", "annotator"])["position"].max()
    before = pd.MultiIndex.from_frame(new[["round", "annotator"]]).map(last.to_dict())
    return new.assign(position=new["position"] + pd.Series(before, index=new.index).fillna(-1).astype("int64") + 1)


def _nothing() -> pd.DataFrame:
    return pd.DataFrame(columns=["round", "pair_id", "annotator", "supersedes", "position", "flipped"])


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
            titles = [part.title(int(number), name) for number in part.assignments["round"].unique()]
            found = [there[title] for title in titles if title in there]
            frames = [client.collect(one).rename(columns={"assignment": "assignment_id"}) for one in found]
            columns = ["assignment_id", "submitted_at", "skipped", "seconds"]
            paid.append(withdrawal.note_work(part, name, pd.concat([one[columns] for one in (rows, *frames)])))
            own += found
        return client.withdraw(own, email, close=not accounts.elsewhere(root, parts[0].name, email)), paid


def _label_again(campaign: Campaign, arguments: Withdraw) -> tuple[pd.DataFrame, pd.DataFrame]:
    """New assignments, in the latest round, for all work of the person that nobody has taken over; and the rejects."""
    ballots = campaign.ballots
    open_ = ballots.loc[(ballots["annotator"] == arguments.name) & ballots["replaced_in"].isna()]
    others = sorted(campaign.working() - {arguments.name})
    rule = ReassignRule()
    rows = open_[["assignment_id", "pair_id"]].reset_index(drop=True)
    new, rejects = replace(rows, campaign.assignments, campaign.room(others), rule, arguments.seed)
    manifest = campaign.manifest("withdraw", rule, arguments.seed, {"again": len(open_), "given": len(new)})
    if len(new):
        new = new.assign(round=int(campaign.assignments["round"].max()))
        campaign.store.append(schemas.Assignments, complete(campaign, _behind(campaign, new)), manifest)
    campaign.reject(rejects, manifest)
    return new, rejects
