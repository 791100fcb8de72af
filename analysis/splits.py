"""Train, validation and test splits that share nothing: python -m analysis.splits."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from analysis.splitting import frozen
from analysis.splitting.frozen import extend, with_ancestors
from analysis.splitting.growth import describe_growth
from analysis.statistics.wording import share
from data.console.errors import Findings
from data.console.messages import quantity, say, say_next
from data.console.paths import Address
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CAMPAIGN, MAJORITY, SPLITS
from data.files.sheets import read_text
from data.grouping.dealing import SplitRule, split
from data.grouping.entities import ENTITIES, Synonyms, read_synonyms
from data.labelled.label_set import SCHEME, Campaigns, LabelSet
from data.labelled.sources import without_labels
from data.recorded.languages import followed
from data.storage import kept_overlap
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.languages.base import Language
from data.texts.near_copies import NEAR_OVERLAP
from data.texts.words import merge_key

STAGE = "analysis.splits"
IDENTICAL = "identical_texts"
NO_REJECTS = pd.DataFrame(columns=["id", "reason", "detail"], dtype="str")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Deal a campaign's labelled pairs to train, validation and test.

    Pairs of one entity (singular and plural, other spellings, acronyms and listed synonyms included), pairs with the
    same or nearly the same definitions, and pairs made from one another stay together.
    """

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    campaigns: Campaigns = (CAMPAIGN,)
    """The campaigns whose labelled pairs are split; of a pair with several labels, the last one's counts."""

    method: str = MAJORITY
    """The method by which the labels were made."""

    scheme: str = SCHEME
    """The name under which the split is stored; an existing split of this name is replaced unless it is frozen."""

    freeze: bool = False
    """Freeze the scheme: from now on no pair moves; a new pair joins the split that it is tied to, and is rejected if
    it is tied to two."""

    synonyms: Path | None = None
    """A file with the names of one entity per line, separated by commas or tabs."""

    rule: SplitRule = field(default_factory=SplitRule)


def main(arguments: Arguments) -> None:
    """Write the table `splits` for one scheme."""
    store = Store(arguments.store)
    labels = LabelSet(campaigns=arguments.campaigns, method=arguments.method, scheme=arguments.scheme)
    labelled, language = read_labelled(store, arguments), followed(store, Pairs)
    synonyms = _read_synonyms(arguments.synonyms, language)
    held = store.read(Splits, scheme=arguments.scheme)
    kept_overlap.recall(store)
    if is_frozen(store, arguments.scheme):
        rows, rejects = extend(held, labelled, arguments.rule, synonyms, language)
        arguments = replace(arguments, freeze=True)
    else:
        rows, rejects = split(labelled, arguments.rule, synonyms, language), NO_REJECTS
    rows, identical = _keep_identical_in_train(rows, labelled)
    rejects = pd.concat([rejects, identical])
    rows = rows.assign(is_labelled=~rows["pair_id"].isin(labelled.loc[~labelled["is_labelled"], "pair_id"]))
    kept_overlap.keep(store, labelled, language)
    write(store, rows, rejects, arguments, synonyms)
    dealt = labelled[labelled["pair_id"].isin(rows["pair_id"])]
    if grown := describe_growth(dealt, rows["group"], synonyms, language):
        say(grown)
    say_next("python -m analysis.leakage --store", store.address, *labels.flags)
    if n_tied := int((rejects["reason"] == frozen.REASON).sum()):
        raise Findings(f"{n_tied:,} new pairs would join two splits of the frozen scheme {arguments.scheme!r}")


