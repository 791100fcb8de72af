"""What the room asks of a language model, a tagger and a translator; each adapter names the files it reads."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class LanguageModel(Protocol):
    """Says how likely texts are."""

    @property
    def name(self) -> str:
        """Kind, file and digest, for manifests and the column `model`."""
        ...

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The natural logarithm of each text's probability, its end included."""
        ...


class StepwiseModel(LanguageModel, Protocol):
    """A language model that can be asked word by word, as the search of word swapping does."""

    start: Hashable
    """The state before the first word. States with the same future are equal."""

    def word(self, surface: str) -> str:
        """The surface form as the model spells it."""
        ...

    def extend(self, state: Any, word: str) -> tuple[float, Any]:
        """The natural logarithm of the word's probability after the state, and the state after the word."""
        ...

    def finish(self, state: Any) -> float:
        """The natural logarithm of the probability that the text ends after the state."""
        ...


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A stretch of tokens that names something."""

    start: int
    """Its first token."""
    end: int
    """The token after its last."""
    label: str
    """The tagger's name for its kind: `PERSON`, `GPE` …"""
    probability: float
    """From 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Tagged:
    """A text with its tokens and their analysis; white space belongs to no token, so that the text stays as it is."""

    text: str
    starts: tuple[int, ...]
    """Where each token begins in the text."""
    ends: tuple[int, ...]
    """Where each token ends."""
    tags: tuple[str, ...]
    """The part of speech of each token, in the tags of the Penn Treebank where the tagger knows them."""
    heads: tuple[int, ...]
    """The token that each token depends on; of a root, itself."""
    relations: tuple[str, ...]
    """How it depends on that: `nsubj`, `conj` …"""
    entities: tuple[Entity, ...]

    @property
    def tokens(self) -> list[str]:
        """The tokens' surface forms."""
        return [self.text[start:end] for start, end in zip(self.starts, self.ends, strict=True)]


class Tagger(Protocol):
    """Finds tokens, parts of speech, dependencies and entities."""

    @property
    def name(self) -> str:
        """Pipeline and digest, for manifests."""
        ...

    def tag(self, texts: Sequence[str]) -> list[Tagged]:
        """Each text with its analysis."""
        ...


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A text that was translated there and back."""

    text: str
    via: str
    """The text in the other language."""
    score: float | None
    """The translator's own; None where it states none."""
    rank_there: int
    """Place among the translations of the source, from 0."""
    rank_back: int
    """Place among those back, from 0."""
    untranslated: tuple[str, ...] = ()
    """Words of the other language that stayed, where the translator says which."""


class Translator(Protocol):
    """Translates texts into another language and back."""

    @property
    def name(self) -> str:
        """Engine, languages and digest, for manifests and the column `model`."""
        ...

    k: int
    """How many results it gives each way."""

    def there_and_back(self, texts: Sequence[str]) -> list[list[Translation]]:
        """At most k times k translations of each text, best first."""
        ...
