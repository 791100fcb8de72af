"""What stays of a set in which simple signals would tell the label."""

import numpy as np
import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data.labelled.metrics import measure_auc
from data.texts.languages.en import ENGLISH
from generation.balancing.matching import describe_signals, draw_lots, match


def pairs_with(shift: float, n: int = 600, seed: int = 1) -> tuple[pd.Series, pd.DataFrame]:
    """Labels, and three signals of which the first two lie higher by `shift` where the label is 1."""
    random = np.random.default_rng(seed)
    label = pd.Series(random.integers(0, 2, n))
    signals = pd.DataFrame(random.normal(size=(n, 3)), columns=["cosine", "length", "noise"])
    return label, signals.add(np.outer(label, [shift, shift, 0.0]))


def test_signals_that_tell_the_label_tell_nothing_of_what_stays() -> None:
    label, signals = pairs_with(1.0)
    stays = match(label, signals, draw_lots(pd.Series(range(600)), 1)).to_numpy()
    assert measure_auc(label.to_numpy() == 1, signals["cosine"].to_numpy()) > 0.7
    assert 150 < stays.sum() < 500
    for name in signals:
        assert abs(measure_auc(label.to_numpy()[stays] == 1, signals[name].to_numpy()[stays]) - 0.5) < 0.05


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=30), st.integers(0, 3))
@example(rows=[(0, 0), (0, 2), (1, 1)], seed=0)
def test_as_many_stay_of_each_label_whatever_the_order(rows: list[tuple[int, int]], seed: int) -> None:
    table = pd.DataFrame(rows, columns=["label", "signal"])
    lots = draw_lots(pd.Series(range(len(table))), seed)
    stays = match(table["label"], table[["signal"]], lots)
    assert (table.loc[stays, "label"] == 1).sum() == (table.loc[stays, "label"] == 0).sum()
    back = table[::-1]
    assert match(back["label"], back[["signal"]], lots[::-1]).sort_index().equals(stays)


def test_the_signals_have_no_gaps_and_both_a_direction_and_a_size() -> None:
    pairs = pd.DataFrame({"first": ["a b c", "x"], "second": ["c b", "x y"], "binary": [0, 1]})
    measures = pd.DataFrame({"bow_cosine": [0.8, None], "lm_margin": [-3.0, 2.0]}, index=["p", "q"]).astype("Float64")
    signals = describe_signals(pairs, measures, ENGLISH)
    assert signals.notna().all(axis=None)
    assert signals[["longer", "longer_size", "lm_margin", "lm_margin_size"]].to_numpy().tolist() == [
        [-1, 1, -3, 3], [1, 1, 2, 2],
    ]  # fmt: skip


def test_a_common_word_that_tells_the_label_tells_nothing_of_what_stays() -> None:
    random = np.random.default_rng(1)
    label = random.integers(0, 2, 900)
    has = random.random(900) < np.where(label == 1, 0.7, 0.3)
    first = [f"the {'data of' if of else 'known'} network{n} grow" for n, of in enumerate(has)]
    second = [f"{text} fast" for text in first]
    pairs = pd.DataFrame({"first": first, "second": second, "binary": label})
    signals = describe_signals(pairs, pd.DataFrame(index=pairs.index), ENGLISH)
    assert signals[["first: of", "second: of"]].eq(has.astype(int), axis=0).all(axis=None)
    stays = match(pairs["binary"], signals, draw_lots(pairs.index.to_series(), 1)).to_numpy()
    assert stays.sum() > 400
    assert abs(measure_auc(label[stays] == 1, has[stays].astype(float)) - 0.5) < 0.05


def test_few_pairs_are_not_matched_on_words() -> None:
    pairs = pd.DataFrame({"first": ["a b"] * 40, "second": ["b a"] * 40, "binary": [0, 1] * 20})
    assert not [name for name in describe_signals(pairs, pd.DataFrame(index=range(40)), ENGLISH) if ":" in name]
