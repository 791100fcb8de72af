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

from data.files.whole import write_whole
from data.models.causal_models import CausalModel
from data.storage.engine import DONE, run_shards
from data.storage.manifest import Manifest, plain
from data.texts.identity import digest, files_digest
from data.texts.languages.known import language
from identification.config import AttackConfig, AttackSettings, Machine, settle_attack
from identification.endpoints.asking import Asking
from identification.robustness.guards import Fluency, Guards
from identification.robustness.parts_of_speech import UNTAGGED, Tagger, find_tagger
from identification.robustness.positions import Slots
from identification.robustness.proposals import Proposer
from identification.robustness.running import Runner
from identification.robustness.screening import Screen
from identification.robustness.search import Original, Rules, SearchLimits, SearchResult, search
from identification.robustness.targets import Target, begin, open_target
from identification.robustness.texts import TaggedWords

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
    words: list[str]
    """What may be substituted: the content words of the data set."""
    config: AttackConfig
    machine: Machine
    asking: Asking | None = None
    """How the model is asked, where it is a language model behind an address."""
    to_the_end: bool = False
    """Go on where the model is wrong: `score_after` is the lowest that the search finds, whatever the threshold."""

    def save(self, path: Path) -> str:
        """Write the plan; return its fingerprint, which also depends on code and libraries.

        It says nothing of threads and budgets: they decide when an attempt is made, not what comes of it.
        """
        write_whole(path, json.dumps(plain(self), sort_keys=True))
        decisive = replace(self, machine=replace(self.machine, threads=None), asking=None)
        return Manifest(stage="identification.attack", config=plain(decisive)).fingerprint()

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
        facts = {"target": target.name, "target_sha256": target.digest, "threshold": target.threshold}
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

    target: Target
    proposer: Proposer
    slots: Slots
    tag: Tagger
    settings: AttackSettings
    config: AttackConfig
    threshold: float
    """Where the model is wrong; NaN: nowhere."""

    @classmethod
    def open(cls, plan: AttackPlan, target: Target) -> "Attacker":
        """The attacker of the plan; raises InputError where the masked language model cannot be used."""
        from identification.architectures import masked

        settings, spoken = settle_attack(plan.config), language(plan.language)
        fluency = _open_fluency(plan.config)  # first: to open it takes more memory than to use it
        tagger, tag = find_tagger(plan.language)
        slots = Slots(
            language=spoken,
            occurrences=settings.occurrences,
            open_classes="speech" in settings.guards,
            names="names" not in settings.guards,
            other_forms="stems" not in settings.guards,
            has_tags=tagger != UNTAGGED,
            blank=target.blank,
        )
        model = masked.load(plan.mlm, plan.words)
        guards = Guards(
            names=frozenset(settings.guards),
            floor=settings.floor,
            language=spoken,
            tag=tag,
            words=model.words,
            fluency=fluency,
        )
        proposer = Proposer(model=model, guards=guards, window=plan.config.window)
        return cls(
            target=target,
            proposer=proposer,
            slots=slots,
            tag=tag,
            settings=settings,
            config=plan.config,
            threshold=np.nan if plan.to_the_end else target.threshold,
        )

    def attack(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """What became of each original (pair_id, label, first, second)."""
        started = time.process_time()
        texts = self.tag([TaggedWords.of(row[side]) for row in rows for side in ("first", "second")])
        originals = [Original(texts[2 * n], texts[2 * n + 1], row["label"]) for n, row in enumerate(rows)]
        searches = [
            search(
                original,
                self.threshold,
                self._limits(original),
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

    def _limits(self, original: Original) -> SearchLimits:
        settings, n_words = self.settings, len(original.first) + len(original.second)
        factor = 2 if settings.long_from is not None and n_words >= settings.long_from else 1
        return SearchLimits(
            steps=factor * settings.steps,
            words=factor * settings.words,
            beam=factor * settings.beam,
            queries=self.config.max_queries,
            refine=settings.refine,
        )

    def _seed(self, pair_id: str) -> list[int]:
        """A seed of the pair's own, so that its result does not depend on the others of its group."""
        return [self.config.seed, int(digest(pair_id)[:8], 16)]


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
