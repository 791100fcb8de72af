import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.commands import run
from data.contract.vocabulary import SPLITS
from data.labelled import parade
from studies.pairs.evaluate import choose_way, main
from studies.pairs.judged_pairs import agreement, frontier, measure, prepare, sample, score, score_by_split

SUBJECTS = ("a network", "a set of nodes", "many devices", "small machines")
DEEDS = ("that share data", "which talk to each other", "linked by radio")


def published() -> pd.DataFrame:
    """Three entities, one a split, whose definitions are judged in a ring; equal subjects are paraphrases."""
    rows = []
    for split, entity in zip(SPLITS, ("data mining", "sensor network", "hash table"), strict=True):
        texts = [f"{subject} {deed}" for subject in SUBJECTS for deed in DEEDS]
        for at, text in enumerate(texts):
            other = texts[(at + 1) % len(texts)]
            votes = 3 if text.split(" ")[:2] == other.split(" ")[:2] else 0
            rows.append((split, votes, int(votes >= 2), entity, text, other))
    return pd.DataFrame(rows, columns=["split", *parade.COLUMNS])


def test_all_judged_pairs_give_the_known_figures_of_the_release(shared_data: Path) -> None:
    data = prepare(parade.read(shared_data / "parade"))
    found = score(data.judged["pair_id"], data)
    assert (len(data.definitions), found.judged, found.paraphrases) == (10_168, 10_182, 4_778)
    assert (found.low, found.high) == (1_829, 1_240)
    assert found.auc == pytest.approx(0.763, abs=5e-4)


def test_scores_count_what_was_proposed_and_judged() -> None:
    data = prepare(published())
    every = score(data.judged["pair_id"], data)
    assert (every.judged, every.paraphrases, every.hard) == (36, 24, every.low + every.high)
    half = score([*data.judged["pair_id"][:18], "unknown"], data)
    assert (half.proposed, half.judged) == (19, 18)
    assert score([], data).auc is None


def test_splits_add_up() -> None:
    data = prepare(published())
    pairs = sample(data.definitions, 60, seed=1)
    assert len(pairs) == pairs["pair_id"].nunique() == 60
    found = score_by_split(pairs, data)
    for figure in ("proposed", "judged", "paraphrases", "low", "high", "far"):
        assert getattr(found["all"], figure) == sum(getattr(found[split], figure) for split in SPLITS)


def test_the_measure_is_jaccard_of_stems() -> None:
    assert measure(["the linked lists", "of the"], ["a linking list", "and"]) == [1, 0]
    assert measure(["red tree"], ["red graph"]) == pytest.approx([1 / 3])


points = st.dictionaries(st.text("abc", min_size=1), st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1)


@given(points)
def test_nothing_on_the_frontier_is_beaten_and_all_else_is(rows: dict[str, tuple[int, int]]) -> None:
    front = frontier(rows)
    for name, (hard, paraphrases) in rows.items():
        better = [
            other for other in front if rows[other][0] >= hard and rows[other][1] >= paraphrases and other != name
        ]
        assert bool(better) != (name in front)


def test_agreement_is_the_mean_over_every_two() -> None:
    assert agreement([["a", "b"], ["a", "b"], ["b", "c"]]) == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    assert agreement([["a"]]) is None


def test_the_choice_looks_at_training_entities_alone() -> None:
    def row(hard: float, auc: float | None, test_hard: float) -> dict[str, object]:
        train = {"hard": hard, "auc": auc, "paraphrases": 1.0}
        return {"mean": {"train": train, "test": {"hard": test_hard, "auc": 0.1}}}

    report = {"a": row(5, 0.8, 0), "b": row(4, 0.7, 99), "c": row(9, 0.9, 9), "d": row(9, None, 9)}
    assert choose_way(report, 0.82) == "a"
    assert choose_way(report, 0.1) is None


@pytest.mark.sweep
def test_the_command_prints_and_writes_every_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parade.write(published().assign(second_entity=None), tmp_path / "parade")
    flags = ["--dataset", str(tmp_path / "parade"), "--json", str(tmp_path / "figures.json")]
    ways = ["--vectors", "tfidf", "--sizes", "3", "12", "--seeds", "1", "2", "--pairs", "190", "--most-auc", "1"]
    assert run(main, prog="evaluate", args=[*flags, *ways]) == 0
    out = capsys.readouterr().out
    assert "36 definitions, 198 pairs within an entity, 36 of them judged" in out
    assert "(18.2%), all chosen by the paper's own procedure" in out
    report = json.loads((tmp_path / "figures.json").read_text())
    assert len(report["ways"]) == 1 + 2 * 2 * 5
    assert report["chosen"] in report["ways"]
    assert report["ways"]["all pairs, random"]["mean"]["all"]["proposed"] == 190
    assert report["ways"]["tfidf, ward, 12, cover"]["agreement"] > 0.3


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "{folder}: expected a file PARADE_train.txt"),
        (("--seeds",), "--seeds: expected at least one"),
        (("--json", "{folder}/none/figures.json"), "{folder}/none: expected a folder to write to, found none"),
    ],
)
def test_bad_input_is_one_line_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], message: str
) -> None:
    args = ["--dataset", str(tmp_path), *(flag.format(folder=tmp_path) for flag in flags)]
    assert run(main, prog="evaluate", args=args) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: " + message.format(folder=tmp_path))
    assert captured.out == ""
