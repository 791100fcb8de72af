"""The clustering room beside a plain reference in the same run: `python -m benchmarks.clustering --definitions FILE`.

FILE is tab-separated with the columns entity and definition, plain or gzip. Each side runs in a process of its own,
one after the other, on the same rows with the same word2vec settings (the recipe `paper`). The reference is what one
writes first: a loop a stage, one text or pair at a time. WordNet's lemmatiser needs a download, so both sides take
lemmas from the same tables: the reference looks up every token, ours every distinct one.
"""

import csv
import difflib
import gzip
import itertools
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.cluster

from clustering import clusters, pairs, vectors
from clustering.config import Config
from data import similarity, words
from data.console import run, say

CONFIG = Config(n_init=1)
STAGES = ("tokens and lemmas", "word2vec", "mean vectors", "k-means", "pairs", "near duplicates", "Jaccard")
BEYOND_TRAINING = "all but word2vec"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Times every stage of the clustering room beside a plain reference, and compares what they make."""

    definitions: Path
    """Tab-separated file with the columns entity and definition, plain or gzip."""
    limit: int | None = None
    """Only the first so many rows."""
    json: Path | None = None
    """Write the figures here too."""


def main(arguments: Arguments) -> None:
    """Runs both sides and prints one table."""
    sides = {}
    for name in ("plain", "ours"):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            sides[name] = pool.submit(measure, name, arguments.definitions, arguments.limit).result()
    report = compare(sides["plain"], sides["ours"])
    say(f"{sides['ours']['definitions']} definitions; CPU seconds (wall seconds), one process each")
    for row in report:
        say(row)
    if arguments.json:
        arguments.json.write_text(json.dumps({name: side["seconds"] for name, side in sides.items()}, indent=1))


def measure(side: str, path: Path, limit: int | None) -> dict[str, Any]:
    """Seconds of each stage, what it made, and the peak memory of one side."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(itertools.islice(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE), limit))
    entities, texts = [row["entity"] for row in rows], [row["definition"] for row in rows]
    words.lemma("warm")
    seconds: dict[str, tuple[float, float]] = {}
    results: dict[str, Any] = {}

    def timed(stage: str, work: Callable[..., Any], *given: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        results[stage] = work(*given)
        seconds[stage] = time.process_time() - cpu, time.perf_counter() - wall
        print(f"{side}: {stage} {seconds[stage][0]:.2f} s", file=sys.stderr, flush=True)
        return results[stage]

    stages = PLAIN if side == "plain" else OURS
    sentences = timed("tokens and lemmas", stages["lemmas"], texts)
    model = timed("word2vec", vectors.train_word2vec, sentences, CONFIG, iter(()))
    timed("mean vectors", stages["average"], sentences, model)
    means = vectors.average(sentences, model)[0]  # the last bits of a mean move clusters: both sides go on from one
    labels = timed("k-means", stages["cluster"], means, entities)
    couples = timed("pairs", stages["pairs"], labels, entities)
    first, second = ([texts[couple[side]] for couple in couples] for side in (0, 1))
    timed("near duplicates", stages["near"], first, second)
    timed("Jaccard", stages["jaccard"], first, second)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"definitions": len(rows), "seconds": seconds, "results": results, "peak": peak}


