"""A stand-in for BLEURT: how well the tokens of two texts find each other in the vectors of a frozen encoder."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from torch import Tensor
from torch.nn import functional

from data.console.errors import InputError
from data.files.values import read_json
from data.files.whole import write_whole
from data.labelled.features import describe
from data.measures.agreement import Reals
from data.models.model_folders import check_files, opening
from data.models.pretrained import find_folder, open_pretrained, quiet
from data.models.sizes import unusable
from data.texts.identity import digest, file_digest
from data.texts.languages.en import ENGLISH

Watch = Callable[..., Iterator[Any]]

FORM, WEIGHTS = "alignment.json", "model.safetensors"
MAX_TOKENS = 128
"""Tokens of a text; what follows is cut."""
PAIRS_AT_ONCE, TEXTS_AT_ONCE = 256, 32
N_WORST = 3
"""How many of the tokens that find least in the other text count on their own."""
MAX_DEVIATIONS = 4.0
"""Standard deviations from the mean beyond which a feature counts no more."""
RIDGE_PENALTY = 300.0
"""Of the ridge regression: over five folds of the released sentences 100 and 300 do best, and 1,000 does worse."""


class AlignmentScorer:
    """Scores of pairs by the features of their alignment, weighed with their squares and products.

    The same for both orders of the texts.
    """

    def __init__(self, encoder: str, weights: dict[str, Reals]) -> None:
        """`weights`: mean and scale of the features; weights and shift of them, their squares and products."""
        found = open_pretrained(encoder, "AutoModel", f"--encoder {encoder}", dtype=torch.float32)
        self.tokenizer, self.model = found.tokenizer, found.model
        self.encoder, self.weights = encoder, weights
        depth = int(self.model.config.num_hidden_layers)
        self.layers = sorted({-(-depth * part // 3) for part in (1, 2, 3)})

    def fit(self, first: Sequence[str], second: Sequence[str], scores: Reals, watch: Watch) -> None:
        """Take the weights that explain the scores of these pairs best."""
        columns = self._features(first, second, watch)
        scaler = StandardScaler().fit(columns)
        self.weights = {"mean": np.asarray(scaler.mean_), "scale": np.asarray(scaler.scale_)}
        products = self._products(columns)
        scaler = StandardScaler().fit(products)
        ridge = Ridge(RIDGE_PENALTY).fit(scaler.transform(products), scores)
        weights = np.asarray(ridge.coef_ / scaler.scale_)
        self.weights |= {"weights": weights, "shift": np.array([ridge.intercept_ - weights @ scaler.mean_])}

    def scores(self, first: Sequence[str], second: Sequence[str], watch: Watch | None = None) -> Reals:
        """A number on BLEURT's scale per pair."""
        products = self._products(self._features(first, second, watch or _unseen))
        scores: Reals = products @ self.weights["weights"] + self.weights["shift"][0]
        return scores

    def save(self, folder: Path) -> None:
        """Write the weights, and which encoder they belong to; the encoder stays where it is."""
        form = {"encoder": self.encoder, "encoder_digest": _encoder_digest(self.encoder)}
        write_whole(folder / FORM, json.dumps(form, indent=1) + "\n")
        save_file(self.weights, folder / WEIGHTS)

    @classmethod
    def load(cls, folder: Path) -> "AlignmentScorer":
        """The judge of a folder; raises InputError where its encoder is another one by now."""
        with opening(folder, "a judge as `python -m paraphrase_game judge` wrote it", "train it again"):
            check_files(folder)
            form = read_json(folder / FORM, "a judge", "train it again")
            encoder, weights = form["encoder"], load_file(folder / WEIGHTS)
            if _encoder_digest(encoder) != form["encoder_digest"]:
                raise InputError(
                    folder,
                    expected=f"the encoder {encoder} that the judge was trained with",
                    found="another one",
                    remedy="put it back, or train again: python -m paraphrase_game judge",
                )
            opened = cls(encoder, weights)
            if not np.isfinite(opened.scores(["a"], ["b"])).all():
                raise unusable(folder, "a judge that answers with no numbers")
        return opened

    def _products(self, columns: Reals) -> Reals:
        scaled = np.clip((columns - self.weights["mean"]) / self.weights["scale"], -MAX_DEVIATIONS, MAX_DEVIATIONS)
        left, right = np.triu_indices(scaled.shape[1])
        return np.hstack([scaled, scaled[:, left] * scaled[:, right]])

    def _features(self, first: Sequence[str], second: Sequence[str], watch: Watch) -> Reals:
        """The features of each pair, a row each."""
        starts = range(0, len(first), PAIRS_AT_ONCE)
        parts = []
        for start in watch(starts, label="aligning", unit="blocks", total=len(starts)):
            sides = [texts[start : start + PAIRS_AT_ONCE] for texts in (first, second)]
            vectors = self._vectors(sorted({text for texts in sides for text in texts}, key=_by_length))
            parts += [
                [*_aligned(vectors[one], vectors[other]), float(ENGLISH.negates(one) != ENGLISH.negates(other))]
                for one, other in zip(*sides, strict=True)
            ]
        return np.column_stack([np.array(parts), describe(first, second, ENGLISH).to_numpy("float64")])

    @torch.inference_mode()
    def _vectors(self, texts: Sequence[str]) -> dict[str, list[Tensor]]:
        """Text -> per layer the unit vectors of its tokens, [tokens, size]."""
        vectors = {}
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            block = list(texts[start : start + TEXTS_AT_ONCE])
            with quiet():
                tokens = self.tokenizer(
                    block, truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt",
                    return_token_type_ids=False,
                )  # fmt: skip
            states = self.model(**tokens, output_hidden_states=True).hidden_states
            for text, row, n in zip(block, range(len(block)), tokens["attention_mask"].sum(1).tolist(), strict=True):
                vectors[text] = [functional.normalize(states[layer][row, :n], dim=-1) for layer in self.layers]
        return vectors


def _aligned(first: list[Tensor], second: list[Tensor]) -> list[float]:
    """Per layer, how similar each side's tokens are to the best of the other's; then the lengths."""
    means = [functional.normalize(side[-1].mean(0), dim=-1) for side in (first, second)]
    numbers = [float(means[0] @ means[1])]
    for left, right in zip(first, second, strict=True):
        found = left[1:-1] @ right[1:-1].T if min(len(left), len(right)) > 2 else torch.zeros(1, 1)
        best = [found.amax(1), found.amax(0)]
        for measure in (_mean, _least, _worst):
            numbers += sorted(map(measure, best))
    return [*numbers, *sorted(float(len(side[-1])) for side in (first, second))]


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text


def _mean(best: Tensor) -> float:
    return float(best.mean())


def _least(best: Tensor) -> float:
    return float(best.min())


def _worst(best: Tensor) -> float:
    return float(best.sort().values[:N_WORST].mean())


def _encoder_digest(name: str) -> str:
    return digest(*(file_digest(path) for path in sorted(find_folder(name, f"--encoder {name}").glob("*.safetensors"))))


def _unseen(starts: range, **_: Any) -> Iterator[int]:
    """The starts, without a progress line."""
    yield from starts
