"""The one definition of overlap, and of near-duplicate texts."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pandas as pd
from rapidfuzz.distance import Indel
from rapidfuzz.process import cpdist
from scipy.sparse import csr_matrix

from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.known import ENGLISH


def jaccard(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> pd.Series:
    """The Jaccard similarity of the content stems of each two texts, in [0, 1]: one row per pair, as Float64.

    Stop words and punctuation are left out, the rest is stemmed (in English by Porter). Null where neither text has a
    content word. Source: He et al. 2020, section 4.4, footnote 5.
    """
    bags = bag_stems([*first, *second], language)
    left, right = bags[: len(first)], bags[len(first) :]
    shared = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    united = np.asarray(left.sum(axis=1) + right.sum(axis=1)).ravel() - shared
    ratio = np.divide(shared, united, out=np.zeros(len(first)), where=united > 0)
    return pd.Series(ratio, dtype="Float64").mask(united == 0)


def bag_stems(texts: Sequence[str], language: Language) -> csr_matrix:
    """One row of 0s and 1s per text over all content stems, columns ascending; each distinct text is read once."""
    codes, distinct = pd.factorize(pd.Series(texts, dtype=object))
    tokens = [language.tokens(text) for text in distinct]
    rows = np.repeat(np.arange(len(tokens)), list(map(len, tokens)))
    numbers, types = pd.factorize(np.array(list(chain.from_iterable(tokens)), dtype=object))
    stems, distinct_stems = pd.factorize(np.array([language.content_stem(word) for word in types], dtype=object))
    columns = stems[numbers]
    is_content = columns >= 0
    ones = np.ones(int(is_content.sum()), dtype=np.int32)
    counts = csr_matrix((ones, (rows[is_content], columns[is_content])), shape=(len(tokens), len(distinct_stems)))
    counts.data[:] = 1
    return counts[codes]


def near_duplicates(
    first: Sequence[str], second: Sequence[str], min_edit_similarity: float = 0.9, language: Language = ENGLISH
) -> pd.DataFrame:
    """Why each two texts are near-duplicates, or null: columns `reason` and `edit_similarity`, one row per pair.

    In this order: `punctuation` (equal except for punctuation and case), `contained` (the words of one occur in
    sequence within the other), `same_stems` (the same words except for endings and order), `typos` (edit similarity of
    at least `min_edit_similarity`, in [0, 1], where 1 is equal: insertions and deletions over the summed length).
    Source: He et al. 2020, section 3.2, after Lan et al. 2017.
    """
    plain = {text: f" {words.bare(text)} " for text in {*first, *second}}
    left, right = [plain[text] for text in first], [plain[text] for text in second]
    both = list(zip(left, right, strict=True))
    edit = cpdist(left, right, scorer=Indel.normalized_similarity, dtype=np.float64)
    rules = {
        "punctuation": np.array([a == b for a, b in both], dtype=bool),
        "contained": np.array([a in b or b in a for a, b in both], dtype=bool),
        "same_stems": np.array(
            [a.count(" ") == b.count(" ") and _same_stems(a, b, language) for a, b in both], dtype=bool
        ),
        "typos": edit >= min_edit_similarity,
    }
    reason = pd.Series(np.select(list(rules.values()), list(rules), default=""), dtype="string[pyarrow]")
    return pd.DataFrame({"reason": reason.mask(reason == ""), "edit_similarity": edit})


def _same_stems(first: str, second: str, language: Language) -> bool:
    """Whether two bare texts have the same words except for endings and order.

    A stem begins with its word's first letter, and most texts differ in those already: few words are stemmed.
    """
    left, right = first.split(), second.split()
    if sorted(word[0] for word in left) != sorted(word[0] for word in right):
        return False
    return sorted(language.stems(left)) == sorted(language.stems(right))
