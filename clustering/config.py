"""The room's configuration and its two recipes."""

from dataclasses import dataclass
from typing import Literal

from data.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Config:
    """How definitions become vectors, clusters and pairs. Sections are those of He et al. 2020 (PARADE)."""

    vector_size: int = 300
    """Dimensions of the word vectors (section 3.1: 300)."""
    skip_gram: bool = False
    """Train word2vec by skip-gram; else by continuous bag of words (the paper is silent: gensim's default)."""
    window: int = 5
    """Words on each side that word2vec looks at (the paper is silent: gensim's default)."""
    epochs: int = 5
    """Times that word2vec reads the definitions (the paper is silent: gensim's default)."""
    min_count: int = 1
    """Rarer words get no vector (the paper is silent: 1, so that every word has one; gensim's default is 5)."""
    clusters: Literal["kmeans", "ward"] = "kmeans"
    """How each entity's definitions fall into half as many clusters (section 3.1: k-means). Ward's method needs no
    random start, is some ten times faster, and on the released definitions has the smaller sum of squares."""
    n_init: int = 10
    """Starts of k-means for an entity, of which the best counts (the paper is silent: scikit-learn's long default)."""
    min_edit_similarity: float = 0.9
    """Pairs at least so alike, from 0 to 1, differ only in typos (section 3.1 after Lan et al. 2017; our figure)."""
    selection: Literal["random", "balanced", "low-overlap", "high-overlap"] = "random"
    """What the rank of a pair follows: a seeded random order; as many of each tenth of the overlap (Jaccard) in turn;
    the lowest overlap first; the highest first (the paper is silent: random)."""
    max_pairs: int | None = None
    """Keep the first so many pairs by rank; all where none (the paper's 10,182 show a step that it does not name)."""
    seed: int = 1
    """All randomness comes from here."""

    def __post_init__(self) -> None:
        """Raises InputError for a value outside its range."""
        for name in ("vector_size", "window", "epochs", "min_count", "n_init"):
            _check(name, getattr(self, name), getattr(self, name) >= 1, "a number of at least 1")
        _check("max_pairs", self.max_pairs, self.max_pairs is None or self.max_pairs >= 1, "at least 1, or none")
        in_range = 0 <= self.min_edit_similarity <= 1
        _check("min_edit_similarity", self.min_edit_similarity, in_range, "a number from 0 to 1")
        _check("seed", self.seed, 0 <= self.seed < 2**32, "a number from 0 to 4294967295")

    @classmethod
    def paper(cls) -> "Config":
        """What the paper says; where it is silent, the libraries' defaults, and a vector for every word."""
        return cls()

    @classmethod
    def recommended(cls) -> "Config":
        """Better trained: skip-gram and 20 epochs lift the cosine's AUC against the experts from 0.61 to 0.74."""
        return cls(skip_gram=True, epochs=20, min_count=5)


def _check(name: str, value: object, valid: bool, expected: str) -> None:
    if not valid:
        flag = "--" + name.replace("_", "-")
        raise InputError(flag, expected=expected, found=str(value), remedy="see --help")
