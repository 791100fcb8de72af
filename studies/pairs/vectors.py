"""How well each kind of vectors tells paraphrases, by the number of entities: `python -m studies.pairs.vectors`.

Entities are drawn at random from the published files, vectors are learned from the drawn entities' definitions alone,
and the cosine of each judged pair is compared with the experts' majority: the area under the ROC curve (AUC). Draws of
few entities differ much; the table shows the mean and the range.

The settings of `combined` (shares, stems, least counts) were chosen on draws from the train entities with the seeds
101 to 110. Draws from `--among held-out` share no entity with those.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from clustering.candidates.pairs import cosine
from clustering.candidates.vectors import describe
from clustering.config import Config
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import parade
from data.texts.words import count_words

Way = Literal["paper", "word2vec", "sif", "tfidf", "combined", "slow"]
WAYS: Mapping[Way, Config] = {
    "paper": Config.paper(),
    "word2vec": Config(skip_gram=True, epochs=20, min_count=5),
    "sif": Config(vectors="word2vec-sif", skip_gram=True, epochs=20),
    "tfidf": Config(vectors="tfidf"),
    "combined": Config.recommended(),
    "slow": replace(Config.recommended(), learning_rate=Config.learning_rate, sample=Config.sample),
}
SIDES = ("first", "second")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print the AUC of the cosine against the experts' labels, by vectors and number of entities."""

    dataset: Path
    """The folder of the published PARADE files."""
    sizes: tuple[int, ...] = (15, 40, 100, 300, 788)
    """Numbers of entities; a number above those that there are means all of them."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """One draw of entities, and one training, per seed."""
    among: Literal["all", "train", "held-out"] = "all"
    """The entities to draw from: all, the train file's, or the other two files'."""
    ways: tuple[Way, ...] = get_args(Way)
    """`word2vec`: skip-gram, words seen at least 5 times; `sif`: with every word; `combined`: recommended;
    `slow`: `combined` at gensim's learning rate and sample, with as many passes as make 1.8 million words, 5 to 20."""


def main(arguments: Arguments) -> None:
    """Print one line per number of entities."""
    judged = parade.read(arguments.dataset)
    if arguments.among != "all":
        judged = judged[(judged["split"] == "train") == (arguments.among == "train")]
    say(f"{'entities':>8} {'pairs':>6} " + " ".join(f"{way:>20}" for way in arguments.ways))
    for size in dict.fromkeys(min(size, judged["entity"].nunique()) for size in arguments.sizes):
        draws = progress(list(arguments.seeds), label=f"{size} entities", unit="draws", total=len(arguments.seeds))
        rows = pd.DataFrame([dict(measure(draw(judged, size, seed), seed, arguments)) for seed in draws])
        cells = [f"{rows[way].mean():.4f} ({rows[way].min():.3f}-{rows[way].max():.3f})" for way in arguments.ways]
        say(f"{size:8} {rows['pairs'].mean():6.0f} " + " ".join(f"{cell:>20}" for cell in cells))


def draw(judged: pd.DataFrame, n_entities: int, seed: int) -> pd.DataFrame:
    """The judged pairs of `n_entities` random entities."""
    entities = np.random.default_rng(seed).permutation(np.unique(judged["entity"].to_numpy(dtype=object)))
    return judged[judged["entity"].isin(entities[:n_entities])].reset_index(drop=True)


def measure(judged: pd.DataFrame, seed: int, arguments: Arguments) -> Iterator[tuple[str, float]]:
    """The number of pairs, and the AUC of each way; a pair whose cosine is undefined counts as 0."""
    yield "pairs", len(judged)
    sides = [judged[["entity", side]].set_axis(["entity", "text"], axis=1) for side in SIDES]
    definitions = pd.MultiIndex.from_frame(pd.concat(sides)).unique().sort_values()
    rows = [definitions.get_indexer(pd.MultiIndex.from_frame(side)) for side in sides]
    texts = definitions.get_level_values("text").tolist()
    for way in arguments.ways:
        config = replace(WAYS[way], seed=seed)
        if way == "slow":
            config = replace(config, epochs=max(5, min(20, -(-1_800_000 // sum(map(count_words, texts))))))
        vectors, known = describe(texts, config)
        both = known[rows[0]] & known[rows[1]]
        number = np.cumsum(known) - 1
        values = np.zeros(len(judged))
        cosines = cosine(vectors, *(number[row[both]] for row in rows))
        values[both] = cosines.to_numpy(dtype=np.float64, na_value=0)
        yield way, float(roc_auc_score(judged["binary"], values))


if __name__ == "__main__":
    logging.getLogger("gensim").setLevel(logging.ERROR)
    run(main, prog="python -m studies.pairs.vectors")
