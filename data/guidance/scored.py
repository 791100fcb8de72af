"""What the runs of a store say of its labelled pairs: which of them may be judged, on the test split and on every set.

The report, the page of robustness and the browser's page of models show these figures.
"""

import shlex
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import TableError
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs, is_review
from data.contract.vocabulary import SPLITS
from data.labelled import robustness
from data.labelled.label_set import LabelSet
from data.labelled.metrics import choose_threshold, evaluate
from data.labelled.sources import read_store
from data.measures.rules import ScoringRule
from data.models.runs import BASELINE, OF_LABELS, ModelName, find_latest, name_runs
from data.recorded.languages import followed
from data.storage.store import Store

REPLACED = "{n} of a model with the same seed {verb} not shown: the latest run of each model and seed counts."
TEST, RULE = "test", "accuracy"
"""Where models are judged, and how they are cut there: at the score with the best accuracy on validation."""


def judge_models(store: Store, rule: ScoringRule) -> list[dict[str, Any]]:
    """Each model on the test split of the labels it learnt from: a row of `metrics.evaluate` with what it learnt from.

    That is `model`, `campaigns`, `method`, `scheme`, `seeds`. The best AUC comes first; runs that `choose` leaves out,
    and models without a scored pair on that split, have no row.
    """
    runs, rows = store.read(Runs), []
    sets = {(tuple(one["campaigns"]), one["method"], one["scheme"]) for one in runs[[*OF_LABELS]].to_dict("records")}
    for campaigns, method, scheme in sorted(sets):
        label_set = LabelSet(campaigns=campaigns, method=method, scheme=scheme)
        pairs = read_store(store, label_set)
        if not pairs.is_split:
            continue
        about = {"campaigns": list(campaigns), "method": method, "scheme": scheme}
        for model, scores in read_usable(store, label_set, pairs.frame)[0].items():
            judged = evaluate(pairs, [*scores.values()], (RULE,), rule)
            rows += [{"model": model, "seeds": [*scores], **about} | row for row in judged if row["split"] == TEST]
    return sorted(rows, key=lambda row: (-(row["auc"] or 0), row["model"]))


def judge_every_set(
    store: Store, label_set: LabelSet, rule: ScoringRule, runs: pd.DataFrame | None = None
) -> list[dict[str, Any]]:
    """Each model on each set of labelled pairs: rows of `robustness.judge_sets`.

    `runs`: rows of the table with a `name`; by default the latest run of each model.
    """
    every, pairs = store.read(Runs), store.read(Pairs)
    scores = _cut_scores(store, find_latest(every.assign(name=name_runs(every))) if runs is None else runs)
    pairs = pairs[~is_review(pairs)]
    return robustness.judge_sets(pairs, _read_labels(store, label_set), scores, rule, followed(store, Pairs))


