"""How often the shortcut audit finds what is not there, and what is:
`python -m studies.generation.shortcuts --pairs PATH`.

Whole groups of real pairs are drawn. Their labels are drawn, too, by a coin, or such that labels of a group are alike:
no text tells of them. Then one thing is planted that does: a word at the end of the second texts of some paraphrases,
more words there, or a likelier text. The language model's scores are drawn.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.evaluation.shortcuts import find_shortcuts
from data.console.commands import run
from data.console.messages import progress, say
from data.grouping.groups import group
from data.labelled import corpora
from data.labelled.dataset import Dataset
from generation.balancing.label_sets import measure

Random = np.random.Generator
Plant = Callable[[pd.DataFrame, Random], pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Count the findings of the shortcut audit on sets whose labels were drawn."""

    pairs: Path
    """Real pairs for their texts, in any form that `identification train --dataset` reads."""
    sizes: tuple[int, ...] = (200, 400)
    """Pairs per set."""
    draws: int = 100
    """Sets per line without a shortcut."""
    planted: int = 20
    """Sets per line with one."""


def draw(pairs: pd.DataFrame, n: int, random: Random) -> pd.DataFrame:
    """The first n pairs of groups in random order, with a label by coin each and `lm_margin`."""
    order = random.permutation(pairs["group"].nunique())[pd.factorize(pairs["group"])[0]]
    some = pairs.iloc[np.argsort(order, kind="stable")[:n]].reset_index(drop=True)
    return some.assign(binary=random.integers(0, 2, n), lm_margin=random.normal(size=n))


def deal_by_group(pairs: pd.DataFrame, random: Random) -> pd.DataFrame:
    """Labels of a group are alike: each group has its own share of paraphrases, from Beta(1, 1)."""
    numbers = pd.factorize(pairs["group"])[0]
    shares = random.beta(1, 1, numbers.max() + 1)[numbers]
    return pairs.assign(binary=(random.random(len(pairs)) < shares).astype("int64"))


def plant_word(share: float) -> Plant:
    """A word that ends the second text of that share of the pairs, all of them paraphrases."""

    def plant(pairs: pd.DataFrame, random: Random) -> pd.DataFrame:
        told = (random.random(len(pairs)) < 2 * share) & (pairs["binary"] == 1)
        return pairs.assign(second=pairs["second"] + np.where(told, " basically", ""))

    return plant


def lengthen(pairs: pd.DataFrame, random: Random) -> pd.DataFrame:
    """Four further words in the second text of half of the paraphrases."""
    told = (random.random(len(pairs)) < 0.5) & (pairs["binary"] == 1)
    words = pairs["first"].str.split().str[:4].str.join(" ")
    return pairs.assign(second=pairs["second"] + np.where(told, " " + words, ""))


def shift(pairs: pd.DataFrame, _: Random) -> pd.DataFrame:
    """Second texts of paraphrases are likelier by half a standard deviation."""
    return pairs.assign(lm_margin=pairs["lm_margin"] + 0.5 * pairs["binary"])


def audit(pairs: pd.DataFrame, like: Dataset) -> list[str]:
    """The names of the signals that are findings."""
    measures = measure(pairs, like.language).reset_index().melt("pair_id", var_name="measure")
    margin = pairs[["pair_id"]].assign(measure="lm_margin", value=pairs["lm_margin"])
    measures = pd.concat([measures, margin]).assign(model_sha256=None)
    rows = find_shortcuts(replace(like, frame=pairs.astype({"binary": "Int64"})), measures)
    return [str(row["name"]) for row in rows if row["is_finding"]]


def main(arguments: Arguments) -> None:
    """Print one line per size and kind of set."""
    pairs = corpora.read([arguments.pairs])
    pairs = pairs.assign(group=group(pairs))
    kinds: dict[str, tuple[Plant | None, int]] = {
        "labels by coin": (None, arguments.draws),
        "labels alike in groups": (deal_by_group, arguments.draws),
        "a word in 15 %": (plant_word(0.15), arguments.planted),
        "a word in 5 %": (plant_word(0.05), arguments.planted),
        "longer": (lengthen, arguments.planted),
        "likelier": (shift, arguments.planted),
    }
    for n in arguments.sizes:
        for name, (plant, draws) in kinds.items():
            found: Counter[str] = Counter()
            for seed in progress(range(draws), label=f"{n} pairs, {name}", unit="sets", total=draws):
                random = np.random.default_rng(seed)
                some = draw(pairs, n, random)
                names = audit(some if plant is None else plant(some, random), Dataset(some))
                found.update(names)
                found["any"] += bool(names)
            by_signal = ", ".join(f"{signal} {times}" for signal, times in found.most_common() if signal != "any")
            say(f"{n} pairs, {name:24} {found['any']:3} of {draws} sets have a finding: {by_signal or '–'}")


if __name__ == "__main__":
    run(main, prog="python -m studies.generation.shortcuts")
