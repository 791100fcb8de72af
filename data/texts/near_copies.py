"""All pairs among many texts of which one was made from the other with few changes; pure.

Texts are sparse rows, their columns the stems or the runs of letters, the rarest first. Two similar rows share some
entries of their *heads*, the first entries: those after them are too few for similarity. Only rows that do are
compared, block by block. Whether two texts are near copies depends on no other text.
Source: Chaudhuri et al. 2006; Bayardo et al. 2007 (prefix filtering).
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel
from scipy.sparse import csr_matrix

from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.similarity import bag_stems, find_places, hash_texts

NEAR_OVERLAP = 0.7
"""Two texts with at least this Jaccard overlap of their content stems are near copies, for splits and leaks."""
LONG_OVERLAP, LONG_STEMS = 0.6, 8
"""So are two with at least this overlap and at least this number of stems each: two of eight were exchanged."""
SAME_LETTERS, FEWEST_LETTERS = 0.9, 25
"""So are two if one is found in the other: this share of its letters, of which it must have this number, and ..."""
SAME_WORDS, SAME_WORD = 0.9, 0.75
"""... this share of its content words, each with a word there that is at least this similar (0 to 1, 1: equal)."""
RUN, SHARED_RUNS = 5, 0.5
"""Only texts are aligned of which one has at least this share of the other's runs of this length."""
ROUNDING = 1e-9
"""Two shares that differ by less are equal."""
BLOCK_ROWS = 512
"""Rows of a product that are in memory at once."""
TURNED_ROWS = 16 * BLOCK_ROWS
"""Rows that are multiplied with the same turned matrix: to turn it takes as long as to multiply one block."""
SHARED_STEMS, SHARED_HEAD_RUNS = 2, 8
"""Entries that two heads must share: the heads grow by as much, and far fewer rows are compared."""
MOST_THREADS = 8
"""Threads that multiply: each has a block of rows of its own in memory."""
BATCH_TEXTS = 32_768
"""Known texts with which new ones are compared at once."""
BATCH_PAIRS = 65_536
"""Pairs of rows that are compared at once."""

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Values = NDArray[Any]
Measure = Callable[[Numbers, Numbers], Values]
Ends = tuple[Numbers, Numbers]
"""The two rows of each pair."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NearCopies:
    """What `find_near_copies` found among some texts, which are known by their hashes alone."""

    near_overlap: float
    language: str
    texts: NDArray[np.uint64]
    """The hash of each text."""
    found: dict[str, pd.DataFrame]
    """By kind, rows of left, right and value; the ends are places in `texts`."""

    def among(self, texts: NDArray[np.uint64]) -> tuple[dict[str, pd.DataFrame], Flags] | None:
        """What was found among texts with these hashes, and which of them were not compared; None if one is twice."""
        if len(np.unique(texts)) < len(texts):
            return None
        places = find_places(texts, self.texts)
        known = np.flatnonzero(places >= 0)
        place_of = np.full(len(self.texts), -1)
        place_of[places[known]] = known
        return {kind: _among(rows, place_of) for kind, rows in self.found.items()}, places < 0


_last: list[NearCopies] = []
"""What was found last: a release groups, splits and audits the same texts, or some of them."""


def last_found() -> NearCopies | None:
    """What was found last, if anything was."""
    return _last[0] if _last else None


def recall(near: NearCopies) -> None:
    """Let this be known in place of what was found last."""
    _last[:] = [near]


def find_near_copies(
    texts: Sequence[str], near_overlap: float = NEAR_OVERLAP, language: Language = ENGLISH
) -> dict[str, pd.DataFrame]:
    """The pairs of texts by what they have in common: `near_copies` (their stems), `changed_copies` (see `changed`).

    Each has the columns left, right (positions in `texts`, left < right) and value; rows are sorted by the first two.
    Texts that were compared last are not compared with one another again.
    """
    hashes, last = hash_texts(texts), last_found()
    usable = last is not None and (last.near_overlap, last.language) == (near_overlap, language.code)
    known = last.among(hashes) if last is not None and usable else None
    if known is None or known[1].all():
        found = _find_near_copies(texts, near_overlap, language)
    else:
        found, new = known
        if not new.any():
            return found
        for places in _batch(new):
            some, ours = [texts[place] for place in places], new[places]
            for kind, rows in _find_near_copies(some, near_overlap, language, ours).items():
                found[kind] = _sort([found[kind], _among(rows, places)])
    recall(NearCopies(near_overlap=near_overlap, language=language.code, texts=hashes, found=found))
    return {kind: rows.copy() for kind, rows in found.items()}


def _batch(new: Flags) -> Iterator[Numbers]:
    """All new texts with some of the others: the memory that a few new ones take does not grow with the others."""
    ours, others = np.flatnonzero(new), np.flatnonzero(~new)
    size = max(BATCH_TEXTS, len(ours))
    for start in range(0, len(others), size):
        yield np.concatenate([ours, others[start : start + size]])


def _among(rows: pd.DataFrame, place_of: Numbers) -> pd.DataFrame:
    """The rows whose ends have a place (from 0), by these places."""
    ends = place_of[rows[["left", "right"]].to_numpy()]
    known = (ends >= 0).all(axis=1)
    left, right = np.sort(ends[known], axis=1).T
    return _sort([pd.DataFrame({"left": left, "right": right, "value": rows["value"].to_numpy()[known]})])


def _find_near_copies(
    texts: Sequence[str], near_overlap: float, language: Language, new: Flags | None = None
) -> dict[str, pd.DataFrame]:
    overlap = overlapping(texts, near_overlap, language, new)
    is_near = overlap["value"] >= near_overlap - ROUNDING
    exchanged = overlap[overlap["is_long"] & (overlap["value"] >= LONG_OVERLAP - ROUNDING)]
    return {
        "near_copies": overlap[is_near].drop(columns="is_long").reset_index(drop=True),
        "changed_copies": _sort([exchanged.drop(columns="is_long"), aligned(texts, language, new)]),
    }


def overlapping(
    texts: Sequence[str], min_overlap: float, language: Language = ENGLISH, new: Flags | None = None
) -> pd.DataFrame:
    """The pairs of texts whose overlap (see `data.texts.similarity.jaccard`) is at least `min_overlap` (above 0).

    Pairs of two long texts (LONG_STEMS) need LONG_OVERLAP, if that is less; the column `is_long` says which are long.
    `value` is the overlap. `new`: which texts one of a pair must be of; all by default.
    """
    bags = _rarest_first(bag_stems(texts, language))
    sizes = np.diff(bags.indptr)
    is_long = sizes >= LONG_STEMS
    least = np.where(is_long, min(min_overlap, LONG_OVERLAP), min_overlap)

    def measure(left: Numbers, right: Numbers) -> Values:
        shared = _multiply_rows(bags, left, right)
        overlap: Values = shared / (sizes[left] + sizes[right] - shared)
        overlap[overlap < least[left] - ROUNDING] = 0
        return overlap

    as_smaller, as_larger = _round_up(2 * least / (1 + least) * sizes), _round_up(least * sizes)
    met = _meet(bags, as_smaller, SHARED_STEMS, as_larger, new)
    found = _find(met, measure, least.min(initial=1.0))
    return found.assign(is_long=is_long[found["left"]] & is_long[found["right"]])


def aligned(texts: Sequence[str], language: Language = ENGLISH, new: Flags | None = None) -> pd.DataFrame:
    """The pairs of texts of which one is found in the other, letter by letter (SAME_LETTERS) and word by word.

    Spaces and hyphens do not count. `value` is the share of letters. `new` as in `overlapping`.
    """
    bare = [words.bare(text) for text in texts]
    letters = [text.replace(" ", "") for text in bare]
    lengths = np.array(list(map(len, letters)), dtype=np.int64)
    runs = _count_runs(letters)
    sizes = np.diff(runs.indptr)

    def measure(left: Numbers, right: Numbers) -> Values:
        share = np.zeros(len(left))
        near = np.flatnonzero(np.minimum(lengths[left], lengths[right]) >= FEWEST_LETTERS)
        near = near[_multiply_rows(runs, left[near], right[near]) >= SHARED_RUNS * sizes[left[near]]]
        ends = [[letters[place] for place in side[near]] for side in (left, right)]
        share[near] = process.cpdist(*ends, scorer=fuzz.partial_ratio, score_cutoff=100 * SAME_LETTERS) / 100
        for place in np.flatnonzero((share >= SAME_LETTERS) & (share < 1)):
            short, long = sorted((left[place], right[place]), key=lambda text: (lengths[text], text))
            content = [word for word in bare[short].split() if language.content_stem(word)]
            share[place] *= _share_words(content, bare[long].split()) >= SAME_WORDS
        return share

    return _find(_meet(runs, _round_up(SHARED_RUNS * sizes), SHARED_HEAD_RUNS, new=new), measure, SAME_LETTERS)


def _count_runs(letters: Sequence[str]) -> csr_matrix:
    """Which runs of letters each text has: 0s and 1s, the rarest first.

    All texts are read as one row of numbered letters; a run's number is made of its letters' numbers.
    """
    lengths = np.array(list(map(len, letters)), dtype=np.int64)
    codes, known = pd.factorize(np.frombuffer("".join(letters).encode("utf-32-le", "surrogatepass"), np.uint32))
    codes, n_letters, n_runs = codes.astype(np.int32), len(known), max(0, len(codes) - RUN + 1)
    numbers: Numbers = np.zeros(n_runs, dtype=np.int64)
    for place in range(RUN):
        numbers *= n_letters
        numbers += codes[place : place + n_runs]
        if place == RUN // 2:  # so that the numbers stay small, however many letters a script has
            numbers = pd.factorize(numbers)[0]
    is_whole = np.ones(n_runs, dtype=bool)
    for n_left in range(1, RUN):
        last = np.cumsum(lengths) - n_left
        is_whole[last[(last >= 0) & (last < n_runs)]] = False
    runs, distinct = pd.factorize(numbers[is_whole])
    rank = np.empty(len(distinct), dtype=np.int32)
    rank[np.argsort(np.bincount(runs, minlength=len(distinct)), kind="stable")] = np.arange(len(distinct))
    starts = np.concatenate([[0], np.cumsum(np.maximum(lengths - RUN + 1, 0))])
    ones = np.ones(len(runs), np.min_scalar_type(lengths.max(initial=0)))  # as large as what two texts can share
    found = csr_matrix((ones, rank[runs], starts), shape=(len(letters), len(distinct)))
    found.sum_duplicates()
    found.data[:] = 1
    return found


def _share_words(short: Sequence[str], long: Sequence[str]) -> float:
    """The share of the words of `short` that have a similar one in `long`."""
    if not short or not long:
        return 0.0
    likeness = process.cdist(short, long, scorer=Indel.normalized_similarity, score_cutoff=SAME_WORD)
    return float((likeness.max(axis=1) >= SAME_WORD).mean())


def _rarest_first(rows: csr_matrix) -> csr_matrix:
    """The matrix with its rarest column first; each row's entries are in the order of the columns."""
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    ordered = csr_matrix(rows[:, np.argsort(frequency, kind="stable")])
    ordered.sort_indices()
    return ordered