def read_labelled(store: Store, arguments: Arguments) -> pd.DataFrame:
    """The labelled pairs with their labels, and the pairs that they were made from, which `is_labelled` tells apart.

    Raises TableError if there are no labels.
    """
    parts = [
        store.read(Labels, ["pair_id", "binary"], campaign=name, method=arguments.method, further=False)
        for name in arguments.campaigns
    ]
    columns = ["generator", "pair_id", *ENTITIES, "first", "second", "parents"]
    pairs = store.read(Pairs, columns=columns).drop_duplicates("pair_id")
    for name, labels in zip(arguments.campaigns, parts, strict=True):
        if not labels["pair_id"].isin(pairs["pair_id"]).any():
            raise without_labels(store, name, arguments.method)
    labels = pd.concat(parts).drop_duplicates("pair_id", keep="last", ignore_index=True)
    labelled = pairs[pairs["pair_id"].isin(labels["pair_id"])]
    every = with_ancestors(labelled, pairs).merge(labels, on="pair_id", how="left")
    return every.assign(is_labelled=every["pair_id"].isin(labels["pair_id"]))


def _keep_identical_in_train(rows: pd.DataFrame, labelled: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows without pairs of the same text twice in validation and test, and these as rejects."""
    same = labelled.loc[labelled["first"].map(merge_key) == labelled["second"].map(merge_key), "pair_id"]
    held_out = rows["pair_id"].isin(same) & (rows["split"] != "train")
    ids = rows.loc[held_out, ["pair_id", "split"]].to_numpy(object)
    rejects = [(pair, IDENTICAL, f"both texts are the same: too easy for {split}") for pair, split in ids]
    return rows[~held_out], pd.DataFrame(rejects, columns=["id", "reason", "detail"], dtype="str")


def is_frozen(store: Store, scheme: str) -> bool:
    """Whether the scheme was frozen when it was last written."""
    last = store.manifest(Splits, scheme=scheme)
    return last is not None and bool(last["config"].get("frozen"))


def _read_synonyms(path: Path | None, language: Language) -> Synonyms:
    if path is None:
        return {}
    lines = read_text(path, "a file of synonyms").splitlines()
    return read_synonyms(lines, language)


def write(store: Store, rows: pd.DataFrame, rejects: pd.DataFrame, arguments: Arguments, synonyms: Synonyms) -> None:
    """Replace the scheme in the table `splits` unless it is current, and print what was done.

    `rows`: pair_id, split, group, is_labelled; false for pairs that are there since labelled pairs were made from them.
    """
    counts = rows["split"].value_counts().reindex(SPLITS, fill_value=0)
    manifest = Manifest(
        stage=STAGE,
        config={
            "campaigns": arguments.campaigns,
            "method": arguments.method,
            "rule": arguments.rule,
            "near_overlap": NEAR_OVERLAP,
            "frozen": arguments.freeze,
            "synonyms": synonyms,
        },
        language=followed(store, Pairs).code,
        seed=arguments.rule.seed,
        inputs=store.inputs(Pairs, Labels),
    )
    made = Made(
        rows=rows.drop(columns="is_labelled"),
        lines=_examples(rejects, f"{STAGE}.{arguments.scheme} --store {store.address}"), rejects=rejects,
        counts={"rows_in": len(rows) + len(rejects), "splits": counts.to_dict()},
    )  # fmt: skip
    say(_describe(rows))
    run_stage(store, Splits, manifest, lambda: made, noun="pair", scheme=arguments.scheme)


def _examples(rejects: pd.DataFrame, stage: str) -> Iterator[str]:
    """The first rejects, and the command that lists all."""
    for reason, pair, detail in rejects[["reason", "id", "detail"]].head(5).itertuples(index=False):
        yield f"  {reason}: {pair} ({detail})"
    if len(rejects) > 5:
        yield f"  all {len(rejects):,}: python -m data rejects {stage}"


def _describe(rows: pd.DataFrame) -> str:
    """The numbers of pairs, groups and shares, for the screen."""
    own = rows.loc[rows["is_labelled"], "split"]
    shares = ", ".join(f"{name} {(own == name).sum():,} ({share((own == name).mean(), len(own))})" for name in SPLITS)
    others = f", with {len(rows) - len(own):,} that they were made from," if len(own) < len(rows) else ""
    return f"{quantity(len(own), 'pair')}{others} in {quantity(rows['group'].nunique(), 'group')}: {shares}"


if __name__ == "__main__":
    run(main, prog="python -m analysis.splits")
