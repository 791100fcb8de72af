"""The clustering room beside a plain reference: `python -m benchmarks.clustering --reference FILE --definitions FILE`.

The reference is a module of first-draft code, one loop per stage, with the functions `tokenizer`, `lemmatize`, `train`,
`average`, `cluster`, `candidates`, `drop_near_duplicates` and `jaccard`. Each side runs in its own process, one after
the other, on the same rows and with the same settings of word2vec (gensim's defaults, 300 dimensions). The reference
trains on three threads, so its vectors differ from run to run: the room continues from the reference's words and
means, since the last bits of a mean change clusters.

The reference finds near-duplicates with difflib, which finds no longest common subsequence and depends on which text
comes first. So the rule of `data.texts.similarity` is written out here, and both sides are compared with that.
"""

import csv
import gzip
import importlib.util
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from clustering.candidates import clusters, pairs, vectors
from clustering.config import Config
from data.console.commands import run
from data.console.messages import say
from data.texts import similarity, words
from data.texts.languages.en import ENGLISH

CONFIG = Config(min_count=5, n_init=1)
TRAINING, BUSY = "word2vec", "k-means, busy machine"
STAGES = ("tokens and lemmas", TRAINING, "mean vectors", "k-means", "pairs", "near duplicates", "Jaccard")
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Time every stage of the clustering room beside a plain reference, and compare their results."""

    reference: Path
    """The module of the plain reference; it needs NLTK's WordNet (NLTK_DATA)."""
    definitions: Path
    """Tab-separated file with the columns entity and definition, plain or gzip, sorted by entity."""
    limit: int | None = None
    """The number of rows to use, the first of the file; all by default."""
    runs: int = 3
    """Runs of each side, alternating; the figures are medians."""
    json: Path | None = None
    """A file to write the figures to as well."""


