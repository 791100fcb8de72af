"""How far a sentence moved from another: shared words and their order; pure."""

from bisect import bisect_right, insort
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH


def bow_cosine(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> pd.Series:
    """The cosine of the word counts of each two texts, in [0, 1] as Float64; null where a text has no token.

    Tokens are in lower case, and punctuation counts. 1 where the counts are proportional, as for a sentence and its
    word swap. Source: Zhang et al. 2019 (PAWS), section 3.2.
    """
    counts = _count([*map(language.tokens, chain(first, second))])
    left, right = counts[: len(first)], counts[len(first) :]
    shared = np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()
    squares = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()
    lengths = np.sqrt(squares[: len(first)] * squares[len(first) :])
    cosine = np.divide(shared, lengths, out=np.zeros(len(shared)), where=lengths > 0)
    return pd.Series(cosine, dtype="Float64").mask(lengths == 0)


def _count(texts: list[tuple[str, ...]]) -> csr_matrix:
    """How often each text has each word: one row per text."""
    ends = np.cumsum([0, *map(len, texts)])
    places, words = pd.factorize(np.array(list(chain.from_iterable(texts)), dtype=object))
    counts = csr_matrix((np.ones(len(places), dtype=np.int64), places, ends), shape=(len(texts), max(len(words), 1)))
    counts.sum_duplicates()
    return counts


def inversion_rate(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> pd.Series:
    """The share of crossed pairs among all pairs of alignments of each two texts, in [0, 1] as Float64.

    Null where fewer than two words are aligned. Source: Zhang et al. 2019 (PAWS), section 3.2 and Figure 3.
    """
    texts = zip(map(language.tokens, first), map(language.tokens, second), strict=True)
    crossings = [count_crossed(align(*tokens)) for tokens in texts]
    crossed, aligned = np.array(crossings, dtype=np.float64).reshape(-1, 2).T
    pairs = aligned * (aligned - 1) / 2
    rate = np.divide(crossed, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    return pd.Series(rate, dtype="Float64").mask(pairs == 0)


def align(first: Sequence[str], second: Sequence[str]) -> Iterator[int]:
    """The places in the second text of the words aligned with the first text's, in the first text's order.

    The n-th occurrence of a word in one text is aligned with its n-th in the other; every other word stays alone.
    """
    places = defaultdict[str, deque[int]](deque)
    for place, word in enumerate(second):
        places[word].append(place)
    return (places[word].popleft() for word in first if places.get(word))


def count_crossed(places: Iterator[int]) -> tuple[int, int]:
    """How many pairs of these numbers are in descending order, and how many numbers there are."""
    earlier = list[int]()
    crossed = 0
    for n, place in enumerate(places):
        crossed += n - bisect_right(earlier, place)
        insort(earlier, place)
    return crossed, len(earlier)
