"""Rows of the campaign's tables, typed as the store gives them."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from data.tables.base import Table
from data.tables.campaign import Assignments, Ratings
from data.tables.pairs import Pairs

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
            "first_id": f"d{number:04d}x",
            "second_id": f"d{number:04d}y",
            "first": f"the first <b>wording</b> of number {number}",
            "second": f"another wording of number {number}",
            "cluster": 0,
            "similarity": 0.5,
            "overlap": 0.25,
            "rank": number,
            "chosen_by": "all",
            "parents": [],
        }
        for number in range(n)
    ]
    return _frame(rows, Pairs)
