"""The control arm: people outside the field label the experts' pairs after the guide and examples; pure.

Source: He et al. 2020, Table 10: three students of other fields got the criteria and 100 labelled pairs of the training
set, then 100 random pairs of the test set.
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
    """Pair ids of the examples and of the pairs to label, none in both.

    `labels`: pair_id. `splits`: pair_id, split: where there are some, examples are of `train` and pairs of `test`.
    Fewer where there are not as many.
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
    lines += ["", "## What experts said", "", "A paraphrase is a pair that most experts gave a 2 or 3.", ""]
    for one in examples.to_dict("records"):
        label = "paraphrase" if one["binary"] == 1 else "no paraphrase"
        lines.append(f"- {label}: {one['entity']}: “{one['first']}” and “{one['second']}”")
    return "\n".join(lines) + "\n"


def score(ballots: pd.DataFrame, labels: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """A row a control annotator, and one of their majority (`all`): how they do against the experts' labels.

    `ballots`: of the control arm. `labels`: pair_id, binary, stratum. Columns: annotator, n, accuracy, low, high
    (Wilson's 95 %), f1 (of paraphrases), kappa (null where not defined), unanimous, split (accuracies by stratum).
    """
    scored = ballots[ballots["state"] == "scored"].merge(labels, on="pair_id")
    scored = scored.assign(vote=(scored["score"].astype("int64") >= rule.paraphrase_from).astype("int64"))
    shares = scored.groupby("pair_id")["vote"].mean()
    clear = shares[shares != 0.5]
    majority = labels[labels["pair_id"].isin(clear.index)]
    majority = majority.assign(vote=(majority["pair_id"].map(clear) > 0.5).astype("int64"))
    parts = [(str(name), part) for name, part in scored.groupby("annotator")]
    return pd.DataFrame([_score(name, part) for name, part in [*parts, (EVERYBODY, majority)] if len(part)])


def _score(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    from sklearn.metrics import f1_score
    from statsmodels.stats.proportion import proportion_confint

    said, known = rows["vote"].to_numpy("int64"), rows["binary"].to_numpy("int64")
    right = pd.Series(said == known)
    low, high = proportion_confint(int(right.sum()), len(right), method="wilson")
    strata = right.groupby(rows["stratum"].to_numpy(object)).mean()
    return {
        "annotator": name, "n": len(right), "accuracy": float(right.mean()), "low": float(low), "high": float(high),
        "f1": float(f1_score(known, said, zero_division=0.0)), "kappa": agreement.cohen_kappa(said, known).value,
        "unanimous": strata.get("unanimous"), "split": strata.get("split"),
    }  # fmt: skip
