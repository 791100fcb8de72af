"""Vectors of the words of a data set: learned from its own texts, or read from a file."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.console.errors import InputError, TableError
from data.console.messages import progress
from data.files.sheets import read_lines
from data.texts.identity import digest, file_digest
from data.texts.languages.en import ENGLISH

WORDS_TO_READ = 4_000_000
"""As many passes over the texts as make this many words, at least 5 and at most 20: few words need many passes."""
LARGE_CORPUS_WORDS = 1_000_000
"""From this number of words on, words that occur fewer than 5 times get no vector, and the continuous bag of words,
which is several times faster, takes the place of skip-gram."""
MIN_VECTOR_FIELDS = 2


@dataclass(frozen=True, kw_only=True)
class TrainedVectors:
    """Words and their vectors, one row per word."""

    words: list[str]
    matrix: NDArray[np.float32]
    origin: dict[str, Any]
    """Where they come from, with digests."""


def distinct_words(texts: Sequence[str]) -> set[str]:
    """The distinct words of the texts, lower-cased."""
    return {word for text in texts for word in ENGLISH.tokens(text)}


def learn(texts: Sequence[str], wanted: Collection[str], size: int, seed: int) -> TrainedVectors:
    """Vectors of the wanted words by word2vec.

    On one thread: the same texts and seed give the same vectors.
    """
    from gensim.models import Word2Vec

    sentences = [list(ENGLISH.tokens(text)) for text in progress(texts, label="words", unit="texts")]
    n_words = sum(map(len, sentences))
    many = n_words >= LARGE_CORPUS_WORDS
    epochs = max(5, min(20, -(-WORDS_TO_READ // max(1, n_words))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Word2Vec(
            vector_size=size, sg=int(not many), min_count=5 if many else 1, seed=seed, workers=1, epochs=epochs
        )
        model.build_vocab(sentences)
        if model.wv.key_to_index:
            model.train(SentencesOnScreen(sentences, epochs), total_examples=len(sentences), epochs=epochs)
    words = sorted(word for word in model.wv.key_to_index if word in wanted)
    matrix = np.stack([model.wv[word] for word in words]) if words else np.zeros((0, size), dtype=np.float32)
    origin = {"learned_from": f"{len(texts)} texts", "words": n_words, "epochs": epochs, "digest": digest(*texts)}
    return TrainedVectors(words=words, matrix=matrix.astype(np.float32), origin=origin)


class SentencesOnScreen:
    """Sentences that show the progress of each pass over them."""

    def __init__(self, sentences: Sequence[list[str]], n_passes: int) -> None:
        self._sentences, self._n_passes, self._passed = sentences, n_passes, 0

    def __iter__(self) -> Iterator[list[str]]:
        """The sentences once."""
        self._passed += 1
        label = f"word vectors {self._passed}/{self._n_passes}"
        yield from progress(self._sentences, label=label, unit="texts", total=len(self._sentences))


def read(path: Path, wanted: Collection[str]) -> TrainedVectors:
    """The vectors of the wanted words in a text file of word2vec's or GloVe's form, plain or .gz.

    A lower-cased word takes its own vector, otherwise the vector of its first form in other letters. Raises InputError
    or TableError where the file is missing or a line has another form.
    """
    if not path.is_file():
        raise InputError(
            f"--vectors {path}", expected="a text file of word vectors", found="nothing there", remedy="check the path"
        )
    rows: dict[str, NDArray[np.float32]] = {}
    exact: set[str] = set()
    width = 0
    lines = read_lines(path, "a text file of word vectors")
    for number, line in enumerate(progress(lines, label="word vectors", unit="words"), start=1):
        cells = line.rstrip().split(" ") if not width else line.rstrip().rsplit(" ", width)
        if not width:
            if number == 1 and len(cells) == 2 and all(map(str.isdecimal, cells)):
                continue
            width = len(cells) - 1
        word = cells[0]
        key = word.lower()
        if key not in wanted or key in exact or (word != key and key in rows):
            continue
        rows[key] = _numbers(path, number, cells[1:], width)
        if word == key:
            exact.add(key)
    if not rows:
        raise TableError(
            path, expected="vectors of words of the data set", found=f"none of {len(wanted):,}", remedy="check the file"
        )
    words = sorted(rows)
    origin = {"file": path.name, "digest": file_digest(path)}
    return TrainedVectors(words=words, matrix=np.stack([rows[word] for word in words]), origin=origin)


def _numbers(path: Path, number: int, cells: list[str], width: int) -> NDArray[np.float32]:
    try:
        vector = np.array(cells, dtype=np.float32)
    except ValueError:
        vector = np.zeros(0, dtype=np.float32)
    if len(vector) != width or width < MIN_VECTOR_FIELDS or not np.isfinite(vector).all():
        raise TableError(
            f"{path}, line {number}",
            expected=f"a word and {max(width, MIN_VECTOR_FIELDS)} numbers",
            found=" ".join(cells)[:60],
            remedy="give a text file of word2vec's or GloVe's form",
        )
    return vector
