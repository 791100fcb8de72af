"""The command `withdraw`: all of an annotator's answers are deleted for good."""

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from annotation.assignment import senior_review
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import withdrawal
from annotation.campaign.people.members import OfPerson, hand_over, require_annotator, say_unassigned, set_state
from annotation.label_studio.connection import AtServer
from annotation.label_studio.withdrawing import collected, withdraw_at_server
from data.console.messages import say
from data.contract.vocabulary import LEFT
from data.guidance.next_steps import say_steps
from data.provenance.removal import Removal
from data.provenance.takedown import remove_written


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPerson, AtServer):
    """Delete all answers of a person for good, from the server, the tables and their past; others label the pairs.

    Measures, verdicts and labels go with it and have to be computed again; so do texts that they alone corrected, with
    what others answered about these. Copies that were exported, packed or published before, and backups of the server,
    are out of reach.
    """

    reason: str = "asked for"
    """Why, for the table of tombstones; no name of a person."""

    seed: int = 1
    """Seed of the order and sides of the new assignments."""


def main(arguments: Arguments) -> None:
    """Write the tombstone first, then clear the server, then the tables; run again it finishes what was interrupted."""
    campaign, name = Campaign(arguments), arguments.name
    with campaign.alone(), ExitStack() as locks:
        parts = withdrawal.arms(campaign)
        require_annotator(campaign, name)
        decided = senior_review.decisions(campaign.assignments, campaign.ratings)
        n_decided = int((decided["annotator"] == name).sum())
        n_collected = sum(len(collected(part, name)) for part in parts)
        removal = withdrawal.find_corrections(parts, name)
        withdrawal.require_unquoted(removal, campaign.store)
        asked = withdrawal.asked_about(removal, campaign.store)
        for lock in sorted({other.lock for other in asked} - {campaign.lock}):
            locks.enter_context(campaign.store.lock(lock))
        at = withdrawal.mark(campaign, name, arguments.reason)
        n_deleted, paid = withdraw_at_server(parts, name, asked, at, arguments)
        _say_corrected(removal, asked)
        corrected = remove_written(campaign.store, removal) if removal.definitions else iter(())
        for place, n in chain(corrected, withdrawal.erase(parts, name)):
            if n:
                say(f"  {n} rows removed from {place}")
        for part in parts:
            if name in part.annotators.index:
                set_state(part, name, LEFT)
        campaign.refresh()
        new, rejects = hand_over(campaign, name, arguments.seed, "withdraw")
        accounts.forget(campaign.store.root, campaign.study, name)
    say(f"{name} is withdrawn: {n_collected} collected ratings and {n_deleted} answers on the server are deleted")
    n_ratings, hours = (sum(column) for column in zip(*paid, strict=True))
    say(f"{n_ratings} ratings and {hours:.2f} hours stay in the pay list, under {name} alone: the address is deleted")
    say(f"{len(new)} pairs have to be labelled again and go to {new['annotator'].nunique()} others")
    say_unassigned(rejects)
    if n_decided:
        say(f"{n_decided} pairs lose a senior's decision: python -m annotation review blind")
    say("measures, verdicts and labels are deleted: once all pairs are labelled, compute them, splits and report again")
    say_steps(campaign.store, campaign.name)


def _say_corrected(removal: Removal, asked: dict[Campaign, pd.DataFrame]) -> None:
    """Say what falls in other campaigns with the texts that the person alone wrote."""
    if removal.definitions:
        say(f"{len(removal.definitions)} texts that no one else wrote are removed")
    for campaign, rows in asked.items():
        n_ratings = int(campaign.ratings["assignment_id"].isin(rows["assignment_id"]).sum())
        n_pairs, others = rows["pair_id"].nunique(), "" if n_ratings == 0 else f" and {n_ratings} ratings by others"
        say(f"  campaign {campaign.name} loses {n_pairs} pairs{others}, whose pay stays: compute its measures again")
