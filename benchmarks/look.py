"""A large store in the browser: the copy, first page, filters, and pages while a new copy is made.

`python -m benchmarks.look [--pairs N]` makes a store of N pairs and 3 N ratings, serves it, and prints seconds.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pandas as pd

from annotation.questions.declarations import shipped_question
from data.contract.rows import pair_rows
from data.contract.tables.campaign import Annotators, Assignments, Ratings
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.guidance.look.copying import copy_store
from data.storage.manifest import Manifest
from data.storage.store import Store

START = pd.Timestamp("2026-01-01", tz="UTC")
MADE = Manifest(stage="benchmark")
PAGES = {
    "campaign": "/",
    "pairs": "/store/pairs",
    "search": "/store/pairs?_search=w17+w23",
    "by annotator": "/store/pairs?annotators__arraycontains=a03",
    "by disagreement": "/store/pairs?spread__gte=3&_sort_desc=spread",
    "with a comment": "/store/pairs?comments__gte=1",
    "two filters": "/store/pairs?spread=2&annotators__arraycontains=a01",
    "annotators": "/annotators",
    "one annotator": "/annotator/main/a01",
    "ratings": "/store/ratings",
    "ratings counted": "/store/ratings?_facet=annotator",
    "tables": "/tables",
}


def make_store(store: Store, n: int) -> None:
    """Pairs of random words, each rated by three of 20 people."""
    draw = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(2_000)])
    texts = [" ".join(row) for row in words[draw.integers(0, len(words), (2 * n, 16))]]
    ids = [f"{number:032x}" for number in range(n)]
    pairs = pd.DataFrame(
        {
            "generator": "big", "pair_id": ids, "entity": [f"entity {number // 20}" for number in range(n)],
            "first_id": [f"{one}1" for one in ids], "second_id": [f"{one}2" for one in ids],
            "first": texts[:n], "second": texts[n:], "cluster": 0, "similarity": 0.5, "overlap": 0.2,
            "rank": range(n), "selection": "every-pair",
        }
    )  # fmt: skip
    store.replace(Pairs, pair_rows(pairs), MADE, generator="big")
    question = shipped_question("parade")
    row = dict.fromkeys(Campaigns.columns()) | {
        "campaign": "main", "study": "main", "arm": "main", "at": START, "generator": "big", "scale": "0-3",
        "labels_per_pair": 3, "show_entity": True, "gold_share": 0.0, "repeat_share": 0.0, "trap_share": 0.0,
        "seed": 1, **question.identity, "question_content": question.content,
    }  # fmt: skip
    store.append(Campaigns, pd.DataFrame([row]), MADE)
    names = [f"a{number:02}" for number in range(1, 21)]
    people = dict.fromkeys(Annotators.columns()) | {"campaign": "main", "at": START, "role": "expert"}
    store.append(Annotators, pd.DataFrame([people | {"annotator": name, "state": "active"} for name in names]), MADE)
    asked = pd.DataFrame(
        {
            "assignment_id": [f"{number:x}" for number in range(3 * n)], "pair_id": np.repeat(ids, 3),
            "annotator": [names[(number // 3 * 7 + number % 3) % 20] for number in range(3 * n)],
            "position": range(3 * n),
        }
    ).assign(campaign="main", round=1, flipped=False, kind="work", supersedes=None, at=START)  # fmt: skip
    store.append(Assignments, asked, MADE)
    times = START + pd.to_timedelta(draw.integers(0, 40 * 86_400, 3 * n), unit="s")
    ratings = pd.DataFrame({"assignment_id": asked["assignment_id"], "submitted_at": times})
    ratings["score"] = draw.integers(0, 4, 3 * n)
    ratings["comment"] = [f"comment {number}" if number % 50 == 0 else None for number in range(3 * n)]
    ratings["seconds"] = draw.uniform(5, 60, 3 * n).round(1)
    ratings["flags"] = [[]] * len(ratings)
    store.append(Ratings, ratings.assign(skipped=False, guide_version="1"), MADE)


def seconds_of(address: str) -> float:
    """How long the page takes."""
    before = time.monotonic()
    with urlopen(address) as answer:
        answer.read()
    return time.monotonic() - before


def main() -> None:
    """Print the seconds of each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        n = parser.parse_args().pairs
        make_store(store, n)
        copies = [Path(folder) / f"{name}.db" for name in ("first", "second", "third")]
        for path, earlier in zip(copies, (None, *copies[:2]), strict=True):
            before = time.monotonic()
            copy_store(store.address, path, earlier)
            seconds, size = time.monotonic() - before, path.stat().st_size / 1e6
            print(f"{path.stem} copy of {n:,} pairs and {3 * n:,} ratings: {seconds:.1f} s, {size:.0f} MB")
        words = [sys.executable, "-m", "data", "look", "--store", str(store.address), "--port", "0"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server, ExitStack() as ending:
            ending.callback(server.send_signal, 2)
            address = next(line.strip() for line in server.stdout if line.startswith("http://")).rstrip("/")
            while "Still being copied" in _read(address + "/tables"):
                time.sleep(1)
            for name, path in PAGES.items():
                first = seconds_of(address + path)
                print(f"{name}: {first:.2f} s, again {seconds_of(address + path):.2f} s")
            rows = store.read(Ratings).head(100)
            store.append(Ratings, rows.assign(submitted_at=pd.Timestamp.now("UTC")), MADE)
            shown, taken, before = _version(address), [], time.monotonic()
            for what in ("campaign", "all"):
                while _version(address) == shown:
                    taken += [seconds_of(address + "/"), seconds_of(address + PAGES["two filters"])]
                shown = _version(address)
                print(f"{what} shown {time.monotonic() - before:.1f} s after a write")
            print(f"pages meanwhile: {len(taken)}, the slowest {max(taken):.2f} s")


def _version(address: str) -> str:
    return _read(f"{address}/version")


def _read(address: str) -> str:
    with urlopen(address) as answer:
        return str(answer.read().decode())


if __name__ == "__main__":
    main()
