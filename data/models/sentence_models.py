"""Sentence models: an optional extra (`models`), loaded only when one is asked for."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.console.errors import InputError
from data.files.values import read_json
from data.models.model_folders import check_files, opening
from data.models.pretrained import CONFIG, check_room, fetch, locate, quiet, require_words
from data.models.sizes import AGAIN, WHOLE

EXPECTED = "a folder with a sentence model, or the name of one that can be fetched"
BATCH_TEXTS = 64
STEP_TEXTS = 1_024
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
        starts = range(0, len(texts), STEP_TEXTS)
        parts = [
            model.encode(
                list(texts[start : start + STEP_TEXTS]),
                batch_size=BATCH_TEXTS,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
            for start in watch(starts, label="sentence model", unit="blocks", total=len(starts))
        ]
        return np.concatenate(parts).astype(np.float32, copy=False) if parts else np.empty((0, 1), dtype=np.float32)

    return encode


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
    where = f"{flag} {name}"
    with opening(where, EXPECTED, "give the path of a downloaded model"), quiet():
        folder = Path(locate(name, where))
        if not folder.is_dir():
            folder = fetch(name)
        _require_valid(folder)
        model = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        _require_sound(model, where)
    return model


def _require_valid(folder: Path) -> None:
    """Raise InputError for a folder that is not to be opened, or describes more than its weights."""
    from transformers import AutoConfig

    check_files(folder)
    for path in folder.rglob(CONFIG):
        if "model_type" in read_json(path, WHOLE, AGAIN):
            config = AutoConfig.from_pretrained(path.parent, local_files_only=True, trust_remote_code=False)
            check_room(path.parent, "AutoModel", config)


def _require_sound(model: Any, where: str) -> None:
    """Raise InputError where the model cannot read a text, or knows no words."""
    vector = model.encode(["a"], normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)
    if hasattr(getattr(model, "tokenizer", None), "get_vocab"):
        require_words(model.tokenizer, where)
    if not np.isfinite(vector).all():
        raise InputError(where, expected=EXPECTED, found="one that answers with no numbers", remedy="give another")
