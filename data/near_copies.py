"""All pairs among many texts of which one was made from the other with few changes; pure.

Texts are sparse rows, their columns the stems or the runs of letters, the rarest first. Two similar rows share an entry
of their *heads*, the first entries, so many that the others are too few for similarity: only rows that do are compared,
block by block.
Source: Chaudhuri et al. 2006; Bayardo et al. 2007 (prefix filtering).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from data import words
from data.languages.base import Language
from data.languages.known import ENGLISH
from data.similarity import bag_stems

NEAR_OVERLAP = 0.7
"""Two texts with at least this Jaccard overlap of their content stems are near copies, for splits and leaks."""
MOST_STEMS, FEWEST_STEMS = 0.9, 5
"""So are two of which the longer has at least this share of the shorter's stems, if these are at least so many."""
SAME_LETTERS = 0.55
"""So are two with at least this cosine of their runs of 3 to 5 letters, weighted by rarity (TF-IDF)."""
REST = 0.4
"""What of a row of length 1 is no head is shorter than this."""
BLOCK = 512
"""Rows of a product that are in memory at once."""

Numbers = NDArray[np.int64]
Values = NDArray[Any]


def find_near_copies(
    texts: Sequence[str], near_overlap: float = NEAR_OVERLAP, language: Language = ENGLISH, margin: float = 0.0
) -> dict[str, pd.DataFrame]:
    """The pairs of texts by what they have in common: `near_copies`, `contained`, `respelled`.

    Each has the columns left, right (positions in `texts`, left < right) and value; rows are sorted by the first two.
    `margin`: how far below SAME_LETTERS a cosine may lie.
    """
    return {
        "near_copies": overlapping(texts, near_overlap, language),
        "contained": contained(texts, language),
        "respelled": respelled(texts, SAME_LETTERS - margin),
    }


def overlapping(texts: Sequence[str], min_overlap: float, language: Language = ENGLISH) -> pd.DataFrame:
    """The pairs of texts whose overlap (see `data.similarity.jaccard`) is at least `min_overlap` (above 0)."""
    bags = _rarest_first(bag_stems(texts, language))
    sizes = np.diff(bags.indptr)

    def measure(left: Numbers, right: Numbers, _: Values) -> Values:
        shared = _multiply_rows(bags, left, right)
        overlap: Values = shared / (sizes[left] + sizes[right] - shared)
        return overlap

    return _find(_heads(bags, min_overlap), None, measure, min_overlap)


def contained(texts: Sequence[str], language: Language = ENGLISH) -> pd.DataFrame:
    """The pairs of texts of which the longer has at least MOST_STEMS of the shorter's content stems, if these suffice.

    Half of a text was cut off, or a clause appended to it.
    """
    bags = _rarest_first(bag_stems(texts, language))
    sizes = np.diff(bags.indptr)

    def measure(short: Numbers, long: Numbers, _: Values) -> Values:
        fits = (sizes[short] >= FEWEST_STEMS) & (sizes[short] <= sizes[long])
        share = np.zeros(len(short))
        share[fits] = _multiply_rows(bags, short[fits], long[fits]) / sizes[short[fits]]
        return share

    return _find(_heads(bags, MOST_STEMS), bags, measure, MOST_STEMS)


def respelled(texts: Sequence[str], same_letters: float = SAME_LETTERS) -> pd.DataFrame:
    """The pairs of texts whose runs of letters, weighted by TF-IDF, have a cosine of at least `same_letters`.

    Case and punctuation do not count. Words were mistyped, joined by hyphens or exchanged.
    """
    count = TfidfVectorizer(analyzer="char", ngram_range=(3, 5), sublinear_tf=True, dtype=np.float32)
    letters = _rarest_first(
        count.fit_transform([words.bare(text).ljust(3, "_") for text in texts] or ["___"])[: len(texts)]
    )

    def measure(left: Numbers, right: Numbers, of_heads: Values) -> Values:
        near = of_heads >= same_letters - REST
        cosine = np.zeros(len(left))
        cosine[near] = _multiply_rows(letters, left[near], right[near])
        return cosine

    return _find(_long_heads(letters), None, measure, same_letters)


def _rarest_first(rows: csr_matrix) -> csr_matrix:
    """The matrix with its rarest column first; each row's entries are in the order of the columns."""
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    ordered = csr_matrix(rows[:, np.argsort(frequency, kind="stable")])
    ordered.sort_indices()
    return ordered


def _heads(bags: csr_matrix, share: float) -> csr_matrix:
    """The first entries of each row, so many that the others are less than `share` of all."""
    sizes = np.diff(bags.indptr)
    n_heads = np.repeat(sizes - np.ceil(share * sizes - 1e-9) + 1, sizes)
    return _choose(bags, np.arange(bags.nnz) - np.repeat(bags.indptr[:-1], sizes) < n_heads)


def _long_heads(rows: csr_matrix) -> csr_matrix:
    """The first entries of each row of length 1, so many that the others are shorter than REST."""
    squares = np.concatenate([[0.0], np.cumsum(rows.data.astype(np.float64) ** 2)])
    left_over = np.repeat(squares[rows.indptr[1:]], np.diff(rows.indptr)) - squares[:-1]
    return _choose(rows, left_over >= REST**2)


def _choose(rows: csr_matrix, chosen: NDArray[np.bool_]) -> csr_matrix:
    starts = np.concatenate([[0], np.cumsum(chosen)])[rows.indptr]
    return csr_matrix((rows.data[chosen], rows.indices[chosen], starts), shape=rows.shape)


def _multiply_rows(rows: csr_matrix, left: Numbers, right: Numbers) -> Values:
    """The product of each two rows."""
    return np.asarray(rows[left].multiply(rows[right]).sum(axis=1), dtype=np.float64).ravel()


def _find(heads: csr_matrix, others: csr_matrix | None, measure: Any, least: float) -> pd.DataFrame:
    """The pairs whose heads, or head and other row, share an entry and whose measure is at least `least`."""
    parts = [pd.DataFrame({"left": [], "right": [], "value": []}).astype({"left": "int64", "right": "int64"})]
    for left, right, product in _multiply(heads, others):
        value = measure(left, right, product)
        near = value >= least - 1e-6
        ends = np.minimum(left, right)[near], np.maximum(left, right)[near]
        parts.append(pd.DataFrame({"left": ends[0], "right": ends[1], "value": value[near]}))
    return pd.concat(parts).drop_duplicates(["left", "right"]).sort_values(["left", "right"], ignore_index=True)


def _multiply(heads: csr_matrix, others: csr_matrix | None) -> Iterator[tuple[Numbers, Numbers, Values]]:
    """The entries of `heads` times `others` (itself: each two rows once), without the diagonal, block by block."""
    for start in range(0, heads.shape[0], BLOCK):
        first = 0 if others is not None else start
        second = heads[first:] if others is None else others
        product = (heads[start : start + BLOCK] @ second.T).tocoo()
        left, right = product.row.astype(np.int64) + start, product.col.astype(np.int64) + first
        apart = left < right if others is None else left != right
        yield left[apart], right[apart], product.data[apart]