@dataclass(kw_only=True)
class TimedSide:
    """Seconds of each stage (processor, wall), its result, and the peak memory in MB after the last one."""

    seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    peak: float = 0

    def timed(self, stage: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """The result of the work, whose time is recorded."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.results[stage] = work(*arguments)
        self.seconds[stage] = time.process_time() - cpu, time.perf_counter() - wall
        self.peak = peak_memory()
        print(f"{stage}: {self.seconds[stage][0]:.2f} s, {self.peak:.0f} MB", file=sys.stderr, flush=True)
        return self.results[stage]


def peak_memory() -> float:
    """This program's peak memory in MB; `ru_maxrss` would include its parent's."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def main(arguments: Arguments) -> None:
    """Run both sides and print one table."""
    runs = []
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as folder:
            sides = (measure_reference, measure_room)
            runs.append([_in_own_process(measure, arguments, Path(folder)) for measure in sides])
    plain, room = (_median(list(side)) for side in zip(*runs, strict=True))
    lines = list(compare(plain, room))
    n_definitions = len(room.results["tokens and lemmas"])
    say(f"{n_definitions} definitions; processor seconds (wall seconds), medians of {arguments.runs} runs")
    for line in lines:
        say(line)
    if arguments.json:
        named = {"plain": plain, "room": room}
        content = {name: {"seconds": side.seconds, "peak_mb": side.peak} for name, side in named.items()}
        arguments.json.write_text(json.dumps(content, indent=1))


def _median(runs: list[TimedSide]) -> TimedSide:
    """The medians of the runs, with the results of the last one."""
    stages = runs[0].seconds
    seconds = {stage: tuple(np.median([run.seconds[stage] for run in runs], axis=0).tolist()) for stage in stages}
    return TimedSide(seconds=seconds, results=runs[-1].results, peak=float(np.median([run.peak for run in runs])))


def _in_own_process(measure: Callable[..., TimedSide], *arguments: Any) -> TimedSide:
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        return pool.submit(measure, *arguments).result()


def measure_reference(arguments: Arguments, folder: Path) -> TimedSide:
    """The reference's stages; its words and means are written to the folder."""
    side, (entities, texts) = TimedSide(), _read(arguments)
    plain = side.timed("imports", _load_reference, arguments.reference)
    plain.stopwords = lambda: set(ENGLISH.stop_words)
    by_entity: dict[str, list[str]] = {}
    for entity, text in zip(entities, texts, strict=True):
        by_entity.setdefault(entity, []).append(text)
    tokenize = plain.tokenizer()
    tokens = side.timed("tokens and lemmas", plain.lemmatize, by_entity, tokenize)
    model = side.timed(TRAINING, plain.train, tokens, CONFIG.vector_size, CONFIG.seed)
    means = side.timed("mean vectors", plain.average, tokens, model, CONFIG.vector_size)
    labels = side.timed("k-means", plain.cluster, means, CONFIG.seed)
    couples = side.timed("pairs", plain.candidates, labels)
    kept = side.timed("near duplicates", plain.drop_near_duplicates, couples, by_entity, CONFIG.min_edit_similarity)
    side.timed("Jaccard", plain.jaccard, [(by_entity[e][i], by_entity[e][j]) for e, i, j in couples], tokenize)
    peak = side.peak
    with _busy():
        side.timed(BUSY, plain.cluster, means, CONFIG.seed)
    first_row = dict(zip(by_entity, np.cumsum([0, *map(len, by_entity.values())]), strict=False))
    places = [{(int(first_row[e] + i), int(first_row[e] + j)): None for e, i, j in rows} for rows in (couples, kept)]
    side.results |= {
        "tokens and lemmas": list(itertools.chain.from_iterable(tokens.values())),
        "mean vectors": np.concatenate(list(means.values())).astype(np.float32),
        "pairs": list(places[0]),
        "near duplicates": [place not in places[1] for place in places[0]],
        "k-means": np.concatenate([clusters.number_by_appearance(numbers) for numbers in labels.values()]),
    }
    np.savez(folder / "reference.npz", means=side.results["mean vectors"], matrix=model.wv.vectors)
    (folder / "words.json").write_text(json.dumps(model.wv.index_to_key))
    return TimedSide(
        seconds=side.seconds, results={stage: side.results[stage] for stage in STAGES if stage != TRAINING}, peak=peak
    )


def measure_room(arguments: Arguments, folder: Path) -> TimedSide:
    """The room's stages, from the reference's words and means."""
    side, (entities, texts) = TimedSide(), _read(arguments)
    side.timed("imports", _warm_up)
    sentences = side.timed("tokens and lemmas", vectors.read_lemmas, texts)
    side.timed(TRAINING, vectors.train_word2vec, sentences, CONFIG)
    reference = np.load(folder / "reference.npz")
    known = vectors.WordVectors(words=json.loads((folder / "words.json").read_text()), matrix=reference["matrix"])
    means, has_word = side.timed("mean vectors", vectors.average, sentences, known)
    side.results["mean vectors"] = np.zeros((len(texts), means.shape[1]), dtype=np.float32)
    side.results["mean vectors"][has_word] = means
    means = reference["means"]
    labels = side.timed("k-means", _cluster, means, entities)
    first, second = side.timed("pairs", _pair, labels, entities)
    left, right = [texts[row] for row in first], [texts[row] for row in second]
    near = side.timed("near duplicates", similarity.near_duplicates, left, right)
    overlap = side.timed("Jaccard", similarity.jaccard, left, right)
    peak = side.peak
    with _busy():
        side.timed(BUSY, _cluster, means, entities)
    side.results |= {
        "tokens and lemmas": list(sentences),
        "pairs": list(zip(first.tolist(), second.tolist(), strict=True)),
        "near duplicates": near["reason"].notna().tolist(),
        "Jaccard": overlap.to_numpy(dtype=np.float64, na_value=0),
        "by the rule": [is_near_duplicate(*couple) for couple in zip(left, right, strict=True)],
    }
    shown = [*(stage for stage in STAGES if stage != TRAINING), "by the rule"]
    return TimedSide(seconds=side.seconds, results={stage: side.results[stage] for stage in shown}, peak=peak)


def _read(arguments: Arguments) -> tuple[list[str], list[str]]:
    opened = gzip.open if arguments.definitions.suffix == ".gz" else open
    with opened(arguments.definitions, "rt", encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = list(itertools.islice(reader, arguments.limit))
    return [row["entity"] for row in rows], [row["definition"] for row in rows]


def _load_reference(path: Path) -> Any:
    import gensim.models  # noqa: F401
    from nltk.corpus import wordnet

    wordnet.ensure_loaded()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("plain_reference", path)
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _warm_up() -> None:
    """Load what the first word needs: NLTK and the tables of lemmas."""
    ENGLISH.tokens('"')
    ENGLISH.lemma("keys")
    ENGLISH.stem("keys")


def _cluster(means: vectors.Dense, entities: list[str]) -> np.ndarray:
    return clusters.cluster(means, clusters.group_by(pd.factorize(pd.Series(entities), sort=True)[0]), CONFIG)


def _pair(labels: np.ndarray, entities: list[str]) -> tuple[np.ndarray, np.ndarray]:
    codes = pd.factorize(pd.Series(entities), sort=True)[0]
    return pairs.pair_within(codes * (labels.max(initial=0) + 1) + labels)


@contextmanager
def _busy() -> Iterator[None]:
    """Keep every processor busy with something else."""
    others = [SPAWN.Process(target=_spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    for other in others:
        other.start()
    time.sleep(2)  # until they have started
    yield
    for other in others:
        other.terminate()
        other.join()


def _spin() -> None:
    while True:
        pass


def is_near_duplicate(first: str, second: str) -> bool:
    """The rule of `data.texts.similarity.near_duplicates`, written out: the edit similarity is the textbook's."""
    left, right = (f" {words.bare(text)} " for text in (first, second))
    if left in right or right in left or sorted(ENGLISH.stems(left.split())) == sorted(ENGLISH.stems(right.split())):
        return True
    n = len(left) + len(right)
    if 2 * min(len(left), len(right)) < CONFIG.min_edit_similarity * n:  # no subsequence is longer than a text
        return False
    row = [0] * (len(right) + 1)
    for letter in left:
        before = row[:]
        for at, other in enumerate(right, 1):
            row[at] = before[at - 1] + 1 if letter == other else max(before[at], row[at - 1])
    return 2 * row[-1] / n >= CONFIG.min_edit_similarity


def compare(plain: TimedSide, room: TimedSide) -> Iterator[str]:
    """The lines of the table: seconds of both sides, how many times faster, and how many results are equal."""
    yield f"{'stage':22} {'reference':>16} {'room':>16} {'times':>6} {'(wall)':>8}  same"
    for stage in ("imports", *STAGES, BUSY):
        same = agreement(plain.results[stage], room.results[stage]) if stage in plain.results else ""
        yield _line(stage, plain.seconds[stage], room.seconds[stage]) + f"  {same}"
    sums = [np.sum([side.seconds[stage] for stage in STAGES if stage != TRAINING], axis=0) for side in (plain, room)]
    yield _line("all but word2vec", *sums)
    yield f"{'peak memory':22} {plain.peak:13.0f} MB {room.peak:13.0f} MB"
    rule = {
        name: agreement(room.results["by the rule"], side.results["near duplicates"])
        for name, side in (("plain", plain), ("room", room))
    }
    yield f"near duplicates as by the rule written out: room {rule['room']}, reference {rule['plain']}"


def agreement(plain: Any, room: Any) -> str:
    """How many rows are equal; numbers within 1e-5."""
    if len(plain) != len(room):
        return f"{len(room)} rows, not {len(plain)}"
    if isinstance(room, np.ndarray) and room.dtype.kind == "f":
        equal = np.isclose(plain, room, atol=1e-5)
        equal = equal.all(axis=1) if equal.ndim == 2 else equal
    else:
        equal = np.array([left == right for left, right in zip(plain, room, strict=True)])
    return f"{equal.sum()} of {len(equal)}"


def _line(stage: str, plain: Any, room: Any) -> str:
    shown = [f"{cpu:7.2f} ({wall:6.2f})" for cpu, wall in (plain, room)]
    times = [slow / max(fast, 1e-9) for slow, fast in zip(plain, room, strict=True)]
    return f"{stage:22} {shown[0]:>16} {shown[1]:>16} {times[0]:5.1f}x ({times[1]:5.1f}x)"


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.clustering")
