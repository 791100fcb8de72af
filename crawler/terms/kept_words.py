"""The words of the papers, kept beside the tables, so that any phrase can be counted later.

Only terms stand in a table. How often the fronts of a deck occur in the papers is asked when the deck is read.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from crawler.config import TermConfig
from crawler.terms import extraction
from crawler.terms.headwords import adapt
from crawler.terms.limits import Limits, limits
from crawler.terms.tokens import Capitals, Tokens
from data.languages.base import Language

FOLDER = "words"
"""In the store; packs leave it out, since every run of `python -m crawler.terminology` on papers writes it."""


@dataclass(frozen=True, kw_only=True)
class PaperWords:
    """The words of the papers, and how terms were made from them."""

    tokens: Tokens
    n_papers: int
    config: TermConfig
    dropped: tuple[str, ...] = ()
    """The terms that a list dropped."""
    headwords: Mapping[str, str] = field(default_factory=dict)
    """Those that a file named."""

    @cached_property
    def language(self) -> Language:
        """The language, with the headwords of the file and then those of the papers."""
        return adapt(self.config.known_language, self.tokens).with_headwords(self.headwords)

    @property
    def limits(self) -> Limits:
        """The limits of terms, without those that follow the decks."""
        return limits(self.config, self.n_papers)

    def measure(self, names: Sequence[str]) -> pd.DataFrame:
        """The names as rows of the table `terms`, with their document frequencies, however low."""
        if not names:
            return extraction.list_terms([], self.config, self.language)
        return extraction.measure_terms(self.tokens, self.n_papers, names, self.config, self.language)


def keep(words: PaperWords, root: Path) -> None:
    """Move the words to the store's folder, in place of earlier ones."""
    folder = words.tokens.folder
    for counted in folder.glob("codes-*"):
        counted.unlink()
    np.save(folder / "capitals.npy", np.array(words.tokens.capitals))
    about = {
        "n_papers": words.n_papers,
        "config": asdict(words.config),
        "dropped": words.dropped,
        "headwords": dict(words.headwords),
        "vocabulary": words.tokens.vocabulary,
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    forget(root)
    shutil.move(folder, root / FOLDER)


def forget(root: Path) -> None:
    """Remove the words, if there are any."""
    shutil.rmtree(root / FOLDER, ignore_errors=True)


def open_kept(root: Path) -> PaperWords | None:
    """The words in the store; None where there are none."""
    folder = root / FOLDER
    if not (folder / "about.json").exists():
        return None
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    tokens = Tokens(
        vocabulary=tuple(about["vocabulary"]),
        capitals=Capitals(*np.load(folder / "capitals.npy")),
        n_pieces=len(list(folder.glob("piece-*.npz"))),
        folder=folder,
    )
    return PaperWords(
        tokens=tokens,
        n_papers=about["n_papers"],
        config=TermConfig(**about["config"]),
        dropped=tuple(about["dropped"]),
        headwords=about["headwords"],
    )
