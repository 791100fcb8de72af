"""How often the learning curve's forecast holds: `python -m studies.labels.learning --datasets DIR …`.

Of each draw, labels are drawn from one half of the entities, as pairs at random or entity by entity, and
`annotation.aggregation.learning` forecasts the level of a model and what 500 more labels will bring. The truth is a
model trained on those labels, judged on the pairs of the other half.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from annotation.aggregation import learning
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import corpora
from data.measures.intervals import Floats
from data.texts.languages.en import ENGLISH
from studies.pairs.mix import order

MORE = 500


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print what was forecast, what came and the coverage of both intervals, by the number of labels."""

    datasets: tuple[Path, ...]
    """The folder of the published PARADE files, or files of labelled pairs as `analysis` reads them."""
    labels: tuple[int, ...] = (300, 1_000)
    """Numbers of labels so far."""
    draws: int = 20
    """Draws of labels for each line."""


def main(arguments: Arguments) -> None:
    """Print one line per data set, way of drawing, number of labels and measure."""
    heads = ("level", "came", "width", "holds", "gain", "came", "width", "holds")
    for path in arguments.datasets:
        pairs = corpora.load(path)[0].dropna(subset="binary").reset_index(drop=True)
        pairs = pairs.assign(entity=pairs["entity"].fillna(pairs["pair_id"]), binary=pairs["binary"].astype("int64"))
        columns = learning.describe(pairs, ENGLISH, None, progress)
        n_entities = pairs["entity"].nunique()
        say(f"{path.name}: {len(pairs)} pairs of {n_entities} entities")
        say(f"{'labels':28} {'measure':10}" + "".join(f"{head:>8}" for head in heads))
        for how in ("random pairs", "whole random entities")[: 1 + (n_entities < len(pairs))]:
            for n in arguments.labels:
                seeds = progress(range(arguments.draws), label=f"{n} {how}", unit="draws", total=arguments.draws)
                rows = pd.DataFrame([row for seed in seeds for row in _compare(pairs, columns, how, n, seed)])
                for measure, figures in rows.groupby("measure", sort=False).mean().iterrows():
                    say(f"{n:5} {how:22} {measure:10}" + "".join(f"{value:8.4f}" for value in figures))


def _compare(pairs: pd.DataFrame, columns: Floats, how: str, n: int, seed: int) -> Iterator[dict[str, object]]:
    """Forecast and truth of each measure, for one draw of labels."""
    codes, names = pd.factorize(pairs["entity"])
    is_asked = (np.random.default_rng(seed).permutation(len(names)) < len(names) / 2)[codes]
    drawn, label = order(pairs, how, seed), pairs["binary"].to_numpy("int64")
    known, asked = drawn[~is_asked[drawn]][: n + MORE], np.flatnonzero(is_asked)
    curve = learning.measure_curve(columns[known[:n]], label[known[:n]], pairs["entity"].iloc[known[:n]], seed)
    last = len(curve.sizes) - 1
    sizes = (int(curve.sizes[last]), n, n + MORE)
    judged = [_judge(columns, label, known[:size], asked) for size in sizes]
    for name, (level, before, after) in zip(learning.MEASURES, np.transpose(judged), strict=True):
        row: dict[str, object] = {"measure": name}
        forecasts = (curve.at(last)[name], level), (curve.gain(n, MORE)[name], after - before)
        for kind, (forecast, came) in zip(("level", "gain"), forecasts, strict=True):
            row |= {kind: forecast.value, f"{kind} came": came, f"{kind} width": forecast.high - forecast.low}
            row |= {f"{kind} holds": forecast.low <= came <= forecast.high}
        yield row


def _judge(
    columns: Floats, label: NDArray[np.int64], known: NDArray[np.intp], asked: NDArray[np.intp]
) -> tuple[float, ...]:
    """Accuracy, F1 and AUC on the asked pairs of a model that learned from the known ones."""
    scaler = StandardScaler().fit(columns[known])
    model = LogisticRegression(max_iter=500).fit(scaler.transform(columns[known]), label[known])
    scores = model.predict_proba(scaler.transform(columns[asked]))[:, 1]
    return tuple(float(rows[0]) for rows in learning.measure(scores, label[asked], np.ones((1, len(asked)))))


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.learning")
