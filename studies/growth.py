"""How the stages grow with their input: `python -m studies.growth --papers FILE... --out FOLDER`.

Each stage runs as users run it, on a store made of N rows of real texts: N papers; N cards, or N definitions, whose
texts are sentences of abstracts, 13 per term; N labelled pairs of neighbouring sentences, for report and release with
three ratings each and every text on a card. More papers than there are take the title of one and the abstract of
another, more sentences the beginning of one and the end of another, so that no words are new. Memory covers all
processes of a command, shared pages counted once, sampled twice a second. Every run adds a row to FOLDER/growth.csv.

What is printed for larger sizes was not run (see `extrapolate`).
"""

import gzip
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from numpy.typing import NDArray

from annotation.questions.declarations import shipped_question
from data.console.commands import run
from data.console.errors import InputError
from data.console.messages import say
from data.contract.rows import label_rows, pair_rows
from data.contract.tables.campaign import Annotators, Assignments, Ratings
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id
from data.texts.words import count_words

SECONDS_BETWEEN_SAMPLES = 0.5
N_PER_TERM = 13
MOST_MIXED = 10
"""Times that the beginning of each sentence is joined to the end of another."""
N_WORDS = (6, 30)
"""Fewest and most words of a sentence that is used."""
MADE = Manifest(stage="studies.growth")
AT = pd.Timestamp("2026-01-01", tz="UTC")
OF_CARDS = {
    "fetched_at": AT, "source": "files", "url": "file:made", "set_title": "Made", "body_sha256": "0",
    **dict.fromkeys(("language", "media", "copied_from")),
}  # fmt: skip
SIDES = ("first", "second")
N_PEOPLE = 60


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure processor seconds and peak memory of whole commands, by number of rows."""

    papers: tuple[Path, ...]
    """Files of papers (JSON lines with title and abstract), plain or gzip."""
    out: Path
    """The folder for stores and the figures of all runs."""
    stages: tuple[str, ...] = ("terminology", "definitions", "clustering", "splits", "report", "release")
    """The stages to run."""
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Numbers of rows, smallest first."""
    larger: tuple[int, ...] = (10_000_000, 100_000_000)
    """Numbers of rows to extrapolate to."""


def main(arguments: Arguments) -> None:
    """Run every stage on every size, one after the other."""
    table = arguments.out / "growth.csv"
    arguments.out.mkdir(parents=True, exist_ok=True)
    for stage in arguments.stages:
        for size in arguments.sizes:
            row = {"stage": stage, "rows": size} | measure(stage, size, arguments)
            say(f"{stage}, {size:,}: {row['cpu_seconds']:,.1f} s of processor, {row['peak_mb']:,} MB")
            pd.DataFrame([row]).to_csv(table, mode="a", header=not table.exists(), index=False)
    runs = pd.read_csv(table)
    for stage, rows in runs[runs["exit_code"] == 0].groupby("stage", sort=False):
        for line in extrapolate(rows.drop_duplicates("rows", keep="last").sort_values("rows"), arguments.larger):
            say(f"{stage}, {line}")
    say(f"all runs written to {table}")


def extrapolate(runs: pd.DataFrame, larger: tuple[int, ...]) -> Iterator[str]:
    """What larger sizes would take, of three runs or more (rows, cpu_seconds, peak_mb).

    Seconds: the smallest run is the fixed cost; the rest grows as a power of the rows, as between the last two runs.
    Memory: each further row takes as much as between the last two.
    """
    if len(runs) < 3:
        return
    least, before, last = (runs.iloc[place] for place in (0, -2, -1))
    some, more = (run["cpu_seconds"] - least["cpu_seconds"] for run in (before, last))
    power = math.log(more / some) / math.log(last["rows"] / before["rows"])
    per_row = (last["peak_mb"] - before["peak_mb"]) / (last["rows"] - before["rows"])
    for size in larger:
        seconds = least["cpu_seconds"] + more * (size / last["rows"]) ** power
        memory = last["peak_mb"] + per_row * (size - last["rows"])
        yield f"{size:,}, not run: {seconds / 3600:,.1f} h of processor (power {power:.2f}), {memory / 1024:,.0f} GB"


def measure(stage: str, size: int, arguments: Arguments) -> dict[str, Any]:
    """The time and memory of a stage's command, and its exit code."""
    root = arguments.out / "store"
    shutil.rmtree(root, ignore_errors=True)
    flags = STAGES[stage](Store(root), islice(read_papers(arguments.papers, size), size), size)
    used, load = resource.getrusage(resource.RUSAGE_CHILDREN), os.getloadavg()[0]
    process = subprocess.Popen([sys.executable, "-m", *flags, "--store", str(root)], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(SECONDS_BETWEEN_SAMPLES)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "cpu_seconds": round(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, 1),
        "peak_mb": round(peak / 2**20),
        "load": round(load, 1),
        "exit_code": process.returncode,
    }


