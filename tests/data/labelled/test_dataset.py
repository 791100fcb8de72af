"""What statistics ask of labelled pairs: worked out from the frame, with its index, by the synonyms of its split."""

import pandas as pd
import pytest

from data.labelled.dataset import COLUMNS, INTEGERS, Dataset


@pytest.fixture
def frame() -> pd.DataFrame:
    rows = [
        ("hash table", "keys in buckets", "buckets by key", "train", 3, 1),
        ("dictionary", "words in order", "keys in buckets", "test", 1, 0),
        (None, "the of", "a", None, 0, pd.NA),
    ]
    frame = pd.DataFrame(rows, columns=["entity", "first", "second", "split", "votes", "binary"], index=[7, 5, 6])
    for side in ("first", "second"):
        frame[f"{side}_id"] = frame["entity"].fillna("") + "/" + frame[side]
    frame = frame.assign(second_entity=None, pair_id=["p1", "p2", "p3"], n_votes=[3, 3, 0], parents=[[], [], []])
    return frame[COLUMNS].astype(INTEGERS)


def test_columns_have_the_index_of_the_frame_and_null_where_they_are_not_defined(frame: pd.DataFrame) -> None:
    pairs = Dataset(frame)
    for column in (pairs.overlap, pairs.name("first"), pairs.groups):
        assert column.index.equals(frame.index)
    assert pairs.overlap.isna().tolist() == [False, False, True]
    assert pairs.name("second").isna().tolist() == [False, False, True]


def test_overlap_is_worked_out_once_and_taken_from_the_frame_if_it_has_it(frame: pd.DataFrame) -> None:
    pairs = Dataset(frame)
    assert pairs.overlap is pairs.overlap
    assert Dataset(frame.assign(overlap=[0.1, 0.2, None])).overlap.tolist()[:2] == [0.1, 0.2]


def test_synonyms_make_one_name_and_one_group(frame: pd.DataFrame) -> None:
    apart = frame.assign(second=["buckets by key", "an index", "a"])
    assert Dataset(apart).groups.tolist() == ["hash table", "dictionary", "p3"]
    joined = Dataset(apart, {"hash table": "dictionary", "dictionary": "dictionary"})
    assert joined.name("first").tolist()[:2] == ["dictionary", "dictionary"]
    assert joined.groups.tolist() == ["dictionary", "dictionary", "p3"]


def test_parts_match_a_split_of_the_decided_and_of_a_number_of_votes(frame: pd.DataFrame) -> None:
    pairs = Dataset(frame, {"a": "b"})
    assert pairs.is_split
    assert pairs.in_split("train").frame["pair_id"].tolist() == ["p1"]
    assert pairs.in_split("train").synonyms == pairs.synonyms
    assert not Dataset(frame.assign(split=None)).is_split
    assert pairs.decided["pair_id"].tolist() == ["p1", "p2"]
    assert [(n, len(rows)) for n, rows in pairs.by_votes()] == [(0, 1), (3, 2)]


def test_definitions_of_an_entity_are_listed_once(frame: pd.DataFrame) -> None:
    found = Dataset(pd.concat([frame, frame])).definitions
    assert found["definition_id"].is_unique
    assert found["definition_id"].is_monotonic_increasing
    assert (found["text"] == "keys in buckets").sum() == 2
