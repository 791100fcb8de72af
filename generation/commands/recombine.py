"""The command `recombine`: judged swaps and back translations -> a balanced set of labels."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import Findings, InputError
from data.console.marks import Limit
from data.console.messages import quantity, say, say_next
from data.console.paths import Address
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import (
    BACK_TRANSLATION,
    JUDGED,
    MAJORITY,
    RESTORED,
    RULE,
    UNMATCHED,
    WORD_SWAP,
)
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator, require_own_labels, require_same_labels
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import digest
from generation.balancing.label_sets import (
    derived_labels,
    measure,
    read_judged,
    write_labels,
    write_measures,
    write_pairs,
)
from generation.balancing.recombination import REASONS, recombine
from generation.config import BALANCES, BalanceConfig

STAGE = "generation.recombine"
RECIPES = BALANCES
WHY = REASONS | {UNMATCHED: "no pair that looks alike is left with the other label; --no-balance keeps them"}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Balance judged pairs: make new ones of swaps and back translations, with labels that follow from the judged."""

    recipe: str = "recommended"
    """Whose settings hold where a flag gives no other."""
    config: BalanceConfig = field(default_factory=BalanceConfig)
    campaign: tuple[str, ...]
    """The campaigns in which people judged swaps and back translations."""
    method: str = MAJORITY
    """The method by which their labels were made."""
    generator: str = "paws-rule"
    """The name of the new pairs."""
    labels: str = "paws"
    """The name of the campaign that has the whole set's labels, by the method `rule`."""
    lm: Path | None = None
    """A model of KenLM: measure by how much the second text of each pair is likelier than the first."""
    audit: Limit[int] = 200
    """Draw this many of the new pairs for raters, whose answers show how often the rules are wrong; 0 draws none."""
    seed: int = 1
    """The source of all randomness: the draw of --audit."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    @property
    def lonely(self) -> str:
        """The campaign that has the labels of swaps without a back translation, where they are apart."""
        return f"{self.labels}-swaps"

    @property
    def audit_name(self) -> str:
        """The generator of the sample for raters."""
        return f"{self.generator}-audit"


def main(arguments: Arguments) -> None:
    """Write the new pairs, the labels and measures of the whole set, and what does not follow, with its reason."""
    store = Store(arguments.store)
    _require_valid(store, arguments)
    judged = read_judged(store, arguments.campaign, arguments.method)
    known = judged[judged["made"].isin([WORD_SWAP, BACK_TRANSLATION])]
    every, rejects = _gather(store, known, arguments)
    one_label = f"every label is {int(every['binary'].iloc[0])}" if every["binary"].nunique() == 1 else ""
    measures, models = _measure(store, every, arguments.lm)
    if arguments.config.balance:
        stays = _find_matched(store, every, measures, arguments.seed)
        alone = every.loc[~stays, ["pair_id", "decided_by"]].set_axis(["id", "detail"], axis="columns")
        rejects = pd.concat([rejects, alone.assign(reason=UNMATCHED)], ignore_index=True)
        every, measures = every[stays], measures[stays.to_numpy()]
    if every.empty:
        why = one_label or "no two pairs with different labels look alike"
        raise Findings(f"nothing written: {why}; --no-balance keeps all")
    human, made = every[every["decided_by"] == JUDGED], every[every["decided_by"] != JUDGED]
    stored = {"campaign": "campaigns", "generator": "name"}
    config = {
        stored.get(name, name): value
        for name, value in vars(arguments).items()
        if name not in ("store", "lm", "recipe")
    }
    counts = {"judged": len(known), "made": len(made), "rejects": rejects["reason"].value_counts().to_dict()}
    inputs = store.inputs(Labels, GeneratedTexts)
    manifest = Manifest(
        stage=STAGE, config=config, recipe=arguments.recipe, seed=arguments.seed, inputs=inputs, counts=counts
    )
    with store.lock(f"{STAGE}.{arguments.generator}"):
        store.reject(STAGE, rejects, manifest, part=arguments.generator)
        write_pairs(store, made, arguments.generator, manifest)
        write_measures(store, measures, arguments.generator, manifest, models)
        labels = pd.concat([human.assign(method=RULE), derived_labels(made, RULE)])
        write_labels(store, labels, arguments.labels, manifest)
        _write_lonely(store, known, arguments, manifest)
        n_audited = _draw_audit(store, made, arguments, manifest)
    _report(judged, every, rejects, arguments)
    _say_what_is_next(store, n_audited, arguments)
    if one_label:
        raise Findings(f"{one_label}, which teaches no model anything: judge more pairs")
    if made.empty:
        none = "no sentence has both a judged swap and a judged back translation"
        raise Findings(f"no new label follows: {'see the reasons above' if len(rejects) else none}")


def _gather(store: Store, known: pd.DataFrame, arguments: Arguments) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The judged pairs and the new ones, which `decided_by` tells apart, and the rejects; Findings without any."""
    made, rejects = recombine(known)
    made = pd.concat(
        [made.assign(decided_by=RULE), _restored(store, arguments.campaign)], ignore_index=True
    ).drop_duplicates("pair_id")
    human = known[(known["made"] == BACK_TRANSLATION) | _choose_swaps(known, arguments)]
    every = pd.concat([human.assign(decided_by=JUDGED), made], ignore_index=True)
    if every.empty:
        raise Findings("nothing written: no label follows from these campaigns; --swaps all keeps the swaps themselves")
    return every, rejects


