"""The clustering room beside a plain reference: `python -m benchmarks.clustering --reference FILE --definitions FILE`.

The reference is a module that does what one writes first, a loop a stage, with the functions `tokenizer`, `lemmatize`,
`train`, `average`, `cluster`, `candidates`, `drop_near_duplicates` and `jaccard`. Each side runs in a process of its
own, one after the other, on the same rows and with the same settings of word2vec (gensim's defaults, 300 dimensions).
The reference trains by three threads, so its vectors are others on every run: ours goes on from the reference's
words, and from its means, since the last bits of a mean move clusters.

The reference's near duplicates go by difflib, which finds no longest common subsequence and depends on which text
comes first. So the rule of `data.similarity` is said plainly here, and both are compared with that.
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
from data import similarity, words
from data.console import run, say

CONFIG = Config(min_count=5, n_init=1)
TRAINING, BUSY = "word2vec", "k-means, busy machine"
STAGES = ("tokens and lemmas", TRAINING, "mean vectors", "k-means", "pairs", "near duplicates", "Jaccard")
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Times every stage of the clustering room beside a plain reference, and compares what they make."""

    reference: Path
    """The module of the plain reference; it needs NLTK's WordNet (NLTK_DATA)."""
    definitions: Path
    """Tab-separated file with the columns entity and definition, plain or gzip, sorted by entity."""
    limit: int | None = None
    """Only the first so many rows."""
    runs: int = 3
    """Runs of each side, in turns; the figures are medians."""
    json: Path | None = None
    """Write the figures here too."""


@dataclass(kw_only=True)
class Side:
    """Seconds of each stage (processor, wall), what it made, and the peak memory in MB after the last one."""

    seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    peak: float = 0

    def timed(self, stage: str, work: Callable[..., Any], *given: Any) -> Any:
        """What the work gives, with its time kept."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.made[stage] = work(*given)
        self.seconds[stage] = time.process_time() - cpu, time.perf_counter() - wall
        self.peak = peak_memory()
        print(f"{stage}: {self.seconds[stage][0]:.2f} s, {self.peak:.0f} MB", file=sys.stderr, flush=True)
        return self.made[stage]


def peak_memory() -> float:
    """This program's peak memory in MB; `ru_maxrss` would hold what its parent had, too."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def main(arguments: Arguments) -> None:
    """Runs both sides and prints one table."""
    runs = []
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as folder:
            given = (arguments, Path(folder))
            runs.append([_alone(measure, *given) for measure in (measure_reference, measure_ours)])
    plain, ours = (_median(list(side)) for side in zip(*runs, strict=True))
    lines = list(compare(plain, ours))
    n_definitions = len(ours.made["tokens and lemmas"])
    say(f"{n_definitions} definitions; processor seconds (wall seconds), medians of {arguments.runs} runs")
    for line in lines:
        say(line)
    if arguments.json:
        sides = {"plain": plain, "ours": ours}
        content = {name: {"seconds": side.seconds, "peak_mb": side.peak} for name, side in sides.items()}
        arguments.json.write_text(json.dumps(content, indent=1))


def _median(runs: list[Side]) -> Side:
    """The medians of the runs, with what the last one made."""
    stages = runs[0].seconds
    seconds = {stage: tuple(np.median([run.seconds[stage] for run in runs], axis=0).tolist()) for stage in stages}
    return Side(seconds=seconds, made=runs[-1].made, peak=float(np.median([run.peak for run in runs])))


def _alone(measure: Callable[..., Side], *given: Any) -> Side:
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        return pool.submit(measure, *given).result()


def measure_reference(arguments: Arguments, folder: Path) -> Side:
    """The reference's stages; its words and means are left in the folder."""
    side, (entities, texts) = Side(), _read(arguments)
    plain = side.timed("imports", _load_reference, arguments.reference)
    plain.stopwords = lambda: set(words.STOP_WORDS)
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
    places = [{(int(first_row[e] + i), int(first_row[e] + j)): None for e, i, j in some} for some in (couples, kept)]
    side.made |= {
        "tokens and lemmas": list(itertools.chain.from_iterable(tokens.values())),
        "mean vectors": np.concatenate(list(means.values())).astype(np.float32),
        "pairs": list(places[0]),
        "near duplicates": [place not in places[1] for place in places[0]],
        "k-means": np.concatenate([clusters.number_by_appearance(one) for one in labels.values()]),
    }
    np.savez(folder / "given.npz", means=side.made["mean vectors"], matrix=model.wv.vectors)
    (folder / "words.json").write_text(json.dumps(model.wv.index_to_key))
    return Side(
        seconds=side.seconds, made={stage: side.made[stage] for stage in STAGES if stage != TRAINING}, peak=peak
    )


