"""How well one simple signal tells the label, where pairs are made to need more than that; pure.

Source: the balance of PAWS (Zhang et al. 2019, section 3.2), whose own set was never measured this way.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from analysis.evaluation.comparing import Samples
from data.labelled import features
from data.labelled.dataset import Dataset
from data.labelled.metrics import Flags, Floats, measure_auc
from data.measures import intervals
from data.measures.rules import ScoringRule
from data.texts import words

MAX_AUC = 0.55
"""An AUC above this is a finding where one half is excluded, with 95 % certainty for all signals together."""
FOLDS = 5
SHUFFLES = 50
LEARNED = {"first_alone": "first", "second_alone": "second"}
NO_FINDING = {"is_above": False, "is_finding": False}
SIGNALS = {
    "same_bag": "the same words equally often",
    "bow_cosine": "cosine of the word counts",
    "length_difference": "difference of the numbers of words",
    "longer_side": "by how many words the second text is longer",
    "lm_difference": "difference of the language model's scores",
    "likelier_side": "by how much the second text is likelier",
    "first_alone": "the words of the first text",
    "second_alone": "the words of the second text",
}
HARDNESS = {
    "lexical_baseline": "logistic regression on overlap and length, out of fold (no limit)",
    "lexical_baseline_fitted": "the same on the pairs that it learned from (no limit)",
}
"""How hard the set is for eight features of overlap and length: the nearer 0.5 the harder.

New pairs would show a value between the two. The first is lower, since a set that is balanced as a whole leans one way
in some folds and the other way in the rest (Parker, Guenter and Bedo 2007); the second is higher, since the model was
fitted to chance as well.
"""


def find_shortcuts(pairs: Dataset, measures: pd.DataFrame, seed: int = 1) -> list[dict[str, Any]]:
    """One row per signal and per HARDNESS: name, auc, low, high (95 % interval from drawing groups), n, and whether
    auc `is_above` MAX_AUC and that `is_finding`, since it is no chance. The intervals of LEARNED leave out that other
    labels would have taught something else: to be a finding, these must also beat what shuffled labels teach.

    `measures`: rows of the table `pair_measures`. The AUC of a signal does not depend on its direction. Null where no
    pair has the signal, or only one label occurs. Texts and features are learned out of fold, by groups, but for
    `lexical_baseline_fitted`.
    """
    decided = replace(pairs, frame=pairs.decided.reset_index(drop=True))
    label, groups = decided.frame["binary"].to_numpy("int64"), decided.groups.to_numpy(object)
    columns, everything = _features(decided), np.arange(len(label))
    folds = {name: fold(groups, _words(decided, side)) for name, side in LEARNED.items()}
    signals = {
        **_signals(decided, measures),
        **{name: learn_folds(label, parts, 1) for name, parts in folds.items()},
        "lexical_baseline": learn_out_of_fold(label, groups, columns, seed),
        "lexical_baseline_fitted": learn(label, columns, everything, seed),
    }
    known = label == 1, pd.factorize(groups)[0]
    rows = {name: _judge(name, scores, known, seed) for name, scores in signals.items()}
    for name, parts in folds.items():
        if rows[name]["is_finding"]:
            rows[name]["is_finding"] = _beats_shuffled(label, known[1], parts, rows[name]["auc"], seed)
    return list(rows.values())


def _judge(name: str, scores: Floats, known: tuple[Flags, NDArray[np.int64]], seed: int) -> dict[str, Any]:
    label, groups = (column[~np.isnan(scores)] for column in known)
    scores = scores[~np.isnan(scores)]
    auc = measure_auc(label, scores) if len(scores) else None
    if auc is None:
        return {"name": name, "auc": None, "low": None, "high": None, "n": len(scores)} | NO_FINDING
    turned = auc < 0.5 and name in SIGNALS and not name.endswith("_alone")
    samples = Samples(pd.Series(groups), ScoringRule(seed=seed))
    towards = -scores if turned else scores
    drawn = samples.auc(label, towards)
    auc = float(drawn[0])
    limits, beyond_chance = (
        intervals.bounded(auc, drawn[1:], samples.effective, tail=tail) or (0.0, 1.0)
        for tail in (intervals.TAILS[0], intervals.TAILS[0] / len(SIGNALS))
    )
    is_above = name in SIGNALS and auc > MAX_AUC
    row = {"name": name, "auc": auc, "low": limits[0], "high": limits[1], "n": len(scores)}
    return row | {"is_above": is_above, "is_finding": is_above and beyond_chance[0] > 0.5}


def _beats_shuffled(label: NDArray[np.int64], groups: NDArray[np.int64], parts: "Folds", auc: float, seed: int) -> bool:
    """Whether the AUC is above what SHUFFLES shuffled sets of labels reach, by Student's t for one further set."""
    random, reached = np.random.default_rng(seed), []
    for _ in range(SHUFFLES):
        shuffled = shuffle(label, groups, random)
        scores = learn_folds(shuffled, parts, 1)
        known = ~np.isnan(scores)
        reached.append(measure_auc(shuffled[known] == 1, scores[known]))
    aucs = np.array([one for one in reached if one is not None])
    spread = aucs.std(ddof=1) * (1 + 1 / len(aucs)) ** 0.5
    return bool(auc > aucs.mean() + stdtrit(len(aucs) - 1, 1 - intervals.TAILS[0] / len(SIGNALS)) * spread)


