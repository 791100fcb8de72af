"""Rows of the campaign's tables, typed as the store gives them."""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from data.contract.base import Table
from data.contract.questions import Question
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.models import runs
from data.storage.manifest import Manifest
from data.storage.store import Store

START = pd.Timestamp("2026-01-05T09:00:00Z")

Given = tuple[int, str, str] | tuple[int, str, str, str]
"""Round, pair, annotator and, where there is one, the annotator in the pair whose assignment it supersedes."""


def named(number: int, pair: str, annotator: str) -> str:
    """The id that these tests give an assignment."""
    return f"{number}-{pair}-{annotator}"


def assignments(given: Sequence[Given]) -> pd.DataFrame:
    """One row for each; positions in the given order."""
    rows = [
        {
            "assignment_id": named(*one[:3]),
            "campaign": "main",
            "round": one[0],
            "pair_id": one[1],
            "annotator": one[2],
            "position": place,
            "flipped": False,
            "kind": "work",
            "random": True,
            "supersedes": named(1, one[1], one[3]) if len(one) == 4 else None,
            "at": START,
        }
        for place, one in enumerate(given)
    ]
    return _frame(rows, Assignments)


def ratings(said: Sequence[tuple[str, object]]) -> pd.DataFrame:
    """One row for each assignment id and what was said: a score, a flag's name or "skip"; a second later each."""
    rows = [
        {
            "assignment_id": name,
            "submitted_at": START + pd.Timedelta(seconds=place),
            "score": what if isinstance(what, int) else None,
            "flags": [what] if isinstance(what, str) and what != "skip" else [],
            "comment": None,
            "seconds": 4.0,
            "skipped": what == "skip",
            "guide_version": "1",
        }
        for place, (name, what) in enumerate(said)
    ]
    return _frame(rows, Ratings)


def _frame(rows: list[dict[str, object]], table: type[Table]) -> pd.DataFrame:
    return pa.Table.from_pylist(rows, schema=table.arrow_schema()).to_pandas(types_mapper=pd.ArrowDtype)


def pairs(n: int, generator: str = "recommended") -> pd.DataFrame:
    """`n` pairs of definitions of one entity each two."""
    rows = [
        {
            "generator": generator,
            "pair_id": f"{number:032x}",
            "entity": f"entity {number // 2}",
            "second_entity": None,
            "first_id": f"d{number:04d}x",
            "second_id": f"d{number:04d}y",
            "first": f"the first <b>wording</b> of number {number}",
            "second": f"another wording of number {number}",
            "cluster": 0,
            "similarity": 0.5,
            "overlap": 0.25,
            "rank": number,
            "selection": "every-pair",
            "parents": [],
        }
        for number in range(n)
    ]
    return _frame(rows, Pairs)


def predicted(store: Store, *models: str) -> None:
    """Predict and label every pair of the store: the models say yes to the even ones, labels to every third one."""
    pairs = store.read(Pairs)["pair_id"].to_list()
    numbers = range(len(pairs))
    manifest = Manifest(stage="test")
    binary = [int(number % 3 == 0) for number in numbers]
    labels = pd.DataFrame({"pair_id": pairs, "binary": binary, "votes": binary}).assign(
        campaign="before", method="majority", n_votes=3, scores=[[1, 0, 0, 2]] * len(pairs), posterior=None,
        stratum="split", decided_by="majority",
    )  # fmt: skip
    store.replace(Labels, labels, manifest, campaign="before", method="majority")
    splits = pd.DataFrame({"pair_id": pairs, "split": ["test" if number % 8 else "train" for number in numbers]})
    store.replace(Splits, splits.assign(scheme="by-entity", group="g"), manifest, scheme="by-entity")
    scores = pd.Series([0.9 - 0.8 * (number % 2) for number in numbers], index=pairs)
    for model in models or ("a-model",):
        run = {"model": model, "seed": 1, "threshold": 0.5} | {
            "campaigns": ["before"], "method": "majority", "scheme": "by-entity"}  # fmt: skip
        runs.record(store, run, scores, "test")


def fields_of(question: Question, text: str) -> dict[str, str]:
    """What a task holds for the question, besides assignment and entity, all of it with this text."""
    look = question.shown
    sides = range(1, len(look.captions) + 1)
    marked = {f"marked{side}": f"<mark class='parade-part1'>{text}</mark>" for side in sides if look.parts}
    return {f"definition{side}": f"{text} {side}" for side in sides} | dict.fromkeys(look.beside, text) | marked


GOOD = ("a01", "a02", "a03", "a04", "a05", "a06")


def planned(store: Store, campaign: str = "main") -> pd.DataFrame:
    """The campaign's assignments."""
    return store.read(Assignments, campaign=campaign)


def rate(store: Store, path: Path, answer: Callable[[str, int], int], campaign: str = "main") -> Path:
    """Write a file with `answer(annotator, pair number)` as the score of every assignment without a rating.

    A senior's second look comes with a reason.
    """
    rows = planned(store, campaign)
    rows = rows[~rows["assignment_id"].isin(store.read(Ratings)["assignment_id"])]
    scores = [answer(name, int(pair, 16)) for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True)]
    answers = pd.DataFrame({"assignment_id": rows["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z"})
    reasons = rows["kind"].map({"review": "because"}).fillna("")
    answers.assign(score=scores, comment=reasons.to_numpy(object)).to_csv(path, index=False)
    return path


def six_good_two_bad(annotator: str, pair: int) -> int:
    """The truth from the good; the others contradict it in three pairs of four."""
    truth = 3 * (pair % 2)
    return truth if annotator in GOOD or (pair + int(annotator[1:])) % 4 == 0 else 3 - truth


def at_random(annotator: str, pair: int) -> int:
    """A score unrelated to anything, but the same in every run, whatever the assignments' ids and order are."""
    return zlib.crc32(f"{annotator} {pair}".encode()) % 4