def measure_ours(arguments: Arguments, folder: Path) -> Side:
    """Our stages, from the reference's words and means on."""
    side, (entities, texts) = Side(), _read(arguments)
    side.timed("imports", _warm_up)
    sentences = side.timed("tokens and lemmas", vectors.read_lemmas, texts)
    side.timed(TRAINING, vectors.train_word2vec, sentences, CONFIG)
    given = np.load(folder / "given.npz")
    known = vectors.WordVectors(words=json.loads((folder / "words.json").read_text()), matrix=given["matrix"])
    means, has_word = side.timed("mean vectors", vectors.average, sentences, known)
    side.made["mean vectors"] = np.zeros((len(texts), means.shape[1]), dtype=np.float32)
    side.made["mean vectors"][has_word] = means
    means = given["means"]
    labels = side.timed("k-means", _cluster, means, entities)
    first, second = side.timed("pairs", _pair, labels, entities)
    one, other = [texts[row] for row in first], [texts[row] for row in second]
    near = side.timed("near duplicates", similarity.near_duplicates, one, other)
    overlap = side.timed("Jaccard", similarity.jaccard, one, other)
    peak = side.peak
    with _busy():
        side.timed(BUSY, _cluster, means, entities)
    side.made |= {
        "tokens and lemmas": list(sentences),
        "pairs": list(zip(first.tolist(), second.tolist(), strict=True)),
        "near duplicates": near["reason"].notna().tolist(),
        "Jaccard": overlap.to_numpy(dtype=np.float64, na_value=0),
        "by the rule": [is_near_duplicate(*couple) for couple in zip(one, other, strict=True)],
    }
    wanted = [*(stage for stage in STAGES if stage != TRAINING), "by the rule"]
    return Side(seconds=side.seconds, made={stage: side.made[stage] for stage in wanted}, peak=peak)


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
    """Loads what the first word needs: NLTK and the tables of lemmas."""
    words.tokens('"')
    words.lemma("keys")
    words.stem("keys")


def _cluster(means: vectors.Dense, entities: list[str]) -> np.ndarray:
    return clusters.cluster(means, clusters.group_by(pd.factorize(pd.Series(entities), sort=True)[0]), CONFIG)


def _pair(labels: np.ndarray, entities: list[str]) -> tuple[np.ndarray, np.ndarray]:
    codes = pd.factorize(pd.Series(entities), sort=True)[0]
    return pairs.pair_within(codes * (labels.max(initial=0) + 1) + labels)


@contextmanager
def _busy() -> Iterator[None]:
    """Keeps every processor busy with something else."""
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
    """The rule of `data.similarity.near_duplicates`, said plainly: the edit similarity is the textbook's."""
    one, other = (f" {words.bare(text)} " for text in (first, second))
    if one in other or other in one or sorted(words.stems(one.split())) == sorted(words.stems(other.split())):
        return True
    n = len(one) + len(other)
    if 2 * min(len(one), len(other)) < CONFIG.min_edit_similarity * n:  # no subsequence is longer than a text
        return False
    row = [0] * (len(other) + 1)
    for letter in one:
        before = row[:]
        for at, its in enumerate(other, 1):
            row[at] = before[at - 1] + 1 if letter == its else max(before[at], row[at - 1])
    return 2 * row[-1] / n >= CONFIG.min_edit_similarity


def compare(plain: Side, ours: Side) -> Iterator[str]:
    """The table's lines: seconds of both, how many times faster, whether they made the same."""
    yield f"{'stage':22} {'plain':>16} {'ours':>16} {'times':>6} {'(wall)':>8}  same"
    for stage in ("imports", *STAGES, BUSY):
        same = agreement(plain.made[stage], ours.made[stage]) if stage in plain.made else ""
        yield _line(stage, plain.seconds[stage], ours.seconds[stage]) + f"  {same}"
    sums = [np.sum([side.seconds[stage] for stage in STAGES if stage != TRAINING], axis=0) for side in (plain, ours)]
    yield _line("all but word2vec", *sums)
    yield f"{'peak memory':22} {plain.peak:13.0f} MB {ours.peak:13.0f} MB"
    rule = {
        name: agreement(ours.made["by the rule"], side.made["near duplicates"])
        for name, side in (("plain", plain), ("ours", ours))
    }
    yield f"near duplicates as the rule said plainly has them: ours {rule['ours']}, the reference {rule['plain']}"


def agreement(plain: Any, ours: Any) -> str:
    """How many of the rows are equal; numbers within 1e-5."""
    if len(plain) != len(ours):
        return f"{len(ours)} rows, not {len(plain)}"
    if isinstance(ours, np.ndarray) and ours.dtype.kind == "f":
        equal = np.isclose(plain, ours, atol=1e-5)
        equal = equal.all(axis=1) if equal.ndim == 2 else equal
    else:
        equal = np.array([one == other for one, other in zip(plain, ours, strict=True)])
    return f"{equal.sum()} of {len(equal)}"


def _line(stage: str, plain: Any, ours: Any) -> str:
    shown = [f"{cpu:7.2f} ({wall:6.2f})" for cpu, wall in (plain, ours)]
    times = [one / max(other, 1e-9) for one, other in zip(plain, ours, strict=True)]
    return f"{stage:22} {shown[0]:>16} {shown[1]:>16} {times[0]:5.1f}x ({times[1]:5.1f}x)"


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.clustering")
