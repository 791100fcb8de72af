"""The command `select`: pairs of other generators that models have scored -> those to label next."""

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from clustering.config import SelectConfig
from data.console.errors import Findings
from data.console.messages import quantity
from data.console.paths import Address
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CAMPAIGN
from data.guidance.next_steps import say_steps
from data.labelled.label_set import Campaigns
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import digest
from data.texts.languages.base import Language

if TYPE_CHECKING:
    from clustering.acquisition.unlabelled import Candidates

STAGE = "clustering"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Select the pairs to label next among those that other generators proposed, by the scores of models."""

    config: SelectConfig
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    campaigns: Campaigns = (CAMPAIGN,)
    """The campaigns whose labels the models learned from. What they, or another campaign with their question, have
    labelled or assigned is left out."""
    generator: str | None = None
    """The name of these pairs beside other runs' pairs; by default the value of --selection."""
    scored_by: tuple[str, ...] = ()
    """The models by their names in the table `runs`, or "NAME, seed 2" for one of several seeds; by default all that
    scored a candidate."""
    among: tuple[str, ...] = ()
    """The generators whose pairs are the candidates; by default all others."""


def main(arguments: Arguments) -> None:
    """Write the pairs that models choose, and why the others were left out."""
    from clustering.acquisition import unlabelled

    store, config = Store(arguments.store), arguments.config
    generator = arguments.generator or config.selection
    require_own_generator(store, "--generator", generator, STAGE)
    with store.lock("clustering"):
        candidates = unlabelled.read(store, arguments.campaigns, arguments.among, arguments.scored_by, writes=generator)
        asked = {"campaigns": arguments.campaigns, "scored_by": arguments.scored_by, "among": arguments.among}
        manifest = Manifest(
            stage=STAGE,
            config=asdict(config) | asked,
            seed=config.seed,
            language=followed(store, Pairs).code,
            inputs=store.inputs(Runs, Predictions) | {"candidates": digest(*candidates.pairs["pair_id"])},
        )

        def make() -> Made:
            unlabelled.require_unplanned(store, generator)
            return _choose(candidates, config, followed(store, Pairs))

        run_stage(store, Pairs, manifest, make, noun="pair", generator=generator)
    if store.read(Pairs, columns=["pair_id"], generator=generator).empty:
        raise Findings("no pairs; see the reasons in the table `rejects`")
    say_steps(store, generator=generator)


def _choose(candidates: "Candidates", config: SelectConfig, language: Language) -> Made:
    from clustering.acquisition import priorities

    chosen, others = priorities.choose(candidates, config, language)
    settled = pd.DataFrame({"id": candidates.settled, "reason": "labelled_or_assigned", "detail": ""}, dtype=object)
    left = others.rename(columns={"pair_id": "id"})[["id", "reason", "detail"]]
    rejects = pd.concat([settled, left], ignore_index=True)
    lines = [
        f"{quantity(len(candidates.pairs), 'unlabelled pair')}, scored by {'; '.join(candidates.names)}",
        *(f"  {n} chosen: {kind}" for kind, n in chosen["selection"].value_counts().items()),
    ]
    expected = [(part["chance"].mean(), whose) for part, whose in ((chosen, "of these"), (others, "of the others"))]
    shares = [f"{share:.0%} {whose}" for share, whose in expected if not pd.isna(share)]
    lines.append(f"positive labels, by the models' scores: {', '.join(shares)}")
    if config.mix is not None and abs(expected[0][0] - config.mix) > 1 / max(1, len(chosen)):
        lines.append(f"note: these candidates come no nearer to the {config.mix:.0%} of --mix")
    if not config.random_share:
        lines.append("note: without a random share, nothing estimated from these labels holds for the other pairs")
    if len(chosen) < config.limit:
        counted = [f"{n:,} {reason}" for reason, n in others["reason"].value_counts().items()]
        why = (
            f"the others cannot be chosen ({', '.join(counted)}: see the table rejects)"
            if counted
            else "there are no more"
        )
        lines.append(f"fewer than the {config.limit} of --limit: {why}")
    counts = {"candidates": len(candidates.pairs) + len(settled)}
    return Made(rows=chosen.drop(columns="chance"), lines=lines, rejects=rejects, counts=counts)
