"""Definitions as vectors: the mean of word2vec vectors trained on them, SIF, TF-IDF, or a sentence model's."""

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

from clustering.config import Config, epochs_for
from data import sentence_models, words

Dense = NDArray[np.float32]
Vectors = Dense | csr_matrix
"""A row a definition; TF-IDF's are sparse."""
Mask = NDArray[np.bool_]

SIF_WEIGHT = 1e-3
"""Words of this share of all words weigh half (Arora et al. 2017, section 4: 1e-3 to 1e-4 do best)."""

Watch = Callable[..., Iterator[Any]]
"""Shows the progress of what is iterated: `data.console.progress`, or nothing."""


def unwatched(items: Any, **_: Any) -> Iterator[Any]:
    """The items, with no progress shown."""
    return iter(items)


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """Each sentence's words in their order, as numbers, so that no later stage looks up a word again."""

    words: list[str]
    """Every word once, in the order in which they first appear."""
    numbers: NDArray[np.int32]
    """The place in `words` of each word of all sentences, one sentence after the other."""
    starts: NDArray[np.int64]
    """Where in `numbers` each sentence begins, and where the last one ends: one more than there are sentences."""

    @classmethod
    def of(cls, sentences: Iterable[Iterable[str]]) -> "Sentences":
        """The sentences, each given by its words."""
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__
        numbers, starts = array("i"), array("q", [0])
        for sentence in sentences:
            numbers.extend(map(number_of.__getitem__, sentence))
            starts.append(len(numbers))
        return cls(words=list(number_of), numbers=np.array(numbers, np.int32), starts=np.array(starts, np.int64))

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[list[str]]:
        """Each sentence's words, as gensim reads them."""
        names = np.array(self.words, dtype=object)
        for start, end in pairwise(self.starts.tolist()):
            yield names[self.numbers[start:end]].tolist()


@dataclass(frozen=True, kw_only=True)
class WordVectors:
    """The known words and their vectors, one row a word in the words' order."""

    words: list[str]
    matrix: Dense


def describe(texts: Sequence[str], config: Config, watch: Watch = unwatched) -> tuple[Vectors, Mask]:
    """The vectors of the texts that have one, a row each in their order, and which texts those are.

    Raises InputError where a sentence model is wanted and cannot be loaded.
    """
    if config.vectors == "minilm":
        return sentence_models.encoder(config.model, "--model", watch)(texts), np.ones(len(texts), dtype=bool)
    sentences = read_lemmas(watch(texts, label="lemmas", unit="definitions", total=len(texts)))
    if config.vectors == "tfidf":
        return weigh(sentences)
    known_words = train_word2vec(sentences, config, watch)
    return (smooth if config.vectors == "word2vec-sif" else average)(sentences, known_words)


def read_lemmas(texts: Iterable[str]) -> Sentences:
    """Each text's lemmas in their order, punctuation among them (section 3.1, footnote 4)."""
    return Sentences.of(words.lemmas(words.tokens(text)) for text in texts)


def train_word2vec(sentences: Sentences, config: Config, watch: Watch = unwatched) -> WordVectors:
    """The vectors of the words that occur `min_count` times in the sentences; none where no word does.

    One thread, so that sentences, configuration and kernel decide every bit. Source: section 3.1.
    """
    model = Word2Vec(
        vector_size=config.vector_size,
        window=config.window,
        min_count=config.min_count,
        sg=int(config.skip_gram),
        seed=config.seed,
        workers=1,
    )
    model.build_vocab(sentences)
    if len(model.wv) > 0:
        n_epochs = config.epochs or epochs_for(len(sentences.numbers))
        bar = _EpochBar(watch(range(n_epochs), label="word2vec", unit="epochs", total=n_epochs))
        model.train(sentences, total_examples=len(sentences), epochs=n_epochs, callbacks=[bar])
    return WordVectors(words=list(model.wv.index_to_key), matrix=model.wv.vectors)


def average(sentences: Sentences, known: WordVectors) -> tuple[Dense, Mask]:
    """The mean of each sentence's known words, counted as often as they occur, and which sentences have one.

    Float32, a row for each sentence that has a known word, in their order: the others have no mean.
    """
    bags = _bags(sentences, known.words)
    counts = np.asarray(bags.sum(axis=1)).ravel()
    has_word = counts > 0
    means: Dense = (bags if has_word.all() else bags[has_word]) @ known.matrix
    means /= counts[has_word, None]
    return means, has_word


def smooth(sentences: Sentences, known: WordVectors) -> tuple[Dense, Mask]:
    """As `average`, of words weighed by a / (a + their share of all words), without the direction that all share.

    Rows have length 1. On one thread: their number would move the last bits. Source: Arora et al. 2017, algorithm 1.
    """
    counted = pd.Series(np.bincount(sentences.numbers, minlength=len(sentences.words)), index=sentences.words)
    share = counted.reindex(known.words).to_numpy(dtype=np.float64) / max(1, len(sentences.numbers))
    weights = (SIF_WEIGHT / (SIF_WEIGHT + share)).astype(np.float32)
    means, has_word = average(sentences, WordVectors(words=known.words, matrix=known.matrix * weights[:, None]))
    if len(means):
        with threadpool_limits(1):
            common = np.linalg.eigh(means.T.astype(np.float64) @ means)[1][:, -1].astype(np.float32)
            means -= np.outer(means @ common, common)
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return means, has_word


def weigh(sentences: Sentences) -> tuple[csr_matrix, Mask]:
    """Each sentence's lemmas weighed by how often they stand in it and how few sentences hold them; rows of length 1.

    The weight is scikit-learn's: count x (1 + ln((1 + n) / (1 + sentences with it))).
    """
    bags = _bags(sentences, sorted(sentences.words))
    frequencies = np.bincount(bags.indices, minlength=bags.shape[1])
    rarity = 1 + np.log((1 + len(sentences)) / (1 + frequencies))
    has_word = np.diff(bags.indptr) > 0
    weighed = bags[has_word]
    weighed.data *= rarity.astype(np.float32)[weighed.indices]
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    weighed.data /= np.repeat(lengths, np.diff(weighed.indptr))
    return weighed, has_word


def dense(vectors: Vectors) -> Dense:
    """The rows as a plain matrix; of sparse ones without the columns that are zero in all of them."""
    if isinstance(vectors, np.ndarray):
        return vectors
    rows: Dense = vectors[:, np.unique(vectors.indices)].toarray()
    return rows


def _bags(sentences: Sentences, vocabulary: list[str]) -> csr_matrix:
    """How often each sentence (row) holds each word of the vocabulary (column), in float32; columns ascend in a row."""
    column_of = pd.Index(vocabulary, dtype=object).get_indexer(pd.Index(sentences.words, dtype=object))
    columns = column_of.astype(np.int32)[sentences.numbers]
    is_known = columns >= 0
    starts = np.concatenate([[0], np.cumsum(is_known)])[sentences.starts]
    ones = np.ones(starts[-1], dtype=np.float32)
    bags = csr_matrix((ones, columns[is_known], starts), shape=(len(sentences), len(vocabulary)))
    bags.sum_duplicates()
    return bags


class _EpochBar(CallbackAny2Vec):  # type: ignore[misc]
    """Moves a progress bar on with every epoch."""

    def __init__(self, epochs: Iterator[int]) -> None:
        self._epochs = epochs

    def on_epoch_begin(self, _model: Word2Vec) -> None:
        next(self._epochs, None)

    def on_train_end(self, _model: Word2Vec) -> None:
        next(self._epochs, None)
