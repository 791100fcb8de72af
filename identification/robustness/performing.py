"""An attack: pairs modified with shared words until a model is wrong about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import Findings, InputError
from data.console.marks import Limit
from data.console.messages import figure, progress, quantity, say, say_next
from data.console.optional_packages import require_models
from data.console.paths import same_place
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FOOLED, INHERITED
from data.labelled.dataset import Dataset
from data.labelled.sources import OfDataset
from data.recorded.own_names import require_own_generator
from data.storage import engine
from data.storage.manifest import Manifest, plain
from data.storage.store import Store
from data.texts.identity import digest
from identification.config import AttackConfig, Machine
from identification.endpoints.asking import Asking

if TYPE_CHECKING:
    from identification.robustness.attacking import AttackPlan
    from identification.robustness.recording import Record

STAGE = "identification.attack"
ENDS = {
    "stuck": "no word left to replace: fewer --guards or a lower --floor leave more",
    "budget": "no more answers: raise --max-queries, --max-requests or --max-tokens",
}


@dataclass(frozen=True, kw_only=True)
class OfAttack(OfDataset):
    """The flags of an attack."""

    recipe: str
    """Whose settings hold where a flag gives no other: ours, or Shi and Huang's (2020)."""
    config: AttackConfig
    mlm: str
    """The masked language model that proposes words: a folder that `mlm` wrote, or the name of one."""
    split: str = "test"
    """The split that the originals are from; of a data set without splits, that which its pairs are to be in."""
    originals: Limit[int] = 500
    """Originals of each label, at most; equally many of both."""
    generator: str = "shared-words"
    """The name of the attack and of its pairs; an earlier attack of this name is replaced."""
    out: Path | None = None
    """The store to write to: by default the one of --dataset; of files, attacks/NAME."""
    review: Limit[int] = 0
    """Also write this many pairs that misled the model, and as many originals, under the generator NAME-review: for a
    campaign with the question `label-and-grammar` (the paper: 100)."""
    engine: str = engine.HERE
    """Where it is computed: `here`, `processes`, `processes:N` or `dask:ADDRESS`."""
    machine: Machine = field(default_factory=lambda: Machine(precision="float32"))


def perform(arguments: OfAttack, target: str, asking: Asking | None = None) -> None:
    """Write the tables of an attack on the model; raise Findings where it gives every original the same score.

    `target`: a folder or `module:function`, or the name of the language model that is asked.
    """
    require_models("attack")
    require_at_least("--originals", arguments.originals, 1)
    require_at_least("--review", arguments.review, 0)
    engine.check(arguments.engine)
    from identification.robustness import attacking, parts_of_speech, recording
    from identification.robustness.sampling import sample

    dataset = arguments.open()
    store = _find_store(arguments, dataset)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    review = recording.name_review(arguments.generator)
    if arguments.review:
        require_own_generator(store, "--generator", review, STAGE, sample_of=arguments.generator)
    _require_frozen(dataset)
    originals = sample(
        dataset,
        arguments.split,
        arguments.originals,
        arguments.config.seed,
        alike=arguments.config.negatives == "alike",
    )
    counts = originals["label"].value_counts()
    say(f"{counts[1]:,} paraphrases, {quantity(counts[0], 'pair')} put together from two; split {arguments.split}")
    say(f"parts of speech: {parts_of_speech.find_tagger(dataset.language.code)[0]}")
    plan = _plan(arguments, dataset, target, asking)
    n_queries = attacking.count_queries(plan, originals)
    further = ", and a few more to refine a pair" if arguments.config.refine else ""
    say(f"{target} is asked about {n_queries:,} pairs at most, in both orders{further}")
    with store.lock("attack"):
        folder = store.shards / f"attack-{arguments.generator}"
        attempts, facts = attacking.attack(plan, originals, folder, arguments.engine, progress)
        rows = recording.complete(attempts, originals, {"attack": arguments.generator, **facts})
        _record(arguments, dataset, rows, plan, facts).write(store)
    _show(rows)
    say(f"attempts, pairs, texts, labels and scores written to {store.address}")
    _say_what_follows(arguments, dataset, store, review)
    if rows["score_before"].isna().all():
        raise Findings(f"{target} gave no answer to any original; nothing was shown")
    if rows["score_before"].nunique() == 1 and len(rows) > 1:
        raise Findings(f"constant_prediction: {target} gives every original the same score; nothing was shown")


