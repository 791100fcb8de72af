"""One annotator in mid-campaign: whether they take further pairs, and who takes over their open ones."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from annotation.assignment.reassignment import replace
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.plan import behind, complete
from annotation.campaign.planning.sequence import seen
from annotation.campaign.progress.suspects import describe, find_couples, trusted
from annotation.config import ReassignRule
from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import say
from data.contract.tables.campaign import Annotators, Assignments
from data.contract.vocabulary import LEFT, VOTING


@dataclass(frozen=True, kw_only=True)
class OfPerson(OfCampaign):
    """The annotator that a command is about."""

    name: Positional[str]
    """The annotator's pseudonym, such as a07."""


def require_annotator(campaign: Campaign, name: str) -> None:
    """Raises InputError where no annotator of this name is in the campaign."""
    if name not in campaign.annotators.index:
        raise InputError(
            f"campaign {campaign.name}",
            expected="one of the annotators " + ", ".join(campaign.annotators.index),
            found=repr(name),
            remedy="name one of them (`python -m annotation status`)",
        )


def change_state(arguments: OfPerson, state: Literal["active", "paused"]) -> Campaign:
    """Pause or resume an annotator; returns the campaign. Raises InputError for one who left, or is unknown."""
    campaign = Campaign(arguments)
    with campaign.alone():
        require_annotator(campaign, arguments.name)
        if campaign.annotators.loc[arguments.name, "state"] == LEFT:
            raise InputError(
                arguments.name,
                expected="an annotator who takes part",
                found="one who left",
                remedy="name another (`python -m annotation status`)",
            )
        set_state(campaign, arguments.name, state)
    return campaign


def set_state(campaign: Campaign, name: str, state: str) -> None:
    """Append the annotator's new state, if it is another."""
    row = campaign.annotators.loc[[name]]
    if (row["state"] != state).item():
        manifest = campaign.manifest("people", ReassignRule(), counts={name: state})
        campaign.store.append(Annotators, row.assign(state=state, at=campaign.now()), manifest)


def open_work(campaign: Campaign, name: str) -> pd.DataFrame:
    """The assignments of work that the annotator has not answered."""
    waiting = campaign.waiting
    return waiting[(waiting["annotator"] == name) & waiting["kind"].isin(VOTING)].reset_index(drop=True)


def _work_without_answer(campaign: Campaign, name: str) -> pd.DataFrame:
    """The assignments of work that no one took over and that have no answer, also of rounds that are over: there the
    answers of who withdraws counted until they were deleted.
    """
    asked = campaign.assignments
    own = asked[(asked["annotator"] == name) & asked["kind"].isin(VOTING)]
    done = [*campaign.answered, *asked["supersedes"].dropna()]
    return own[~own["assignment_id"].isin(done)].reset_index(drop=True)


def hand_over(
    campaign: Campaign, name: str, seed: int, verb: Literal["release", "withdraw"]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Assign an annotator's open work to trusted others; returns the new rows and the rejects (id, reason, detail).

    The assignments of who stops (`release`) keep their rounds, so that what was answered in each stays together;
    ratings of an annotator who withdraws all go to the latest round, since earlier ones may have been judged.
    """
    open_ = (_work_without_answer if verb == "withdraw" else open_work)(campaign, name)
    rule = ReassignRule()
    couples = find_couples(campaign)
    room = campaign.room(sorted(trusted(campaign, couples) - {name}))
    for who, what in describe(couples) if len(open_) else ():
        say(f"gets none of them: {who}: {what}")
    new, rejects = replace(open_, seen(campaign), room, seed)
    rounds = new["supersedes"].map(open_.set_index("assignment_id")["round"]).astype("int64")
    new = new.assign(round=int(campaign.assignments["round"].max()) if verb == "withdraw" else rounds)
    manifest = campaign.manifest(verb, rule, seed, {"open": len(open_), "given": len(new)})
    if len(new):
        campaign.store.append(Assignments, complete(campaign, behind(campaign, new)), manifest)
    campaign.reject(verb, rejects, manifest)
    return new, rejects


def say_unassigned(rejects: pd.DataFrame) -> None:
    """Say how many pairs found no annotator, why, and what can be done."""
    for reason, n in rejects["reason"].value_counts().items():
        say(f"{n} stay without an annotator: {reason}")
    if len(rejects):
        say("they keep fewer votes than planned, unless you `annotation resume` one of them and run this again")
