"""The one definition of overlap, and of near-duplicate texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cpdist
from scipy.sparse import csr_matrix

from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlaps:
    """The overlap (`jaccard`) of some pairs of texts, which are known by their hashes alone."""

    language: str
    pairs: Hashes
    values: NDArray[np.float64]
    """NaN where the overlap is not defined."""


_recalled: list[Overlaps] = []


def recall(overlaps: Overlaps) -> None:
    """Let the overlap of these pairs be known."""
    _recalled[:] = [overlaps]


def hash_texts(texts: Sequence[str]) -> Hashes:
    """A number for each text, the same in every process."""
    content = np.array([text.encode("utf-8", "surrogatepass") for text in texts], dtype=object)
    return np.asarray(pd.util.hash_array(content, categorize=False))


def find_places(hashes: Hashes, known: Hashes) -> NDArray[np.int64]:
    """The place of each hash among the known ones; -1 where it is not there."""
    order = np.append(np.argsort(known), -1)
    found: NDArray[np.int64] = order[np.searchsorted(known, hashes, sorter=order[:-1])]
    return np.where((found >= 0) & (np.append(known, hashes[:1])[found] == hashes), found, -1)


def jaccard(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> pd.Series:
    """The Jaccard similarity of the content stems of each two texts, in [0, 1]: one row per pair, as Float64.

    Stop words and punctuation are left out, the rest is stemmed (in English by Porter). Null where neither text has a
    content word. Source: He et al. 2020, section 4.4, footnote 5.
    """
    values = measure(first, second, language).values
    return pd.Series(values, dtype="Float64").mask(np.isnan(values))


def measure(first: Sequence[str], second: Sequence[str], language: Language = ENGLISH) -> Overlaps:
    """The overlap of each two texts, as it is known, or else measured."""
    pairs = hash_texts(first) + hash_texts(second)  # the order of the two changes nothing
    values = np.full(len(pairs), np.nan)
    places: NDArray[np.int64] = np.full(len(pairs), -1)
    if _recalled and _recalled[0].language == language.code:
        places = find_places(pairs, _recalled[0].pairs)
        values[places >= 0] = _recalled[0].values[places[places >= 0]]
    new = np.flatnonzero(places < 0)
    if len(new):
        bags = bag_stems([side[place] for side in (first, second) for place in new.tolist()], language)
        left, right = bags[: len(new)], bags[len(new) :]
        shared = np.asarray(left.multiply(right).sum(axis=1)).ravel()
        united = np.asarray(left.sum(axis=1) + right.sum(axis=1)).ravel() - shared
        values[new] = np.divide(shared, united, out=np.full(len(new), np.nan), where=united > 0)
    return Overlaps(language=language.code, pairs=pairs, values=values)


def bag_stems(texts: Sequence[str], language: Language) -> csr_matrix:
    """One row of 0s and 1s per text over all content stems, columns ascending.

    Each distinct text is read once; texts of the last call, in upper or lower case, are not read again.
    """
    codes, distinct = pd.factorize(pd.Series(texts, dtype=object))
    found = _read_stems([text.lower() for text in distinct], language)
    columns, known = pd.factorize(found.numbers)
    counts = csr_matrix(
        (np.ones(len(columns), dtype=np.int32), (np.repeat(np.arange(len(distinct)), np.diff(found.starts)), columns)),
        shape=(len(distinct), len(known)),
    )
    counts.data[:] = 1
    return counts[codes]


@dataclass(frozen=True, kw_only=True)
class StemmedTexts:
    """The content stems of some texts, one text after the other, as numbers."""

    place_of: Mapping[str, int]
    """Where each text is."""
    starts: NDArray[np.int64]
    """Where in `numbers` each text begins, and where the last one ends."""
    numbers: NDArray[np.int32]
    """The place in `stems` of each content word's stem, in the order of the words."""
    stems: NDArray[np.object_]

    def take(self, texts: Sequence[str]) -> "StemmedTexts":
        """Some of the texts, in any order, also repeatedly."""
        places = np.fromiter(map(self.place_of.__getitem__, texts), np.int64, len(texts))
        lengths = np.diff(self.starts)[places]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        chosen = np.arange(starts[-1]) + np.repeat(self.starts[places] - starts[:-1], lengths)
        place_of = {text: place for place, text in enumerate(texts)}
        return StemmedTexts(place_of=place_of, starts=starts, numbers=self.numbers[chosen], stems=self.stems)

    def join(self, other: "StemmedTexts") -> "StemmedTexts":
        """These texts, followed by the texts of `other`."""
        codes, stems = pd.factorize(np.concatenate([self.stems, other.stems]))
        old, new = np.split(codes.astype(np.int32), [len(self.stems)])
        n_before = len(self.starts) - 1
        return StemmedTexts(
            place_of={**self.place_of, **{text: n_before + place for text, place in other.place_of.items()}},
            starts=np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            numbers=np.concatenate([old[self.numbers], new[other.numbers]]),
            stems=stems,
        )


_last_read: dict[Language, StemmedTexts] = {}
"""The texts of the last call: a report asks for the overlap of texts, and then for the near copies among them."""


def _read_stems(texts: Sequence[str], language: Language) -> StemmedTexts:
    """The content stems of lower-case texts; only those are read that the last call did not read."""
    last = _last_read.get(language)
    missing = [text for text in dict.fromkeys(texts) if last is None or text not in last.place_of]
    read = _stem(missing, language)
    found = (read if last is None else last.join(read)).take(texts)
    _last_read.clear()
    _last_read[language] = found
    return found


def _stem(texts: Sequence[str], language: Language) -> StemmedTexts:
    tokens = [language.tokens(text) for text in texts]
    rows = np.repeat(np.arange(len(tokens)), list(map(len, tokens)))
    numbers, types = pd.factorize(np.array(list(chain.from_iterable(tokens)), dtype=object))
    codes, stems = pd.factorize(np.array([language.content_stem(word) for word in types], dtype=object))
    every = codes.astype(np.int32)[numbers]
    is_content = every >= 0
    lengths = np.bincount(rows[is_content], minlength=len(tokens))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    place_of = {text: place for place, text in enumerate(texts)}
    return StemmedTexts(place_of=place_of, starts=starts, numbers=every[is_content], stems=stems)


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
