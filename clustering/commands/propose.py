"""The command `propose`: definitions -> pairs."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from clustering.config import Config
from data.console.errors import Findings, TableError
from data.console.marks import Advanced
from data.console.messages import progress, quantity
from data.console.paths import Address
from data.contract.tables.definitions import Definitions
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.guidance.next_steps import say_steps
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator
from data.storage.engine import HERE, PROCESSES, check
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store

if TYPE_CHECKING:
    from clustering.candidates.pairs import PairProposal

STAGE = "clustering"
MOST_HERE = 20_000
RECIPES: Mapping[str, Config] = {"recommended": Config.recommended(), "paper": Config.paper(), "hard": Config.hard()}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Propose pairs of definitions that may mean the same: any two of an entity's definitions in one cluster."""

    recipe: str
    """Whose settings hold where a flag gives no other."""
    config: Config
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    generator: str | None = None
    """The name of these pairs beside other runs' pairs; the recipe's name by default."""
    engine: Advanced[str | None] = None
    """Where entities are clustered: `here`, `processes`, `processes:N`, or `dask:ADDRESS` of a scheduler whose workers
    see the store's folder. By default `here` for up to 20,000 definitions, otherwise `processes`. The table is the
    same."""


def main(arguments: Arguments) -> None:
    """Write the pairs of one generator, and everything that was dropped on the way from the definitions."""
    from clustering.candidates.shards import remove

    logging.getLogger("gensim").setLevel(logging.ERROR)
    store, generator = Store(arguments.store), arguments.generator or arguments.recipe
    if arguments.engine is not None:
        check(arguments.engine)
    require_own_generator(store, "--generator", generator, STAGE)
    language = followed(store, Definitions, chosen=arguments.config.language).code
    arguments = replace(arguments, config=replace(arguments.config, language=language))
    with store.lock("clustering"):
        arguments = replace(arguments, config=arguments.config.at_size(_n_words(store)))
        manifest = _manifest(store, arguments)
        run_stage(store, Pairs, manifest, lambda: _make(store, manifest, arguments), noun="pair", generator=generator)
        remove(_shards(store, manifest))
    if store.read(Pairs, columns=["pair_id"], generator=generator).empty:
        reasons = store.read(Rejects, columns=["reason"], stage="clustering", part=generator)["reason"]
        hint = " (no_known_word: try --min-count 1)" if "no_known_word" in set(reasons) else ""
        raise Findings(f"no pairs; see the reasons in the table `rejects`{hint}")
    say_steps(store)


def _n_words(store: Store) -> int:
    return int(store.read(Definitions, columns=["n_words"])["n_words"].sum())


def _manifest(store: Store, arguments: Arguments) -> Manifest:
    return Manifest(
        stage=STAGE,
        config=arguments.config,
        recipe=arguments.recipe,
        language=arguments.config.language,
        seed=arguments.config.seed,
        inputs=store.inputs(Definitions),
    )


def _make(store: Store, manifest: Manifest, arguments: Arguments) -> Made:
    definitions = store.read(Definitions, columns=["definition_id", "entity", "text"])
    if definitions.empty:
        raise TableError(
            "definitions",
            expected="rows",
            found="none",
            remedy=f"run `python -m crawler.definitions --store {store.address}` first",
        )
    proposal = _propose(store, definitions, manifest, arguments)
    n_pairs = len(proposal.pairs)
    in_pairs = "in clusters of two or more" if not arguments.config.contrasts else "in clusters or pairs beside them"
    lines = [
        f"{quantity(len(definitions), 'definition')}, {proposal.n_clustered} of them {in_pairs}",
        f"{quantity(proposal.n_candidates, 'candidate pair')}, {n_pairs} kept",
    ]
    if n_pairs < (arguments.config.limit or 0):
        lines.append(f"fewer than the {arguments.config.limit} of --limit: there are no more candidates")
    kinds = proposal.pairs["selection"]
    for kind, n_wanted in arguments.config.contrasts.items():
        n, few = int((kinds == kind).sum()), " (there are no more)"
        lines.append(f"  {n} of them: {kind}{few if n < n_wanted else ''}")
    counts = {"definitions": len(definitions), "clustered": proposal.n_clustered, "candidates": proposal.n_candidates}
    return Made(rows=proposal.pairs, lines=lines, rejects=proposal.rejects, counts=counts)


def _propose(store: Store, definitions: pd.DataFrame, manifest: Manifest, arguments: Arguments) -> "PairProposal":
    """The proposal, computed by the engine. A run that was interrupted resumes from its shards."""
    from clustering.candidates.pairs import propose
    from clustering.candidates.shards import propose_in_shards, remove

    engine = arguments.engine or (HERE if len(definitions) <= MOST_HERE else PROCESSES)
    folder = _shards(store, manifest)
    for old in store.shards.glob("*"):
        if engine == HERE or old != folder:
            remove(old)
    if engine == HERE:
        return propose(definitions, arguments.config, progress)
    return propose_in_shards(definitions, arguments.config, folder.resolve(), engine, progress)


def _shards(store: Store, manifest: Manifest) -> Path:
    """The folder of this proposal's shards: the same for a run that resumes."""
    return store.shards / f"clustering-{manifest.fingerprint()}"
