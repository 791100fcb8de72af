"""Which soft label foretells the votes of others:
`python -m studies.labels.soft_labels --annotations DIR --dataset DIR`.

Of each item some votes are shown and the others held out: three shown on items with more, else all but one. The log
loss of the held-out votes (nats per vote; chances are clipped to 0.01 to 0.99, which favours those that are 0 or 1)
by the base rate, the majority, votes / n, posteriors of the pooled Dawid-Skene model, as computed and as `labels` has
them, and the beta-binomial. Where the truth is known: how often labels with a posterior above 0.99 are wrong, and the
log loss of posteriors. Means over draws of what is shown. PARADE's votes have no annotators, hence no posteriors.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from annotation.aggregation.models import posteriors
from data.console.commands import run
from data.console.messages import say
from data.contract.vocabulary import Method
from data.labelled import parade
from data.measures import soft_labels
from data.measures.raters.finished import MAX_POSTERIOR
from studies.rating_data import read_lewidi, read_truth_inference

SHOWN, SURE, CLIP = 3, 0.99, 0.01
METHODS: tuple[Method, ...] = ("dawid-skene", "dawid-skene-pooled", "one-coin", "mace")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Compare soft labels with votes that were held out, and posteriors with the truth."""

    annotations: Path
    """The folder of `truth_inference` and `lewidi2025`."""
    dataset: Path
    """The folder of the published PARADE files."""
    draws: int = 5
    """How often votes are drawn to be shown."""


def read_sets(annotations: Path, dataset: Path) -> Iterator[tuple[str, pd.DataFrame, "pd.Series[int] | None"]]:
    """Name, votes (pair_id, annotator, vote; PARADE's annotators are not known) and truth."""
    for name in ("product", "duck"):
        yield name, *read_truth_inference(annotations / "truth_inference", name)
    scores, _ = read_lewidi(annotations / "lewidi2025")
    yield "LeWiDi paraphrase", scores.assign(vote=(scores["score"] > 0).astype("int64")), None
    yield "VariErrNLI", read_varierr(annotations / "lewidi2025"), None
    published = parade.read(dataset)["votes"].to_numpy("int64")
    rows = np.repeat(np.arange(len(published)), SHOWN)
    vote = (np.tile(np.arange(SHOWN), len(published)) < published[rows]).astype("int64")
    yield "PARADE", pd.DataFrame({"pair_id": rows.astype(str), "annotator": None, "vote": vote}), None


def read_varierr(folder: Path) -> pd.DataFrame:
    """Whether each rater finds an entailment among the labels of the pair."""
    rows = []
    for split in ("train", "dev", "test"):
        with gzip.open(folder / f"VariErrNLI_{split}.json.gz", "rt", encoding="utf-8") as file:
            for number, pair in json.load(file).items():
                given = pair["annotations"].items()
                rows += [(f"{split}-{number}", name, int("entailment" in labels)) for name, labels in given]
    return pd.DataFrame(rows, columns=["pair_id", "annotator", "vote"])


def show(votes: pd.DataFrame, seed: int) -> pd.Series:
    """Which votes are shown."""
    mixed = votes.sample(frac=1, random_state=seed)
    place = mixed.groupby("pair_id").cumcount()
    number = mixed.groupby("pair_id")["vote"].transform("size")
    return (place < np.minimum(SHOWN, number - 1)).reindex(votes.index)


def loss(votes: "pd.Series[int]", chances: "pd.Series[float]") -> float:
    """Nats per vote."""
    sure = chances.to_numpy("float64").clip(CLIP, 1 - CLIP)
    return float(-np.log(np.where(votes == 1, sure, 1 - sure)).mean())


def foretell(votes: pd.DataFrame, seed: int) -> dict[str, float]:
    """The log loss of the held-out votes by each soft label."""
    shown = show(votes, seed)
    seen, asked = votes[shown], votes[~shown & votes["pair_id"].isin(votes.loc[shown, "pair_id"])]
    counts = seen.groupby("pair_id")["vote"].agg(["sum", "size"])
    given, n = (counts[name].to_numpy("int64") for name in ("sum", "size"))
    share = counts["sum"] / counts["size"]
    chances = {
        "base rate": pd.Series(seen["vote"].mean(), counts.index),
        "majority": 0.5 + np.sign(share - 0.5) / 2,
        "votes / n": share,
        "beta-binomial": soft_labels.fit(given, n).expect(given, n).set_axis(counts.index).astype("float64"),
    }
    if votes["annotator"].notna().all():
        found = posteriors(seen.assign(score=seen["vote"]), "dawid-skene-pooled")
        chances |= {"posterior": found, "bounded posterior": found.clip(1 - MAX_POSTERIOR, MAX_POSTERIOR)}
    return {name: loss(asked["vote"], asked["pair_id"].map(values)) for name, values in chances.items()}


def check(votes: pd.DataFrame, truth: "pd.Series[int]", method: Method, seed: int) -> dict[str, float]:
    """The share of posteriors above SURE, how many of these are wrong, and the log loss of the truth."""
    seen = votes[show(votes, seed)] if votes.groupby("pair_id").size().max() > SHOWN else votes
    chance = posteriors(seen.assign(score=seen["vote"]), method)
    right = truth.reindex(chance.index)
    surest = np.maximum(chance, 1 - chance) > SURE
    wrong = (chance > 0.5) != (right == 1)
    return {
        "above 0.99": float(surest.mean()),
        "of them wrong": float(wrong[surest].mean()),
        "log loss": loss(right, chance),
        "bounded": loss(right, chance.clip(1 - MAX_POSTERIOR, MAX_POSTERIOR)),
    }


def main(arguments: Arguments) -> None:
    """Print one line per set, and one per set with a truth and method."""
    sets = list(read_sets(arguments.annotations, arguments.dataset))
    for name, votes, _ in sets:
        rows = pd.DataFrame([foretell(votes, seed) for seed in range(arguments.draws)]).mean()
        say(f"{name}, {votes['pair_id'].nunique():,} items: {_show(rows)}")
    for name, votes, truth in sets:
        for method in METHODS:
            if truth is None:
                continue
            rows = pd.DataFrame([check(votes, truth, method, seed) for seed in range(arguments.draws)]).mean()
            say(f"{name}, {method}: {_show(rows)}")


def _show(figures: "pd.Series[float]") -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.soft_labels")
