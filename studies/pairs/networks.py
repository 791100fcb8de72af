"""Networks as functions from rows of a data set to scores, for loops that train again and again."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.models.scorers import PREDICTIONS, read_scores
from identification.config import Machine, TrainingConfig
from identification.training import vectors
from identification.training.train import Request, train


def bow(frame: pd.DataFrame, seed: int) -> NDArray[np.float64]:
    """P(paraphrase) of each row by a bag of words, trained on the rows of `train` and tuned on `validation`.

    `frame`: as `data.labelled.dataset` has it. Word vectors are learned once from the texts, the same for any seed.
    """
    texts = tuple(sorted({str(text) for side in ("first", "second") for text in frame[side]}))
    config = TrainingConfig(seed=seed, vectors=_learn_vectors(texts))
    with tempfile.TemporaryDirectory() as folder:
        request = Request(model="bow", config=config, frame=frame, machine=Machine(threads=1))
        train(request, Path(folder) / "bow", report=lambda _: None)
        scores = read_scores(Path(folder) / "bow" / PREDICTIONS)
    return frame["pair_id"].map(scores).to_numpy("float64")


@cache
def _learn_vectors(texts: tuple[str, ...]) -> Path:
    """A file with vectors of the words of the texts, for as long as the process runs."""
    known = vectors.learn(list(texts), vectors.distinct_words(texts), size=TrainingConfig().vector_size, seed=1)
    rows = zip(known.words, known.matrix, strict=True)
    path = Path(_scratch().name) / "vectors.txt"
    lines = [" ".join([word, *(f"{value:.5g}" for value in vector)]) for word, vector in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@cache
def _scratch() -> "tempfile.TemporaryDirectory[str]":
    """A folder that is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="parade-vectors-")
