"""Models that know nothing of meaning: those that a better model must beat, and controls that must fail; pure.

Each model takes a data set and a seed, learns from the decided pairs of the train split and gives every pair a score
from 0 to 1, higher for a paraphrase. They and the scores of any other model are judged in the same way.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from data.grouping.entities import name_pairs
from data.labelled import features, metrics
from data.labelled.dataset import Dataset
from data.measures.rules import ScoringRule
from data.texts import words
from data.texts.languages.base import Language

Scores = NDArray[np.float64]

SKIP_GRAM = {"vector_size": 300, "window": 5, "min_count": 1, "sg": 1, "epochs": 20}


@dataclass(frozen=True, kw_only=True)
class Model:
    """A baseline."""

    score: Callable[[Dataset, int], Scores]
    what: str
    """What it uses."""
    is_probability: bool = False
    """Whether its scores are probabilities, with a threshold of 0.5."""
    must_fail: bool = False
    """Whether it is a control that sees too little to decide: any gain over all-positive is an artefact of the data."""
    needs_entity: bool = False


def training(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Which pairs a model may learn from."""
    return ((frame["split"] == "train") & frame["binary"].notna()).to_numpy(dtype=bool)


def tuning(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Which pairs a threshold may be chosen on."""
    return ((frame["split"] == "validation") & frame["binary"].notna()).to_numpy(dtype=bool)


def _all_positive(pairs: Dataset, _: int) -> Scores:
    return np.ones(len(pairs))


def _jaccard(pairs: Dataset, _: int) -> Scores:
    return np.asarray(pairs.overlap.fillna(0), dtype=np.float64)


def _logistic_regression(pairs: Dataset, seed: int) -> Scores:
    seen = features.describe(pairs.frame["first"].tolist(), pairs.frame["second"].tolist(), pairs.language)
    return _regress(pairs.frame, seen.to_numpy(dtype="float64"), seed)


def _length_only(pairs: Dataset, seed: int) -> Scores:
    lengths = np.sort([pairs.frame[side].map(words.count_words) for side in ("first", "second")], axis=0)
    return _regress(pairs.frame, lengths.T.astype("float64"), seed)


def _regress(frame: pd.DataFrame, columns: Scores, seed: int) -> Scores:
    model = make_pipeline(StandardScaler(), LogisticRegression(random_state=seed))
    known = training(frame)
    return _probabilities(model.fit(columns[known], _labels(frame, known)), columns)


def _definition_only(pairs: Dataset, seed: int) -> Scores:
    return _classify_text(pairs, pairs.frame["first"], seed)


def _entity_only(pairs: Dataset, seed: int) -> Scores:
    return _classify_text(pairs, name_pairs(pairs.frame).fillna(""), seed)


def _classify_text(pairs: Dataset, texts: "pd.Series[str]", seed: int) -> Scores:
    frame, known = pairs.frame, training(pairs.frame)
    weights = TfidfVectorizer(analyzer=pairs.language.tokens, sublinear_tf=True).fit(texts[known])
    bags = hstack([weights.transform(texts), csr_matrix(np.ones((len(frame), 1)))]).tocsr()
    model = LogisticRegression(random_state=seed, max_iter=1000).fit(bags[known], _labels(frame, known))
    return _probabilities(model, bags)


def _labels(frame: pd.DataFrame, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    return frame.loc[known, "binary"].to_numpy(dtype="int64")


def _probabilities(model: LogisticRegression, columns: Scores | csr_matrix) -> Scores:
    probabilities: Scores = model.predict_proba(columns)[:, 1]
    return probabilities


def _tfidf(pairs: Dataset, _: int) -> Scores:
    frame = pairs.frame
    seen = pd.unique(pd.concat([frame.loc[training(frame), side] for side in ("first", "second")]))
    weights = TfidfVectorizer(analyzer=partial(_list_stems, pairs.language), sublinear_tf=True).fit(seen)
    left, right = weights.transform(frame["first"]), weights.transform(frame["second"])
    return np.asarray(left.multiply(right).sum(axis=1)).ravel()


def _list_stems(language: Language, text: str) -> list[str]:
    """The content stems, in an order that no hash decides."""
    return sorted(language.content_stems(text))


def _word2vec(pairs: Dataset, seed: int) -> Scores:
    """Cosine of the average vectors, at least 0; 0 where no word of a text is in the train split."""
    from gensim.models import Word2Vec

    frame, language = pairs.frame, pairs.language
    lemmas = {
        text: language.lemmas(language.tokens(text)) for side in ("first", "second") for text in frame[side].unique()
    }
    seen = sorted(set(pd.concat([frame.loc[training(frame), side] for side in ("first", "second")])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = Word2Vec([lemmas[text] for text in seen], seed=seed, workers=1, **SKIP_GRAM).wv
    means = {text: _mean([vectors[lemma] for lemma in some if lemma in vectors]) for text, some in lemmas.items()}
    left, right = (np.stack([means[text] for text in frame[side]]) for side in ("first", "second"))
    cosines: Scores = (left * right).sum(axis=1).clip(0, 1).astype("float64")
    return cosines


def _mean(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The mean scaled to length 1; zero where there is no vector."""
    total: NDArray[np.float32] = np.sum(vectors, axis=0) if vectors else np.zeros(SKIP_GRAM["vector_size"], np.float32)
    length = float(np.linalg.norm(total))
    return total / np.float32(length) if length else total


MODELS: dict[str, Model] = {
    "all_positive": Model(score=_all_positive, what="calls every pair a paraphrase", is_probability=True),
    "jaccard": Model(score=_jaccard, what="one threshold on the Jaccard overlap"),
    "tfidf": Model(score=_tfidf, what="cosine of TF-IDF weights of stems"),
    "word2vec": Model(score=_word2vec, what="cosine of averaged skip-gram vectors, 20 epochs on the train definitions"),
    "logistic_regression": Model(
        score=_logistic_regression,
        what="logistic regression on eight features of overlap and length",
        is_probability=True,
    ),
    "definition_only": Model(
        score=_definition_only, what="words of one definition", is_probability=True, must_fail=True
    ),
    "entity_only": Model(
        score=_entity_only, what="words of the entity", is_probability=True, must_fail=True, needs_entity=True
    ),
    "length_only": Model(score=_length_only, what="the two lengths", is_probability=True, must_fail=True),
}
"""Every baseline, the simplest first, the controls that must fail last."""


def judge_all(pairs: Dataset, scores: Mapping[str, Sequence[Scores]], judge: ScoringRule) -> list[dict[str, Any]]:
    """The rows of `metrics.evaluate` for every model, our baselines first, with what is known of the model.

    `scores`: by model, the scores of each of its runs.

    That is `model`, `what`, `must_fail` and `headline`, the threshold rule under which the model is shown where
    there is room for only one.
    """
    rows = []
    for name in sorted(scores, key=lambda name: [*MODELS, name].index(name)):
        model = MODELS.get(name)
        rules = ("half",) if name == "all_positive" else ("half", "f1") if model and model.is_probability else None
        rules = rules or ("accuracy", "f1")
        head = {
            "model": name,
            "what": model.what if model else "given scores",
            "must_fail": bool(model and model.must_fail),
            "headline": rules[0],
        }
        rows += [head | row for row in metrics.evaluate(pairs, scores[name], rules, judge)]
    return rows