def memory(pid: int) -> int:
    """Bytes of a process and all its children, shared pages counted once."""
    try:
        first = psutil.Process(pid)
        return sum(one.memory_full_info().pss for one in (first, *first.children(recursive=True)))
    except psutil.Error:  # it ended between two samples
        return 0


def read_papers(paths: tuple[Path, ...], size: int) -> Iterator[tuple[str, str]]:
    """Titles and abstracts of the files; more than there are by mixing them."""
    papers = [paper for path in paths for paper in _read(path)]
    yield from islice(papers, size)
    n = len(papers)
    for turn in range(1, size // n + 1):
        for place, (title, _) in enumerate(papers):
            yield f"{title} {turn}", papers[(place + 7_919 * turn) % n][1]


def _read(path: Path) -> Iterator[tuple[str, str]]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for paper in map(json.loads, lines):
            if paper.get("title") and paper.get("abstract"):
                yield paper["title"], paper["abstract"]


def find_sentences(papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """The first n different sentences of the abstracts that are neither short nor long; more by mixing these."""
    found: dict[str, None] = {}
    for _, abstract in papers:
        found |= {
            sentence: None
            for sentence in re.split(r"(?<=[.!?]) +", abstract)
            if N_WORDS[0] <= len(sentence.split()) <= N_WORDS[1]
        }
        if len(found) >= n:
            break
    sentences = [sentence.split() for sentence in found]
    for turn in range(1, MOST_MIXED + 1):
        if len(found) >= n:
            break
        for place, words in enumerate(sentences):
            other = sentences[(place + 7_919 * turn) % len(sentences)]
            found[" ".join(words[: len(words) // 2] + other[len(other) // 2 :])] = None
    if len(found) < n:
        raise InputError(
            "--papers", expected=f"papers with {n:,} sentences", found=f"{len(found):,}", remedy="give more files"
        )
    return list(found)[:n]


def write_papers(store: Store, papers: Iterator[tuple[str, str]], _: int) -> list[str]:
    """Papers for the stage `terminology`; the flags of its command."""
    store.root.mkdir(parents=True)
    path = store.root.parent / "papers.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for number, (title, abstract) in enumerate(papers):
            lines.write(json.dumps({"id": f"p{number}", "title": title, "abstract": abstract}) + "\n")
    return ["crawler.terminology", str(path)]


def _terms(n: int) -> list[str]:
    return [f"term {letters(row // N_PER_TERM)}" for row in range(n)]


def letters(number: int) -> str:
    """A word for a number, different for each."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def write_cards(store: Store, papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """Terms and cards for the stage `definitions`; the flags of its command."""
    terms, texts = _terms(n), find_sentences(papers, n)
    known = pd.DataFrame({"term": list(dict.fromkeys(terms))})
    known = known.assign(canonical=known["term"], variants=[[term] for term in known["term"]])
    measured = ("document_frequency", "documents", "recurrence", "title_share", "c_value", "boundary", "score")
    store.replace(Terms, known.assign(**dict.fromkeys(measured)), MADE)
    cards = pd.DataFrame({"front": terms, "back": texts, "term": terms, "position": range(n)})
    cards["card_id"] = [f"{number:032x}" for number in range(n)]
    cards["set_id"] = [f"s{number // 100}" for number in range(n)]
    store.append(Cards, cards.assign(**OF_CARDS, licence_note=None), MADE)
    return ["crawler.definitions"]


def write_definitions(store: Store, papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """Definitions for the stage `clustering`; the flags of its command."""
    rows = pd.DataFrame({"entity": _terms(n), "text": find_sentences(papers, n)}).assign(n_cards=1, n_sources=1)
    rows["definition_id"] = list(map(definition_id, rows["entity"], rows["text"]))
    rows["n_words"] = rows["text"].str.split().str.len()
    store.replace(Definitions, rows, MADE)
    return ["clustering", "propose"]


def write_labels(store: Store, papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """Labelled pairs for the stage `splits`; the flags of its command."""
    texts = find_sentences(papers, 2 * n)
    rows = pd.DataFrame({"entity": _terms(n), "first": texts[::2], "second": texts[1::2]})
    for side in SIDES:
        rows[f"{side}_id"] = list(map(definition_id, rows["entity"], rows[side]))
    rows["pair_id"] = list(map(pair_id, rows["first_id"], rows["second_id"]))
    store.replace(Pairs, pair_rows(rows, generator="made", selection="every-pair"), MADE, generator="made")
    labels = rows[["pair_id"]].assign(value="1", binary=[row % 2 for row in range(n)], decided_by="majority")
    known = {"campaign": "main", "method": "majority"}
    store.replace(Labels, label_rows(labels, **known), MADE, **known)
    return ["analysis.splits"]


def write_campaign(store: Store, papers: Iterator[tuple[str, str]], n: int) -> None:
    """Pairs of texts on cards, three ratings of each, their measures, labels and splits."""
    write_labels(store, papers, n)
    pairs = store.read(Pairs)
    sides = [pairs[["entity", f"{side}_id", side]].set_axis(["entity", "id", "text"], axis=1) for side in SIDES]
    texts = pd.concat(sides, ignore_index=True)
    rows = texts.rename(columns={"id": "definition_id"}).assign(n_cards=1, n_sources=1)
    store.replace(Definitions, rows.assign(n_words=rows["text"].map(count_words)), MADE)
    cards = texts.rename(columns={"id": "card_id", "entity": "front", "text": "back"})
    cards = cards.assign(term=cards["front"], position=range(2 * n), set_id=[f"s{row // 100}" for row in range(2 * n)])
    store.append(Cards, cards.assign(**OF_CARDS, licence_note="CC BY 4.0"), MADE)
    store.replace(Sightings, pd.DataFrame({"definition_id": texts["id"], "card_id": texts["id"]}), MADE)
    _write_ratings(store, pairs["pair_id"].to_numpy())
    for stage in ("annotation quality", "annotation adjudicate", "analysis.splits"):
        command = [sys.executable, "-m", *stage.split(), "--store", str(store.root)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def _write_ratings(store: Store, pairs: NDArray[Any]) -> None:
    """A campaign, and three ratings of each pair by some of N_PEOPLE people, right by a chance that is the pair's."""
    draw, question = np.random.default_rng(1), shipped_question("parade")
    plan = dict.fromkeys(Campaigns.columns()) | {
        "campaign": "main", "study": "main", "arm": "main", "at": AT, "generator": "made", "scale": "0-3",
        "labels_per_pair": 3, "show_entity": True, "gold_share": 0.0, "repeat_share": 0.0, "trap_share": 0.0,
        "seed": 1, **question.identity, "question_content": question.content,
    }  # fmt: skip
    store.append(Campaigns, pd.DataFrame([plan]), MADE)
    names = [f"expert-{number}" for number in range(N_PEOPLE)]
    joined = {"campaign": "main", "at": AT, "role": "expert", "state": "active"}
    people = pd.DataFrame({"annotator": names}).assign(**joined, level=None, areas=None, quota=None)
    store.append(Annotators, people.assign(guide_version=None, consent_version=None), MADE)
    n, ease, truth = len(pairs), draw.uniform(0.6, 1, len(pairs)), draw.integers(0, 4, len(pairs))
    people_of = (draw.integers(0, N_PEOPLE, (n, 1)) + np.array([0, 7, 19])) % N_PEOPLE
    scores = np.where(draw.random((n, 3)) < ease[:, None], truth[:, None], draw.integers(0, 4, (n, 3)))
    given = pd.DataFrame({"pair_id": np.repeat(pairs, 3), "annotator": [names[one] for one in people_of.ravel()]})
    given["assignment_id"] = [f"{row:032x}" for row in range(3 * n)]
    given["position"] = given.groupby("annotator").cumcount()
    work = {"campaign": "main", "round": 1, "kind": "work", "random": True, "supersedes": None, "at": AT}
    store.append(Assignments, given.assign(flipped=draw.random(3 * n) < 0.5, **work), MADE)
    said = given[["assignment_id"]].assign(score=scores.ravel(), seconds=draw.uniform(5, 60, 3 * n), skipped=False)
    said["submitted_at"] = AT + pd.to_timedelta(np.arange(3 * n), unit="s")
    said["flags"] = [[] for _ in range(3 * n)]
    store.append(Ratings, said.assign(comment=None, guide_version="1"), MADE)


def write_report(store: Store, papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """A campaign for the stage `report`; the flags of its command."""
    write_campaign(store, papers, n)
    return ["analysis.report", "--out", str(store.root.parent / "report")]


def write_release(store: Store, papers: Iterator[tuple[str, str]], n: int) -> list[str]:
    """A campaign for the stage `release`; the flags of its command."""
    write_campaign(store, papers, n)
    folder = store.root.parent / "release"
    shutil.rmtree(folder, ignore_errors=True)
    return ["analysis.release", str(folder)]


STAGES: dict[str, Callable[[Store, Iterator[tuple[str, str]], int], list[str]]] = {
    "terminology": write_papers,
    "definitions": write_cards,
    "clustering": write_definitions,
    "splits": write_labels,
    "report": write_report,
    "release": write_release,
}
"""By stage, what writes its input and gives the flags of its command."""


if __name__ == "__main__":
    run(main, prog="python -m studies.growth")
