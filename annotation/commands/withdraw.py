"""The command `withdraw`: all of an annotator's answers are deleted for good."""

from dataclasses import dataclass

from annotation.assignment import senior_review
from annotation.campaign import accounts, withdrawal
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import LEFT, OfPerson, hand_over, require_annotator, say_unassigned, set_state
from annotation.label_studio.connection import AtServer
from annotation.label_studio.withdrawing import collected, withdraw_at_server
from data.console import say, say_next


@dataclass(frozen=True, kw_only=True)
class Withdraw(OfPerson, AtServer):
    """Delete all answers of a person for good, from the server, the tables and their past; others label the pairs.

    Measures, verdicts and labels go with it and have to be computed again. Copies that were exported, packed or
    published before, and backups of the server, are out of reach.
    """

    reason: str = "asked for"
    """Why, for the table of tombstones; no name of a person."""

    seed: int = 1
    """Seed of the order and sides of the new assignments."""


def main(arguments: Withdraw) -> None:
    """Write the tombstone first, then clear the server, then the tables; run again it finishes what was interrupted."""
    campaign, name = Campaign(arguments), arguments.name
    with campaign.alone():
        parts = withdrawal.arms(campaign)
        require_annotator(campaign, name)
        decided = senior_review.decisions(campaign.assignments, campaign.ratings)
        n_decided = int((decided["annotator"] == name).sum())
        n_collected = sum(len(collected(part, name)) for part in parts)
        withdrawal.mark(campaign, name, arguments.reason)
        n_deleted, paid = withdraw_at_server(parts, name, arguments)
        for place, n in withdrawal.erase(parts, name):
            if n:
                say(f"  {n} rows removed from {place}")
        for part in parts:
            if name in part.annotators.index:
                set_state(part, name, LEFT)
        campaign.refresh()
        new, rejects = hand_over(campaign, name, arguments.seed, "withdraw")
        accounts.forget(campaign.store.root, campaign.name, name)
    say(f"{name} is withdrawn: {n_collected} collected ratings and {n_deleted} answers on the server are deleted")
    n_ratings, hours = (sum(column) for column in zip(*paid, strict=True))
    say(f"{n_ratings} ratings and {hours:.2f} hours stay in the pay list, under {name} alone: the address is deleted")
    say(f"{len(new)} pairs have to be labelled again and go to {new['annotator'].nunique()} others")
    say_unassigned(rejects)
    if n_decided:
        say(f"{n_decided} pairs lose a senior's decision: python -m annotation review blind")
    say("measures, verdicts and labels are deleted: once all pairs are labelled, compute them, splits and report again")
    say_next("python -m annotation open", *campaign.flags)
