"""The command `status`: what has been played, what it cost, and how far people agree with the judges."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.messages import figure, say
from data.console.paths import Address
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import PairMeasures
from data.contract.tables.labels import Labels
from data.contract.vocabulary import MAJORITY
from data.guidance.next_steps import say_steps
from data.recorded import played
from data.storage.store import Store
from paraphrase_game.game.agreement import compare
from paraphrase_game.game.pairing import GENERATOR


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show sentences, attempts, pay and pairs of a store, and how far people's labels agree with the judges."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    method: str = MAJORITY
    """The method of the labels that the judges are compared with."""


def main(arguments: Arguments) -> None:
    """Print one line per source, game and measure, and the next command."""
    store = Store(arguments.store)
    for source, part in store.read(Prompts).groupby("source"):
        say(f"{len(part):,} sentences from {source}")
    attempts = played.latest_attempts(store.read(Attempts))
    for names, part in attempts.groupby(["campaign", "round"]):
        _say_round(", round ".join(map(str, names)), part)
    measures = store.read(PairMeasures, generator=GENERATOR)
    judged = measures[measures["measure"] == "mi"]
    labels = store.read(Labels, method=arguments.method, further=False).dropna(subset="binary")
    compared = {str(campaign): compare(judged, rows) for campaign, rows in labels.groupby("campaign")}
    for campaign, agreement in compared.items():
        if agreement.n:
            say(
                f"people of {campaign} and judges on {agreement.n:,} pairs: {agreement.agree:.1%} agree, "
                f"MCC {figure(agreement.mcc)}, kappa {figure(agreement.kappa)}; people accept "
                f"{figure(agreement.precision)} of what the judges accept"
            )
    say_steps(store, generator=GENERATOR)


def _say_round(name: str, rows: pd.DataFrame) -> None:
    n = played.count(rows)
    say(
        f"{name}: {n['players']} players, {n['checks']:,} checks, {n['submitted']:,} submitted, {n['same']:,} mean the "
        f"same by the judges, {n['refused']:,} refused, {n['checks'] - n['judged'] - n['refused']:,} not judged; "
        f"{(n['base'] + n['bonus']) / 100:.2f} paid"
    )