def _choose_swaps(known: pd.DataFrame, arguments: Arguments) -> "pd.Series[bool]":
    """Which judged pairs are swaps that belong to the set themselves."""
    are_swaps = known["made"] == WORD_SWAP
    if arguments.config.swaps != "translated":
        return are_swaps & (arguments.config.swaps == "all")
    backs = known[known["made"] == BACK_TRANSLATION]
    translated = {*backs["first_id"], *backs["second_id"]}
    return are_swaps & (known["first_id"].isin(translated) | known["second_id"].isin(translated))


def _write_lonely(store: Store, known: pd.DataFrame, arguments: Arguments, manifest: Manifest) -> None:
    """Write the labels of judged swaps without a back translation as a set of their own."""
    is_apart = arguments.config.swaps == "translated"
    lonely = known[(known["made"] == WORD_SWAP) & ~_choose_swaps(known, arguments) & is_apart]
    scope: dict[str, Any] = {"campaign": arguments.lonely, "method": RULE}
    last = store.manifest(Labels, **scope) or {}
    is_ours = last.get("stage") == STAGE and last["config"].get("labels") == arguments.labels
    if lonely.empty and not is_ours:
        return
    rows = lonely.assign(decided_by=JUDGED, method=RULE, campaign=arguments.lonely)
    store.replace(Labels, rows[Labels.arrow_schema().names], manifest, **scope)
    n = int(rows["binary"].sum())
    say(f"{quantity(len(rows), 'swap')} without a back translation in campaign {arguments.lonely}: {n:,} paraphrases")


def _say_what_is_next(store: Store, n_audited: int, arguments: Arguments) -> None:
    if n_audited:
        say(f"{n_audited:,} new pairs are drawn for raters, as generator {arguments.audit_name}")
        flags = ("--generator", arguments.audit_name, "--question", "same-meaning", "--annotators", "N")
        say_next("python -m annotation plan", "--store", store.address, "--campaign", "audit", *flags)
    label_set = ("--campaign", arguments.labels, "--method", RULE)
    say_next("python -m analysis.splits", "--store", store.address, *label_set)


def _require_valid(store: Store, arguments: Arguments) -> None:
    """Raise InputError for numbers and names that cannot be."""
    require_at_least("--audit", arguments.audit, 0)
    require_at_least("--seed", arguments.seed, 0)
    if not arguments.campaign:
        remedy = "name those in which people judged swaps and back translations"
        raise InputError("--campaign", expected="one or more", found="none", remedy=remedy)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    require_own_generator(store, "--generator", arguments.audit_name, STAGE, sample_of=arguments.generator)
    require_same_labels(store, arguments.generator, arguments.labels)
    require_own_labels(store, arguments.labels)
    if arguments.config.swaps == "translated":
        require_own_labels(store, arguments.lonely)
    if arguments.labels in arguments.campaign:
        raise InputError(
            "--labels", expected="a name of its own", found=f"{arguments.labels!r}, a judged campaign", remedy="rename"
        )


