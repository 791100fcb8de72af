"""Buying labels lot by lot, on a small world in which one number tells the label and overlap misleads."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.console.commands import run
from data.labelled.dataset import COLUMNS, no_parents
from data.texts.identity import definition_id, pair_id
from studies.pairs import curves, evaluate, learners, loop
from studies.pairs.evaluate import main
from studies.pairs.loop import ALL, RANDOM, Market, Plan

PLAN = Plan(start=60, step=30, most=150)
WORDS = np.array(["oak", "elm", "fir", "ash", "cod", "eel", "saw", "axe", "crow", "wren", "owl", "pike", "carp", "tit"])


def make_frame(n: int = 420) -> pd.DataFrame:
    random = np.random.default_rng(4)
    texts = [" ".join(random.choice(WORDS, size=4, replace=False)) + f" {number}" for number in range(2 * n)]
    frame = pd.DataFrame({"first": texts[:n], "second": texts[n:], "entity": [f"term {row % 40}" for row in range(n)]})
    sides = [list(map(definition_id, frame["entity"], frame[side])) for side in ("first", "second")]
    split = np.where(np.arange(n) % 40 < 24, "train", np.where(np.arange(n) % 40 < 32, "validation", "test"))
    votes = random.integers(4, size=n)
    return frame.assign(
        second_entity=None, first_id=sides[0], second_id=sides[1], pair_id=list(map(pair_id, *sides)),
        split=split, votes=votes, n_votes=3, binary=(votes > 1).astype(int), parents=no_parents(n),
    )[COLUMNS]  # fmt: skip


@pytest.fixture(scope="module")
def market() -> Market:
    return loop.prepare(make_frame())


def learn(rows: pd.DataFrame, seed: int) -> np.ndarray:
    """Two models that know the votes, with less noise the more rows they may learn from."""
    n = int((rows["split"] == "train").sum())
    noise = np.random.default_rng((seed, n)).normal(scale=30 / n, size=(len(rows), 2))
    return (rows["votes"].to_numpy("float64")[:, None] / 3 + noise).clip(0, 1)


@pytest.mark.parametrize("way", [RANDOM, "uncertain", "disagreement", "misleading", "uncertain+misleading"])
def test_every_lot_is_new_training_pairs_of_the_size_asked_for(market: Market, way: str) -> None:
    points = list(loop.buy(market, learn, way, 1, PLAN))
    assert [len(point.bought) for point in points] == PLAN.sizes == [60, 90, 120, 150]
    for before, after in pairwise(points):
        assert after.bought[: len(before.bought)].tolist() == before.bought.tolist()
        assert len(set(after.bought)) == len(after.bought)
        assert set(after.bought) <= set(market.rows("train"))


def test_all_ways_of_a_seed_begin_alike_and_another_seed_does_not(market: Market) -> None:
    first = [next(loop.buy(market, learn, way, seed, PLAN)).bought for way, seed in (("random", 1), ("uncertain", 1))]
    assert first[0].tolist() == first[1].tolist()
    assert next(loop.buy(market, learn, "random", 2, PLAN)).bought.tolist() != first[0].tolist()


def test_a_model_never_sees_labels_that_were_not_bought(market: Market) -> None:
    seen: list[pd.Series] = []

    def watch(rows: pd.DataFrame, seed: int) -> np.ndarray:
        seen.append(rows["split"])
        return learn(rows, seed)

    points = list(loop.buy(market, watch, "uncertain", 1, PLAN))
    for point, split in zip(points, seen, strict=True):
        assert np.flatnonzero(split == "train").tolist() == sorted(point.bought)
        assert not set(np.flatnonzero(split == "train")) & set(market.rows("test"))


def test_the_table_compares_with_all_labels_and_with_random(market: Market) -> None:
    ways = (RANDOM, "misleading")
    points = [
        loop.buy_all(market, learn, 1),
        *(point for way in ways for point in loop.buy(market, learn, way, 1, PLAN)),
    ]
    table = curves.tabulate(points, market).set_index(["way", "labels"])
    assert table.loc[ALL, "gap"].tolist() == [0.0]
    chance = table.loc[RANDOM]
    assert chance["ratio"].tolist() == pytest.approx([np.nan, 1.0, 1.0, 1.0], nan_ok=True), "the first are the same"
    assert (table["f1_low"] <= table["f1"]).all()
    assert (table["f1"] <= table["f1_high"]).all()
    last = points[-1]
    assert table.loc[("misleading", 150), "hard"] == market.is_hard[last.bought].sum()
    assert table.loc[("misleading", 150), "ratio"] > 1.1, "these labels contradict overlap more often"
    assert len(list(curves.show(table.reset_index()))) == len(table) + 1


def test_the_figure_is_written(market: Market, tmp_path: Path) -> None:
    points = [loop.buy_all(market, learn, 1), *loop.buy(market, learn, RANDOM, 1, PLAN)]
    curves.draw(curves.tabulate(points, market), tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_without_random_buying_there_is_no_ratio_and_still_a_figure(market: Market, tmp_path: Path) -> None:
    points = [loop.buy_all(market, learn, 1), *loop.buy(market, learn, "uncertain", 1, PLAN)]
    table = curves.tabulate(points, market)
    assert table["ratio"].isna().all()
    assert table["gap"].notna().all()
    curves.draw(table, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 0


def test_bagged_regressions_learn_and_differ() -> None:
    frame = make_frame()
    seen = np.column_stack([frame["votes"].astype("float64"), np.ones(len(frame))])
    scores = learners.bag(seen, frame, 1)
    assert scores.shape == (len(frame), 1 + learners.N_BAGGED)
    assert np.corrcoef(scores[:, 0], frame["votes"])[0, 1] > 0.9
    assert len({column.tobytes() for column in scores.T}) == scores.shape[1]


@pytest.mark.parametrize("name", [learners.FROZEN, learners.NETWORK, lambda rows, seed: learn(rows, seed)[:, 0]])
def test_each_learner_scores_all_rows_and_learns_from_the_training_rows_alone(name: str) -> None:
    frame = make_frame()
    random = np.random.default_rng(6)
    left = random.normal(size=(len(frame), 8)).astype(np.float32)
    right = left * (frame["votes"].to_numpy("float32")[:, None] - 1.5)
    learner = learners.assemble(name, frame, left, right)
    scores = learner(frame, 1)
    assert scores.shape[0] == len(frame)
    assert scores.shape[1] >= 3
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.corrcoef(scores[:, 0], frame["votes"])[0, 1] > 0.5
    hidden = frame.assign(binary=frame["binary"].where(frame["split"] == "train", 1 - frame["binary"]))
    np.testing.assert_array_equal(learner(hidden, 1)[:, 0], scores[:, 0])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--ways", "random", "best"), "--ways: expected random, uncertain, disagreement, misleading, or two as a+b"),
        (("--start", "0"), "--start: expected at least 2, found 0"),
        (("--most", "500"), "--most: expected at least 1000, found 500"),
        (("--json", "figures.json"), "--json: expected nothing with --loop, found figures.json"),
        (("--learner", "nowhere:fit"), "--learner nowhere:fit: expected a function that can be imported"),
    ],
)
def test_bad_flags_are_one_line(
    shared_data: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], message: str
) -> None:
    args = ["--loop", "--dataset", str(shared_data / "parade"), *flags]
    assert run(main, prog="python -m studies.pairs.evaluate", args=args) == 2
    assert message in capsys.readouterr().err


def test_a_last_lot_of_one_label_is_bought_by_one_half(market: Market) -> None:
    points = loop.buy(market, learn, "uncertain+misleading", 1, Plan(start=60, step=30, most=91))
    assert [len(point.bought) for point in points] == [60, 90, 91]


def test_the_command_writes_the_curves_of_each_way(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "from_published", lambda judged: make_frame())
    monkeypatch.setattr(learners, "open_learner", lambda *_: learn)
    flags = ["--ways", "random", "misleading", "--seeds", "1", "--start", "60", "--step", "30", "--most", "90"]
    args = ["--loop", "--dataset", f"{shared_data / 'parade'}", "--out", f"{tmp_path}"]
    assert run(main, prog="python -m studies.pairs.evaluate", args=[*args, *flags]) == 0
    table = pd.read_csv(tmp_path / "curves.csv")
    assert table[["way", "labels"]].to_numpy().tolist() == [
        ["all", 260], ["misleading", 60], ["misleading", 90], ["random", 60], ["random", 90],
    ]  # fmt: skip
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert "misleading" in capsys.readouterr().out
