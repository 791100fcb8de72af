"""What one signal alone tells of the label."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from analysis.evaluation.comparing import Samples
from analysis.evaluation.shortcuts import HARDNESS, SIGNALS, find_shortcuts, shuffle
from data.labelled.dataset import Dataset, no_parents
from data.labelled.metrics import measure_auc
from data.measures import intervals
from data.measures.rules import ScoringRule

N = 400
NONE = pd.DataFrame(columns=["pair_id", "measure", "value", "model_sha256"])


def pairs_of(binary: np.ndarray, first: list[str], second: list[str]) -> Dataset:
    frame = pd.DataFrame({"pair_id": [f"p{n}" for n in range(len(binary))], "first": first, "second": second})
    frame = frame.assign(
        binary=pd.array(binary, dtype="Int64"), entity=None, second_entity=None, parents=no_parents(len(frame))
    )
    return Dataset(frame)


@pytest.fixture
def balanced() -> Dataset:
    """Pairs of words of their own, labelled by a coin."""
    random = np.random.default_rng(1)
    texts = [f"{x}a {x}b {x}c" for x in map("w{}".format, range(2 * N))]
    return pairs_of(random.integers(0, 2, N), texts[:N], texts[N:])


def by_name(rows: list[dict]) -> dict:  # type: ignore[type-arg]
    return {row["name"]: row for row in rows}


def measured(pairs: Dataset, name: str, values: np.ndarray, model: str | None = None) -> pd.DataFrame:
    return pd.DataFrame({"pair_id": pairs.frame["pair_id"], "measure": name, "value": values, "model_sha256": model})


def test_signals_without_a_bearing_on_the_label_are_no_finding(balanced: Dataset) -> None:
    random = np.random.default_rng(2)
    measures = pd.concat([measured(balanced, name, random.random(N)) for name in ("bow_cosine", "lm_margin")])
    rows = by_name(find_shortcuts(balanced, measures))
    assert set(rows) == {*SIGNALS, *HARDNESS}
    assert not any(row["is_finding"] for row in rows.values())
    assert all(row["low"] <= row["auc"] <= row["high"] for row in rows.values() if row["auc"] is not None)


@pytest.mark.sweep
def test_the_interval_matches_draws_of_whole_groups(balanced: Dataset) -> None:
    few = Dataset(balanced.frame.head(30).assign(entity=[f"term {number // 3}" for number in range(30)]))
    values = np.random.default_rng(5).integers(0, 4, 30).astype("float64")
    label = few.frame["binary"].to_numpy("int64") == 1
    drawn = Samples(few.groups, ScoringRule())
    samples = np.concatenate(list(drawn.weights()))[1:, drawn.codes]
    aucs = [roc_auc_score(label, values, sample_weight=weights) for weights in samples]
    row = by_name(find_shortcuts(few, measured(few, "lm_margin", values)))["likelier_side"]
    auc = measure_auc(label, values)
    expected = np.array(intervals.bounded(auc, np.array(aucs), few.groups.nunique()))
    if auc < 0.5:
        expected = 1 - expected[::-1]
    assert len(samples) == 1000
    assert [row["low"], row["high"]] == pytest.approx(expected)


def test_pairs_of_one_group_say_nothing(balanced: Dataset) -> None:
    one = Dataset(balanced.frame.head(30).assign(entity="term"))
    label = one.frame["binary"].to_numpy("float64")
    row = by_name(find_shortcuts(one, measured(one, "lm_margin", label + np.arange(30) / 100)))["likelier_side"]
    assert (row["auc"], row["low"], row["high"], row["is_finding"]) == (1.0, 0.0, 1.0, False)


@pytest.mark.sweep
def test_a_measure_that_follows_the_label_is_found_in_either_direction(balanced: Dataset) -> None:
    label = balanced.frame["binary"].to_numpy("float64")
    noise = np.random.default_rng(3).random(N)
    for sign in (1, -1):
        rows = by_name(find_shortcuts(balanced, measured(balanced, "lm_margin", sign * (label + 3 * noise))))
        assert rows["likelier_side"]["is_finding"]
        assert rows["bow_cosine"]["auc"] is None
    rows = by_name(find_shortcuts(balanced, measured(balanced, "bow_cosine", np.where(label == 0, 1.0, 0.95))))
    assert rows["same_bag"]["auc"] == rows["bow_cosine"]["auc"] == 1


def test_an_auc_above_the_limit_that_so_few_pairs_give_by_chance_is_no_finding(balanced: Dataset) -> None:
    few = Dataset(balanced.frame.head(12).assign(binary=pd.array([0, 1] * 6, dtype="Int64")))
    values = np.array([0, 1, 2, 1, 0, 2, 3, 4, 2, 2, 1, 2], dtype="float64")
    row = by_name(find_shortcuts(few, measured(few, "lm_margin", values)))["likelier_side"]
    assert row["auc"] > 0.55
    assert row["is_above"]
    assert not row["is_finding"]


@pytest.mark.sweep
def test_a_word_of_one_text_that_gives_the_label_away_is_found(balanced: Dataset) -> None:
    frame = balanced.frame
    tell = [f"{text} {'so' if label else 'no'}" for text, label in zip(frame["second"], frame["binary"], strict=True)]
    rows = by_name(find_shortcuts(Dataset(frame.assign(second=tell)), NONE))
    assert rows["second_alone"]["auc"] > 0.9
    assert rows["second_alone"]["is_finding"]
    assert not rows["first_alone"]["is_finding"]


def test_words_that_a_few_pairs_teach_by_chance_are_no_finding() -> None:
    """The interval excludes one half here: it leaves out that other labels would have taught something else."""
    random = np.random.default_rng(25)
    words = np.array([f"{a}{b}n" for a in "bcdfgklm" for b in "aeiou"])
    texts = [" ".join(random.choice(words, 6)) + f" x{n}y" for n in range(160)]
    rows = by_name(find_shortcuts(pairs_of(random.integers(0, 2, 80), texts[:80], texts[80:]), NONE))
    lucky = max((rows[name] for name in ("first_alone", "second_alone")), key=lambda row: row["auc"])
    assert lucky["is_above"]
    assert lucky["low"] > 0.5
    assert not lucky["is_finding"]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 99))
def test_shuffled_labels_move_among_groups_of_one_size_as_wholes(groups: list[int], seed: int) -> None:
    numbers, random = pd.factorize(np.array(groups))[0].astype("int64"), np.random.default_rng(seed)
    label = random.integers(0, 2, len(groups))
    shuffled = shuffle(label, numbers, random)
    counts = [
        sorted(zip(np.bincount(numbers).tolist(), np.bincount(numbers, some).tolist(), strict=True))
        for some in (label, shuffled)
    ]
    assert counts[0] == counts[1]


def test_a_few_pairs_are_no_finding_and_the_model_that_measured_most_is_taken(balanced: Dataset) -> None:
    few = Dataset(balanced.frame[:6])
    rows = find_shortcuts(few, NONE)
    assert not any(row["is_finding"] for row in rows)
    label = balanced.frame["binary"].to_numpy("float64")
    tells = measured(balanced, "lm_margin", label, "x")[: N // 2]
    both = pd.concat([tells, measured(balanced, "lm_margin", np.random.default_rng(4).random(N), "y")])
    assert not by_name(find_shortcuts(balanced, both))["likelier_side"]["is_finding"]


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_texts_that_tell_nothing_are_at_chance_however_labels_fall_into_folds(share: float) -> None:
    random = np.random.default_rng(4)
    group = np.repeat(np.arange(20), random.integers(1, 6, 20))
    names = ["".join("qwzxvkjhgf"[int(digit)] for digit in f"{n:03}") for n in range(len(group))]
    first, second = ([" ".join(f"{name}{end}" for end in ends) for name in names] for ends in ("bcd", "lmn"))
    pairs = pairs_of((random.random(len(group)) < share).astype("int64"), first, second)
    pairs = Dataset(pairs.frame.assign(entity=[f"term {number}" for number in group]))
    rows = by_name(find_shortcuts(pairs, NONE))
    assert [rows[name]["auc"] for name in ("first_alone", "second_alone", *HARDNESS)] == [0.5] * 4


def test_what_new_pairs_would_show_lies_between_the_two_figures_of_a_set_that_is_balanced_as_a_whole() -> None:
    """Per length, as many pairs of each label: nothing can be learned, and half of them leans the other way."""
    random = np.random.default_rng(7)
    lengths = np.repeat(random.integers(1, 12, 100), 2)
    label = np.tile([0, 1], 100)
    order = random.permutation(200)
    texts = [" ".join(f"{side}{n}x{word}" for word in range(k)) for side in "ab" for n, k in enumerate(lengths[order])]
    rows = by_name(find_shortcuts(pairs_of(label[order], texts[:200], texts[200:]), NONE))
    below, above = (rows[name]["auc"] for name in HARDNESS)
    assert below < 0.5 <= above
    assert not rows["lexical_baseline_fitted"]["is_above"]


def test_a_leak_of_overlap_shows_in_both_figures() -> None:
    label = np.tile([0, 1], 100)
    first = [f"a{n} b{n} c{n} d{n}" for n in range(200)]
    second = [text if binary else " ".join(text.split()[:2]) for text, binary in zip(first, label, strict=True)]
    rows = by_name(find_shortcuts(pairs_of(label, first, second), NONE))
    assert [rows[name]["auc"] for name in HARDNESS] == [1, 1]
