"""A stand-in for sentence-transformers, which with torch is too heavy for every test run: it loads a folder, and
its vector of a text is how often each letter is in it."""

from pathlib import Path
from types import ModuleType

import numpy as np

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class SentenceTransformer:
    """What of the class's interface is used."""

    def __init__(self, name: str, device: str, *, trust_remote_code: bool, **_: object) -> None:
        assert device == "cpu"
        assert not trust_remote_code
        if not Path(name).is_dir():
            raise OSError(f"{name} is not a local folder\nand is not a valid model identifier")

    def encode(self, sentences: list[str], *, normalize_embeddings: bool, **_: object) -> np.ndarray:
        counts = np.array([[text.count(letter) for letter in LETTERS] for text in sentences], dtype=np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True) if normalize_embeddings else counts


def stand_in() -> ModuleType:
    """The module `sentence_transformers` with the stand-in in it."""
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]
    return module
