"""Sentence models: an optional extra (`minilm`), loaded only where one is wanted."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.errors import InputError

BATCH = 64
AT_ONCE = 1_024
"""Texts handed to the model between two steps of the progress bar."""


def encode(texts: Sequence[str], name: str, watch: Callable[..., Iterator[Any]]) -> NDArray[np.float32]:
    """The model's vector of each text, of length 1. `name` is a folder or a name that sentence-transformers knows.

    Raises InputError where the library or the model is missing.
    """
    model = _load(name)
    starts = range(0, len(texts), AT_ONCE)
    parts = [
        model.encode(
            list(texts[start : start + AT_ONCE]),
            batch_size=BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        for start in watch(starts, label="sentence model", unit="blocks", total=len(starts))
    ]
    return np.concatenate(parts).astype(np.float32, copy=False) if parts else np.empty((0, 1), dtype=np.float32)


def _load(name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as fault:
        raise InputError(
            "--vectors minilm",
            expected="the package sentence-transformers",
            found=" ".join(str(fault).split()),
            remedy='install the extra: pip install "parade-builder[minilm]"',
        ) from fault
    try:
        return SentenceTransformer(name, device="cpu")
    except (OSError, ValueError) as fault:
        raise InputError(
            f"--model {name}",
            expected="a folder with a sentence model, or the name of one that can be fetched",
            found=" ".join(str(fault).split())[:200],
            remedy="give the path of a downloaded model",
        ) from fault