def _cut_scores(store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """The scores of the runs: model, threshold, pair_id, score."""
    chosen = runs.drop_duplicates("run_id").assign(model=runs["name"])
    scores = store.read(Predictions).merge(chosen[["run_id", "model", "threshold"]], on="run_id")
    for _, row in chosen[chosen["threshold"].isna()].iterrows():
        own = scores["run_id"] == row["run_id"]
        scores.loc[own, "threshold"] = _tune(store, row, scores.loc[own, ["pair_id", "score"]])
    return scores[["model", "threshold", "pair_id", "score"]]


def _tune(store: Store, run: "pd.Series[Any]", scores: pd.DataFrame) -> float:
    """The threshold of a run that has none: the best accuracy on validation."""
    labels = LabelSet(campaigns=tuple(run["campaigns"]), method=run["method"], scheme=run["scheme"])
    frame = read_store(store, labels).frame.merge(scores, on="pair_id")
    label = frame["binary"].fillna(0).to_numpy(dtype="int64") == 1
    decided = frame["binary"].notna().to_numpy(dtype=bool)
    return choose_threshold(frame, label, frame["score"].to_numpy(dtype="float64"), decided, RULE)


def _read_labels(store: Store, label_set: LabelSet) -> pd.DataFrame:
    """One label per pair: the chosen method's, otherwise one without votes; pair_id, method, binary."""
    labels = store.read(Labels, ["method", "pair_id", "binary"], campaign=label_set.campaigns[-1], further=False)
    ranked = labels.assign(first=labels["method"] != label_set.method).sort_values(["first", "method"])
    return ranked.drop_duplicates("pair_id")[["pair_id", "method", "binary"]]


Scores = dict[str, dict[int, NDArray[np.float64]]]
"""By model and seed, the score of each pair; NaN where it has none. A baseline goes by its bare name."""


def read_usable(store: Store, label_set: LabelSet, frame: pd.DataFrame) -> tuple[Scores, str | None]:
    """The scores of the frame's pairs by the latest runs that `choose` takes, and its sentence on the others."""
    runs, left_out = choose(store, label_set)
    latest = find_latest(runs, by_seed=True)
    rows = store.read(Predictions) if len(latest) else pd.DataFrame({"run_id": []})
    scores = {run: some.set_index("pair_id")["score"] for run, some in rows.groupby("run_id")}
    by_model: Scores = {}
    for model, seed, run in latest[["model", "seed", "run_id"]].itertuples(index=False):
        if run in scores:
            values = frame["pair_id"].map(scores[run]).to_numpy("float64", na_value=np.nan)
            name = ModelName.parse(model)
            by_model.setdefault(name.rest if name.kind == BASELINE else model, {})[int(seed)] = values
    return by_model, left_out


def choose(store: Store, label_set: LabelSet) -> tuple[pd.DataFrame, str | None]:
    """The runs that may be judged on the split shown, and a sentence on those that may not (None: all may).

    A run is left out where it was trained on another campaign's labels, on another method's or on another split,
    or where a pair that it was trained or tuned on has come into a later split since.
    """
    runs = store.read(Runs)
    if runs.empty:
        return runs, None
    reasons = pd.Series([_reason(run, label_set) for run in runs[[*OF_LABELS]].itertuples()], runs.index, dtype=object)
    same = runs[reasons.isna()]
    versions = same["splits_version"].unique()
    moved = [version for version in versions if _has_moved(store, label_set.store_scheme, int(version))]
    reasons[same.index[same["splits_version"].isin(moved)]] = "trained before the split was dealt again"
    counts, usable = reasons.dropna().value_counts(), runs[reasons.isna()]
    notes = []
    if n := int(counts.sum()):
        summary = "; ".join(f"{n} {reason}" for reason, n in counts.items())
        notes.append(
            f"{n} run{'s' if n > 1 else ''} of models {'are' if n > 1 else 'is'} left out: {summary}. "
            f"{_training_command(store, label_set)} trains models on the split shown."
        )
    if n := len(usable) - len(find_latest(usable, by_seed=True)):
        notes.append(REPLACED.format(n=f"{n:,} earlier run{'s' if n > 1 else ''}", verb="are" if n > 1 else "is"))
    return usable, " ".join(notes) or None


def _training_command(store: Store, label_set: LabelSet) -> str:
    words = ["python", "-m", "analysis.baselines", "--store", str(store.address), *label_set.flags]
    return f"`{shlex.join(words)}`"


def _reason(run: Any, label_set: LabelSet) -> str | None:
    if run.scheme != label_set.store_scheme:
        return f"trained on the split {run.scheme!r}"
    if list(run.campaigns) != list(label_set.campaigns):
        return f"trained on labels of the campaign {' and '.join(map(repr, run.campaigns))}"
    return None if run.method == label_set.method else f"trained on labels by the method {run.method!r}"


def _has_moved(store: Store, scheme: str, version: int) -> bool:
    """Whether a pair has come into a later split since, or that version can no longer be read."""
    try:
        then = store.read(Splits, ["pair_id", "split"], version, scheme=scheme)
    except TableError:
        return True
    both = then.merge(store.read(Splits, ["pair_id", "split"], scheme=scheme), on="pair_id")
    before, now = (both[column].map(SPLITS.index) for column in ("split_x", "split_y"))
    return bool((now > before).any())
