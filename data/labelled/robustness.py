"""How far modified pairs mislead a model: accuracy before and after, the words that did it, and examples; pure.

Shi and Huang, Findings of EMNLP 2020, Table 1 and section 4. Frames are rows of the tables `attacks`, `pairs`, `labels`
and `predictions`.
"""

from collections import Counter
from string import punctuation
from typing import Any

import numpy as np
import pandas as pd

from data.contract.vocabulary import FOOLED, ORIGINAL
from data.grouping.groups import group
from data.labelled.metrics import Floats, measure
from data.measures import intervals
from data.measures.rules import ScoringRule
from data.texts.languages.base import Language

KINDS = {1: "paraphrase", 0: "no paraphrase"}
WRONG = "wrong_at_start"
WORDS = 20
"""Words that are listed per kind."""


def summarise(attempts: pd.DataFrame) -> list[dict[str, Any]]:
    """Each attack by name: `name`, `target`, `mlm`, and `rows` as in `describe`."""
    found = [describe(rows, 0, 0) for _, rows in attempts.groupby("attack")]
    return [{name: one[name] for name in ("name", "target", "mlm", "rows")} for one in found]


def describe(attempts: pd.DataFrame, n_examples: int, seed: int) -> dict[str, Any]:
    """One attack: a row per label and for both, success by steps, words, and examples side by side.

    Originals that the model gave no answer to are neither right nor wrong: they are only counted, as `unanswered`.
    """
    first, n_attempts = attempts.iloc[0], len(attempts)
    attempts = attempts[attempts["score_before"].notna()]
    by_label = {name: attempts[attempts["label"] == label] for label, name in KINDS.items()}
    parts = {**by_label, "both": attempts}
    return {
        "name": first["attack"],
        "target": first["target"],
        "mlm": first["mlm"],
        "threshold": float(first["threshold"]),
        "unanswered": n_attempts - len(attempts),
        "rows": [{"label": name, **_accuracy(rows)} for name, rows in parts.items() if len(rows)],
        "outcomes": {name: rows["outcome"].value_counts().to_dict() for name, rows in by_label.items()},
        "steps": _by_steps(by_label),
        "words": {name: _words(rows) for name, rows in by_label.items()},
        "examples": _examples(by_label, n_examples, seed),
    }


def _accuracy(rows: pd.DataFrame) -> dict[str, Any]:
    """Table 1's form: accuracy on the originals and on the modified pairs, and what it took."""
    n, right = len(rows), int((rows["outcome"] != WRONG).sum())
    fooled = rows[rows["outcome"] == FOOLED]
    return {
        "n": n,
        "before": share_of(right, n),
        "after": share_of(right - len(fooled), n),
        "fooled": share_of(len(fooled), right),
        "steps": float(fooled["n_steps"].mean()) if len(fooled) else None,
        "queries": float(rows["queries"].mean()),
        "seconds": float(rows["seconds"].mean()),
    }


def share_of(part: int, whole: int) -> dict[str, float | None]:
    """The share with its 95 % interval (Wilson); nulls where the whole is 0."""
    if not whole:
        return {"value": None, "low": None, "high": None}
    low, high = intervals.share(part, whole)
    return {"value": part / whole, "low": float(low), "high": float(high)}


def _by_steps(by_label: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The share of originals that the model had right and that at most this many replacements mislead it about.

    Of a refined attack, those that it does not need are not among them.
    """
    most = max((int(rows["n_steps"].max()) for rows in by_label.values() if len(rows)), default=0)
    return [
        {
            "steps": steps,
            **{
                name: share_of(
                    int(((rows["outcome"] == FOOLED) & (rows["n_steps"] <= steps)).sum()),
                    int((rows["outcome"] != WRONG).sum()),
                )
                for name, rows in by_label.items()
            },
        }
        for steps in range(1, most + 1)
    ]


def _words(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The words put into pairs that misled the model, most frequent first, with what they replaced."""
    edits = [edit for some in rows.loc[rows["outcome"] == FOOLED, "edits"] for edit in some]
    replaced: dict[str, Counter[str]] = {}
    for edit in edits:
        old = {edit[name].strip(punctuation) or edit[name] for name in ("old_first", "old_second")}
        replaced.setdefault(edit["word"], Counter()).update(sorted(old))
    counts = Counter(edit["word"] for edit in edits)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:WORDS]
    return [{"word": word, "n": n, "replaced": [old for old, _ in replaced[word].most_common(5)]} for word, n in ranked]


