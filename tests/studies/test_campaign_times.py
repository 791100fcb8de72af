"""How long a hand-out takes: what caused it, when people can see it, and who could have had something before."""

import pandas as pd

from studies.labels.campaign import seconds_idle, trace

BEGAN = pd.Timestamp("2026-01-05T09:00:00Z")


def seconds(*numbers: float | None) -> "pd.Series[pd.Timestamp]":
    return pd.Series([pd.NaT if pd.isna(n) else BEGAN + pd.Timedelta(seconds=n) for n in numbers])


def test_an_assignment_is_caused_by_its_pair_s_answer_or_where_that_waited_by_who_gets_it() -> None:
    rows = [  # pair, annotator, round, handed out, answered
        ("p", "a", 1, 0, 5), ("q", "b", 1, 0, 6), ("r", "c", 1, 0, 7), ("s", "b", 1, 0, 45),
        ("q", "a", 2, 10, 32), ("r", "d", 2, 20, 31), ("p", "b", 2, 50, None), ("q", "d", 2, 50, None),
    ]  # fmt: skip
    asked = pd.DataFrame(rows, columns=["pair_id", "annotator", "round", "at", "answered"])
    asked = asked.assign(at=seconds(*asked["at"]), answered=seconds(*asked["answered"]))
    found = trace(asked, seconds(1, 12, 22, 55), seconds(0, 11, 21, 51)).apply(
        lambda column: (column - BEGAN).dt.total_seconds()
    )
    assert found.to_numpy().tolist() == [
        [6, 6, 10, 12],
        [7, 7, 20, 22],
        [5, 45, 50, 55],
        [32, 32, 50, 55],
    ]


def test_only_time_in_which_a_rating_is_allowed_is_idle() -> None:
    spans = pd.DataFrame([("a", 5, 18), ("a", 25, 40), ("b", 5, 18)], columns=["annotator", "since", "until"])
    allowed = pd.DataFrame({"a": [True, False, True], "b": [False, False, True]}, index=[10.0, 14.0, 30.0])
    assert seconds_idle(spans, allowed) == (14 - 10) + (40 - 30)
    assert seconds_idle(spans, allowed & False) == 0
