"""Agreement on each control of a question, by its level of measurement."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance

from annotation.questions.declarations import shipped_question
from data.contract.tables.campaign import Answers
from data.measures.controls import assess_controls


def measure(name, rows):
    """The measures of answers, given as (pair, control, chosen, text), by measure, control and answer ("" for all)."""
    types = {name: Answers.arrow_schema().field(name).type for name in ("control", "chosen", "text")}
    frame = pd.DataFrame(rows, columns=["pair_id", "control", "chosen", "text"])
    frame = frame.astype({name: pd.ArrowDtype(kind) for name, kind in types.items()})
    found = assess_controls(shipped_question(name), frame.assign(group=frame["pair_id"])).fillna({"answer": ""})
    return found.set_index(["measure", "control", "answer"])


sets = st.sets(st.sampled_from(["knowledge", "synonyms", "detail"]), min_size=1)


@given(st.lists(st.lists(sets, min_size=2, max_size=2), min_size=2, max_size=12))
def test_masi_alpha_is_nltks(items):
    rows = [(f"p{n}", "phenomena", sorted(chosen), None) for n, two in enumerate(items) for chosen in two]
    found = measure("phenomena", rows).loc["alpha_masi", "phenomena", ""]
    if len({frozenset(chosen) for two in items for chosen in two}) == 1:
        assert found["reason"] == "all ratings are of one class"
        return
    triples = [(str(n), f"p{k}", frozenset(chosen)) for k, two in enumerate(items) for n, chosen in enumerate(two)]
    assert found["value"] == pytest.approx(AnnotationTask(triples, masi_distance).alpha())
    assert found["low"] <= found["value"] <= found["high"]


def test_each_of_several_answers_is_measured_by_itself():
    rows = [("p", "phenomena", ["detail", "scope"], None), ("p", "phenomena", ["detail"], None),
            ("q", "phenomena", ["none"], None), ("q", "phenomena", ["none"], None)]  # fmt: skip
    found = measure("phenomena", rows)
    assert found["value"]["alpha", "phenomena", "detail"] == pytest.approx(1)
    assert found["value"]["alpha", "phenomena", "scope"] == pytest.approx(0)
    assert found["reason"]["alpha", "phenomena", "overlap"] == "all ratings are of one class"


def test_a_control_is_measured_by_its_level():
    given = {"p": "13", "q": "33", "r": "12", "s": "22", "t": "2"}
    grades = [(pair, value) for pair, values in given.items() for value in values]
    rows = [(pair, "grammar", [value], None) for pair, value in grades]
    rows += [(pair, "same_meaning", [("no", "yes")[value > "1"]], None) for pair, value in grades]
    found = measure("label-and-grammar", rows)
    table = np.array([[0, 1, 0, 1], [0, 0, 0, 2], [0, 1, 1, 0], [0, 0, 2, 0]])
    known = krippendorff.alpha(value_counts=table, value_domain=[0, 1, 2, 3], level_of_measurement="ordinal")
    assert found["value"]["alpha", "grammar", ""] == pytest.approx(known)
    assert found["n"]["alpha", "grammar", ""] == 4
    yes = np.array([[1, 1], [0, 2], [1, 1], [0, 2]])
    known = krippendorff.alpha(value_counts=yes, value_domain=[0, 1], level_of_measurement="nominal")
    assert found["value"]["alpha", "same_meaning", ""] == pytest.approx(known)


def test_edited_texts_are_compared_in_twos():
    texts = {"p": ["a cat sat", "a  cat sat ", "the cat sat"], "q": ["alone"]}
    rows = [(pair, "corrected", [], text) for pair, several in texts.items() for text in several]
    found = measure("sentence-correction", rows)
    assert found["value"]["identical", "corrected", ""] == pytest.approx(1 / 3)
    assert found["value"]["edit_distance", "corrected", ""] == pytest.approx(2 / 3 * 3 / 11)
    assert found["n"]["identical", "corrected", ""] == 3
    assert found["reason"]["alpha", "decision", ""] == "no pair has two ratings"
    nothing = measure("sentence-correction", rows[-1:])
    assert nothing["reason"]["identical", "corrected", ""] == "no pair has two ratings"
