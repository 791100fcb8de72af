"""`python -m clustering`: definitions -> pairs."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from clustering.config import USED_BY, Config
from data.console.commands import run
from data.console.errors import Findings, TableError
from data.console.messages import progress, quantity, say, say_next
from data.contract.tables.definitions import Definitions
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CAMPAIGN
from data.recorded.languages import followed
from data.recorded.own_names import demand_own_generator
from data.storage.engine import HERE, PROCESSES, check
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import digest

if TYPE_CHECKING:
    from clustering.acquisition.unlabelled import Candidates
    from clustering.candidates.pairs import Proposal

STAGE = "clustering"
MOST_HERE = 20_000
RECIPES: Mapping[str, Config] = {"recommended": Config.recommended(), "paper": Config.paper(), "hard": Config.hard()}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Propose pairs of definitions that may mean the same: words, vectors, clusters, every two of a cluster."""

    recipe: str
    """Whose settings hold where a flag gives no other."""
    config: Config
    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""
    generator: str | None = None
    """Name under which these pairs stand beside those of other runs; the recipe's name by default."""
    engine: str | None = None
    """Where entities are clustered: `here`, `processes`, `processes:N`, or `dask:ADDRESS` of a scheduler whose workers
    see the store's folder. By default `here` for up to 20,000 definitions, otherwise `processes`. The table is the
    same."""
    campaign: str = CAMPAIGN
    """For a selection by models: the campaign whose labels they learned from. What it, or another campaign with its
    question, has labelled or assigned is left out."""
    scored_by: tuple[str, ...] = ()
    """For a selection by models: their names in the table `runs`, or "NAME, seed 2" for one of several seeds; by
    default all that scored a candidate."""
    among: tuple[str, ...] = ()
    """For a selection by models: the generators whose pairs are the candidates; by default all others."""


def main(arguments: Arguments) -> None:
    """Write the pairs of one generator, and everything that was dropped on the way from the definitions."""
    store, config = Store(arguments.store), arguments.config
    generator = arguments.generator or (config.selection if config.asks_models else arguments.recipe)
    if arguments.engine is not None:
        check(arguments.engine)
    _note_unused(config, RECIPES[arguments.recipe])
    demand_own_generator(store, "--generator", generator, STAGE)
    if config.asks_models:
        _buy(store, generator, arguments)
        return
    followed_language = followed(store, Definitions, chosen=arguments.config.language)
    arguments = replace(arguments, config=replace(arguments.config, language=followed_language.code))
    with store.lock("clustering"):
        arguments = replace(arguments, config=arguments.config.at_size(_n_words(store)))
        manifest = _manifest(store, arguments)
        if store.is_current(Pairs, manifest, generator=generator):
            say(f"the pairs of `{generator}` are up to date with the definitions: nothing to do")
        else:
            _write(store, generator, manifest, arguments)
    if store.read(Pairs, columns=["pair_id"], generator=generator).empty:
        reasons = store.read(Rejects, columns=["reason"], stage=f"clustering.{generator}")["reason"]
        hint = " (no_known_word: try --min-count 1)" if "no_known_word" in set(reasons) else ""
        raise Findings(f"no pairs; see the reasons in the table `rejects`{hint}")
    say_next("python -m annotation plan", "--store", arguments.store)


def _note_unused(config: Config, recipe: Config) -> None:
    """Name the flags that differ from the recipe but have no effect beside the others."""
    for choice, names_by_value in USED_BY.items():
        chosen = getattr(config, choice)
        for name in sorted(frozenset().union(*names_by_value.values()) - names_by_value.get(chosen, frozenset())):
            if getattr(config, name) != getattr(recipe, name):
                say(f"note: --{name.replace('_', '-')} has no effect with --{choice} {chosen}")


def _buy(store: Store, generator: str, arguments: Arguments) -> None:
    """Write the pairs that models choose among those that nobody has labelled, and why the others were left out."""
    from clustering.acquisition import unlabelled

    config = arguments.config
    with store.lock("clustering"):
        candidates = unlabelled.read(store, arguments.campaign, arguments.among, arguments.scored_by, writes=generator)
        asked = {"campaign": arguments.campaign, "scored_by": arguments.scored_by, "among": arguments.among}
        manifest = Manifest(
            stage=STAGE,
            config=asdict(config) | asked,
            seed=config.seed,
            language=followed(store, Pairs).code,
            inputs=store.inputs(Runs, Predictions) | {"candidates": digest(*candidates.pairs["pair_id"])},
        )
        if store.is_current(Pairs, manifest, generator=generator):
            say(f"the pairs of `{generator}` are up to date with the labels and scores: nothing to do")
        else:
            unlabelled.demand_unplanned(store, generator)
            _write_bought(store, generator, manifest, candidates, config)
    if store.read(Pairs, columns=["pair_id"], generator=generator).empty:
        raise Findings("no pairs; see the reasons in the table `rejects`")
    say_next("python -m annotation plan", "--store", store.root, "--generator", generator, "--campaign", "NAME")


