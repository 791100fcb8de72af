"""The control arm: people from outside the field label labelled pairs, given the guide and examples; pure.

Source: He et al. 2020, Table 10: three students of other fields got the criteria and 100 labelled pairs from the
training set, then 100 random pairs from the test set.
"""

from typing import Any

import numpy as np
import pandas as pd

from annotation.questions.answers import join_or
from data.contract.questions import Question
from data.contract.vocabulary import EVERYBODY
from data.measures import agreement, intervals
from data.measures.agreement import Integers
from data.measures.intervals import Groups
from data.measures.rules import VoteRule

INTERVALS = ("accuracy", "f1", "precision", "recall")
"""The measures of the paper's table."""


def draw(
    labels: pd.DataFrame, splits: pd.DataFrame, n_examples: int, n_pairs: int, seed: int
) -> tuple[list[str], list[str]]:
    """The pair ids of the examples and of the pairs to label, without overlap.

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
    and recall (of positive labels), each with its 95 % limits, `_low` and `_high`, from drawing whole entities; kappa;
    unanimous, split (accuracies by stratum). Null where not defined.
    """
    scored = ballots[ballots["state"] == "scored"].merge(labels, on="pair_id")
    scored = scored.assign(vote=(scored["score"].astype("int64") >= rule.lowest_yes).astype("int64"))
    shares = scored.groupby("pair_id")["vote"].mean()
    clear = shares[shares != 0.5]
    majority = scored[scored["pair_id"].isin(clear.index)].drop_duplicates("pair_id")
    majority = majority.assign(vote=(majority["pair_id"].map(clear) > 0.5).astype("int64"))
    parts = [(str(name), part) for name, part in scored.groupby("annotator")]
    return pd.DataFrame([_score(name, part) for name, part in [*parts, (EVERYBODY, majority)] if len(part)])


def _score(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    votes, known = rows["vote"].to_numpy("int64"), rows["binary"].to_numpy("int64")
    right = pd.Series(votes == known)
    strata = right.groupby(rows["stratum"].to_numpy(object)).mean()
    return {
        "annotator": name, "n": len(right), **_measures(votes, known, Groups.of(rows["group"])),
        "kappa": agreement.cohen_kappa(votes, known).value,
        "unanimous": strata.get("unanimous"), "split": strata.get("split"),
    }  # fmt: skip


def _measures(votes: Integers, known: Integers, groups: Groups) -> dict[str, float | None]:
    """The INTERVALS with their limits; null where nothing is called positive, or nothing is."""
    weights = np.vstack([np.ones(groups.n), groups.weigh()])
    passed, missed, wrong, hits = (weights @ groups.add(np.eye(4)[2 * votes + known])).T
    parts = {
        "accuracy": (passed + hits, passed + missed + wrong + hits),
        "f1": (2 * hits, 2 * hits + missed + wrong),
        "precision": (hits, hits + wrong),
        "recall": (hits, hits + missed),
    }
    found: dict[str, float | None] = {}
    for name, (part, whole) in parts.items():
        values = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
        low, high = intervals.bounded(values[0], values[1:], groups.effective) or (None, None)
        found |= {name: None if np.isnan(values[0]) else float(values[0]), f"{name}_low": low, f"{name}_high": high}
    return found