def shuffle(label: NDArray[np.int64], groups: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """The labels as they might have fallen, had no text told of them.

    Groups of the same size exchange theirs, and so do the pairs of a group: labels that are alike
    within groups stay so. `groups`: numbers from 0.
    """
    mixed = random.permutation(len(label))
    order = mixed[np.argsort(groups[mixed], kind="stable")]
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    shuffled = np.empty_like(label)
    for size in np.unique(sizes[sizes > 0]):
        places = starts[sizes == size][:, None] + np.arange(size)
        shuffled[order[places]] = label[np.argsort(groups, kind="stable")[random.permutation(places)]]
    return shuffled


def _signals(pairs: Dataset, measures: pd.DataFrame) -> dict[str, Floats]:
    frame = pairs.frame
    lengths = {side: frame[side].map(words.count_words).to_numpy("float64") for side in ("first", "second")}
    longer = lengths["second"] - lengths["first"]
    cosine, margin = (_measured(frame["pair_id"], measures, name) for name in ("bow_cosine", "lm_margin"))
    return {
        "same_bag": np.where(np.isnan(cosine), np.nan, cosine > 1 - 1e-9),
        "bow_cosine": cosine,
        "length_difference": np.abs(longer),
        "longer_side": longer,
        "lm_difference": np.abs(margin),
        "likelier_side": margin,
    }


def _measured(ids: "pd.Series[str]", measures: pd.DataFrame, name: str) -> Floats:
    """The measure of each pair, NaN without it; of several models, by the one that measured most of the pairs."""
    rows = measures[(measures["measure"] == name) & measures["pair_id"].isin(ids)]
    rows = rows.assign(model=rows["model_sha256"].fillna(""))
    model = rows.drop_duplicates(["pair_id", "model"])["model"].mode()
    chosen = rows[rows["model"].isin(model[:1])].drop_duplicates("pair_id").set_index("pair_id")["value"]
    return np.asarray(ids.map(chosen.astype("float64")), dtype=np.float64)


Columns = Callable[[NDArray[np.int64]], Any]
"""Rows to learn from -> the model's columns for all rows."""


def _words(pairs: Dataset, side: str) -> Columns:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    counts = CountVectorizer(analyzer=pairs.language.tokens).fit_transform(pairs.frame[side])

    def weigh(known: NDArray[np.int64]) -> Any:
        seen = counts[:, np.unique(counts[known].indices)]
        return TfidfTransformer(sublinear_tf=True).fit(seen[known]).transform(seen)

    return weigh


def _features(pairs: Dataset) -> Columns:
    from sklearn.preprocessing import StandardScaler

    seen = features.describe(pairs.frame["first"].tolist(), pairs.frame["second"].tolist(), pairs.language)
    columns = seen.to_numpy("float64")
    return lambda known: StandardScaler().fit(columns[known]).transform(columns)


Folds = list[tuple[NDArray[np.int64], NDArray[np.int64], Any]]
"""Per fold: the rows to learn from, those asked, and the columns of all rows."""


def learn_out_of_fold(label: NDArray[np.int64], groups: NDArray[Any], columns: Columns, seed: int) -> Floats:
    """The log-odds that each row's columns add, learned from the groups of the other folds; NaN where they can't be.

    How frequent the labels are is left out: a fold with fewer paraphrases leaves more of them to learn from, so all its
    scores would be higher, and the AUC over all folds below 0.5 where nothing can be learned.
    """
    return learn_folds(label, fold(groups, columns), seed)


def fold(groups: NDArray[Any], columns: Columns) -> Folds:
    """The folds, of whole groups; none of fewer than two groups."""
    from sklearn.model_selection import GroupKFold

    n_folds = min(FOLDS, len(set(groups)))
    if n_folds < 2:
        return []
    dealt = GroupKFold(n_folds).split(groups, groups=groups)
    return [(known, asked, columns(known)) for known, asked in dealt]


def learn_folds(label: NDArray[np.int64], folds: Folds, seed: int) -> Floats:
    """As `learn_out_of_fold`, of folds dealt before."""
    scores = np.full(len(label), np.nan)
    for known, asked, seen in folds:
        scores[asked] = _fit(label, seen, known, seed)[asked]
    return scores


def learn(label: NDArray[np.int64], columns: Columns, known: NDArray[np.int64], seed: int) -> Floats:
    """The log-odds that every row's columns add, learned from the rows `known`; NaN where they have one label."""
    return _fit(label, columns(known), known, seed)


def _fit(label: NDArray[np.int64], seen: Any, known: NDArray[np.int64], seed: int) -> Floats:
    from sklearn.linear_model import LogisticRegression

    if len(set(label[known])) < 2:
        return np.full(len(label), np.nan)
    model = LogisticRegression(random_state=seed, max_iter=1000, class_weight="balanced").fit(seen[known], label[known])
    scores: Floats = model.decision_function(seen) - model.intercept_[0]
    return scores
