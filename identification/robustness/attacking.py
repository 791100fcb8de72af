"""An attack in shards: groups of originals, each modified by a process that opens the models once."""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from data.console.paths import from_anywhere
from data.files.whole import write_whole
from data.models.causal_models import CausalModel
from data.storage.engine import DONE, run_shards
from data.storage.manifest import Manifest, plain
from data.texts.identity import digest, files_digest
from data.texts.languages.base import language
from identification.config import AttackConfig, Machine
from identification.endpoints.asking import Asking
from identification.robustness.guards import Fluency, Guards
from identification.robustness.parts_of_speech import UNTAGGED, Tagger, find_tagger
from identification.robustness.positions import Slots
from identification.robustness.proposals import Proposer
from identification.robustness.running import Runner
from identification.robustness.screening import Screen
from identification.robustness.search import Original, Rules, SearchLimits, SearchResult, search
from identification.robustness.targets import AttackedModel, begin, open_target
from identification.robustness.texts import TaggedWords, is_content

GROUP = 20
"""Originals that are modified side by side: enough for full batches, few enough for constant memory."""
PLAN, ORIGINALS, ATTEMPTS = "plan.json", "originals.json", "attempts.json"


@dataclass(frozen=True, kw_only=True)
class AttackPlan:
    """What every shard of an attack needs to know."""

    target: str
    """The model that is attacked (see `targets.open_target`)."""
    mlm: str
    """The folder or name of the masked language model."""
    language: str
    words: list[str] | None
    """What may be substituted; None: the words that the masked language model has."""
    config: AttackConfig
    machine: Machine
    asking: Asking | None = None
    """How the model is asked, where it is a language model behind an address."""
    to_the_end: bool = False
    """Go on where the model is wrong: `score_after` is the lowest that the search finds, whatever the threshold."""

    def save(self, path: Path) -> str:
        """Write the plan, with absolute paths for workers elsewhere; return its fingerprint.

        It also depends on code and libraries.
        It says nothing of threads and budgets: they decide when an attempt is made, not what comes of it.
        """
        fluency = self.config.fluency
        known = replace(
            self,
            target=from_anywhere(self.target),
            mlm=from_anywhere(self.mlm),
            config=replace(self.config, fluency=fluency and Path(from_anywhere(str(fluency)))),
        )
        write_whole(path, json.dumps(plain(known), sort_keys=True))
        decisive = replace(known, machine=replace(self.machine, threads=None), asking=None)
        return Manifest(stage="identification.attack", config=plain(decisive)).fingerprint()

    def threshold_of(self, target: AttackedModel) -> float:
        """The score from which on the model says paraphrase."""
        return target.threshold if self.config.threshold is None else self.config.threshold

    @classmethod
    def read(cls, path: Path) -> "AttackPlan":
        """The plan that `save` wrote."""
        return TypeAdapter(cls).validate_json(path.read_bytes())


