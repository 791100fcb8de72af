"""The control arm: people from outside the field label the experts' pairs, given the guide and examples; pure.

Source: He et al. 2020, Table 10: three students of other fields got the criteria and 100 labelled pairs from the
training set, then 100 random pairs from the test set.
"""

from typing import Any

import numpy as np
import pandas as pd

from annotation.config import VoteRule
from annotation.ratings import agreement
from data.vocabulary import EVERYBODY


def draw(
    labels: pd.DataFrame, splits: pd.DataFrame, n_examples: int, n_pairs: int, seed: int
) -> tuple[list[str], list[str]]:
    """The pair ids of the examples and those of the pairs to label, without overlap.

    `labels`: pair_id. `splits`: pair_id, split; where there are any, examples are from `train` and pairs from `test`.
    Both lists are shorter where there are too few labels.
    """
    random = np.random.default_rng([seed, 6])
    part = labels["pair_id"].map(dict(zip(splits["pair_id"], splits["split"], strict=True)))
    shuffled = random.permutation(len(labels))
    ids, parts = labels["pair_id"].to_numpy(object)[shuffled], part.to_numpy(object)[shuffled]
    if len(splits):
        return list(ids[parts == "train"][:n_examples]), list(ids[parts == "test"][:n_pairs])
    return list(ids[n_pairs : n_pairs + n_examples]), list(ids[:n_pairs])


def with_examples(guide: str, version: str, examples: pd.DataFrame) -> str:
    """The guide with the experts' labels at its end. `examples`: entity, first, second, binary."""
    lines = [f"Version {version}.control" if line == f"Version {version}" else line for line in guide.splitlines()]
    lines += ["", "## The experts' labels", "", "A paraphrase is a pair that most experts gave a 2 or 3.", ""]
    for row in examples.to_dict("records"):
        label = "paraphrase" if row["binary"] == 1 else "no paraphrase"
        lines.append(f"- {label}: {row['entity']}: “{row['first']}” and “{row['second']}”")
    return "\n".join(lines) + "\n"


def score(ballots: pd.DataFrame, labels: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """How control annotators do against the experts' labels: one row per annotator, and one of their majority (`all`).

    `ballots`: of the control arm. `labels`: pair_id, binary, stratum. Columns: annotator, n, accuracy, low, high
    (Wilson's 95 %), f1 (of paraphrases), kappa (null where not defined), unanimous, split (accuracies by stratum).
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
    from sklearn.metrics import f1_score
    from statsmodels.stats.proportion import proportion_confint

    votes, known = rows["vote"].to_numpy("int64"), rows["binary"].to_numpy("int64")
    right = pd.Series(votes == known)
    low, high = proportion_confint(int(right.sum()), len(right), method="wilson")
    strata = right.groupby(rows["stratum"].to_numpy(object)).mean()
    return {
        "annotator": name, "n": len(right), "accuracy": float(right.mean()), "low": float(low), "high": float(high),
        "f1": float(f1_score(known, votes, zero_division=0.0)), "kappa": agreement.cohen_kappa(votes, known).value,
        "unanimous": strata.get("unanimous"), "split": strata.get("split"),
    }  # fmt: skip
