"""How attacks are described."""

from typing import Any

import pandas as pd
import pytest

from data.labelled.robustness import describe, judge_review, judge_sets, mark, share_of
from data.measures.rules import ScoringRule
from data.texts.languages.en import ENGLISH


def edit(old_first: str, old_second: str, word: str) -> dict[str, Any]:
    return {"first": [1], "second": [1], "old_first": old_first, "old_second": old_second, "word": word}


def attempt(label: int, outcome: str, steps: int = 0, edits: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "attack": "a", "target": "t", "mlm": "m", "label": label, "outcome": outcome, "n_steps": steps,
        "edits": list(edits), "queries": 10, "seconds": 0.5, "first": "old tree here", "new_first": "old shrub here",
        "second": "a tree", "new_second": "a shrub", "score_before": 0.9, "score_after": 0.2,
        "threshold": 0.5,
    }  # fmt: skip


ATTEMPTS = pd.DataFrame(
    [
        attempt(1, "fooled", 1, (edit("tree", "tree", "shrub"),)),
        attempt(1, "fooled", 2, (edit("old", "old", "shrub"), edit("tree,", "tree", "bush"))),
        attempt(1, "limit", 2, (edit("tree", "tree", "never"),)),
        attempt(1, "wrong_at_start"),
        attempt(0, "stuck"),
        attempt(0, "fooled", 3, (edit("x", "y", "shrub"),)),
    ]
)


def test_accuracy_counts_what_was_wrong_at_the_start_apart() -> None:
    rows = {row["label"]: row for row in describe(ATTEMPTS, 5, 1)["rows"]}
    assert [rows["paraphrase"][name]["value"] for name in ("before", "after", "fooled")] == [
        0.75, 0.25, pytest.approx(2 / 3),
    ]  # fmt: skip
    assert [rows["no paraphrase"][name]["value"] for name in ("before", "after", "fooled")] == [1.0, 0.5, 0.5]
    assert (rows["both"]["n"], rows["paraphrase"]["steps"], rows["no paraphrase"]["steps"]) == (6, 1.5, 3.0)


def test_success_by_steps_and_the_words_behind_it() -> None:
    described = describe(ATTEMPTS, 5, 1)
    assert [row["paraphrase"]["value"] for row in described["steps"]] == [
        pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3),
    ]  # fmt: skip
    assert described["words"]["paraphrase"] == [
        {"word": "shrub", "n": 2, "replaced": ["tree", "old"]},
        {"word": "bush", "n": 1, "replaced": ["tree"]},
    ]
    assert described["words"]["no paraphrase"] == [{"word": "shrub", "n": 1, "replaced": ["x", "y"]}]
    assert [example["label"] for example in described["examples"]] == ["paraphrase", "paraphrase", "no paraphrase"]


def test_changed_words_are_marked() -> None:
    assert mark("an old tree, here", "an old shrub, here") == [
        {"text": "an old", "new": None}, {"text": "tree,", "new": "shrub,"}, {"text": "here", "new": None},
    ]  # fmt: skip
    assert mark("same", "same") == [{"text": "same", "new": None}]


def test_nothing_has_no_share() -> None:
    assert share_of(0, 0) == {"value": None, "low": None, "high": None}
    assert share_of(5, 10)["value"] == 0.5


def test_every_set_is_judged_apart_by_the_models_own_thresholds() -> None:
    pairs = pd.DataFrame(
        {
            "generator": ["paper", "paper", "attack", "attack"],
            "selection": ["every-pair", "every-pair", "original", "fooled"],
            "pair_id": list("abcd"), "entity": ["e", "f", None, None], "second_entity": None, "first": list("stuv"),
            "second": list("wxyz"), "parents": [[], [], [], ["c"]],
        }
    )  # fmt: skip
    labels = pd.DataFrame({"pair_id": list("abcd"), "method": "majority", "binary": [1, 0, 0, 0]})
    scores = pd.DataFrame({"model": "m", "threshold": 0.3, "pair_id": list("abcd"), "score": [0.4, 0.4, 0.1, 0.9]})
    rows = {row["set"]: row for row in judge_sets(pairs, labels, scores, ScoringRule(resamples=20), ENGLISH)}
    assert {name: row["accuracy"]["value"] for name, row in rows.items()} == {
        "paper": 0.5, "attack (originals)": 1.0, "attack": 0.0,
    }  # fmt: skip
    assert rows["paper"]["n_groups"] == 2


def test_people_judge_original_and_modified_pairs() -> None:
    pairs = pd.DataFrame(
        {
            "pair_id": list("abcd"),
            "selection": ["original", "fooled", "fooled", "fooled"],
            "inherited": pd.array([1, 1, 1, 0], dtype="Int64"),
        }
    )
    labels = pd.DataFrame({"pair_id": list("abcd"), "binary": pd.array([1, 1, 0, None], dtype="Int64")})
    grammar = pd.DataFrame({"pair_id": list("ab"), "scores": [[0, 1, 2], [3, 0, 0]]})
    rows = {(row["label"], row["kind"]): row for row in judge_review(pairs, labels, grammar)}
    assert {key: row["kept"]["value"] for key, row in rows.items()} == {
        ("paraphrase", "original"): 1.0, ("paraphrase", "modified"): 0.5, ("no paraphrase", "modified"): 0.0,
    }  # fmt: skip
    assert rows["paraphrase", "original"]["grammar"]["value"] == pytest.approx(8 / 3)
    assert rows["paraphrase", "modified"]["grammar"]["value"] == 1.0
    assert rows["no paraphrase", "modified"]["grammar"]["value"] is None
