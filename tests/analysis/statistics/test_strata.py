"""Every pair lies in one stratum of each kind, and in the strata that its texts name."""

import pandas as pd

from analysis.statistics.strata import find_strata
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset
from data.texts.languages.en import ENGLISH

ROWS = [
    ("binary tree", "A binary tree has at most 2 children.", "A tree of degree two.", 3, 3, 1),
    ("DNA", "The acid that carries genes.", "DNA stores what is inherited, not proteins.", 1, 3, 0),
    ("heap", "A tree kept in order.", "An ordered tree.", 0, 1, None),
]


def strata(**selections: str) -> dict[str, list[bool]]:
    frame = pd.DataFrame(ROWS, columns=["entity", "first", "second", "votes", "n_votes", "binary"], index=[4, 7, 9])
    frame = frame.assign(
        second_entity=None, pair_id=["a", "b", "c"], first_id="x", second_id="y", split="test", parents=[[], [], []]
    )
    pairs = Dataset(frame[COLUMNS].astype(INTEGERS), selections=selections)
    return {name: flags.tolist() for name, flags in find_strata(pairs, ENGLISH).items()}


def test_strata_by_what_the_texts_contain() -> None:
    found = strata()
    assert found["entity named"] == [True, True, False]
    assert found["acronym"] == [False, True, False]
    assert found["number or equation"] == [True, False, False]
    assert found["one text negates"] == [False, True, False]


def test_every_pair_lies_in_one_stratum_of_overlap_and_of_length() -> None:
    found = strata()
    for kind in ("overlap", "words"):
        parts = [flags for name, flags in found.items() if kind in name]
        assert [sum(column) for column in zip(*parts, strict=True)] == [1, 1, 1]


def test_votes_count_where_there_are_several_voters() -> None:
    found = {name: flags for name, flags in strata().items() if "votes" in name}
    assert list(found) == ["0 of 3 votes", "1 of 3 votes", "2 of 3 votes", "3 of 3 votes"]
    assert found["3 of 3 votes"] == [True, False, False]
    assert found["1 of 3 votes"] == [False, True, False]


def test_a_pair_without_a_label_is_not_hard() -> None:
    assert strata()["hard"][2] is False


def test_pairs_that_were_chosen_differently_are_strata_of_their_own() -> None:
    assert not any("chosen" in name for name in (*strata(), *strata(a="uncertain", b="uncertain")))
    found = strata(a="uncertain", b="random-share", c="uncertain")
    assert found["chosen by uncertain"] == [True, False, True]
    assert found["chosen by random-share"] == [False, True, False]