def _say_what_follows(arguments: OfAttack, dataset: Dataset, store: Store, review: str) -> None:
    """Print what was drawn for review, and the next commands."""
    if arguments.review:
        words = ("--question", "label-and-grammar", "--campaign", review, "--annotators", 3, "--store", store.address)
        misled = store.read(Pairs, ["selection"], generator=review)["selection"] == FOOLED
        n_originals = quantity(int((~misled).sum()), "original")
        say(f"for review: {quantity(int(misled.sum()), 'pair')} that misled the model, {n_originals}")
        if misled.any():
            say_next("python -m annotation plan", "--generator", review, *words)
    if dataset.kind == "store" and same_place(store.address, dataset.path):
        campaign = arguments.label_set.campaigns[-1]
        flags = ("--scheme", dataset.scheme, "--campaign", campaign, "--method", INHERITED)
        say_next("python -m analysis.splits --store", store.address, *flags)
    say_next("python -m analysis.robustness --store", store.address)


def _find_store(arguments: OfAttack, dataset: Dataset) -> Store:
    if arguments.out is not None:
        return Store(arguments.out)
    return Store(dataset.path if dataset.kind == "store" else Path("attacks") / arguments.generator)


def _require_frozen(dataset: Dataset) -> None:
    """Raise InputError where a store's split could still be dealt again: modified pairs would tie its groups."""
    if dataset.kind != "store":
        return
    last = Store(dataset.path).manifest(Splits, scheme=dataset.scheme)
    if last is None or not last["config"].get("frozen"):
        raise InputError(
            f"--scheme {dataset.scheme}",
            expected="a frozen split, since a pair put together from two groups would join them",
            found="one that is not frozen" if last else "no such split",
            remedy=f"run `python -m analysis.splits --store {dataset.path} --scheme {dataset.scheme} --freeze` first",
        )


def _plan(arguments: OfAttack, dataset: Dataset, target: str, asking: Asking | None) -> "AttackPlan":
    from identification.robustness.attacking import AttackPlan
    from identification.robustness.sampling import choose_words

    return AttackPlan(
        target=target,
        mlm=arguments.mlm,
        language=dataset.language.code,
        words=choose_words(dataset, arguments.config),
        config=arguments.config,
        machine=arguments.machine,
        asking=asking,
    )


def _record(
    arguments: OfAttack, dataset: Dataset, rows: pd.DataFrame, plan: "AttackPlan", facts: Mapping[str, Any]
) -> "Record":
    from identification.robustness.recording import Record

    label_set = arguments.label_set
    config = {
        "settings": plain(arguments.config),
        "split": arguments.split,
        "words": None if plan.words is None else digest(*plan.words),
        **facts,
    }
    run = {
        "model": plan.target,
        "seed": facts["target_seed"],
        "campaigns": label_set.campaigns,
        "method": label_set.method,
        "scheme": dataset.scheme if dataset.kind == "store" else label_set.store_scheme,
        "threshold": facts["threshold"],
        "artefact": str(Path(plan.target).absolute()) if Path(plan.target).is_dir() else None,
        "artefact_sha256": facts["target_sha256"],
    }
    files: dict[str, int | str | None] = {"files": digest(*map(str, dataset.versions))}
    inputs = Store(dataset.path).inputs(Labels, Splits) if dataset.kind == "store" else files
    manifest = Manifest(
        stage=STAGE,
        config=config,
        recipe=arguments.recipe,
        language=plan.language,
        seed=arguments.config.seed,
        inputs=inputs,
        counts={"attempts": len(rows), "outcomes": rows["outcome"].value_counts().to_dict()},
    )
    return Record(
        attack=arguments.generator,
        attempts=rows,
        label_set=label_set,
        language=dataset.language,
        manifest=manifest,
        model=run,
        split=arguments.split,
        n_review=arguments.review,
    )


def _show(rows: pd.DataFrame) -> None:
    """Print accuracy before and after, by label, of the originals that the model gave an answer to."""
    answered = rows[rows["score_before"].notna()]
    say(f"{'label':<16}{'n':>5} {'right before':>13} {'after':>7} {'fooled of those':>16} {'edits':>6} {'s each':>7}")
    for label, name in ((1, "paraphrase"), (0, "no paraphrase")):
        some = answered[answered["label"] == label]
        if some.empty:
            continue
        right, fooled = some["outcome"] != "wrong_at_start", some["outcome"] == FOOLED
        n_right, n_fooled = int(right.sum()), int(fooled.sum())
        share = figure(n_fooled / n_right if n_right else None, 3)
        after = (n_right - n_fooled) / len(some)
        steps = figure(some.loc[fooled, "n_steps"].mean() if n_fooled else None, 1)
        say(
            f"{name:<16}{len(some):>5} {n_right / len(some):>13.3f} {after:>7.3f} {share:>16} {steps:>6} "
            f"{some['seconds'].mean():>7.2f}"
        )
    if n := len(rows) - len(answered):
        say(f"not among them: {quantity(n, 'original')} that the model gave no answer to")
    for outcome in ("stuck", "budget"):
        if n := int((rows["outcome"] == outcome).sum()):
            say(f"{quantity(n, 'original')} ended with {ENDS[outcome]}")
