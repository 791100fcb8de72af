"""What simulated annotators err from: laws of the latent score, and files that name the truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.simulation.truth import graded_overlap, latent_steps, latent_truth, read_truth
from data.console.errors import InputError, TableError
from data.measures.classes import Classes

SEEDS = st.integers(0, 2**31)
OVERLAPS = st.floats(0, 1)


def pairs_with(overlaps):
    return pd.DataFrame({"pair_id": [f"p{i}" for i in range(len(overlaps))], "overlap": overlaps})


@given(seed=SEEDS, low=OVERLAPS, high=OVERLAPS)
def test_more_overlap_never_deserves_less(seed, low, high):
    low, high = sorted((low, high))
    assert latent_truth(pairs_with([low]), seed).item() <= latent_truth(pairs_with([high]), seed).item()


@given(seed=SEEDS, overlaps=st.lists(OVERLAPS | st.none(), min_size=1, max_size=20))
def test_truth_is_on_the_scale_and_depends_on_no_other_pair(seed, overlaps):
    pairs = pairs_with(overlaps)
    truth = latent_truth(pairs, seed)
    assert truth.isin([0, 1, 2, 3]).all()
    assert latent_truth(pairs[::-1], seed).reindex(truth.index).equals(truth)


def test_the_overlaps_of_the_published_votes_deserve_both_labels():
    overlaps = np.repeat([0.099, 0.148, 0.213, 0.409], [250, 300, 250, 200])
    truth = latent_truth(pairs_with(list(overlaps)), 1)
    assert 0.35 < (truth >= 2).mean() < 0.6
    assert truth.value_counts(normalize=True).min() > 0.1


def test_graded_overlap_rises_with_the_overlap_and_gives_each_score_its_share():
    graded = graded_overlap(np.linspace(0, 1, 1_000)[::-1])[::-1]
    assert (np.diff(graded) >= 0).all()
    assert np.bincount(graded) / 1_000 == pytest.approx([0.2655, 0.2655, 0.2345, 0.2345], abs=0.001)


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
    assert read_truth(path, pairs).to_dict() == {"p1": 3, "p2": 0}


@pytest.mark.parametrize("rows", ["p1,3\n", "p1,3\np2,5\n", "p1,3\np2,2.5\n", "p1,3\np2,x\n"])
def test_truth_must_give_every_pair_a_score_of_the_scale(tmp_path, pairs, rows):
    path = tmp_path / "truth.csv"
    path.write_text("pair_id,score\n" + rows)
    with pytest.raises(TableError, match=r"a score of 0, 1, 2 or 3 for each of the 2 pairs, found .*\(pair p2\)"):
        read_truth(path, pairs)


def test_truth_without_its_columns_is_named(tmp_path, pairs):
    path = tmp_path / "truth.csv"
    path.write_text("pair,score\np1,3\n")
    with pytest.raises(InputError, match="expected the columns pair_id, score, found pair, score"):
        read_truth(path, pairs)


def test_published_votes_are_found_by_the_two_texts_in_either_order(tmp_path, pairs):
    header = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2\n"
    for split, row in {
        "train": "3\t1\ttree\tnodes in a tree\ta tree of Nodes\n",
        "validation": "1\t0\tqueue\ta queue\tfirst in, first out\n",
        "test": "0\t0\tset\ta\tb\n",
    }.items():
        (tmp_path / f"PARADE_{split}.txt").write_text(header + row)
    assert read_truth(tmp_path, pairs).to_dict() == {"p1": 3, "p2": 1}


YES_NO = Classes(values=("no", "yes"), numbers=(0, 1), n_positive=1, level="nominal")
TEN = Classes(values=tuple(map(str, range(11))), numbers=tuple(range(11)), n_positive=4)


def test_latent_answers_of_any_number_are_on_the_side_of_parades():
    assert latent_steps().tolist() == [0.08, 0.17, 0.33]
    pairs = pairs_with(list(np.linspace(0, 0.6, 500)))
    paraphrases = latent_truth(pairs, 1) >= 2
    assert (latent_truth(pairs, 1, YES_NO) == 1).equals(paraphrases)
    truth = latent_truth(pairs, 1, TEN)
    assert (truth >= 7).equals(paraphrases)
    assert set(truth) == set(range(11))


def test_truth_is_named_by_the_questions_own_answers(tmp_path, pairs):
    path = tmp_path / "truth.csv"
    path.write_text("pair_id,score\np2,no\np1,yes\n")
    assert read_truth(path, pairs, YES_NO).to_dict() == {"p1": 1, "p2": 0}
    path.write_text("pair_id,score\np2,no\np1,3\n")
    with pytest.raises(TableError, match=r"a score of no or yes for each of the 2 pairs, found .*\(pair p1\)"):
        read_truth(path, pairs, YES_NO)
