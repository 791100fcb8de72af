"""The words of the papers, kept beside the tables, so that any phrase can be counted later.

A table holds only terms. How often the fronts of a deck occur in the papers is asked when the deck is read.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crawler.config import TermConfig
from crawler.terms import extraction
from crawler.terms.limits import TermLimits, limits
from crawler.terms.tokens import Capitals, Tokens
from data.texts.languages.base import Language

ABOUT, CAPITALS, TERMS = "about.json", "capitals.npy", "terms.parquet"
FOLDER = "words"
"""In the store; packs leave it out, since every run of `python -m crawler.terminology` on papers writes it."""


@dataclass(frozen=True, kw_only=True)
class PaperWords:
    """The words of the papers, and how terms were made from them."""

    tokens: Tokens
    n_papers: int
    config: TermConfig
    language: Language
    """With the headwords of a file and of the papers."""
    dropped: tuple[str, ...] = ()
    """The terms that a list dropped."""

    @property
    def limits(self) -> TermLimits:
        """The limits of terms, without those that follow the decks."""
        return limits(self.config, self.n_papers)

    def measure(self, names: Sequence[str]) -> pd.DataFrame:
        """The names as rows of the table `terms`, with their document frequencies, however low."""
        if not names:
            return extraction.list_terms([], self.config, self.language)
        return extraction.measure_terms(self.tokens, self.n_papers, names, self.config, self.language)


def keep(words: PaperWords, terms: pd.DataFrame, root: Path, fingerprint: str) -> None:
    """Move the words into the store's folder, in place of earlier ones, with the terms that the papers alone give.

    `fingerprint` belongs to the terms' manifest.
    """
    folder = words.tokens.folder
    for counted in folder.glob("codes-*"):
        counted.unlink()
    np.save(folder / CAPITALS, np.array(words.tokens.capitals))
    terms.to_parquet(folder / TERMS)
    about = {
        "fingerprint": fingerprint,
        "sizes": {path.name: path.stat().st_size for path in folder.iterdir()},
        "n_papers": words.n_papers,
        "config": asdict(words.config),
        "dropped": words.dropped,
        "vocabulary": words.tokens.vocabulary,
        "headwords": [words.language.headword(word) for word in words.tokens.vocabulary],
        "alone": dict(words.language.alone),
        "n_pieces": words.tokens.n_pieces,
    }
    with (folder / ABOUT).open("w", encoding="utf-8") as file:
        json.dump(about, file)
    forget(root)
    shutil.move(folder, root / FOLDER)


def forget(root: Path) -> None:
    """Remove the words, if there are any."""
    shutil.rmtree(root / FOLDER, ignore_errors=True)


def open_kept(root: Path, fingerprint: str) -> PaperWords | None:
    """The words in the store; None where they are missing, damaged, or kept for terms of another `fingerprint`."""
    folder = root / FOLDER
    about = _read_about(folder / ABOUT)
    if about.get("fingerprint") != fingerprint or not all(
        (folder / name).is_file() and (folder / name).stat().st_size == size for name, size in about["sizes"].items()
    ):
        return None
    tokens = Tokens(
        vocabulary=tuple(about["vocabulary"]),
        capitals=Capitals(*np.load(folder / CAPITALS)),
        n_pieces=about["n_pieces"],
        folder=folder,
    )
    config = TermConfig(**about["config"])
    headwords = dict(zip(tokens.vocabulary, about["headwords"], strict=True))
    return PaperWords(
        tokens=tokens,
        n_papers=about["n_papers"],
        config=config,
        language=config.known_language.with_headwords(headwords, about["alone"]),
        dropped=tuple(about["dropped"]),
    )


def read_kept_terms(root: Path) -> pd.DataFrame:
    """The terms that the papers alone give, where `open_kept` finds the words."""
    return pd.read_parquet(root / FOLDER / TERMS, dtype_backend="pyarrow")


def _read_about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}
