"""A frozen sentence model and eight features of overlap, weighed by logistic regression: minutes instead of hours."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from data.console.errors import InputError
from data.labelled.features import FEATURES, describe
from data.measures.agreement import Reals
from data.models import sentence_models
from data.models.pretrained import find_folder
from data.models.runs import FROZEN, ModelName
from data.texts.identity import digest, file_digest
from data.texts.languages.base import language

Watch = Callable[..., Iterator[Any]]
NAMES = ("cosine", *FEATURES)


class Frozen:
    """The weights of the features; the encoder stays where it is, and its digest is kept."""

    def __init__(self, form: dict[str, Any], weights: Reals, shift: float) -> None:
        """`weights`, `shift`: of the raw features, in the order of NAMES; `form`: encoder, its digest, language."""
        self.form, self.weights, self.shift = form, weights, shift

    @property
    def n_parameters(self) -> int:
        """The number of trained weights."""
        return len(self.weights) + 1

    @classmethod
    def fit(cls, form: dict[str, Any], columns: Reals, targets: Reals, seed: int) -> "Frozen":
        """The weights that explain the targets (shares of "paraphrase", 0 to 1) best."""
        scaler = StandardScaler().fit(columns)
        scaled = scaler.transform(columns)
        n = len(targets)
        weights = np.concatenate([targets, 1 - targets])
        labels = np.repeat([1, 0], n)
        model = LogisticRegression(random_state=seed, max_iter=1000)
        model.fit(np.tile(scaled, (2, 1)), labels, sample_weight=weights)
        raw = model.coef_[0] / scaler.scale_
        return cls(form, raw, float(model.intercept_[0] - raw @ scaler.mean_))

    def logits(self, first: Sequence[str], second: Sequence[str], watch: Watch) -> Reals:
        """The logit of "paraphrase" of each pair."""
        return self.weigh(features(self.form, first, second, watch))

    def weigh(self, columns: Reals) -> Reals:
        """The logits of pairs with those features."""
        logits: Reals = columns @ self.weights + self.shift
        return logits

    def save_form(self, folder: Path) -> dict[str, Any]:
        """The form; the weights go to `model.safetensors`."""
        save_file({"weights": self.weights, "shift": np.array([self.shift])}, folder / "model.safetensors")
        return self.form

    @classmethod
    def from_form(cls, form: dict[str, Any], folder: Path) -> "Frozen":
        """The model of an artefact; raises InputError where its encoder is another one by now."""
        tensors = load_file(folder / "model.safetensors")
        if encoder_digest(form["encoder"]) != form["encoder_digest"]:
            raise InputError(
                str(ModelName((form["encoder"],), FROZEN)),
                expected="the encoder that the model was trained with",
                found="another one",
                remedy="put it back, or train again",
            )
        return cls(form, tensors["weights"], float(tensors["shift"][0]))


def form_of(name: str, language: str) -> dict[str, Any]:
    """The form of a model with that encoder, for texts of that language (its code)."""
    return {"encoder": name, "encoder_digest": encoder_digest(name), "language": language}


def features(form: dict[str, Any], first: Sequence[str], second: Sequence[str], watch: Watch) -> Reals:
    """The features of each pair, a row each, columns as NAMES; each distinct text is encoded once."""
    codes, texts = pd.factorize(np.array([*first, *second], dtype=object))
    encoder = str(_find_encoder(form["encoder"]))
    vectors = sentence_models.encoder(encoder, FROZEN, watch)([str(text) for text in texts])
    left, right = codes.reshape(2, -1)
    cosine = np.einsum("ij,ij->i", vectors[left], vectors[right])
    return np.column_stack([cosine, describe(first, second, language(form["language"])).to_numpy("float64")])


def encoder_digest(name: str) -> str:
    """The digest of the encoder's weights."""
    return digest(*(file_digest(path) for path in sorted(_find_encoder(name).glob("*.safetensors"))))


def _find_encoder(name: str) -> Path:
    return find_folder(name, str(ModelName((name,), FROZEN)))
