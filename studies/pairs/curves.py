"""Curves of models over the number of labels, with intervals from drawing groups, as a table and a figure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, roc_auc_score

from data.measures import intervals
from data.measures.intervals import Groups
from studies.pairs.learners import Reals
from studies.pairs.loop import ALL, RANDOM, Market, Point

AIM = 1.5
"""How many times the hard pairs of random buying are aimed at."""


def tabulate(points: Sequence[Point], market: Market) -> pd.DataFrame:
    """One row per way and number of labels; means over the seeds.

    `f1`, at the threshold chosen on validation, `gap` (f1 minus that with all labels), `hard` (hard pairs among the
    labelled), `ratio` (hard pairs relative to `random` with as many labels, the first ones left out, which are drawn at
    random), each with `_low` and `_high`: the 95 % interval (`data.measures.intervals`) from drawing whole groups of
    test pairs, or of training pairs for the last two.
    `accuracy`, `auc`, `positive` (the share of paraphrases among the labelled), `entities` (how many have a label), and
    `f1_sd` over seeds have none. Differences and ratios are taken within each draw.
    """
    by_key: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        by_key.setdefault((point.way, len(point.bought)), []).append(point)
    test, train = _draw(market, "test"), _draw(market, "train")
    f1 = {key: np.mean([_f1(point, market, test) for point in some], axis=0) for key, some in by_key.items()}
    hard, later = (
        {
            key: np.mean([_hard(point.bought[after:], market, train) for point in some], axis=0)
            for key, some in by_key.items()
        }
        for after in (0, min(n for _, n in by_key))
    )
    full = next((draws for (way, _), draws in f1.items() if way == ALL), np.full(intervals.RESAMPLES + 1, np.nan))
    rows = []
    for (way, n), some in by_key.items():
        base = later.get((RANDOM, n), np.full(intervals.RESAMPLES + 1, np.nan))
        ratio = np.divide(later[way, n], base, out=np.full(len(base), np.nan), where=base > 0)
        draws = {"f1": f1[way, n], "gap": f1[way, n] - full, "hard": hard[way, n], "ratio": ratio}
        rows.append({"way": way, "labels": n, "seeds": len(some), **_spread(draws, market), **_plain(some, market)})
    return pd.DataFrame(rows).sort_values(["way", "labels"], ignore_index=True)


def show(table: pd.DataFrame) -> Iterator[str]:
    """The lines of the table."""
    yield f"{'way':24} labels  F1 [95 %]            minus all labels        hard  by random        positive  entities"
    for row in table.to_dict("records"):
        f1 = f"{row['f1']:.3f} [{row['f1_low']:.3f}, {row['f1_high']:.3f}]"
        gap = f"{row['gap']:+.3f} [{row['gap_low']:+.3f}, {row['gap_high']:+.3f}]"
        ratio = (
            "" if np.isnan(row["ratio"]) else f"{row['ratio']:.2f} [{row['ratio_low']:.2f}, {row['ratio_high']:.2f}]"
        )
        yield (
            f"{row['way']:24} {row['labels']:6}  {f1}  {gap}  {row['hard']:4.0f}  {ratio:17}  "
            f"{row['positive']:8.2f}  {row['entities']:8.0f}"
        )


def _draw(market: Market, split: str) -> Reals:
    """What each pair of the split weighs in each draw of its groups; the first draw is the pairs themselves."""
    groups = _groups(market, split)
    weights = np.vstack([np.ones(groups.n), groups.weigh()])[:, groups.codes]
    return np.asarray(weights * (len(groups.codes) / weights.sum(axis=1, keepdims=True)), dtype=np.float64)


def _groups(market: Market, split: str) -> Groups:
    return Groups.of(market.group[market.rows(split)])


def _f1(point: Point, market: Market, weights: Reals) -> Reals:
    test = market.rows("test")
    predicted, label = point.scores[test, 0] >= point.thresholds[0], market.label[test] == 1
    both, either = weights @ (predicted & label), weights @ predicted + weights @ label
    f1: Reals = np.divide(2 * both, either, out=np.zeros(len(both)), where=either > 0)
    return f1


def _hard(bought: NDArray[np.intp], market: Market, weights: Reals) -> Reals:
    is_bought = np.isin(market.rows("train"), bought[market.is_hard[bought]])
    return np.asarray(weights @ is_bought, dtype=np.float64)


def _spread(draws: Mapping[str, Reals], market: Market) -> dict[str, float]:
    """The value of the pairs themselves and its interval."""
    test, train = (_groups(market, split).effective for split in ("test", "train"))
    limits = {
        "f1": intervals.bounded(draws["f1"][0], draws["f1"][1:], test),
        "gap": intervals.free(draws["gap"][0], draws["gap"][1:], test),
        **{name: intervals.free(draws[name][0], draws[name][1:], train, np.inf) for name in ("hard", "ratio")},
    }
    values: dict[str, float] = {}
    for name, ends in limits.items():
        low, high = ends or (np.nan, np.nan)
        values |= {name: float(draws[name][0]), f"{name}_low": low, f"{name}_high": high}
    return values


def _plain(points: Sequence[Point], market: Market) -> dict[str, float]:
    test = market.rows("test")
    label, scores = market.label[test], [point.scores[test, 0] for point in points]
    thresholds = [point.thresholds[0] for point in points]
    predicted: list[NDArray[np.bool_]] = [some >= one for some, one in zip(scores, thresholds, strict=True)]
    f1 = [2 * (one & (label == 1)).sum() / (one.sum() + label.sum()) for one in predicted]
    return {
        "accuracy": float(np.mean([accuracy_score(label, one) for one in predicted])),
        "auc": float(np.mean([roc_auc_score(label, some) for some in scores])),
        "positive": float(np.mean([market.label[point.bought].mean() for point in points])),
        "entities": float(np.mean([len(np.unique(market.group[point.bought])) for point in points])),
        "f1_sd": float(np.std(f1)),
    }


def draw(table: pd.DataFrame, path: Path) -> None:
    """Write the figure: F1 less the F1 with all labels, and hard pairs relative to random choice, with intervals."""
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    n_all = table.loc[table["way"] == ALL, "labels"].max()
    panels = {"gap": (f"F1 less that with all {n_all:,} labels", 0.0), "ratio": ("hard pairs, by those of random", AIM)}
    for axes, (name, (title, aim)) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        for place, (way, some) in enumerate(table[table["way"] != ALL].groupby("way", sort=True)):
            axes.plot(some["labels"], some[name], label=way, color=f"C{place}", marker="o", markersize=3)
            axes.fill_between(some["labels"], some[f"{name}_low"], some[f"{name}_high"], color=f"C{place}", alpha=0.08)
        axes.axhline(aim, color="black", linestyle="--", linewidth=1)
        axes.set_xlabel("labelled pairs")
        axes.set_title(f"{title} (95 % intervals)", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)
