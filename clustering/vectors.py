"""Definitions as vectors: lemmas, word2vec trained on them, and the mean of the known words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from clustering.config import Config
from data import words

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class WordVectors:
    """The known words and their vectors, one row a word in the words' order."""

    words: list[str]
    matrix: Vectors


def read_lemmas(texts: Sequence[str]) -> list[list[str]]:
    """Each text's lemmas in their order, punctuation among them (section 3.1, footnote 4)."""
    return [words.lemmas(words.tokens(text)) for text in texts]


def train_word2vec(sentences: Sequence[list[str]], config: Config, epochs: Iterator[int]) -> WordVectors:
    """The vectors of the words that occur `min_count` times in the sentences; none where no word does.

    One thread, so that sentences, configuration and kernel decide every bit. The iterator `epochs` is moved on
    with every epoch, so that a bar can show it. Source: section 3.1.
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
        count = {"total_examples": model.corpus_count, "epochs": config.epochs}
        model.train(sentences, **count, callbacks=[_EpochBar(epochs)])
    return WordVectors(words=list(model.wv.index_to_key), matrix=model.wv.vectors)


def average(sentences: Sequence[list[str]], known: WordVectors) -> tuple[Vectors, NDArray[np.bool_]]:
    """The mean of each sentence's known words, counted as often as they occur, and which sentences have one.

    Float32, a row for each sentence that has a known word, in their order: the others have no mean.
    """
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    tokens = pd.Index(list(chain.from_iterable(sentences)), dtype=object)
    found = pd.Index(known.words, dtype=object).get_indexer(tokens)
    rows, columns = np.repeat(np.arange(len(sentences)), lengths)[found >= 0], found[found >= 0]
    shape = (len(sentences), len(known.words))
    bags = csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)
    counts = np.bincount(rows, minlength=len(sentences)).astype(np.float32)
    has_word = counts > 0
    return (bags[has_word] @ known.matrix) / counts[has_word, None], has_word


class _EpochBar(CallbackAny2Vec):  # type: ignore[misc]
    """Moves a progress bar on with every epoch."""

    def __init__(self, epochs: Iterator[int]) -> None:
        self._epochs = epochs

    def on_epoch_begin(self, _model: Word2Vec) -> None:
        next(self._epochs, None)

    def on_train_end(self, _model: Word2Vec) -> None:
        next(self._epochs, None)
