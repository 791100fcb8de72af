"""The room's configuration and its recipes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from data.errors import InputError

Clusters = Literal["kmeans", "ward"]
Selection = Literal["random", "balanced", "low-overlap", "high-overlap", "cover"]

WORDS_TO_READ = 4_000_000
FEWEST_EPOCHS, MOST_EPOCHS = 5, 20


def epochs_for(n_words: int) -> int:
    """How often word2vec reads a corpus of so many words where nothing else is said: four million words in all.

    At least 5 times and at most 20: a small corpus needs many passes, a large one has said it all in few.
    """
    return max(FEWEST_EPOCHS, min(MOST_EPOCHS, -(-WORDS_TO_READ // max(1, n_words))))


@dataclass(frozen=True, kw_only=True)
class Config:
    """How definitions become vectors, clusters and pairs. Sections are those of He et al. 2020 (PARADE)."""

    vectors: Literal["word2vec", "word2vec-sif", "tfidf", "minilm"] = "word2vec"
    """What a definition's vector is: the mean of its words' vectors (section 3.1); the same with frequent words
    weighing less and the common direction taken out (SIF, Arora et al. 2017); its lemmas weighed by TF-IDF; a
    sentence model's."""
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """The sentence model of `minilm`: a folder, or a name that sentence-transformers knows (needs the extra minilm)."""
    vector_size: int = 300
    """Dimensions of the word vectors (section 3.1: 300)."""
    skip_gram: bool = False
    """Train word2vec by skip-gram; else by continuous bag of words (the paper is silent: gensim's default)."""
    window: int = 5
    """Words on each side that word2vec looks at (the paper is silent: gensim's default)."""
    epochs: int | None = 5
    """Times that word2vec reads the definitions (the paper is silent: gensim's default, 5); where none, as often as
    makes four million words, at least 5 times and at most 20."""
    min_count: int = 1
    """Rarer words get no vector (the paper is silent: 1, so that every word has one; gensim's default is 5)."""
    clusters: Clusters = "kmeans"
    """How each entity's definitions fall into clusters (section 3.1: k-means). Ward's method needs no
    random start, is some ten times faster, and on the released definitions has the smaller sum of squares."""
    cluster_size: float = 2
    """Definitions of a cluster on average: k = n / so many, rounded down, at least 1 (section 3.1: half as many
    clusters as definitions). Larger clusters give more pairs to select from."""
    exact_size: int = 1_000
    """An entity with more definitions is first split into halves along its longest axis until the parts are so small:
    time then grows with the definitions, not their square (ours; no released entity has more than 235). Of 2,000
    released definitions taken as one entity, the split costs 1.9 % in the sum of squares and keeps 41 % of the pairs of
    k-means (another seed: 46 %), 74 % of Ward's (`benchmarks.split`)."""
    n_init: int = 10
    """Starts of k-means for an entity, of which the best counts (the paper is silent: scikit-learn's long default)."""
    min_edit_similarity: float = 0.9
    """Pairs at least so alike, from 0 to 1, differ only in typos (section 3.1 after Lan et al. 2017; our figure)."""
    selection: Selection = "random"
    """What the rank of a pair follows: a seeded random order; as many of each tenth of the overlap (Jaccard) in turn;
    the lowest overlap first; the highest first; every entity in turn, each with the pair that overlap tells least about
    (the paper is silent: random)."""
    max_pairs: Annotated[int | None, tyro.conf.arg(aliases=["--budget"])] = None
    """Keep the first so many pairs by rank; all where none (the paper's 10,182 show a step that it does not name)."""
    seed: int = 1
    """All randomness comes from here."""

    def __post_init__(self) -> None:
        """Raises InputError for a value outside its range."""
        for name in ("vector_size", "window", "min_count", "n_init"):
            _check(name, getattr(self, name), getattr(self, name) >= 1, "a number of at least 1")
        for name in ("epochs", "max_pairs"):
            value = getattr(self, name)
            _check(name, value, value is None or value >= 1, "at least 1, or none")
        _check("cluster_size", self.cluster_size, 1 <= self.cluster_size < float("inf"), "a number of at least 1")
        _check("exact_size", self.exact_size, self.exact_size >= 2, "a number of at least 2")
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
        return cls(skip_gram=True, epochs=None, min_count=5)

    @classmethod
    def hard(cls) -> "Config":
        """Where experts' hours are short: pairs whose overlap misleads (`clustering.evaluate`: 919 and 0.798).

        Those are the hard pairs among 10,182 proposed ones, and the AUC of overlap alone; the recommended recipe has
        some 690 and 0.84.
        """
        return cls(vectors="tfidf", clusters="ward", cluster_size=3, selection="cover")


_OF_WORD2VEC = frozenset({"vector_size", "skip_gram", "window", "epochs", "min_count"})
HEEDED_BY: Mapping[str, Mapping[str, frozenset[str]]] = {
    "vectors": {"word2vec": _OF_WORD2VEC, "word2vec-sif": _OF_WORD2VEC, "minilm": frozenset({"model"})},
    "clusters": {"kmeans": frozenset({"n_init"})},
}
"""What of the configuration only some ways of vectors and clusters heed: choice -> way -> names."""


def _check(name: str, value: object, valid: bool, expected: str) -> None:
    if not valid:
        flag = "--" + name.replace("_", "-")
        raise InputError(flag, expected=expected, found=str(value), remedy="see --help")
