"""What simulated annotators say: laws of the draws, and what may name profiles and truth."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.simulation import behaviour
from data.errors import InputError, TableError

SEEDS = st.integers(0, 2**31)
OVERLAPS = st.floats(0, 1)


def frame(overlaps):
    return pd.DataFrame({"pair_id": [f"p{i}" for i in range(len(overlaps))], "overlap": overlaps})


def asked(annotator, truth, n):
    return pd.DataFrame(
        {
            "assignment_id": [f"x{i}" for i in range(n)],
            "annotator": annotator,
            "pair_id": [f"p{i}" for i in range(n)],
            "round": 1,
            "kind": "work",
            "truth": truth,
        }
    )


@given(seed=SEEDS, low=OVERLAPS, high=OVERLAPS)
def test_more_overlap_never_deserves_less(seed, low, high):
    low, high = sorted((low, high))
    assert behaviour.latent_truth(frame([low]), seed).item() <= behaviour.latent_truth(frame([high]), seed).item()


@given(seed=SEEDS, overlaps=st.lists(OVERLAPS | st.none(), min_size=1, max_size=20))
def test_truth_is_on_the_scale_and_depends_on_no_other_pair(seed, overlaps):
    pairs = frame(overlaps)
    truth = behaviour.latent_truth(pairs, seed)
    assert truth.isin([0, 1, 2, 3]).all()
    assert behaviour.latent_truth(pairs[::-1], seed).reindex(truth.index).equals(truth)


def test_the_overlaps_of_the_published_votes_deserve_both_labels():
    overlaps = np.repeat([0.099, 0.148, 0.213, 0.409], [250, 300, 250, 200])
    truth = behaviour.latent_truth(frame(list(overlaps)), 1)
    assert 0.35 < (truth >= 2).mean() < 0.6
    assert truth.value_counts(normalize=True).min() > 0.1


@given(seed=SEEDS, truth=st.integers(0, 3))
def test_an_answer_depends_on_nothing_but_who_is_asked_what(seed, truth):
    confusions = {"a01": behaviour.CONFUSIONS["careless"]}
    whole = asked("a01", truth, 12)
    answers = dict(zip(whole["assignment_id"], behaviour.answer(whole, confusions, seed), strict=True))
    part = whole[::-3]
    again = behaviour.answer(part, confusions, seed)
    assert [answers[name] for name in part["assignment_id"]] == again.tolist()


@pytest.mark.parametrize("profile", sorted(behaviour.CONFUSIONS))
@pytest.mark.parametrize("truth", range(4))
def test_annotators_err_as_their_matrix_says(profile, truth):
    confusion = behaviour.CONFUSIONS[profile]
    scores = behaviour.answer(asked("a01", truth, 4000), {"a01": confusion}, seed=7)
    shares = np.bincount(scores, minlength=4) / 4000
    assert np.abs(shares - confusion[truth]).max() < 0.03
    assert np.isclose(np.sum(confusion[truth]), 1)


def test_two_annotators_err_in_different_places():
    confusions = dict.fromkeys(("a01", "a02"), behaviour.CONFUSIONS["random"])
    first, second = (behaviour.answer(asked(name, 2, 1000), confusions, seed=7) for name in confusions)
    assert 0.2 < (first == second).mean() < 0.3


@given(seed=SEEDS)
def test_seconds_are_what_a_person_needs(seed):
    assert (
        (behaviour.seconds(asked("a01", 1, 50), seed) > 1) & (behaviour.seconds(asked("a01", 1, 50), seed) < 150)
    ).all()


def test_profiles_are_given_out_in_the_order_of_the_names():
    cast = behaviour.cast_profiles(behaviour.read_profiles("good:2,random:1"), ["a03", "a01", "a02"])
    assert {name: one.name for name, one in cast.items()} == {"a01": "good", "a02": "good", "a03": "random"}
    with pytest.raises(InputError, match="expected profiles for the 2 annotators of the plan, found 3"):
        behaviour.cast_profiles(behaviour.read_profiles("good:2,random:1"), ["a01", "a02"])


def test_profiles_may_come_from_a_file(tmp_path):
    path = tmp_path / "profiles.json"
    path.write_text(json.dumps({"always two": {"annotators": 1, "confusion": [[0, 0, 1, 0]] * 4}}))
    (profile,) = behaviour.read_profiles(str(path))
    assert set(behaviour.answer(asked("a01", 0, 50), {"a01": profile.confusion}, 1)) == {2}


@pytest.mark.parametrize("text", ["good", "good:x", "saint:3", "good:5,,random:1", ""])
def test_unusable_profiles_are_named(text):
    with pytest.raises(InputError, match=r"^--profiles: expected good or careless or random"):
        behaviour.read_profiles(text)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("[1, 2]", "profiles.json: "),
        ("{", "profiles.json: "),
        ('{"bad": {"annotators": 1, "confusion": [[1, 0], [0, 1]]}}', "profiles.json, bad: "),
        ('{"bad": {"annotators": 1, "confusion": [[1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]}}', "bad: "),
        ('{"bad": {"annotators": 1}}', "profiles.json: "),
    ],
)
def test_an_unusable_file_of_profiles_is_named(tmp_path, content, where):
    path = tmp_path / "profiles.json"
    path.write_text(content)
    with pytest.raises(InputError, match=where):
        behaviour.read_profiles(str(path))


@pytest.fixture
def pairs():
    return pd.DataFrame(
        {
            "pair_id": ["p1", "p2"],
            "first": ["A  tree of nodes", "a queue"],
            "second": ["nodes in a tree", "first in, first out"],
        }
    )


def test_truth_may_come_from_a_table(tmp_path, pairs):
    path = tmp_path / "truth.csv"
    path.write_text("pair_id,score\np2,0\np1,3\np9,1\n")
    assert behaviour.read_truth(path, pairs).to_dict() == {"p1": 3, "p2": 0}


@pytest.mark.parametrize("rows", ["p1,3\n", "p1,3\np2,5\n", "p1,3\np2,2.5\n", "p1,3\np2,x\n"])
def test_truth_must_cover_every_pair_with_a_score_of_the_scale(tmp_path, pairs, rows):
    path = tmp_path / "truth.csv"
    path.write_text("pair_id,score\n" + rows)
    with pytest.raises(TableError, match=r"a score of 0, 1, 2 or 3 for each of the 2 pairs, found .*\(pair p2\)"):
        behaviour.read_truth(path, pairs)


def test_truth_without_its_columns_is_named(tmp_path, pairs):
    path = tmp_path / "truth.csv"
    path.write_text("pair,score\np1,3\n")
    with pytest.raises(InputError, match="expected the columns pair_id, score, found pair, score"):
        behaviour.read_truth(path, pairs)


def test_published_votes_are_found_by_the_two_texts_whichever_stands_first(tmp_path, pairs):
    header = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2\n"
    for split, row in {
        "train": "3\t1\ttree\tnodes in a tree\ta tree of Nodes\n",
        "validation": "1\t0\tqueue\ta queue\tfirst in, first out\n",
        "test": "0\t0\tset\ta\tb\n",
    }.items():
        (tmp_path / f"PARADE_{split}.txt").write_text(header + row)
    assert behaviour.read_truth(tmp_path, pairs).to_dict() == {"p1": 3, "p2": 1}
