"""Definitions as vectors: means of word2vec vectors trained on them, TF-IDF, both combined, or a sentence model's."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from clustering.config import FEWEST_EPOCHS, Config
from data.models import sentence_models
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.words import count_words

Dense = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Combined:
    """Rows in two parts, side by side: the cosine is the mean of both parts', weighted by their squared lengths."""

    sparse: csr_matrix
    dense: Dense

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.dense.shape[0], self.sparse.shape[1] + self.dense.shape[1]

    def __getitem__(self, rows: Any) -> "Combined":
        """The given rows of both parts."""
        return Combined(sparse=self.sparse[rows], dense=self.dense[rows])


Vectors = Dense | csr_matrix | Combined
"""One row per definition; rows of TF-IDF are sparse."""
Mask = NDArray[np.bool_]

SIF_WEIGHT = 1e-3
"""A word that makes up this share of all words has weight 1/2 (Arora et al. 2017, section 4: 1e-3 to 1e-4 do best)."""
BLOCK_ROWS = 65_536
"""Rows that are copied at once: 160 MB in double precision at 300 dimensions."""

Watch = Callable[..., Iterator[Any]]
"""Show the progress of an iteration: `data.console.commands.progress`, or `unwatched`."""


def unwatched(items: Any, **_: Any) -> Iterator[Any]:
    """The items; no progress is shown."""
    return iter(items)


@dataclass(frozen=True, kw_only=True)
class NumberedSentences:
    """Each sentence's words in order, as numbers, so that no later step looks a word up again."""

    words: list[str]
    """Every word once, in the order in which they first appear."""
    numbers: NDArray[np.int32]
    """The index in `words` of each word of all sentences, one sentence after the other."""
    starts: NDArray[np.int64]
    """Where in `numbers` each sentence begins, and where the last one ends: one entry more than sentences."""

    @classmethod
    def of(cls, sentences: Iterable[Iterable[str]]) -> "NumberedSentences":
        """The sentences, each given as its words."""
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__
        numbers, starts = array("i"), array("q", [0])
        for sentence in sentences:
            numbers.extend(map(number_of.__getitem__, sentence))
            starts.append(len(numbers))
        return cls(words=list(number_of), numbers=np.array(numbers, np.int32), starts=np.array(starts, np.int64))

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[list[str]]:
        """Each sentence's words, as gensim reads them."""
        names = np.array(self.words, dtype=object)
        for start, end in pairwise(self.starts.tolist()):
            yield names[self.numbers[start:end]].tolist()


@dataclass(frozen=True, kw_only=True)
class WordVectors:
    """The known words and their vectors: one row per word, in the same order."""

    words: list[str]
    matrix: Dense


def describe(texts: Sequence[str], config: Config, watch: Watch = unwatched) -> tuple[Vectors, Mask]:
    """The vectors of the texts that have one, a row each in the texts' order, and a mask of those texts.

    Raises InputError if a sentence model is asked for and cannot be loaded.
    """
    if config.vectors == "minilm":
        return sentence_models.encoder(config.model, "--model", watch)(texts), np.ones(len(texts), dtype=bool)
    config = config.at_size(sum(map(count_words, texts)))
    sentences = read_lemmas(watch(texts, label="lemmas", unit="definitions", total=len(texts)), config.known_language)
    if config.vectors == "tfidf":
        return weight(sentences)
    known_words = train_word2vec(sentences, config, watch)
    if config.vectors == "combined":
        return combine(
            sentences, stem_words(sentences, config.known_language), known_words, config.word2vec_share or 0.0
        )
    return (smooth if config.vectors == "word2vec-sif" else average)(sentences, known_words)


def read_lemmas(texts: Iterable[str], language: Language = ENGLISH) -> NumberedSentences:
    """Each text's lemmas in order, punctuation included (section 3.2, footnote 4)."""
    return NumberedSentences.of(language.lemmas(language.tokens(text)) for text in texts)


def train_word2vec(sentences: NumberedSentences, config: Config, watch: Watch = unwatched) -> WordVectors:
    """The vectors of the words that occur at least `min_count` times in the sentences; empty if no word does.

    Trained on one thread, so that sentences, configuration and kernel determine every bit. Source: section 3.2.
    """
    model = Word2Vec(
        vector_size=config.vector_size,
        window=config.window,
        min_count=config.min_count or 1,
        sg=int(config.skip_gram),
        alpha=config.learning_rate,
        sample=config.sample,
        seed=config.seed,
        workers=1,
    )
    model.build_vocab(sentences)
    if len(model.wv) > 0:
        n_epochs = config.epochs or FEWEST_EPOCHS
        bar = _EpochBar(watch(range(n_epochs), label="word2vec", unit="epochs", total=n_epochs))
        model.train(sentences, total_examples=len(sentences), epochs=n_epochs, callbacks=[bar])
    return WordVectors(words=list(model.wv.index_to_key), matrix=model.wv.vectors)


def average(sentences: NumberedSentences, known: WordVectors) -> tuple[Dense, Mask]:
    """The mean vector of each sentence's known words, with repetitions, and a mask of the sentences that have one.

    Float32; one row per sentence with a known word, in the sentences' order: the others have no mean.
    """
    bags = _bags(sentences, known.words)
    counts = np.asarray(bags.sum(axis=1)).ravel()
    has_word = counts > 0
    means: Dense = (bags if has_word.all() else bags[has_word]) @ known.matrix
    means /= counts[has_word, None]
    return means, has_word


