"""N-gram language models: files of KenLM, binary (mapped into memory, so that processes share them) or ARPA."""

import math
import os
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.console.errors import InputError
from data.console.optional_packages import require_generation
from data.console.paths import existing_file
from data.texts.identity import files_digest
from generation.engines.tokenizers import tokenizer
from generation.engines.trials import EXPECTED, REMEDY, try_kenlm

LN10 = math.log(10)
NOT_STATED = -99.0
"""KenLM gives words that its file does not know this log10, where the file has no `<unk>`."""
NOBODYS_WORD = "\N{INVERTED QUESTION MARK}\N{INVERTED EXCLAMATION MARK}"
CAPITALISED = ("The", "In", "A", "We", "It", "This")


class NGrams:
    """A model that KenLM reads; probabilities are natural logarithms."""

    def __init__(self, path: Path, language: str = "en") -> None:
        """Raises InputError where the file is no model, or says nothing about unknown words."""
        require_generation("--lm")
        import kenlm

        self._path = existing_file(path, EXPECTED)
        try_kenlm(path)
        self._model: Any = _open(path)
        self._state = kenlm.State
        self.tokens = tokenizer(language)
        self.order: int = self._model.order
        self.keeps_case = any(word in self._model for word in CAPITALISED)
        beginning = kenlm.State()
        self._model.BeginSentenceWrite(beginning)
        self.start: Hashable = beginning
        if self.extend(self.start, NOBODYS_WORD)[0] <= NOT_STATED * LN10:
            raise InputError(
                path,
                expected="`<unk>` among its unigrams, the probability of unknown words",
                found="none",
                remedy="train it with lmplz (`python -m generation lm --train`), which adds it",
            )

    @cached_property
    def name(self) -> str:
        """Kind, file and digest."""
        return f"{self.order}-gram {self._path.name} {files_digest([self._path])}"

    def word(self, surface: str) -> str:
        """The surface form in lower case, where the model's words are."""
        return surface if self.keeps_case else surface.lower()

    def knows(self, word: str) -> bool:
        """Whether the model has seen the word."""
        return word in self._model

    def extend(self, state: Any, word: str) -> tuple[float, Any]:
        """The natural logarithm of the word's probability after the state, and the state after the word."""
        following = self._state()
        return self._model.BaseScore(state, word, following) * LN10, following

    def finish(self, state: Any) -> float:
        """The natural logarithm of the probability that the text ends after the state."""
        return self.extend(state, "</s>")[0]

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The natural logarithm of each text's probability, its end included."""
        spelled = (" ".join(map(self.word, self.tokens(text))) for text in texts)
        return np.array([self._model.score(text) for text in spelled], dtype=np.float64) * LN10


@contextmanager
def _silent() -> Iterator[None]:
    """Keep from the screen what KenLM's own code writes there: what matters is said in one line of ours."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _open(path: Path) -> Any:
    import kenlm

    settings = kenlm.Config()
    settings.show_progress, settings.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    try:
        with _silent():
            return kenlm.Model(str(path), settings)
    except (OSError, RuntimeError, ValueError) as fault:  # ValueError: its message quotes bytes that are no text
        raise InputError(
            path,
            expected=EXPECTED,
            found=" ".join(str(fault).rpartition(" threw ")[2].split())[:200],
            remedy=REMEDY,
        ) from fault
