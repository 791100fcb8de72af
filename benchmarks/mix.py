"""How often the forecast of the label mix holds: `python -m benchmarks.mix --dataset DIR`.

The first labels of the published pairs are drawn at random, or entity by entity; the rest is forecast
(`annotation.aggregation.mix`) and compared with the experts' labels. A part is the rest as a whole, or 100 pairs of it.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import tyro
from numpy.typing import NDArray

from annotation.aggregation.mix import expect
from clustering.candidates.pairs import cosine
from clustering.candidates.vectors import describe
from clustering.config import Config
from data import similarity
from data.console import progress, run, say
from data.labelled import parade

SIDES = ("first", "second")
NEXT = 100


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print error, width and coverage of the forecast's 95 % interval, by the number of labels and how they came."""

    dataset: Annotated[Path, tyro.conf.arg(aliases=["--released"])]
    """The folder of the published PARADE files."""
    labels: tuple[int, ...] = (50, 100, 300)
    """Numbers of first labels."""
    draws: int = 100
    """Draws of first labels for each line."""


def main(arguments: Arguments) -> None:
    """Print one line per way of drawing, number of labels and part of the rest."""
    pairs = measure(parade.read(arguments.dataset))
    say(f"{len(pairs)} pairs of {pairs['entity'].nunique()} entities, {pairs['binary'].mean():.3f} of them paraphrases")
    say(f"{'first labels':28} {'part of the rest':26} {'error':>6} {'share so far':>13} {'width':>6} {'coverage':>9}")
    for how in ("random pairs", "whole random entities"):
        for n in arguments.labels:
            draws = progress(range(arguments.draws), label=f"{n} {how}", unit="draws", total=arguments.draws)
            rows = pd.DataFrame([row for seed in draws for row in compare(pairs, how, n, seed)])
            for part, figures in (
                rows.groupby("part", sort=False)[["error", "naive", "width", "holds"]].mean().iterrows()
            ):
                say(
                    f"{n:4} {how:23} {part:26} {figures['error']:6.3f} {figures['naive']:13.3f} "
                    f"{figures['width']:6.3f} {figures['holds']:9.2f}"
                )


def measure(judged: pd.DataFrame) -> pd.DataFrame:
    """The judged pairs with what the table `pairs` would say of them under the recommended recipe."""
    sides = [judged[["entity", side]].set_axis(["entity", "text"], axis=1) for side in SIDES]
    definitions = pd.MultiIndex.from_frame(pd.concat(sides)).unique().sort_values()
    vectors, known = describe(definitions.get_level_values("text").tolist(), replace(Config.recommended(), seed=1))
    number = np.cumsum(known) - 1
    rows = [number[definitions.get_indexer(pd.MultiIndex.from_frame(side))] for side in sides]
    overlap = similarity.jaccard(judged["first"].tolist(), judged["second"].tolist())
    return judged.assign(
        similarity=cosine(vectors, *rows).to_numpy(), overlap=overlap.to_numpy(), selection="published"
    )


def compare(pairs: pd.DataFrame, how: str, n: int, seed: int) -> Iterator[dict[str, object]]:
    """Forecast and truth of each part of the rest, for one draw of first labels."""
    order = _order(pairs, how, seed)
    labelled, rest = pairs.iloc[order[:n]], pairs.iloc[order[n:]].reset_index(drop=True)
    by_overlap = np.argsort(rest["overlap"].fillna(0).to_numpy(dtype=np.float64), kind="stable")
    parts = {
        "all": np.arange(len(rest)),
        f"next {NEXT} at random": np.random.default_rng(seed).permutation(len(rest))[:NEXT],
        f"{NEXT} of lowest overlap": by_overlap[:NEXT],
        f"{NEXT} of highest overlap": by_overlap[-NEXT:],
    }
    for part, expected in expect(labelled, rest, parts, seed).items():
        true = float(rest["binary"].to_numpy()[parts[part]].mean())
        yield {
            "part": part,
            "error": abs(expected.share - true),
            "naive": abs(float(labelled["binary"].mean()) - true),
            "width": expected.high - expected.low,
            "holds": expected.low <= true <= expected.high,
        }


def _order(pairs: pd.DataFrame, how: str, seed: int) -> NDArray[np.intp]:
    """The rows in the order in which they are labelled: at random, or all pairs of one entity after the other."""
    random = np.random.default_rng(seed)
    if how == "random pairs":
        return random.permutation(len(pairs))
    codes, names = pd.factorize(pairs["entity"])
    return np.lexsort((random.random(len(pairs)), random.permutation(len(names))[codes]))


if __name__ == "__main__":
    logging.getLogger("gensim").setLevel(logging.ERROR)
    run(main, prog="python -m benchmarks.mix")
