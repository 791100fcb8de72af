"""The noise model: laws of the matrices and draws, and the kinds that can be named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.simulation.noise import (
    ACCURACY,
    CLEAR,
    KINDS,
    count_kinds,
    draw_scores,
    keyed_uniform,
    parade_confusions,
    read_kinds,
    score_chances,
    vote_confusion,
)
from data.errors import InputError

CHANCES = st.floats(0, 1)


def ask(kind, confusion, truth=0, progress=0.0, by_overlap=0, **more):
    row = {"rater": 0, "truth": truth, "by_overlap": by_overlap, "progress": progress, **more}
    return score_chances(np.array([kind], dtype=object), np.asarray(confusion)[None], pd.DataFrame([row]))[0]


@given(CHANCES)
def test_a_vote_is_right_as_often_as_the_accuracy_says(accuracy):
    matrix = vote_confusion(accuracy)
    assert matrix.sum(axis=1) == pytest.approx(1)
    for truth in range(4):
        same_side = matrix[truth, :2].sum() if truth < 2 else matrix[truth, 2:].sum()
        assert same_side == pytest.approx(accuracy)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_matrix_at_both_levels_of_noise(kind):
    people = pd.DataFrame({"kind": [kind], "accuracy": [ACCURACY.get(kind, (np.nan,))[0]]})
    for matrix in (CLEAR[kind], parade_confusions(people)[0]):
        assert np.shape(matrix) == (4, 4)
        assert np.sum(matrix, axis=1) == pytest.approx(1)
        assert (np.asarray(matrix) >= 0).all()


@given(kind=st.sampled_from(KINDS), truth=st.integers(0, 3), progress=CHANCES, by_overlap=st.integers(0, 3))
def test_chances_add_up_to_one_at_any_time(kind, truth, progress, by_overlap):
    chances = ask(kind, CLEAR[kind], truth, progress, by_overlap)
    assert chances.sum() == pytest.approx(1)
    assert (chances >= 0).all()


def test_the_drifting_end_as_guessers_and_the_tiring_guess_in_the_last_third():
    guess, sharp = [0.25] * 4, CLEAR["good"][3]
    assert ask("drifting", CLEAR["drifting"], 3, 0) == pytest.approx(sharp)
    assert ask("drifting", CLEAR["drifting"], 3, 0.5) == pytest.approx((sharp + guess) / 2)
    assert ask("drifting", CLEAR["drifting"], 3, 1) == pytest.approx(guess)
    assert ask("tiring", CLEAR["tiring"], 3, 0.6) == pytest.approx(sharp)
    assert ask("tiring", CLEAR["tiring"], 3, 0.7) == pytest.approx(guess)
    assert ask("good", CLEAR["good"], 3, 1) == pytest.approx(sharp)


def test_ease_helps_only_those_who_look_at_the_pair():
    good, guess = vote_confusion(0.7), CLEAR["guessing"]
    assert ask("good", good, 3, ease=0.1) == pytest.approx(vote_confusion(0.8)[3])
    assert ask("guessing", guess, 3, ease=0.1) == pytest.approx(guess[3])


def test_overlap_is_followed_whatever_is_true():
    assert ask("overlap", CLEAR["overlap"], truth=3, by_overlap=1).tolist() == [0, 1, 0, 0]


def test_scores_come_as_often_as_their_chances():
    chances = np.array([0.1, 0.2, 0.3, 0.4])
    scores = draw_scores(np.tile(chances, (4_000, 1)), (np.arange(4_000) + 0.5) / 4_000)
    assert np.bincount(scores) / 4_000 == pytest.approx(chances)


@given(st.lists(st.integers() | st.text(), max_size=4))
def test_a_keyed_number_depends_on_its_parts_alone(parts):
    assert 0 < keyed_uniform(*parts) < 1
    assert keyed_uniform(*parts) == keyed_uniform(*parts)


@pytest.mark.parametrize("text", ["", "good", "good:x", "bad:3", "good:3,,guessing:1", "good:-1"])
def test_unknown_kinds_are_refused(text):
    with pytest.raises(InputError, match=r"^--kinds: expected kinds .* good:32,guessing:8"):
        read_kinds(text, "--kinds")


def test_kinds_are_read_in_their_order_and_counted_in_that_of_the_vocabulary():
    assert read_kinds("guessing:2,good:3,guessing:1", "--kinds") == [("guessing", 2), ("good", 3), ("guessing", 1)]
    assert list(count_kinds("guessing:2,good:3,guessing:1", "--kinds").items()) == [("good", 3), ("guessing", 3)]
    assert read_kinds("random:1", "--kinds") == [("guessing", 1)]  # its former name
