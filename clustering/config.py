"""The room's configuration and its recipes."""

from dataclasses import dataclass, replace
from typing import Literal

from data.console.errors import InputError
from data.console.marks import Advanced, Limit, NoFlag
from data.contract.vocabulary import FAR_ENDS, NEIGHBOURS, SENSES
from data.models.pretrained import PACKAGED
from data.texts.languages.base import Language, language
from data.texts.languages.en import ENGLISH

Clusters = Literal["kmeans", "ward"]
ByOverlap = Literal["random", "balanced", "low-overlap", "high-overlap", "cover"]
ByModel = Literal["uncertain", "disagreement", "misleading"]
WORD2VEC = ("word2vec", "word2vec-sif", "combined")
"""The vectors that are, or contain, word2vec's."""

WORDS_TO_READ = 630_000
FEWEST_EPOCHS, MOST_EPOCHS = 4, 7


FEW_WORDS, MANY_WORDS = 50_000, 1_000_000
SAME_WORDS = 0.9
"""All 18 released pairs with at least this overlap were called paraphrases by all three experts."""


def epochs_for(n_words: int) -> int:
    """The default number of word2vec's passes over a corpus of `n_words`: as many as make 630,000 words.

    At least 4 and at most 7: a small corpus needs many passes, a large one few. With the recommended learning rate and
    sample they lose at most 0.0015 of the AUC that three times as many give with gensim's (`studies.pairs.vectors`).
    """
    return max(FEWEST_EPOCHS, min(MOST_EPOCHS, -(-WORDS_TO_READ // max(1, n_words))))


def min_count_for(n_words: int) -> int:
    """The default of `min_count`: below a million words every word counts, beyond it rare words cost memory only."""
    return 1 if n_words < MANY_WORDS else 5


def word2vec_share_for(n_words: int) -> float:
    """The default of `word2vec_share`: 0.25 below 50,000 words (some 200 entities as in PARADE), otherwise 0.33.

    Few words teach word2vec little (`studies.pairs.vectors`).
    """
    return 0.25 if n_words < FEW_WORDS else 0.33


@dataclass(frozen=True, kw_only=True)
class Config:
    """How definitions become vectors, clusters and pairs. Sections refer to He et al. 2020 (PARADE)."""

    vectors: Literal["word2vec", "word2vec-sif", "tfidf", "combined", "minilm"] = "word2vec"
    """A definition's vector: the mean of its words' vectors (section 3.2); the same with less weight for frequent
    words and without the common direction (SIF, Arora et al. 2017); its lemmas weighted by TF-IDF; the SIF vector
    beside the TF-IDF of its stems; or a sentence model's vector."""
    word2vec_share: Advanced[float | None] = None
    """For `combined`, how much of a cosine comes from the SIF vectors, 0 to 1; if none, by size: 0.25 below 50,000
    words, otherwise 0.33."""
    model: Advanced[str] = PACKAGED
    """The sentence model for `minilm`: the one that the extra `models` brings, another's folder, or a name known to
    sentence-transformers."""
    vector_size: Advanced[int] = 300
    """Dimensions of the word vectors (section 3.2: 300)."""
    skip_gram: NoFlag[bool] = False
    """Train word2vec by skip-gram, otherwise by continuous bag of words (the paper is silent: gensim's default)."""
    window: NoFlag[int] = 5
    """Words of context on each side for word2vec (the paper is silent: gensim's default)."""
    epochs: Advanced[int | None] = 5
    """Passes of word2vec over the definitions (the paper is silent: gensim's default, 5); if none, as many as make
    630,000 words, at least 4 and at most 7."""
    learning_rate: NoFlag[float] = 0.025
    """Word2vec's learning rate at the start, which falls to almost 0 (the paper is silent: gensim's default)."""
    sample: NoFlag[float] = 1e-3
    """Words that make up more than this share of all are read less often by word2vec, 0 to 1 (the paper is silent:
    gensim's default)."""
    min_count: Advanced[int | None] = 1
    """Words that occur less often get no vector (the paper is silent: 1, so that every word has one; gensim's default
    is 5); if none, 1 below a million words, otherwise 5."""
    clusters: Clusters = "kmeans"
    """How each entity's definitions are clustered (section 3.2: k-means). Ward's method needs no random start, is about
    ten times faster, and gives a smaller sum of squares on the released definitions."""
    cluster_size: float = 2
    """Average number of definitions per cluster: k is n divided by it, rounded down, at least 1 (section 3.2: half as
    many clusters as definitions). Larger clusters give more pairs to select from."""
    exact_size: Advanced[int] = 1_000
    """An entity with more definitions is first halved along its longest axis until no part has more: time then grows
    with the number of definitions, not its square (our choice; no released entity has more than 235). For 2,000
    released definitions treated as one entity, the split raises the sum of squares by 1.9 % and keeps 41 % of the pairs
    of k-means (another seed: 46 %) and 74 % of Ward's (`studies.pairs.split`)."""
    n_init: NoFlag[int] = 10
    """Starts of k-means per entity, of which the best is kept (the paper is silent: scikit-learn's old default)."""
    min_edit_similarity: Advanced[float] = 0.9
    """Pairs with at least this edit similarity, 0 to 1, differ only in typos (section 3.2 after Lan et al. 2017; the
    threshold is ours)."""
    max_overlap: Advanced[float | None] = None
    """Pairs whose overlap (Jaccard of the content stems) is at least this, 0 to 1, say the same words in another form
    and are near duplicates, unless only one text has a negation; if none, they are kept (section 3.2 names no such
    rule)."""
    selection: ByOverlap = "random"
    """How pairs are ranked: in a seeded random order; each tenth of the overlap (Jaccard) in turn; lowest overlap
    first; highest overlap first; or each entity in turn, with the pair whose overlap says least about its label (the
    paper is silent: random)."""
    limit: Limit[int | None] = None
    """Keep at most this many pairs, the first by rank; all by default (that the paper has 10,182 implies a selection
    which it does not describe)."""
    neighbours: Advanced[int] = 0
    """Beside the pairs of clusters, at most this many pairs of two entities that share a head word (`type 1 diabetes`,
    `type 2 diabetes`), the most similar first; no entity's split group joins more than one other (our choice)."""
    senses: Advanced[int] = 0
    """At most this many pairs across two far-apart senses of an entity, beside the pairs of clusters (our choice)."""
    far_ends: Advanced[int] = 0
    """Take this many of the least similar pairs of clusters of four or more definitions first (our choice)."""
    language: str | None = None
    """The language of the definitions, `en` or `de`; by default as their table records."""
    seed: int = 1
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        _require_valid("vector_size", self.vector_size, self.vector_size >= 1, "a number of at least 1")
        for name in ("neighbours", "senses", "far_ends"):
            _require_valid(name, getattr(self, name), getattr(self, name) >= 0, "a number of at least 0")
        for name in ("epochs", "min_count", "limit"):
            value = getattr(self, name)
            _require_valid(name, value, value is None or value >= 1, "at least 1, or none")
        _require_valid(
            "cluster_size", self.cluster_size, 1 <= self.cluster_size < float("inf"), "a number of at least 1"
        )
        _require_valid("exact_size", self.exact_size, self.exact_size >= 2, "a number of at least 2")
        share = self.word2vec_share
        _require_valid("word2vec_share", share, share is None or 0 <= share <= 1, "a number from 0 to 1, or none")
        in_range = 0 <= self.min_edit_similarity <= 1
        _require_valid("min_edit_similarity", self.min_edit_similarity, in_range, "a number from 0 to 1")
        most = self.max_overlap
        _require_valid("max_overlap", most, most is None or 0 < most <= 1, "a number above 0 and at most 1, or none")
        _require_valid("seed", self.seed, 0 <= self.seed < 2**32, "a number from 0 to 4294967295")

    @property
    def known_language(self) -> Language:
        """The language; English where none is set."""
        return language(self.language) if self.language else ENGLISH

    @property
    def contrasts(self) -> dict[str, int]:
        """How many pairs of each kind are wanted that are likely no paraphrases; without kinds that are not."""
        wanted = {NEIGHBOURS: self.neighbours, SENSES: self.senses, FAR_ENDS: self.far_ends}
        return {kind: n for kind, n in wanted.items() if n}

    def at_size(self, n_words: int) -> "Config":
        """The configuration for a corpus of `n_words`: settings that follow the size and are none get their value."""
        sized = self
        if self.vectors in WORD2VEC:
            epochs, least = sized.epochs or epochs_for(n_words), sized.min_count or min_count_for(n_words)
            sized = replace(sized, epochs=epochs, min_count=least)
        if self.vectors == "combined" and self.word2vec_share is None:
            sized = replace(sized, word2vec_share=word2vec_share_for(n_words))
        return sized

    @classmethod
    def paper(cls) -> "Config":
        """The paper's procedure; where it is silent, the libraries' defaults, and a vector for every word."""
        return cls()

    @classmethod
    def recommended(cls) -> "Config":
        """Better vectors: word2vec beside TF-IDF raises the cosine's AUC against the experts from 0.61 to 0.77."""
        return cls(
            vectors="combined", vector_size=100, skip_gram=True, epochs=None, learning_rate=0.1, sample=3e-4,
            min_count=None, max_overlap=SAME_WORDS,
        )  # fmt: skip

    @classmethod
    def hard(cls) -> "Config":
        """Pairs whose overlap misleads, for when experts' hours are scarce.

        Of 10,182 proposed pairs 919 are hard, and overlap alone has an AUC of 0.798 (`studies.pairs.evaluate`); the
        recommended recipe has 821 and 0.822.
        """
        return cls(vectors="tfidf", clusters="ward", cluster_size=3, max_overlap=SAME_WORDS, selection="cover")


@dataclass(frozen=True, kw_only=True)
class SelectConfig:
    """How models choose the pairs to label next."""

    selection: ByModel = "uncertain"
    """Which pairs come first: those nearest to the threshold; those on which models or seeds disagree; or those whose
    label, as the models see it, most likely contradicts overlap."""
    random_share: float = 0.2
    """The share of the pairs that is drawn at random from all candidates, and marked, so that it can stand for all of
    them."""
    mix: float | None = None
    """The share of positive labels that is wanted among the pairs, by the models' scores: pairs that come later by
    --selection then take the place of others. If none, whatever --selection brings."""
    limit: Limit[int]
    """The number of pairs to label."""
    per_entity: Limit[int | None] = 5
    """At most this many pairs of one entity, beside the random share; if none, any number."""
    seed: int = 1
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        _require_valid("limit", self.limit, self.limit >= 1, "at least 1")
        _require_valid("mix", self.mix, self.mix is None or 0 < self.mix < 1, "a share between 0 and 1, or none")
        _require_valid("random_share", self.random_share, 0 <= self.random_share <= 1, "a share from 0 to 1")
        _require_valid(
            "per_entity", self.per_entity, self.per_entity is None or self.per_entity >= 1, "at least 1, or none"
        )
        _require_valid("seed", self.seed, 0 <= self.seed < 2**32, "a number from 0 to 4294967295")


def _require_valid(name: str, value: object, valid: bool, expected: str) -> None:
    if not valid:
        flag = "--" + name.replace("_", "-")
        raise InputError(flag, expected=expected, found=str(value), remedy="see --help")