def compare(plain: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """The table's lines: seconds of both, how many times faster, whether they made the same."""
    lines = [f"{'stage':20} {'plain':>16} {'ours':>16} {'times':>7}  same"]
    total = {"plain": np.zeros(2), "ours": np.zeros(2)}
    for stage in STAGES:
        both = {"plain": plain["seconds"][stage], "ours": ours["seconds"][stage]}
        if stage != "word2vec":
            total = {name: total[name] + both[name] for name in total}
        same = "-" if stage == "word2vec" else agreement(plain["results"][stage], ours["results"][stage])
        lines.append(_line(stage, both["plain"], both["ours"]) + f"  {same}")
    lines.append(_line(BEYOND_TRAINING, total["plain"], total["ours"]))
    lines.append(f"{'peak memory':20} {plain['peak']:13.0f} MB {ours['peak']:13.0f} MB")
    return lines


def agreement(plain: Any, ours: Any) -> str:
    """How many of the rows are equal; numbers within 1e-5."""
    if len(plain) != len(ours):
        return f"{len(ours)} rows, not {len(plain)}"
    if isinstance(plain, np.ndarray) and plain.dtype.kind == "f":
        equal = np.isclose(plain, ours, atol=1e-5, equal_nan=True)
        equal = equal.all(axis=1) if equal.ndim == 2 else equal
    else:
        equal = np.array([one == other for one, other in zip(plain, ours, strict=True)])
    return f"{equal.sum()} of {len(equal)}"


def _line(stage: str, plain: Any, ours: Any) -> str:
    shown = [f"{cpu:7.2f} ({wall:6.2f})" for cpu, wall in (plain, ours)]
    return f"{stage:20} {shown[0]:>16} {shown[1]:>16} {plain[0] / max(ours[0], 1e-9):6.1f}x"


def plain_lemmas(texts: list[str]) -> list[list[str]]:
    from nltk.tokenize import word_tokenize

    return [
        [words.lemma.__wrapped__(token) for token in word_tokenize(text.lower(), preserve_line=True)] for text in texts
    ]


def plain_average(sentences: list[list[str]], model: vectors.WordVectors) -> np.ndarray:
    table = dict(zip(model.words, model.matrix, strict=True))
    return np.array([np.mean([table[word] for word in one if word in table], axis=0) for one in sentences])


def plain_cluster(means: np.ndarray, entities: list[str]) -> np.ndarray:
    labels = np.empty(len(means), dtype=np.int64)
    for rows in _rows_by_entity(entities).values():
        k = max(1, len(rows) // 2)
        found = sklearn.cluster.KMeans(k, random_state=CONFIG.seed).fit_predict(means[rows])
        labels[rows] = clusters.number_by_appearance(found)  # cluster numbers are names: both sides name alike
    return labels


def plain_pairs(labels: np.ndarray, entities: list[str]) -> list[tuple[int, int]]:
    found = []
    for rows in _rows_by_entity(entities).values():
        groups: dict[int, list[int]] = {}
        for row in rows:
            groups.setdefault(int(labels[row]), []).append(row)
        for group in groups.values():
            found += list(itertools.combinations(group, 2))
    return sorted(found)


def plain_near(first: list[str], second: list[str]) -> list[bool]:
    found = []
    for one, other in zip(first, second, strict=True):
        a, b = (" ".join(re.sub(r"[\W_]+", " ", words.normalise(text)).split()) for text in (one, other))
        stems = [sorted(words.stem.__wrapped__(word) for word in text.split()) for text in (a, b)]
        contained = f" {a} " in f" {b} " or f" {b} " in f" {a} "
        typos = difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= CONFIG.min_edit_similarity
        found.append(contained or typos or stems[0] == stems[1])
    return found


def plain_jaccard(first: list[str], second: list[str]) -> np.ndarray:
    from nltk.tokenize import word_tokenize

    def stems(text: str) -> set[str]:
        tokens = [token for token in word_tokenize(text.lower(), preserve_line=True) if token not in words.STOP_WORDS]
        return {words.stem.__wrapped__(token) for token in tokens if any(map(str.isalnum, token))}

    values = []
    for one, other in zip(first, second, strict=True):
        a, b = stems(one), stems(other)
        values.append(len(a & b) / len(a | b) if a | b else np.nan)
    return np.array(values)


def our_cluster(means: np.ndarray, entities: list[str]) -> np.ndarray:
    groups = clusters.group_by(pd.factorize(pd.Series(entities), sort=True)[0])
    labels = np.empty(len(means), dtype=np.int64)
    with clusters.one_thread():
        for rows in groups:
            labels[rows] = clusters.cluster_entity(means[rows], CONFIG)
    return labels


def our_pairs(labels: np.ndarray, entities: list[str]) -> list[tuple[int, int]]:
    codes = pd.factorize(pd.Series(entities), sort=True)[0]
    first, second = pairs.pair_within(codes * (labels.max(initial=0) + 1) + labels)
    return sorted(zip(first.tolist(), second.tolist(), strict=True))


def _rows_by_entity(entities: list[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, entity in enumerate(entities):
        rows.setdefault(entity, []).append(row)
    return rows


PLAIN = {
    "lemmas": plain_lemmas,
    "average": plain_average,
    "cluster": plain_cluster,
    "pairs": plain_pairs,
    "near": plain_near,
    "jaccard": plain_jaccard,
}
OURS = {
    "lemmas": vectors.read_lemmas,
    "average": lambda sentences, model: vectors.average(sentences, model)[0],
    "cluster": our_cluster,
    "pairs": our_pairs,
    "near": lambda first, second: similarity.near_duplicates(first, second)["reason"].notna().tolist(),
    "jaccard": lambda first, second: similarity.jaccard(first, second).to_numpy(dtype=np.float64, na_value=np.nan),
}


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.clustering")