def _restored(store: Store, campaigns: tuple[str, ...]) -> pd.DataFrame:
    """The identical pairs of sentences whose text was corrected back to its source before the campaigns: 1 by rule."""
    rejects = store.read(Rejects, ["part", "id"], reason=RESTORED)
    ids = rejects.loc[rejects["part"].isin(read_plans(store).sequence(campaigns)), "id"]
    pairs = store.read(Pairs, ["pair_id", "entity", "first_id", "first"]).drop_duplicates("pair_id")
    rows = pairs[pairs["pair_id"].isin(ids)].astype(object)
    parents = pd.Series([[pair] for pair in rows["pair_id"]], index=rows.index, dtype="object")
    same = [digest("pair", source, source) for source in rows["first_id"]]
    rows = rows.assign(pair_id=same, second_id=rows["first_id"], second=rows["first"], parents=parents)
    return rows.assign(binary=1, ends=RESTORED, decided_by=RESTORED)


def _measure(store: Store, pairs: pd.DataFrame, path: Path | None) -> tuple[pd.DataFrame, dict[str, str]]:
    """The measures of the pairs, one column each, and the digests of the models that measured them."""
    language = followed(store, Pairs)
    measures = measure(pairs, language)
    if path is None:
        return measures, {}
    from generation.engines.ngrams import NGrams

    model = NGrams(path, language.code)
    margins = model.score(pairs["second"].tolist()) - model.score(pairs["first"].tolist())
    return measures.assign(lm_margin=margins), {"lm_margin": model.name.rpartition(" ")[2]}


def _find_matched(store: Store, pairs: pd.DataFrame, measures: pd.DataFrame, seed: int) -> "pd.Series[bool]":
    from generation.balancing.matching import describe_signals, draw_lots, match  # takes half a second to import

    signals = describe_signals(pairs, measures, followed(store, Pairs))
    return match(pairs["binary"], signals, draw_lots(pairs["pair_id"], seed))


def _draw_audit(store: Store, made: pd.DataFrame, arguments: Arguments, manifest: Manifest) -> int:
    """Write the sample of new pairs for raters; return its size."""
    ruled = made[made["decided_by"] == RULE]
    lots = ruled["pair_id"].map(lambda pair: digest(arguments.seed, pair)).sort_values()
    drawn = ruled.loc[lots.index[: arguments.audit]]
    if arguments.audit:
        write_pairs(store, drawn, arguments.audit_name, manifest, sample_of=arguments.generator)
    return len(drawn)


def _report(judged: pd.DataFrame, every: pd.DataFrame, rejects: pd.DataFrame, arguments: Arguments) -> None:
    counts = judged["made"].fillna("").value_counts()
    other = int(counts.sum() - counts.get(WORD_SWAP, 0) - counts.get(BACK_TRANSLATION, 0))
    say(f"{counts.get(WORD_SWAP, 0):,} judged swaps, {counts.get(BACK_TRANSLATION, 0):,} judged back translations")
    if other:
        say(
            f"  {other:,} other judged pairs are left out: no generated text leads from one of their texts to the other"
        )
    for reason, n in rejects["reason"].value_counts().sort_index().items():
        say(f"  {quantity(n, 'pair')} left out: {reason}: {WHY[str(reason)]}")
    for decided_by, rows in every.groupby("decided_by"):
        say(f"  {len(rows):,} decided by {decided_by}: {int(rows['binary'].sum()):,} paraphrases")
    where = f"{arguments.store}/labels (campaign {arguments.labels}, method {RULE})"
    share = every["binary"].astype("float64").mean()
    say(f"{quantity(len(every), 'label')} written to {where}, {share:.1%} paraphrases")
