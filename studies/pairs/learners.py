"""Models that learn from a part of the published pairs, as functions: labelled rows -> scores of all rows."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from data.console.errors import InputError
from data.labelled import features
from data.measures.agreement import Reals
from data.models import sentence_models
from data.models.scorers import find_function

Vectors = NDArray[np.float32]
Learner = Callable[[pd.DataFrame, int], Reals]
"""Rows of a data set and a seed -> P(paraphrase): one row per pair, one column per model; the first is the one judged.

It learns from the rows whose `split` is `train` and may tune on the rows of `validation`; the labels of others are not
for its eyes.
"""
Function = Callable[[pd.DataFrame, int], Reals]
"""As a Learner, but of one model: one score per pair."""
FROZEN, NETWORK = "frozen", "network"
EPOCHS = 6
N_SEEN = 1 + len(features.FEATURES)
"""The cosine and the features of overlap come first among the network's columns."""
QUIET = 0.03
"""What the 768 other columns are multiplied by; chosen by the AUC on validation (1,000 labels, one seed: 0.816 with it,
0.79 with equal weight)."""
N_BAGGED = 4
"""Logistic regressions on bootstrap samples of entities that vote beside the frozen model."""


def open_learner(name: str, frame: pd.DataFrame, model: str, watch: Callable[..., Iterator[Any]]) -> Learner:
    """The learner `frozen`, `network`, or `module:function`; the latter two vote with two regressions."""
    function = None if name in (FROZEN, NETWORK) else _find(name)
    codes, texts = pd.factorize(np.array([*frame["first"], *frame["second"]], dtype=object))
    vectors = sentence_models.encoder(model, "--model", watch)([str(text) for text in texts])
    return assemble(function or name, frame, *(vectors[side] for side in codes.reshape(2, -1)))


def assemble(learner: str | Function, frame: pd.DataFrame, left: Vectors, right: Vectors) -> Learner:
    """As `open_learner`, from the sentence vectors of length 1 of both texts of each pair."""
    overlap = features.describe(frame["first"].tolist(), frame["second"].tolist()).to_numpy("float64")
    seen = np.column_stack([np.einsum("ij,ij->i", left, right), overlap])
    if learner == FROZEN:
        return lambda rows, seed: bag(seen, rows, seed)
    wide = np.column_stack([seen, np.abs(left - right), left * right])
    function = learner if callable(learner) else lambda rows, seed: _train_network(wide, rows, seed)
    return lambda rows, seed: np.column_stack(
        [function(rows, seed), _fit(seen, rows, _training(rows)), _fit(overlap, rows, _training(rows))]
    )


def _train_network(wide: Reals, rows: pd.DataFrame, seed: int) -> Reals:
    """P(paraphrase) of all rows by a network with one hidden layer, over the two vectors' differences and products."""
    known = _training(rows)
    columns = StandardScaler().fit(wide[known]).transform(wide)
    columns[:, N_SEEN:] *= QUIET
    network = MLPClassifier((32,), alpha=1.0, batch_size=64, max_iter=EPOCHS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is chosen
        network.fit(columns[known], rows["binary"].to_numpy("int64")[known])
    return np.asarray(network.predict_proba(columns)[:, 1], dtype=np.float64)


def _training(rows: pd.DataFrame) -> NDArray[np.intp]:
    return np.flatnonzero(rows["split"] == "train")


def bag(seen: Reals, rows: pd.DataFrame, seed: int) -> Reals:
    """The scores of a regression on the features `seen`, and of N_BAGGED on bootstrap samples of entities."""
    known = _training(rows)
    entity = pd.factorize(rows["entity"].iloc[known])[0]
    draws = np.random.default_rng(seed).integers(entity.max() + 1, size=(N_BAGGED, entity.max() + 1))
    counts = [np.bincount(draw, minlength=entity.max() + 1)[entity] for draw in draws]
    return np.column_stack([_fit(seen, rows, known), *(_fit(seen, rows, np.repeat(known, count)) for count in counts)])


def _fit(seen: Reals, rows: pd.DataFrame, known: NDArray[np.intp]) -> Reals:
    """P(paraphrase) of all rows by a logistic regression on the shares of votes of the known ones."""
    share = (rows["votes"] / rows["n_votes"]).to_numpy("float64")[known]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    labels = np.repeat([1, 0], len(known))
    model.fit(
        np.tile(seen[known], (2, 1)), labels, logisticregression__sample_weight=np.concatenate([share, 1 - share])
    )
    return np.asarray(model.predict_proba(seen)[:, 1], dtype=np.float64)


def _find(name: str) -> Function:
    if ":" not in name:
        expected = f"{FROZEN}, {NETWORK}, or module:function"
        raise InputError(f"--learner {name}", expected=expected, found="none of them", remedy="check the name")
    return find_function(name, f"--learner {name}")
