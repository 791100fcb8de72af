"""The control arm: people from outside the field label labelled pairs, given the guide and examples; pure.

Source: He et al. 2020, Table 10: three students of other fields got the criteria and 100 labelled pairs from the
training set, then 100 random pairs from the test set.
"""

from typing import Any

import numpy as np
import pandas as pd

from annotation.config import VoteRule
from annotation.questions.answers import join_or
from annotation.ratings import agreement
from annotation.ratings.agreement import Integers
from data.questions import Question
from data.vocabulary import EVERYBODY

INTERVALS = ("accuracy", "f1", "precision", "recall")
"""The measures of the paper's table."""


def draw(
    labels: pd.DataFrame, splits: pd.DataFrame, n_examples: int, n_pairs: int, seed: int
) -> tuple[list[str], list[str]]:
    """The pair ids of the examples and those of the pairs to label, without overlap.

    `labels`: pair_id. `splits`: pair_id, split; where there are several, examples are from `train` (`validation` where
    that is missing) and pairs from `test`. Both lists are shorter where there are too few labels.
    """
    random = np.random.default_rng([seed, 6])
    part = labels["pair_id"].map(dict(zip(splits["pair_id"], splits["split"], strict=True)))
    shuffled = random.permutation(len(labels))
    ids, parts = labels["pair_id"].to_numpy(object)[shuffled], part.to_numpy(object)[shuffled]
    present = set(splits["split"])
    if len(present) > 1:
        source = "train" if "train" in present else "validation"
        return list(ids[parts == source][:n_examples]), list(ids[parts == "test"][:n_pairs])
    return list(ids[n_pairs : n_pairs + n_examples]), list(ids[:n_pairs])


def with_examples(guide: str, version: str, examples: pd.DataFrame, question: Question) -> str:
    """The guide with labelled examples at its end. `examples`: entity (may be empty), first, second, binary."""
    yes, no, meaning = _name_labels(question)
    lines = [f"Version {version}.control" if line == f"Version {version}" else line for line in guide.splitlines()]
    lines += ["", "## Labelled examples", "", meaning, ""]
    sides = ("first", "second") if question.shown.is_pair else ("second",)  # the source of one text is never shown
    for row in examples.to_dict("records"):
        texts = " and ".join(f"“{' '.join(row[side].split())}”" for side in sides)
        about = f"{row['entity']}: " if row["entity"] else ""
        lines.append(f"- {yes if row['binary'] == 1 else no}: {about}{texts}")
    return "\n".join(lines) + "\n"


def _name_labels(question: Question) -> tuple[str, str, str]:
    """What a positive and a negative label are called, and what that means."""
    no, yes = question.sides
    if yes == "paraphrase":
        positive = join_or(list(question.first.positive))
        return yes, no, f"A paraphrase is a pair that most annotators gave a {positive}."
    return yes, no, "Before each item stands the label that its annotators gave it."


def score(ballots: pd.DataFrame, labels: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """How control annotators do against the labels: one row per annotator, and one of their majority (`all`).

    `ballots`: of the control arm. `labels`: pair_id, binary, stratum. Columns: annotator, n; accuracy, f1, precision
    and recall (of positive labels), each with its 95 % limits, `_low` and `_high`: Wilson's, of f1 those of the
    bootstrap over pairs; kappa; unanimous, split (accuracies by stratum). Null where not defined.
    """
    scored = ballots[ballots["state"] == "scored"].merge(labels, on="pair_id")
    scored = scored.assign(vote=(scored["score"].astype("int64") >= rule.lowest_yes).astype("int64"))
    shares = scored.groupby("pair_id")["vote"].mean()
    clear = shares[shares != 0.5]
    majority = labels[labels["pair_id"].isin(clear.index)]
    majority = majority.assign(vote=(majority["pair_id"].map(clear) > 0.5).astype("int64"))
    parts = [(str(name), part) for name, part in scored.groupby("annotator")]
    return pd.DataFrame([_score(name, part) for name, part in [*parts, (EVERYBODY, majority)] if len(part)])


def _score(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    votes, known = rows["vote"].to_numpy("int64"), rows["binary"].to_numpy("int64")
    right = pd.Series(votes == known)
    hits = int((votes & known).sum())
    strata = right.groupby(rows["stratum"].to_numpy(object)).mean()
    return {
        "annotator": name, "n": len(right),
        **_share("accuracy", int(right.sum()), len(right)),
        **_f1(votes, known),
        **_share("precision", hits, int(votes.sum())),
        **_share("recall", hits, int(known.sum())),
        "kappa": agreement.cohen_kappa(votes, known).value,
        "unanimous": strata.get("unanimous"), "split": strata.get("split"),
    }  # fmt: skip


def _share(name: str, hits: int, n: int) -> dict[str, float | None]:
    """A share with Wilson's limits; null of nothing."""
    from statsmodels.stats.proportion import proportion_confint

    if n == 0:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    low, high = proportion_confint(hits, n, method="wilson")
    return {name: hits / n, f"{name}_low": float(low), f"{name}_high": float(high)}


def _f1(votes: Integers, known: Integers) -> dict[str, float | None]:
    """F1 of the positive labels with bootstrap limits over pairs; null where nobody calls anything positive."""
    cells = np.bincount(2 * votes + known, minlength=4)
    if not cells[1:].any():
        return dict.fromkeys(("f1", "f1_low", "f1_high"))
    draws = np.random.default_rng(agreement.SEED).multinomial(len(votes), cells / len(votes), agreement.RESAMPLES)
    tables = np.vstack([cells, draws])
    called = tables[:, 1] + tables[:, 2] + 2 * tables[:, 3]
    values = np.divide(2.0 * tables[:, 3], called, out=np.full(len(tables), np.nan), where=called > 0)
    low, high = np.nanpercentile(values[1:], agreement.LIMITS)
    return {"f1": float(values[0]), "f1_low": float(min(low, values[0])), "f1_high": float(max(high, values[0]))}
