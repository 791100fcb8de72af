"""Features of two texts that need no understanding: how much they overlap and how long they are; pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cpdist
from scipy.sparse import csr_matrix

from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

FEATURES = {
    "jaccard": "shared content stems, as a share of those in either text",
    "of_shorter": "shared content stems, as a share of the text with fewer",
    "of_longer": "shared content stems, as a share of the text with more",
    "tokens": "Jaccard overlap of all tokens, including stop words and punctuation",
    "trigrams": "Jaccard overlap of the character trigrams",
    "edit": "edit similarity (insertions and deletions)",
    "min_words": "words of the shorter text",
    "max_words": "words of the longer text",
}
"""The eight features of the logistic regression: six of overlap (0 to 1; 0 where not defined) and two of length."""


def describe(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> pd.DataFrame:
    """The columns of FEATURES; one row per pair. No feature depends on the order of the two texts."""
    from sklearn.feature_extraction.text import CountVectorizer

    stems = _shared(first, second, CountVectorizer(analyzer=language.content_stems, binary=True))
    tokens = _shared(first, second, CountVectorizer(analyzer=lambda text: set(language.tokens(text)), binary=True))
    letters = _shared(first, second, CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), binary=True))
    lengths = np.array([[words.count_words(text) for text in texts] for texts in (first, second)]).reshape(2, -1)
    return pd.DataFrame(
        {
            "jaccard": _ratio(stems[0], stems[1] + stems[2] - stems[0]),
            "of_shorter": _ratio(stems[0], np.minimum(stems[1], stems[2])),
            "of_longer": _ratio(stems[0], np.maximum(stems[1], stems[2])),
            "tokens": _ratio(tokens[0], tokens[1] + tokens[2] - tokens[0]),
            "trigrams": _ratio(letters[0], letters[1] + letters[2] - letters[0]),
            "edit": cpdist(first, second, scorer=Indel.normalized_similarity, dtype=np.float64),
            "min_words": lengths.min(axis=0),
            "max_words": lengths.max(axis=0),
        }
    )


Numbers = NDArray[np.float64]


def _shared(first: Sequence[str], second: Sequence[str], parts: "CountVectorizer") -> tuple[Numbers, Numbers, Numbers]:
    """The number of parts that both texts have, and that each has."""
    codes, distinct = pd.factorize(pd.Series([*first, *second], dtype=object))
    try:
        bags: csr_matrix = parts.fit_transform(distinct).astype(np.int32)[codes]
    except ValueError:  # no text has any part
        return np.zeros(len(first)), np.zeros(len(first)), np.zeros(len(first))
    left, right = bags[: len(first)], bags[len(first) :]
    return np.asarray(left.multiply(right).sum(axis=1)).ravel(), _sizes(left), _sizes(right)


def _sizes(bags: csr_matrix) -> Numbers:
    return np.diff(bags.indptr).astype("float64")


def _ratio(part: Numbers, whole: Numbers) -> Numbers:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