def smooth(sentences: NumberedSentences, known: WordVectors) -> tuple[Dense, Mask]:
    """Like `average`, with words weighted by a / (a + share of all words) and without the direction common to all.

    Rows have length 1. Source: Arora et al. 2017, algorithm 1.
    """
    counted = pd.Series(np.bincount(sentences.numbers, minlength=len(sentences.words)), index=sentences.words)
    share = counted.reindex(known.words).to_numpy(dtype=np.float64) / max(1, len(sentences.numbers))
    weights = (SIF_WEIGHT / (SIF_WEIGHT + share)).astype(np.float32)
    means, has_word = average(sentences, WordVectors(words=known.words, matrix=known.matrix * weights[:, None]))
    _remove_common_direction(means)
    return means, has_word


def _remove_common_direction(rows: Dense) -> None:
    """Take the first singular direction out of the rows and give them length 1, in place and block by block.

    Computed on one thread, since the number of threads changes the last bits.
    """
    blocks = [rows[start : start + BLOCK_ROWS] for start in range(0, len(rows), BLOCK_ROWS)]
    with threadpool_limits(1):
        squares = sum((block.T.astype(np.float64) @ block for block in blocks), start=np.zeros((rows.shape[1],) * 2))
        common = np.linalg.eigh(squares)[1][:, -1].astype(np.float32)
        for block in blocks:
            np.subtract(block, np.outer(block @ common, common), out=block)
            lengths = np.linalg.norm(block, axis=1, keepdims=True)
            np.divide(block, np.maximum(lengths, np.finfo(np.float32).tiny), out=block)


def weight(sentences: NumberedSentences, *, sublinear: bool = False) -> tuple[csr_matrix, Mask]:
    """Each sentence's words weighted by TF-IDF, in rows of length 1, and a mask of the sentences that have a word.

    The weight is scikit-learn's: count x (1 + ln((1 + sentences) / (1 + sentences with the word))); if `sublinear`,
    with 1 + ln(count) for the count.
    """
    bags = _bags(sentences, sorted(sentences.words))
    frequencies = np.bincount(bags.indices, minlength=bags.shape[1])
    rarity = 1 + np.log((1 + len(sentences)) / (1 + frequencies))
    has_word = np.diff(bags.indptr) > 0
    weighted = bags[has_word]
    if sublinear:
        weighted.data = 1 + np.log(weighted.data)
    weighted.data *= rarity.astype(np.float32)[weighted.indices]
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    weighted.data /= np.repeat(lengths, np.diff(weighted.indptr))
    return weighted, has_word


def combine(
    sentences: NumberedSentences, stemmed: NumberedSentences, known: WordVectors, word2vec_share: float
) -> tuple[Combined, Mask]:
    """TF-IDF of stems beside `smooth`: both in rows of length 1, scaled so that the second has its share of a cosine.

    A sentence with a word has a row; where no word of it is known, the second part is zero.
    """
    sparse, has_word = weight(stemmed, sublinear=True)
    means, is_known = smooth(sentences, known)
    if not is_known.all():
        rows = np.zeros((len(sentences), means.shape[1]), dtype=np.float32)
        rows[is_known] = means
        means = rows[has_word]
    sparse.data *= np.float32(np.sqrt(1 - word2vec_share))
    means *= np.float32(np.sqrt(word2vec_share))
    return Combined(sparse=sparse, dense=means), has_word


def stem_words(sentences: NumberedSentences, language: Language = ENGLISH) -> NumberedSentences:
    """The sentences with the stem of each word in its place."""
    numbers, stems = pd.factorize(pd.Series(language.stems(sentences.words), dtype=object))
    return NumberedSentences(
        words=list(stems), numbers=numbers.astype(np.int32)[sentences.numbers], starts=sentences.starts
    )


def dense(vectors: Vectors) -> Dense:
    """The rows as a dense matrix; of sparse rows, without the columns that are zero in all of them."""
    if isinstance(vectors, np.ndarray):
        return vectors
    if isinstance(vectors, Combined):
        return np.hstack([dense(vectors.sparse), vectors.dense])
    rows: Dense = vectors[:, np.unique(vectors.indices)].toarray()
    return rows


def _bags(sentences: NumberedSentences, vocabulary: list[str]) -> csr_matrix:
    """How often each sentence (row) contains each word of the vocabulary (column), in float32; columns ascend."""
    column_of = pd.Index(vocabulary, dtype=object).get_indexer(pd.Index(sentences.words, dtype=object))
    columns = column_of.astype(np.int32)[sentences.numbers]
    is_known = columns >= 0
    starts = np.concatenate([[0], np.cumsum(is_known)])[sentences.starts]
    ones = np.ones(starts[-1], dtype=np.float32)
    bags = csr_matrix((ones, columns[is_known], starts), shape=(len(sentences), len(vocabulary)))
    bags.sum_duplicates()
    return bags


class _EpochBar(CallbackAny2Vec):  # type: ignore[misc]
    """Advance a progress bar with every epoch."""

    def __init__(self, epochs: Iterator[int]) -> None:
        self._epochs = epochs

    def on_epoch_begin(self, _model: Word2Vec) -> None:
        next(self._epochs, None)

    def on_train_end(self, _model: Word2Vec) -> None:
        next(self._epochs, None)