def _write_bought(store: Store, generator: str, manifest: Manifest, candidates: "Candidates", config: Config) -> None:
    from clustering.acquisition import priorities

    chosen, others = priorities.choose(candidates, config)
    settled = pd.DataFrame({"id": candidates.settled, "reason": "labelled_or_assigned", "detail": ""}, dtype=object)
    left = others.rename(columns={"pair_id": "id"})[["id", "reason", "detail"]]
    rejects = pd.concat([settled, left], ignore_index=True)
    by_reason = rejects["reason"].value_counts().sort_index().to_dict()
    counts = {"candidates": len(candidates.pairs) + len(settled), "pairs": len(chosen), "rejects": by_reason}
    manifest = replace(manifest, counts=counts)
    store.reject(f"clustering.{generator}", rejects, manifest)
    version = store.replace(Pairs, chosen.assign(generator=generator), manifest, generator=generator)
    say(f"{quantity(len(candidates.pairs), 'pair')} that nobody has labelled, scored by {'; '.join(candidates.names)}")
    for kind, n in chosen["selection"].value_counts().items():
        say(f"  {n} chosen: {kind}")
    for reason, n in by_reason.items():
        say(f"  {n} left out: {reason}")
    if not config.random_share:
        say("note: without a random share, nothing estimated from these labels holds for the other pairs")
    if len(chosen) < (config.limit or 0):
        say(f"fewer than the {config.limit} of --limit: there are no more")
    say(f"{quantity(len(chosen), 'pair')} of `{generator}` written to {store.path(Pairs)} (version {version})")


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


def _write(store: Store, generator: str, manifest: Manifest, arguments: Arguments) -> None:
    from clustering.candidates.shards import remove

    definitions = store.read(Definitions, columns=["definition_id", "entity", "text"])
    if definitions.empty:
        raise TableError(
            "definitions",
            expected="rows",
            found="none",
            remedy=f"run `python -m crawler.definitions --store {store.root}` first",
        )
    proposal = _propose(store, definitions, manifest, arguments)
    by_reason = proposal.rejects["reason"].value_counts().sort_index().to_dict()
    counts = {
        "definitions": len(definitions),
        "clustered": proposal.n_clustered,
        "candidates": proposal.n_candidates,
        "pairs": len(proposal.pairs),
        "rejects": by_reason,
    }
    manifest = replace(manifest, counts=counts)
    store.reject(f"clustering.{generator}", proposal.rejects, manifest)
    version = store.replace(Pairs, proposal.pairs.assign(generator=generator), manifest, generator=generator)
    remove(_shards(store, manifest))
    in_pairs = "in clusters of two or more" if not arguments.config.contrasts else "in clusters or pairs beside them"
    say(f"{quantity(len(definitions), 'definition')}, {proposal.n_clustered} of them {in_pairs}")
    say(f"{quantity(proposal.n_candidates, 'candidate pair')}, {len(proposal.pairs)} kept")
    if len(proposal.pairs) < (arguments.config.limit or 0):
        say(f"fewer than the {arguments.config.limit} of --limit: there are no more candidates")
    kinds = proposal.pairs["selection"]
    for kind, n_wanted in arguments.config.contrasts.items():
        n, few = int((kinds == kind).sum()), " (there are no more)"
        say(f"  {n} of them: {kind}{few if n < n_wanted else ''}")
    for reason, n in by_reason.items():
        say(f"  {n} dropped: {reason}")
    say(f"{quantity(len(proposal.pairs), 'pair')} of `{generator}` written to {store.path(Pairs)} (version {version})")


def _propose(store: Store, definitions: pd.DataFrame, manifest: Manifest, arguments: Arguments) -> "Proposal":
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


if __name__ == "__main__":
    logging.getLogger("gensim").setLevel(logging.ERROR)
    run(main, prog="python -m clustering", recipes=RECIPES)