def _examples(by_label: dict[str, pd.DataFrame], n: int, seed: int) -> list[dict[str, Any]]:
    """At most n misled pairs of each label, drawn at random."""
    chosen = [rows[rows["outcome"] == FOOLED].sample(frac=1, random_state=seed).head(n) for rows in by_label.values()]
    return [
        {
            "label": KINDS[row["label"]],
            "steps": row["n_steps"],
            "score_before": row["score_before"],
            "score_after": row["score_after"],
            "texts": [mark(row[side], row[f"new_{side}"]) for side in ("first", "second")],
        }
        for row in pd.concat(chosen).to_dict("records")
    ]


def mark(before: str, after: str) -> list[dict[str, str | None]]:
    """The text in pieces: `text`, and `new` where it was replaced.

    A modified text differs from its original in words alone, so both have the same number of pieces between spaces.
    """
    pieces: list[dict[str, str | None]] = []
    for old, new in zip(before.split(" "), after.split(" "), strict=False):
        if old == new and pieces and pieces[-1]["new"] is None:
            pieces[-1]["text"] = f"{pieces[-1]['text']} {old}"
        else:
            pieces.append({"text": old, "new": None if old == new else new})
    return pieces


def judge_review(pairs: pd.DataFrame, labels: pd.DataFrame, grammar: pd.DataFrame) -> list[dict[str, Any]]:
    """What people say to original and modified pairs, in the form of the paper's Table 2: one row per label and kind.

    `pairs`: pair_id, selection, inherited (1 or 0); `labels`: pair_id, binary, people's; `grammar`: pair_id, scores
    (how many raters gave each grade, the lowest first). `kept`: pairs whose label is the inherited one; pairs that are
    undecided are counted as not kept. The interval of the grade is for the mean over pairs.
    """
    grades = {
        pair: float(np.average(np.arange(1, len(scores) + 1), weights=scores))
        for pair, scores in zip(grammar["pair_id"], grammar["scores"], strict=True)
        if len(scores) and sum(scores)
    }
    known = pairs.merge(labels, on="pair_id")
    known["kind"] = known["selection"].where(known["selection"] == ORIGINAL, "modified")
    known["kept"] = (known["binary"] == known["inherited"]).fillna(False)
    known["grade"] = known["pair_id"].map(grades).astype("float64")
    parts = [
        (name, kind, known[(known["inherited"] == label) & (known["kind"] == kind)])
        for label, name in KINDS.items()
        for kind in ("original", "modified")
    ]
    return [
        {
            "label": name,
            "kind": kind,
            "n": len(rows),
            "kept": share_of(int(rows["kept"].sum()), len(rows)),
            "grammar": _mean(rows["grade"].dropna().to_numpy(dtype="float64")),
        }
        for name, kind, rows in parts
        if len(rows)
    ]


def _mean(values: Floats) -> dict[str, float | None]:
    """The mean with Student's 95 % interval, as far as grades go; no interval of fewer than two."""
    if not len(values):
        return {"value": None, "low": None, "high": None}
    low, high = intervals.mean(values) or (None, None)
    return {"value": float(values.mean()), "low": low, "high": high}


def judge_sets(
    pairs: pd.DataFrame, labels: pd.DataFrame, scores: pd.DataFrame, judge: ScoringRule, language: Language
) -> list[dict[str, Any]]:
    """Each model's accuracy on each set of pairs: one row per set and model, with 95 % intervals over whole groups.

    A set is what one generator made; of an attack, originals and modified pairs apart, those that no word was replaced
    in not among the latter. `labels`: pair_id, method, binary, one row per pair; `scores`: model, threshold, pair_id,
    score. Pairs without a label or score are left out.
    """
    known = pairs.merge(labels[labels["binary"].notna()], on="pair_id")
    known["set"] = known["generator"].mask(known["selection"] == ORIGINAL, known["generator"] + f" ({ORIGINAL}s)")
    return [
        {"set": name, "model": model, **_judge(rows, judge, language)}
        for name, some in known.groupby("set")
        for model, rows in some.merge(scores, on="pair_id").groupby("model")
    ]


def _judge(rows: pd.DataFrame, judge: ScoringRule, language: Language) -> dict[str, Any]:
    label = rows["binary"].to_numpy(dtype="int64") == 1
    predicted = rows["score"].to_numpy(dtype="float64") >= rows["threshold"].to_numpy(dtype="float64")
    groups = group(rows.drop_duplicates("pair_id"), language=language)
    return {
        "n": len(rows),
        "n_groups": int(groups.nunique()),
        "paraphrases": float(label.mean()),
        "labels": ", ".join(sorted(rows["method"].unique())),
        "accuracy": measure(label, predicted, groups, judge)["accuracy"],
        "of_paraphrases": share_of(int((label & predicted).sum()), int(label.sum())),
        "of_others": share_of(int((~label & ~predicted).sum()), int((~label).sum())),
    }