def _heads(rows: csr_matrix, n_heads: Values) -> csr_matrix:
    """The first entries of each row, of each as many as are named."""
    ends = rows.indptr[:-1] + np.clip(n_heads, 0, np.diff(rows.indptr))
    turns = np.zeros(rows.nnz + 1, dtype=np.int32)
    np.add.at(turns, rows.indptr[:-1], 1)
    np.add.at(turns, ends, -1)
    return _choose(rows, np.cumsum(turns[:-1], dtype=np.int32) > 0)


def _choose(rows: csr_matrix, chosen: Flags) -> csr_matrix:
    starts = np.concatenate([[0], np.cumsum(chosen, dtype=rows.indptr.dtype)])[rows.indptr]
    return csr_matrix((rows.data[chosen], rows.indices[chosen], starts), shape=rows.shape)


def _multiply_rows(rows: csr_matrix, left: Numbers, right: Numbers) -> Values:
    """The product of each two rows."""
    product = np.zeros(len(left))
    for start in range(0, len(left), BATCH_PAIRS):
        part = slice(start, start + BATCH_PAIRS)
        product[part] = np.asarray(rows[left[part]].multiply(rows[right[part]]).sum(axis=1)).ravel()
    return product


def _find(blocks: Iterator[Callable[[], Ends]], measure: Measure, least: float) -> pd.DataFrame:
    """The rows that a block lets meet whose measure is at least `least`, of all blocks."""

    def find(block: Callable[[], Ends]) -> pd.DataFrame:
        left, right = block()
        value = measure(left, right)
        near = value >= least - ROUNDING
        ends = np.minimum(left, right)[near], np.maximum(left, right)[near]
        return pd.DataFrame({"left": ends[0], "right": ends[1], "value": value[near]})

    parts: list[pd.DataFrame] = []
    n_threads = min(len(os.sched_getaffinity(0)), MOST_THREADS)
    with ThreadPoolExecutor(n_threads) as threads:  # while scipy multiplies, other threads run
        while some := list(islice(blocks, TURNED_ROWS // BLOCK_ROWS)):
            parts += threads.map(find, some)
    return _sort(parts)


def _sort(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    empty = pd.DataFrame({"left": [], "right": [], "value": []}).astype({"left": "int64", "right": "int64"})
    found = pd.concat(list(parts) or [empty])
    return found.drop_duplicates(["left", "right"]).sort_values(["left", "right"], ignore_index=True)


def _round_up(numbers: Values) -> Numbers:
    return np.ceil(numbers - ROUNDING).astype(np.int64)


def _meet(
    rows: csr_matrix, as_smaller: Numbers, n_shared: int, as_larger: Numbers | None = None, new: Flags | None = None
) -> Iterator[Callable[[], Ends]]:
    """All pairs of rows that share enough entries, and some more pairs: one call per block of rows.

    The first of a pair has as many entries as the second, or fewer. `as_smaller`, `as_larger`: how many of each row's
    entries are enough where it is the first or the second; of a second row any number is, if there is no `as_larger`.
    Pairs are met whose heads share `n_shared` entries; `new`: which rows one of a pair must be of. Of the others only
    the entries count that a new row has.
    """
    order = np.argsort(np.diff(rows.indptr), kind="stable")
    if new is not None:
        rows = _choose(rows, np.bincount(rows[new].indices, minlength=rows.shape[1])[rows.indices] > 0)
    rows = rows[order]
    sizes = np.diff(rows.indptr)
    least = np.minimum(n_shared, as_smaller[order])
    heads, others, enough = _heads(rows, sizes - as_smaller[order] + least), rows, np.zeros_like(sizes)
    if as_larger is not None:
        enough = as_larger[order]
        others = _heads(rows, sizes - enough + np.minimum(n_shared, enough))

    def meet(block: Numbers, rights: Numbers, turned: csr_matrix) -> Ends:
        product = heads[block] @ turned
        left = np.repeat(block, np.diff(product.indptr))
        met = np.flatnonzero(product.data >= least[left])
        left, right = left[met], rights[product.indices[met]]
        apart = left < right
        return order[left[apart]], order[right[apart]]

    for lefts, rights in _parts(sizes, enough) if new is None else _parts_with(new[order]):
        turned = others[rights].T.tocsr()
        for first in range(0, len(lefts), BLOCK_ROWS):
            yield partial(meet, lefts[first : first + BLOCK_ROWS], rights, turned)


def _parts(sizes: Numbers, enough: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Rows in their order, and after them those with which they can meet."""
    for start in range(0, len(sizes), TURNED_ROWS):
        end = min(start + TURNED_ROWS, len(sizes))
        last = np.flatnonzero(enough <= sizes[end - 1])[-1] + 1
        yield np.arange(start, end), np.arange(start, last)


def _parts_with(new: Flags) -> Iterator[tuple[Numbers, Numbers]]:
    """New rows and all rows, then the others and the new ones."""
    ours, n = np.flatnonzero(new), len(new)
    for start in range(0, n, TURNED_ROWS):
        yield ours, np.arange(start, min(start + TURNED_ROWS, n))
    for start in range(0, len(ours), TURNED_ROWS):
        yield np.flatnonzero(~new), ours[start : start + TURNED_ROWS]
