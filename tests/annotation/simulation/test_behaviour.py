"""Simulated annotators at the server: laws of their scores, and how profiles can be named."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.simulation.behaviour import Profile, answer, match_profiles, read_profiles, seconds
from annotation.simulation.noise import clear_confusion
from data.console.errors import InputError

SEEDS = st.integers(0, 2**31)


def profile(kind):
    return Profile(name=kind, confusion=clear_confusion(kind).tolist())


def asked(annotator, truth, n):
    return pd.DataFrame(
        {
            "assignment_id": [f"x{i}" for i in range(n)],
            "annotator": annotator,
            "pair_id": [f"p{i}" for i in range(n)],
            "round": 1,
            "kind": "work",
            "truth": truth,
            "by_overlap": 0,
            "progress": 0.0,
        }
    )


@given(seed=SEEDS, truth=st.integers(0, 3))
def test_an_answer_depends_only_on_who_is_asked_what(seed, truth):
    profiles = {"a01": profile("careless")}
    whole = asked("a01", truth, 12)
    answers = dict(zip(whole["assignment_id"], answer(whole, profiles, seed), strict=True))
    part = whole[::-3]
    again = answer(part, {"a00": profile("good"), **profiles}, seed)
    assert [answers[name] for name in part["assignment_id"]] == again.tolist()


@pytest.mark.parametrize("kind", ["careless", "good", "guessing"])
@pytest.mark.parametrize("truth", range(4))
def test_annotators_err_as_their_matrix_says(kind, truth):
    scores = answer(asked("a01", truth, 4000), {"a01": profile(kind)}, seed=7)
    assert np.bincount(scores, minlength=4) / 4000 == pytest.approx(clear_confusion(kind)[truth], abs=0.03)


def test_two_annotators_err_in_different_places():
    profiles = dict.fromkeys(("a01", "a02"), profile("guessing"))
    first, second = (answer(asked(name, 2, 1000), profiles, seed=7) for name in profiles)
    assert 0.2 < (first == second).mean() < 0.3


@given(seed=SEEDS)
def test_seconds_are_what_a_person_needs(seed):
    times = seconds(asked("a01", 1, 50), seed)
    assert ((times > 1) & (times < 150)).all()


def test_profiles_are_matched_in_the_order_of_the_names():
    profiles = match_profiles(read_profiles("good:2,guessing:1"), ["a03", "a01", "a02"])
    assert {name: own.name for name, own in profiles.items()} == {"a01": "good", "a02": "good", "a03": "guessing"}
    with pytest.raises(InputError, match="expected profiles for the 2 annotators of the plan, found 3"):
        match_profiles(read_profiles("good:2,guessing:1"), ["a01", "a02"])


def test_at_parades_noise_the_good_differ_in_how_often_they_are_right():
    profiles = read_profiles("good:3,careless:1,always-2:1", "parade")
    right = [np.sum(own.confusion[3][2:]) for own in profiles]
    assert right == pytest.approx([0.68, 0.74, 0.80, 0.60, 1])


def test_profiles_may_come_from_a_file(tmp_path):
    path = tmp_path / "profiles.json"
    path.write_text(json.dumps({"always two": {"annotators": 2, "confusion": [[0, 0, 1, 0]] * 4}}))
    profiles = read_profiles(str(path))
    assert [own.name for own in profiles] == ["always two"] * 2
    assert set(answer(asked("a01", 0, 50), {"a01": profiles[0]}, 1)) == {2}


@pytest.mark.parametrize("text", ["good", "good:x", "saint:3", "good:5,,guessing:1", ""])
def test_unusable_profiles_are_named(text):
    with pytest.raises(InputError, match=r"^--profiles: expected kinds with numbers of annotators"):
        read_profiles(text)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("[1, 2]", "profiles.json: "),
        ("{", "profiles.json: "),
        ("[" * 100_000, "profiles.json: "),
        ('{"bad": {"annotators": Infinity, "confusion": []}}', "profiles.json: "),
        ('{"bad": {"annotators": 1e9, "confusion": %s}}' % ([[0, 0, 1, 0]] * 4), "found 1000000000"),
        ('{"bad": {"annotators": 1, "confusion": [[1, 0], [0, 1]]}}', "profiles.json, bad: "),
        ('{"bad": {"annotators": 1, "confusion": [[1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]}}', "bad: "),
        ('{"bad": {"annotators": 1}}', "profiles.json: "),
    ],
)
def test_an_unusable_file_of_profiles_is_named(tmp_path, content, where):
    path = tmp_path / "profiles.json"
    path.write_text(content)
    with pytest.raises(InputError, match=where):
        read_profiles(str(path))
