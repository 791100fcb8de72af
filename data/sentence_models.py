"""Sentence models: an optional extra (`minilm`), loaded only when one is asked for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.errors import InputError

BATCH = 64
AT_ONCE = 1_024
"""Texts given to the model per step of the progress bar."""

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> float32, one row of length 1 per text; without texts, no rows and one column."""


def encoder(name: str, flag: str, watch: Callable[..., Iterator[Any]]) -> Encode:
    """The sentence model `name`: a folder, or a name known to sentence-transformers; `flag` is named in errors.

    `watch` shows the progress over blocks of texts. Raises InputError if the library or the model is missing.
    """
    model = _load(name, flag)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
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

    return encode


def _load(name: str, flag: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as fault:
        raise InputError(
            f"{flag} {name}",
            expected="the package sentence-transformers",
            found=" ".join(str(fault).split()),
            remedy='install the extra: pip install "parade-builder[minilm]"',
        ) from fault
    try:
        return SentenceTransformer(name, device="cpu")
    except (OSError, ValueError) as fault:
        raise InputError(
            f"{flag} {name}",
            expected="a folder with a sentence model, or the name of one that can be fetched",
            found=" ".join(str(fault).split())[:200],
            remedy="give the path of a downloaded model",
        ) from fault
