"""The command `simulate`: annotators of known quality label through the real server, as people do."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign.campaign import Campaign
from annotation.campaign.people.simulated import script, simulated_accounts, write_truth
from annotation.label_studio.connection import AtServer, endpoint
from annotation.label_studio.simulated.simulating import label
from annotation.label_studio.simulated.sitting import Sitting
from annotation.simulation import behaviour
from annotation.simulation.answering import latent_classes
from annotation.simulation.noise import Noise
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit
from data.console.messages import say, say_next

MAX_SPREAD = 0.5
"""A chance that could move further either way would leave 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Let simulated annotators label all open assignments through the server; their answers are marked as simulated.

    They must be no people: planned by number, or with addresses that end in .parade.invalid.
    """

    profiles: str = "good:5,careless:2,guessing:1"
    """How many annotators are of which kind (good, careless, guessing, always-2, overlap, drifting, tiring); or a JSON
    file that maps names to {"annotators": number, "confusion": for each true answer the chances of each}."""

    noise: Advanced[Noise] = "clear"
    """How hard the pairs are: `clear` (the good give 95 % right answers, the careless 40 % of four), or like PARADE's
    (the good give 68 to 80 % right votes, the careless 60 %)."""

    unequal: Advanced[float] = 0.0
    """Spread of difficulty: a pair's ease is drawn uniformly within plus or minus this, up to 0.5, and is
    added to everybody's chance of a right vote, as far as that can move both ways. So the votes are right as often as
    before, and more often unanimous."""

    truth: Advanced[Path | None] = None
    """The true answers to the question's vote: a sheet with the columns pair_id and score, or the folder of the
    published PARADE files (a pair's votes are its score). If left out, hidden ones are drawn, higher where
    texts overlap more."""

    pairs_each: Limit[int | None] = None
    """Stop when each has labelled this many, as people do in the evening; all that is open if left out."""

    seed: int = 1
    """Seed of the latent scores, the pairs' ease, the errors and the times."""


def main(arguments: Arguments) -> None:
    """Label what is open, and write truth and roles to the store; run again after an interruption it continues."""
    campaign, seed, unequal = Campaign(arguments), arguments.seed, _read_unequal(arguments)
    require_at_least("--pairs-each", arguments.pairs_each, 1)
    with campaign.store.lock(f"simulation-{campaign.study}"):
        workers = simulated_accounts(campaign)
        busy = set(campaign.waiting["annotator"]) - campaign.withdrawn
        profiles = behaviour.match_profiles(
            behaviour.read_profiles(arguments.profiles, arguments.noise, latent_classes(campaign.question)),
            [worker.annotator for worker in workers],
        )
        truth = write_truth(campaign, profiles, arguments.truth, seed, unequal)
        url, key = endpoint(arguments)
        sittings = [Sitting(url, worker, simulation_key=key) for worker in workers if worker.annotator in busy]
        answers = script(campaign, profiles, truth, seed, unequal)
        n_labelled = label(campaign, sittings, answers, arguments.pairs_each)
    say(f"{n_labelled} assignments labelled at {url} by {len(sittings)} simulated annotators (marked in annotators)")
    say(f"the true scores of the {len(truth)} pairs are in {campaign.store.address}/simulated_truth")
    say_next("python -m annotation collect", *campaign.flags)


def _read_unequal(arguments: Arguments) -> float:
    if not 0 <= arguments.unequal <= MAX_SPREAD:
        expected, remedy = f"0 to {MAX_SPREAD}", "give another number"
        raise InputError("--unequal", expected=expected, found=str(arguments.unequal), remedy=remedy)
    return arguments.unequal
