"""The command `silver`: generated pairs -> labels without anybody's judgement, apart from every labelled pair."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.errors import Findings, InputError, TableError
from data.console.messages import quantity, say
from data.console.paths import Address
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import BACK_TRANSLATION, SILVER, WORD_SWAP
from data.grouping.entities import ENTITIES
from data.grouping.groups import group
from data.guidance.next_steps import say_steps
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator, require_own_labels, require_same_labels
from data.storage.manifest import Manifest
from data.storage.store import Store
from generation.balancing.label_sets import (
    TEXTS,
    derived_labels,
    with_ways,
    write_labels,
    write_pairs,
)
from generation.balancing.recombination import REASONS, recombine

STAGE = "generation.silver"
HELD = "group_of_a_labelled_pair"
NEITHER = "nothing is silver: these generators made neither word swaps nor back translations"
ONE_KIND = "swaps are 0 and back translations are 1, so name a generator of each"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Label every swap 0, every back translation 1, and recombined pairs by the rules of `recombine`."""

    among: tuple[str, ...]
    """The generators of the swaps and of their back translations, such as `paws-swap paws-back-silver`."""
    generator: str = "paws-rule-silver"
    """The name of the recombined pairs."""
    labels: str = "silver"
    """The name of the campaign that has the labels, by the method `silver`."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the recombined pairs and all labels."""
    store = Store(arguments.store)
    _require_valid(store, arguments)
    pairs = _read(store, arguments.among)
    made, rejects = recombine(pairs)
    every = pd.concat([pairs, made], ignore_index=True)
    held = _shares_group(store, every)
    kept = every[~held].assign(decided_by=SILVER)
    rejects = pd.concat([rejects, _as_rejects(every[held])]).drop_duplicates("id")
    counts = {"kept": len(kept), "rejects": rejects["reason"].value_counts().to_dict()}
    config = {"name": arguments.generator, "labels": arguments.labels, "generators": arguments.among}
    inputs = store.inputs(GeneratedTexts, Labels)
    manifest = Manifest(stage=STAGE, config=config, inputs=inputs, counts=counts)
    if kept.empty:
        shared = f"all {quantity(len(every), 'pair')} share a group with a labelled pair: nothing is silver"
        raise Findings(shared if len(every) else NEITHER)
    with store.lock(f"{STAGE}.{arguments.generator}"):
        store.reject(STAGE, rejects, manifest, part=arguments.generator)
        made = made[made["pair_id"].isin(kept["pair_id"])].assign(decided_by=SILVER)
        write_pairs(store, made, arguments.generator, manifest)
        write_labels(store, derived_labels(kept, SILVER), arguments.labels, manifest)
    for reason, n in rejects["reason"].value_counts().sort_index().items():
        why = REASONS.get(str(reason), "it is a labelled pair, or would share a source, text or entity with one")
        say(f"  {quantity(n, 'pair')} left out: {reason}: {why}")
    share = f"{kept['binary'].astype('float64').mean():.1%} paraphrases"
    where = f"{store.address}/labels (campaign {arguments.labels}, method {SILVER})"
    say(f"{len(kept):,} silver labels written to {where}, {share}")
    say_steps(store)
    if kept["binary"].nunique() == 1:
        raise Findings(f"every label is {kept['binary'].iloc[0]}, which teaches no model anything: {ONE_KIND}")


def _require_valid(store: Store, arguments: Arguments) -> None:
    """Raise InputError for names that are missing, malformed, or another command's."""
    if not arguments.among:
        remedy = "name those of swaps and of their back translations"
        raise InputError("--among", expected="one or more", found="none", remedy=remedy)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    require_same_labels(store, arguments.generator, arguments.labels)
    require_own_labels(store, arguments.labels)


def _read(store: Store, generators: tuple[str, ...]) -> pd.DataFrame:
    """The generators' pairs with their silver labels. Raises TableError where a generator has none."""
    rows = store.read(Pairs, ["generator", *TEXTS, "parents"])
    for name in generators:
        if name not in set(rows["generator"]):
            known = ", ".join(sorted(rows["generator"].unique())) or "no generator"
            raise TableError(f"{store.address}, table pairs", expected=f"pairs of generator {name!r}",
                             found=f"pairs of {known}", remedy="see --among")  # fmt: skip
    pairs = with_ways(store, rows[rows["generator"].isin(generators)].drop(columns="generator"))
    pairs = pairs[pairs["made"].isin([WORD_SWAP, BACK_TRANSLATION])]
    return pairs.assign(binary=(pairs["made"] == BACK_TRANSLATION).astype("Int64"), ends=pairs["made"])


def _shares_group(store: Store, pairs: pd.DataFrame) -> pd.Series:
    """Whether each pair is in one group with a labelled pair: by source, near-duplicate text or entity."""
    labels = store.read(Labels, ["pair_id", "method"])
    labelled = set(labels.loc[labels["method"] != SILVER, "pair_id"])
    columns = ["pair_id", *ENTITIES, "first", "second", "parents"]
    others = store.read(Pairs, columns).drop_duplicates("pair_id")
    others = others[others["pair_id"].isin(labelled) & ~others["pair_id"].isin(pairs["pair_id"])]
    together = pd.concat([pairs[columns], others], ignore_index=True)
    groups = group(together, language=followed(store, Pairs))
    taken = set(groups[together["pair_id"].isin(labelled)])
    return groups[: len(pairs)].isin(taken).set_axis(pairs.index)


def _as_rejects(pairs: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"id": pairs["pair_id"], "reason": HELD, "detail": pairs["ends"]})
