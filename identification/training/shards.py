"""Scores of many pairs, shard by shard: one process, several or a cluster give the same scores."""

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from data.console.messages import progress
from data.console.paths import from_anywhere
from data.files.whole import write_whole
from data.models.scorers import TRAINED, identify, open_scorer, read_format
from data.storage.engine import HERE, PROCESSES, run_shards
from data.texts.identity import digest
from identification.config import Machine
from identification.training import artefact
from identification.training.artefact import Scored

PAIRS = 4096
"""Pairs of a shard; batches are cut within a shard, so that scores do not depend on the number of processes."""

Texts = tuple[list[str], list[str]]


def score_in_shards(spec: str, texts: Texts, machine: Machine, engine: str | None, folder: Path) -> Scored:
    """Scores by the model that `spec` names (`data.models.scorers`), computed by an engine (`data.storage.engine`).

    `folder`: where shards lie until all are scored; an interrupted run goes on from them. Without an engine, one shard
    is scored here and several by processes, unless the device is not the processor. Each process computes on one
    thread, unless `machine` says otherwise. A text is read once per shard.
    """
    place = folder / digest(spec, str(machine), identify(spec), *texts[0], *texts[1])
    for old in folder.glob("*"):
        if old != place:
            shutil.rmtree(old, ignore_errors=True)
    shards = list(_write_shards(place, spec, texts, machine))
    on_processor = machine.device == "cpu" or not torch.cuda.is_available()
    chosen = engine or (PROCESSES if len(shards) > 1 and on_processor else HERE)
    results = run_shards(score_shard, shards, chosen, progress)
    scored = artefact.join([_read(result) for result in results])
    shutil.rmtree(folder, ignore_errors=True)
    return scored


def _write_shards(place: Path, spec: str, texts: Texts, machine: Machine) -> Iterator[Path]:
    where = from_anywhere(spec)
    device = dataclasses.replace(machine, threads=machine.threads or 1)
    for number, start in enumerate(range(0, len(texts[0]), PAIRS)):
        shard = place / f"shard-{number:05}"
        if not (shard / "work.json").is_file():
            shard.mkdir(parents=True, exist_ok=True)
            first, second = (side[start : start + PAIRS] for side in texts)
            work = {"model": where, "machine": dataclasses.asdict(device), "first": first, "second": second}
            write_whole(shard / "work.json", json.dumps(work))
        yield shard


def score_shard(shard: Path, out: Path) -> None:
    """Score the pairs of the shard's folder."""
    work = json.loads((shard / "work.json").read_text(encoding="utf-8"))
    scored = _open(work["model"])((work["first"], work["second"]), Machine(**work["machine"]))
    np.save(out / "scores.npy", scored.scores)
    facts = {name: value for name, value in vars(scored).items() if name != "scores"}
    (out / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _read(result: Path) -> Scored:
    facts = json.loads((result / "facts.json").read_text(encoding="utf-8"))
    return Scored(scores=np.load(result / "scores.npy"), **facts)


@lru_cache(maxsize=1)
def _open(spec: str) -> Callable[[Texts, Machine], Scored]:
    """The model as a function, opened once per process."""
    folder = Path(spec)
    if read_format(folder) == TRAINED:
        opened = artefact.open_model(folder)
        return lambda texts, machine: artefact.score_pairs(opened, texts, machine, _unwatched)
    scorer = open_scorer(spec)
    return lambda texts, _: Scored(scores=scorer(*texts))


def _unwatched(items: Any, **_: object) -> Iterator[Any]:
    return iter(items)
