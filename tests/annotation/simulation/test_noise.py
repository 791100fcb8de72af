"""The noise model: laws of the matrices and draws, and the kinds that can be named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.simulation.noise import (
    ACCURACY,
    KINDS,
    clear_confusion,
    count_kinds,
    draw_scores,
    keyed_uniform,
    other_vote,
    parade_confusions,
    read_kinds,
    same_vote,
    score_chances,
    vote_confusion,
    with_ease,
)
from data.console.errors import InputError
from data.measures.classes import Classes

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
    for matrix in (clear_confusion(kind), parade_confusions(people)[0]):
        assert np.shape(matrix) == (4, 4)
        assert np.sum(matrix, axis=1) == pytest.approx(1)
        assert (np.asarray(matrix) >= 0).all()


@given(kind=st.sampled_from(KINDS), truth=st.integers(0, 3), progress=CHANCES, by_overlap=st.integers(0, 3))
def test_chances_add_up_to_one_at_any_time(kind, truth, progress, by_overlap):
    chances = ask(kind, clear_confusion(kind), truth, progress, by_overlap)
    assert chances.sum() == pytest.approx(1)
    assert (chances >= 0).all()


def test_the_drifting_end_as_guessers_and_the_tiring_guess_in_the_last_third():
    guess, sharp = [0.25] * 4, clear_confusion("good")[3]
    assert ask("drifting", clear_confusion("drifting"), 3, 0) == pytest.approx(sharp)
    assert ask("drifting", clear_confusion("drifting"), 3, 0.5) == pytest.approx((sharp + guess) / 2)
    assert ask("drifting", clear_confusion("drifting"), 3, 1) == pytest.approx(guess)
    assert ask("tiring", clear_confusion("tiring"), 3, 0.6) == pytest.approx(sharp)
    assert ask("tiring", clear_confusion("tiring"), 3, 0.7) == pytest.approx(guess)
    assert ask("good", clear_confusion("good"), 3, 1) == pytest.approx(sharp)


def test_ease_helps_only_those_who_look_at_the_pair():
    good, guess = vote_confusion(0.7), clear_confusion("guessing")
    assert ask("good", good, 3, ease=0.1) == pytest.approx(vote_confusion(0.8)[3])
    assert ask("guessing", guess, 3, ease=0.1) == pytest.approx(guess[3])


@pytest.mark.parametrize("kind", ["good", "careless"])
@given(truth=st.integers(0, 3), ease=st.floats(-0.5, 0.5))
def test_ease_moves_the_vote_up_as_far_as_down(kind, truth, ease):
    own = clear_confusion(kind)[truth]
    up, down = (with_ease(own[None], np.array([truth]), np.array([one]))[0] for one in (ease, -ease))
    assert up.sum() == pytest.approx(1)
    assert (up >= 0).all()
    assert (up + down) / 2 == pytest.approx(own)


def test_overlap_is_followed_whatever_is_true():
    assert ask("overlap", clear_confusion("overlap"), truth=3, by_overlap=1).tolist() == [0, 1, 0, 0]


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


def test_kinds_are_read_in_their_order_and_counted_in_the_vocabularys():
    assert read_kinds("guessing:2,good:3,guessing:1", "--kinds") == [("guessing", 2), ("good", 3), ("guessing", 1)]
    assert list(count_kinds("guessing:2,good:3,guessing:1", "--kinds").items()) == [("good", 3), ("guessing", 3)]
    assert read_kinds("random:1", "--kinds") == [("guessing", 1)]  # its former name


CLASSES = [
    Classes(values=tuple("ny"), numbers=(0, 1), n_positive=1, level="nominal"),
    Classes(values=tuple("123"), numbers=(1, 2, 3), n_positive=1, level="ordinal"),
    Classes(values=tuple(map(str, range(11))), numbers=tuple(range(11)), n_positive=4),
]


@pytest.mark.parametrize("classes", CLASSES, ids=len)
@pytest.mark.parametrize("kind", KINDS)
def test_matrices_follow_the_number_of_answers(classes, kind):
    people = pd.DataFrame({"kind": [kind], "accuracy": [ACCURACY.get(kind, (np.nan,))[0]]})
    for matrix in (clear_confusion(kind, classes), parade_confusions(people, classes)[0]):
        assert np.shape(matrix) == (len(classes), len(classes))
        assert np.sum(matrix, axis=1) == pytest.approx(1)
    n_negative = len(classes) - classes.n_positive
    matrix = vote_confusion(0.7, classes)
    assert matrix[:n_negative, :n_negative].sum(axis=1) == pytest.approx(0.7)
    assert matrix[n_negative:, n_negative:].sum(axis=1) == pytest.approx(0.7)
    assert clear_confusion("always-2", classes)[0].argmax() == n_negative


def test_the_matrices_of_four_scores_match_the_published_figures():
    assert same_vote().tolist() == [[0.8, 0.2, 0, 0], [0.2, 0.8, 0, 0], [0, 0, 0.8, 0.2], [0, 0, 0.2, 0.8]]
    assert other_vote().tolist() == [[0, 0, 0.7, 0.3], [0, 0, 0.7, 0.3], [0.3, 0.7, 0, 0], [0.3, 0.7, 0, 0]]
    assert clear_confusion("good").tolist() == [
        [0.95, 0.05, 0, 0], [0.025, 0.95, 0.025, 0], [0, 0.025, 0.95, 0.025], [0, 0, 0.05, 0.95],
    ]  # fmt: skip
    assert clear_confusion("careless")[0] == pytest.approx([0.4, 0.2, 0.2, 0.2])