def attack(
    plan: AttackPlan, originals: pd.DataFrame, folder: Path, engine: str, watch: Callable[..., Iterator[Any]]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """What became of each original (columns of `sampling.COLUMNS`): rows of `describe`; and the models' names.

    `folder` keeps finished shards: the same plan with the same models goes on from them, with fewer or more originals
    of each label, too, since every shard has both labels in the order of drawing. Raises InputError where a model
    cannot be used.
    """
    if plan.asking is not None:
        begin(plan.asking, folder)
    facts = name_models(plan, folder)
    fingerprint = digest(plan.save(folder / PLAN), json.dumps(facts, sort_keys=True))  # a path may hold another model
    drawn = originals.iloc[originals.groupby("label").cumcount().argsort(kind="stable")]
    rows = drawn[["pair_id", "label", "first", "second"]].to_dict("records")
    shards: list[Path] = []
    for start in range(0, len(rows), GROUP):
        content = json.dumps(rows[start : start + GROUP], ensure_ascii=False)
        shards.append(folder / digest(fingerprint, content))
        write_whole(shards[-1] / ORIGINALS, content)
        if plan.asking is not None:
            _forget_unanswered(shards[-1])
    done = run_shards(attack_shard, shards, engine, watch)
    attempts = [row for path in done for row in json.loads((path / ATTEMPTS).read_text(encoding="utf-8"))]
    return pd.DataFrame(attempts), facts


def _forget_unanswered(shard: Path) -> None:
    """Have a shard of a language model computed again that a budget ended: there may be more answers now."""
    attempts = shard / DONE / ATTEMPTS
    if attempts.is_file() and any(row["outcome"] == "budget" for row in json.loads(attempts.read_bytes())):
        shutil.rmtree(attempts.parent)


def name_models(plan: AttackPlan, folder: Path) -> dict[str, Any]:
    """What is the same for all attempts: columns of the table `attacks`, and the digest of a causal language model."""
    from identification.architectures import masked

    with open_target(plan.target, plan.machine, plan.asking, folder) as target:
        facts = {"target": target.name, "target_sha256": target.digest, "threshold": plan.threshold_of(target)}
        facts |= {"target_seed": target.seed}
    fluency = plan.config.fluency
    if fluency is not None and fluency.is_dir():  # another path is refused where it is opened
        facts["fluency_sha256"] = files_digest([fluency])
    if plan.to_the_end:  # nothing depends on it
        facts["threshold"] = None
    return facts | {"mlm": Path(plan.mlm).name, "mlm_sha256": masked.identify(plan.mlm)}


def attack_shard(shard: Path, out: Path) -> None:
    """Modify the originals of a shard (work for `data.storage.engine`)."""
    rows = json.loads((shard / ORIGINALS).read_text(encoding="utf-8"))
    plan = AttackPlan.read(shard.parent / PLAN)
    with open_target(plan.target, plan.machine, plan.asking, shard.parent) as target:
        attempts = Attacker.open(plan, target).attack(rows)
    write_whole(out / ATTEMPTS, json.dumps(attempts, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class Attacker:
    """Everything that a search needs, opened."""

    target: AttackedModel
    proposer: Proposer
    slots: Slots
    tag: Tagger
    config: AttackConfig
    threshold: float
    """Where the model is wrong; NaN: nowhere."""

    @classmethod
    def open(cls, plan: AttackPlan, target: AttackedModel) -> "Attacker":
        """The attacker of the plan; raises InputError where the masked language model cannot be used."""
        from identification.architectures import masked
        from identification.training.epochs.machine import choose_device

        config, spoken = plan.config, language(plan.language)
        fluency = _open_fluency(config)  # first: to open it takes more memory than to use it
        _, tag = find_tagger(plan.language)
        slots = replace(list_slots(plan), blank=target.blank)
        may = partial(is_content, language=spoken, plain="plain" in config.guards)
        device = choose_device(plan.machine, pays=False).device
        model = masked.load(plan.mlm, may if plan.words is None else plan.words, device)
        guards = Guards(
            names=frozenset(config.guards),
            floor=config.floor,
            language=spoken,
            tag=tag,
            words=model.words,
            fluency=fluency,
        )
        proposer = Proposer(model=model, guards=guards, window=config.window)
        return cls(
            target=target,
            proposer=proposer,
            slots=slots,
            tag=tag,
            config=config,
            threshold=np.nan if plan.to_the_end else plan.threshold_of(target),
        )

    def attack(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """What became of each original (pair_id, label, first, second)."""
        started = time.process_time()
        originals = tag_originals(rows, self.tag)
        searches = [
            search(
                original,
                self.threshold,
                limit(original, self.config),
                Rules(self.slots, partial(self.proposer.guards.clash, original.label)),
                self._seed(row["pair_id"]),
            )
            for original, row in zip(originals, rows, strict=True)
        ]
        results = Runner(Screen(self.target.score, self.target.rough), self.proposer).run(searches)
        seconds = (time.process_time() - started) / max(1, sum(result.queries for result in results))
        return [
            {"original_id": row["pair_id"], **describe(result), "seconds": seconds * result.queries}
            for row, result in zip(rows, results, strict=True)
        ]

    def _seed(self, pair_id: str) -> list[int]:
        """A seed of the pair's own, so that its result does not depend on the others of its group."""
        return [self.config.seed, int(digest(pair_id)[:8], 16)]


def tag_originals(rows: Sequence[Mapping[str, Any]], tag: Tagger) -> list[Original]:
    """The originals (label, first, second) in words with their parts of speech."""
    texts = tag([TaggedWords.of(row[side]) for row in rows for side in ("first", "second")])
    return [Original(texts[2 * n], texts[2 * n + 1], row["label"]) for n, row in enumerate(rows)]


def list_slots(plan: AttackPlan) -> Slots:
    """The rule of replaceable places that the plan follows."""
    config = plan.config
    return Slots(
        language=language(plan.language),
        occurrences=config.occurrences,
        open_classes="speech" in config.guards,
        names="names" not in config.guards,
        other_forms="stems" not in config.guards,
        plain="plain" in config.guards,
        has_tags=find_tagger(plan.language)[0] != UNTAGGED,
    )


def limit(original: Original, config: AttackConfig) -> SearchLimits:
    """How far the search of an original goes."""
    n_words = len(original.first) + len(original.second)
    factor = 2 if config.long_from is not None and n_words >= config.long_from else 1
    return SearchLimits(
        steps=factor * config.steps,
        words=factor * config.words,
        beam=factor * config.beam,
        places=None if config.places is None else factor * config.places,
        queries=config.max_queries,
        refine=config.refine,
    )


def count_queries(plan: AttackPlan, originals: pd.DataFrame) -> int:
    """How many pairs the model is asked about at most for these originals, refinement apart."""
    slots, (_, tag), total = list_slots(plan), find_tagger(plan.language), 0
    rows: list[Any] = originals.to_dict("records")
    for original in tag_originals(rows, tag):
        limits = limit(original, plan.config)
        n = len(slots.find(original, original.label))
        n = n if limits.places is None else min(n, limits.places)
        first = n + min(n, limits.beam) * limits.words
        further = limits.beam * n + min(limits.beam * n, limits.beam) * limits.words
        asked = 1 + first + (limits.steps - 1) * further
        total += asked if limits.queries is None else min(asked, limits.queries)
    return total


def _open_fluency(config: AttackConfig) -> Fluency | None:
    if config.fluency is None:
        return None
    return Fluency(score=CausalModel(config.fluency, "--fluency").score, most_loss=config.fluency_loss)


def describe(result: SearchResult) -> dict[str, Any]:
    """The columns of the table `attacks` that a search knows."""
    first, second = result.draft.pair
    return {
        "outcome": result.outcome,
        "n_steps": len(result.draft.edits),
        "new_first": first,
        "new_second": second,
        "score_before": None if np.isnan(result.score_before) else result.score_before,
        "score_after": None if np.isnan(result.score_after) else result.score_after,
        "edits": [edit.row for edit in result.draft.edits],
        "queries": result.queries,
    }
