"""How often the forecast of the label mix holds: `python -m studies.pairs.mix --datasets DIR …`.

The first labels of the published pairs are drawn at random, or entity by entity; the rest is forecast
(`annotation.aggregation.mix`) and compared with the experts' labels. A part is the rest as a whole, or 100 pairs of it;
of the pairs of lowest and highest overlap, also the 80 others once 20 are labelled. `unknown` is how often the interval
is so wide that the command prints no share; such intervals count in the coverage and in the width. The model was chosen
on PARADE and PAWS-Wiki.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.aggregation.mix import expect
from annotation.config import MIN_LABELS
from clustering.candidates.pairs import cosine
from clustering.candidates.vectors import describe
from clustering.config import Config
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import corpora
from data.texts import similarity

SIDES = ("first", "second")
NEXT = 100


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print error, width and coverage of the forecast's 95 % interval, by the number of labels and how they came."""

    datasets: tuple[Path, ...]
    """The folder of the published PARADE files, or files of labelled pairs as `analysis` reads them."""
    labels: tuple[int, ...] = (50, 100, 300)
    """Numbers of first labels."""
    draws: int = 40
    """Draws of first labels for each line."""


def main(arguments: Arguments) -> None:
    """Print one line per data set, way of drawing, number of labels and part of the rest."""
    for path in arguments.datasets:
        pairs = measure(corpora.load(path)[0])
        n_entities = pairs["entity"].nunique()
        say(f"{path.name}: {len(pairs)} pairs of {n_entities} entities, {pairs['binary'].mean():.3f} paraphrases")
        heads = "".join(f"{head:>8}" for head in ("error", "so far", "width", "holds", "unknown"))
        say(f"{'first labels':28} {'part of the rest':32}{heads}")
        for how in ("random pairs", "whole random entities")[: 1 + (n_entities < len(pairs))]:
            for n in arguments.labels:
                draws = progress(range(arguments.draws), label=f"{n} {how}", unit="draws", total=arguments.draws)
                rows = pd.DataFrame([row for seed in draws for row in compare(pairs, how, n, seed)])
                for part, figures in rows.groupby("part", sort=False).mean().iterrows():
                    cells = "".join(f"{value:8.3f}" for value in figures)
                    say(f"{n:4} {how:23} {part:32}{cells}")


def measure(judged: pd.DataFrame) -> pd.DataFrame:
    """The judged pairs with what the table `pairs` would say of them under the recommended recipe.

    Pairs without an entity are entities of their own.
    """
    judged = judged.assign(entity=judged["entity"].fillna(judged["pair_id"]), binary=judged["binary"].astype("int64"))
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
    rows, random = order(pairs, how, seed), np.random.default_rng(seed)
    labelled, rest = pairs.iloc[rows[:n]], pairs.iloc[rows[n:]].reset_index(drop=True)
    by_overlap = np.argsort(rest["overlap"].fillna(0).to_numpy(dtype=np.float64), kind="stable")
    ends = {f"{NEXT} of lowest overlap": by_overlap[:NEXT], f"{NEXT} of highest overlap": by_overlap[-NEXT:]}
    parts = {"all": np.arange(len(rest)), f"next {NEXT} at random": random.permutation(len(rest))[:NEXT], **ends}
    yield from _judge(labelled, rest, parts, seed)
    for name, rows in ends.items():
        first, others = np.split(random.permutation(rows), [MIN_LABELS])
        more = pd.concat([labelled, rest.iloc[first]])
        yield from _judge(more, rest, {f"{name}, {MIN_LABELS} known": others}, seed)


def _judge(
    labelled: pd.DataFrame, rest: pd.DataFrame, parts: dict[str, NDArray[np.intp]], seed: int
) -> Iterator[dict[str, object]]:
    for part, expected in expect(labelled, rest, parts, seed).items():
        true = float(rest["binary"].to_numpy()[parts[part]].mean())
        yield {
            "part": part,
            "error": abs(expected.share - true),
            "naive": abs(float(labelled["binary"].mean()) - true),
            "width": expected.high - expected.low,
            "holds": expected.low <= true <= expected.high,
            "unknown": expected.is_vague,
        }


def order(pairs: pd.DataFrame, how: str, seed: int) -> NDArray[np.intp]:
    """The rows in the order in which they are labelled: at random, or all pairs of one entity after the other."""
    random = np.random.default_rng(seed)
    if how == "random pairs":
        return random.permutation(len(pairs))
    codes, names = pd.factorize(pairs["entity"])
    return np.lexsort((random.random(len(pairs)), random.permutation(len(names))[codes]))


if __name__ == "__main__":
    logging.getLogger("gensim").setLevel(logging.ERROR)
    run(main, prog="python -m studies.pairs.mix")
