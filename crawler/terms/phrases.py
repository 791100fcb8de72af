"""Exact document frequencies of n-grams, computed piece by piece on whole columns.

Counted by level (Agrawal and Srikant 1994, the a-priori rule): a phrase can only be frequent if both phrases that are
one word shorter are. The occurrences of a level are partitioned into files by phrase, so that each file can be counted
by itself and exactly; only the frequent phrases stay in memory.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from crawler.terms.tokens import BOUNDARY, Integers, Piece, Tokens

FILE_OCCURRENCES = 2_000_000
"""Occurrences per file; a phrase is never split between files."""
BATCH_ROWS = 1_000_000
"""Rows that are collected from pieces before they are summed."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which phrases are counted."""

    sizes: range
    """Numbers of words."""
    above: int
    """A phrase is kept if more than this many papers hold it or another phrase of its group."""
    groups: Integers
    """For each word of the vocabulary its group, or BOUNDARY; phrases whose words have the same groups are a group."""
    edges: npt.NDArray[np.bool_]
    """For each word of the vocabulary, whether a phrase may begin and end with it."""
    openings: Integers | None = None
    """For each word of the vocabulary the only word behind which it may begin a phrase (`in` for `vitro`), whatever
    the edges say; BOUNDARY for words without such a partner."""


GROUP_FIGURES = ("group_frequency", "occurrences", "title_frequency", "boundary")
"""For all phrases of a group: papers that hold one, occurrences, papers with one in the title, and the share of
occurrences next to which a term could end or begin: the smaller of the two sides."""


def count(tokens: Tokens, wanted: Wanted) -> pd.DataFrame:
    """The wanted phrases: columns phrase, document_frequency, and the GROUP_FIGURES of its group.

    Has all phrases of a frequent group, however rare each is. The order of rows is undefined.
    """
    level = _Level(tokens, _number_words(tokens, wanted))
    tables = []
    for size in range(1, wanted.sizes.stop):
        if size > 1:
            level.extend(wanted.above)
        if size in wanted.sizes:
            tables.append(_describe(level, size, wanted))
    return pd.concat(tables, ignore_index=True)


def count_named(tokens: Tokens, groups: Integers, names: Integers) -> pd.DataFrame:
    """The named phrases, however rare and whatever their edges: columns phrase, document_frequency, group_frequency.

    The names have one number of words: one row per name, with its words' `groups`.
    """
    level, words = _Named(tokens, groups, names), _columns(names.shape[1])
    papers = np.zeros(level.n_names, dtype=np.int64)
    rows = [_no_rows(words)]
    for piece, at, codes in level.pieces():
        papers += _frequencies(codes, piece.papers(at), level.n_names)
        rows.append(_surfaces(piece, codes, at, words))
    counted = pd.concat(rows).groupby(["group", *words], as_index=False).sum()
    texts = _texts(tokens, counted, words)
    return pd.DataFrame(
        {
            "phrase": texts,
            "document_frequency": counted["document_frequency"],
            "group_frequency": papers[counted["group"]],
        }
    )


def may_be(ids: Integers, sizes: Integers, wanted: Wanted) -> npt.NDArray[np.bool_]:
    """Whether each phrase may be a wanted one, whatever its size and frequency; the phrases follow one another."""
    ends = np.cumsum(sizes)
    padded = np.insert(ids, ends, BOUNDARY)
    at = ends - sizes + np.arange(len(sizes))
    n_barred = np.append(0, np.cumsum(np.append(wanted.groups, BOUNDARY)[ids] == BOUNDARY))
    is_whole = n_barred[ends] == n_barred[ends - sizes]
    return np.asarray(_begins(padded, at, wanted) & wanted.edges[ids[ends - 1]] & is_whole, dtype=bool)


def _number_words(tokens: Tokens, wanted: Wanted) -> Integers:
    """For each word of the vocabulary the number of its group, if frequent; else, and after the last one, BOUNDARY."""
    n_groups = int(wanted.groups.max(initial=-1)) + 1
    often = np.bincount(wanted.groups + 1, weights=tokens.n_words, minlength=n_groups + 1)[1:] > wanted.above
    number = np.append(np.where(often, np.cumsum(often) - 1, BOUNDARY), BOUNDARY)
    return np.append(number[wanted.groups], BOUNDARY).astype(np.int32)


class _Level:
    """The frequent phrases of one length: the code (from 0) of the phrase that begins at each position.

    The codes of a piece are in a file beside it.
    """

    def __init__(self, tokens: Tokens, numbers: Integers) -> None:
        """Single words: `numbers` has the code of each word of the vocabulary, and BOUNDARY behind them."""
        self.tokens = tokens
        self.n_each = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
        for number in range(tokens.n_pieces):
            self._save(number, numbers[tokens.piece(number).ids])

    def codes(self) -> Iterator[Integers]:
        """The codes of each piece; BOUNDARY where no such phrase begins."""
        for number in range(self.tokens.n_pieces):
            yield np.load(self._path(number))

    def pieces(self) -> Iterator[tuple[Piece, Integers]]:
        """The pieces with their codes."""
        return zip(map(self.tokens.piece, range(self.tokens.n_pieces)), self.codes(), strict=True)

    def extend(self, above: int) -> None:
        """Goes on to the phrases that are one word longer and occur more than `above` times."""
        n_before = len(self.n_each)
        frequent = pd.Index(np.concatenate([*self._frequent(above), np.array([], dtype=np.int64)]))
        self.n_each = np.zeros(len(frequent), dtype=np.int64)
        for number, codes in enumerate(self.codes()):
            at, keys = _pairs(codes, n_before)
            longer = np.full(len(codes), BOUNDARY, dtype=np.int32)
            longer[at] = frequent.get_indexer(keys)
            self._save(number, longer)

    def _frequent(self, above: int) -> Iterator[Integers]:
        """The pairs of codes (see `_pairs`) that occur more than `above` times, ascending, one array per file."""
        parts = (np.cumsum(self.n_each) - self.n_each) // FILE_OCCURRENCES
        first_keys = (np.flatnonzero(np.diff(parts)) + 1) * len(self.n_each)
        paths = [self.tokens.folder / f"part-{part}" for part in range(len(first_keys) + 1)]
        with ExitStack() as opened:
            files = [opened.enter_context(path.open("wb")) for path in paths]
            for codes in self.codes():
                keys = _pairs(codes, len(self.n_each))[1]
                keys.sort()
                for file, part in zip(files, np.split(keys, np.searchsorted(keys, first_keys)), strict=True):
                    part.tofile(file)
        for path in paths:
            keys = np.fromfile(path, dtype=np.int64)
            keys.sort()
            path.unlink()
            first = np.flatnonzero(np.diff(keys, prepend=-1))
            yield keys[first[np.diff(first, append=len(keys)) > above]]

    def _save(self, number: int, codes: Integers) -> None:
        self.n_each += np.bincount(codes + 1, minlength=len(self.n_each) + 1)[1:]
        np.save(self._path(number), codes)

    def _path(self, number: int) -> Path:
        return self.tokens.folder / f"codes-{number}.npy"


class _Named:
    """Named phrases of one length: the code (from 0) of the one that begins at each position."""

    def __init__(self, tokens: Tokens, groups: Integers, names: Integers) -> None:
        """`names`: one row per phrase, with the groups of its words."""
        self._tokens = tokens
        self._groups = np.append(groups, BOUNDARY) + 1  # from 1, so that a boundary is 0
        self._n_groups = int(self._groups.max()) + 1
        # which words may be at each place in a name: most positions are out at the second, before any search
        self._are_inside = [self._are_among(words + 1) for words in names.T]
        self._keys = []
        codes = np.zeros(len(names), dtype=np.int64)
        for words in names.T:
            keys, codes = np.unique(codes * self._n_groups + words + 1, return_inverse=True)
            self._keys.append(keys)
        self.n_names = int(codes.max(initial=-1)) + 1

    def _are_among(self, wanted: Integers) -> npt.NDArray[np.bool_]:
        """For each word, whether its group is wanted."""
        are_wanted = np.zeros(self._n_groups, dtype=bool)
        are_wanted[wanted] = True
        return np.asarray(are_wanted[self._groups])

    def pieces(self) -> Iterator[tuple[Piece, Integers, Integers]]:
        """The pieces with the positions where named phrases begin, and the codes of these."""
        for piece in map(self._tokens.piece, range(self._tokens.n_pieces)):
            at = np.arange(len(piece.ids) - len(self._keys) + 1)
            for offset, are_inside in enumerate(self._are_inside):
                at = at[are_inside[piece.ids[at + offset]]]
            codes = np.zeros(len(at), dtype=np.int64)
            for offset, keys in enumerate(self._keys):
                longer = codes * self._n_groups + self._groups[piece.ids[at + offset]]
                codes = np.minimum(np.searchsorted(keys, longer), len(keys) - 1)
                same = keys[codes] == longer
                at, codes = at[same], codes[same]
            yield piece, at, codes


def _pairs(codes: Integers, n_codes: int) -> tuple[Integers, Integers]:
    """The positions where a phrase begins and another begins at its second word, and the two codes as one number."""
    at = np.flatnonzero((codes[:-1] >= 0) & (codes[1:] >= 0))
    return at, codes[at].astype(np.int64) * n_codes + codes[at + 1]


def _frequencies(codes: Integers, papers: Integers, n_codes: int) -> Integers:
    """For each code, the number of papers that hold it."""
    n_papers = int(papers.max(initial=0)) + 1
    pairs = codes.astype(np.int64) * n_papers + papers
    pairs.sort()
    return np.bincount(pairs[np.diff(pairs, prepend=-1) > 0] // n_papers, minlength=n_codes)


def _columns(size: int) -> list[str]:
    """The columns of a phrase's words."""
    return [f"word {offset}" for offset in range(size)]


def _no_rows(words: list[str]) -> pd.DataFrame:
    return pd.DataFrame({name: np.array([], dtype=np.int64) for name in ("group", *words, "document_frequency")})


def _describe(level: _Level, size: int, wanted: Wanted) -> pd.DataFrame:
    """The phrases of the level, which have `size` words, as in `count`."""
    tokens, edges = level.tokens, np.append(wanted.edges, False)
    words = _columns(size)
    rows = _no_rows(words)
    totals = np.zeros((5, len(level.n_each)), dtype=np.int64)
    waiting: list[pd.DataFrame] = []
    for number, (piece, codes) in enumerate(level.pieces()):
        at = np.flatnonzero(codes >= 0)
        at = at[_begins(piece.ids, at, wanted) & edges[piece.ids[at + size - 1]]]
        totals += _measure(piece, codes[at], at, _beside(piece, at, size, edges), len(level.n_each))
        waiting.append(_surfaces(piece, codes[at], at, words))
        if sum(map(len, waiting)) > BATCH_ROWS or number == tokens.n_pieces - 1:
            rows, waiting = pd.concat([rows, *waiting]).groupby(["group", *words], as_index=False).sum(), []
    rows = rows[totals[0][rows["group"]] > wanted.above]
    return _named(tokens, rows, words, totals)


def _begins(ids: Integers, at: Integers, wanted: Wanted) -> npt.NDArray[np.bool_]:
    """Whether a phrase may begin at each position."""
    edges = np.append(wanted.edges, False)
    if wanted.openings is None:
        return np.asarray(edges[ids[at]])
    partners = np.append(wanted.openings, BOUNDARY)
    leads = np.zeros(len(partners), dtype=bool)
    leads[partners[partners != BOUNDARY]] = True
    begins = np.asarray((edges & (partners == BOUNDARY))[ids[at]])
    pair = np.flatnonzero(leads[ids[at]])
    begins[pair] = partners[ids[at[pair] + 1]] == ids[at[pair]]
    return begins


def _beside(
    piece: Piece, at: Integers, size: int, edges: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each phrase, whether the token before it, and the one after it, is one that no term begins or ends with."""
    padded = np.concatenate([[BOUNDARY], piece.ids, [BOUNDARY]])
    return ~edges[padded[at]], ~edges[padded[at + size + 1]]


def _measure(
    piece: Piece, groups: Integers, at: Integers, alone: tuple[npt.NDArray[np.bool_], ...], n_groups: int
) -> Integers:
    """For each group: papers, occurrences, papers with it in the title, and occurrences `alone` on each side."""
    papers = piece.papers(at)
    in_title = at < piece.title_ends[papers]
    return np.array(
        [
            _frequencies(groups, papers, n_groups),
            np.bincount(groups, minlength=n_groups),
            _frequencies(groups[in_title], papers[in_title], n_groups),
            *(np.bincount(groups[side], minlength=n_groups) for side in alone),
        ]
    )


def _surfaces(piece: Piece, groups: Integers, at: Integers, words: list[str]) -> pd.DataFrame:
    """The distinct phrases at the positions: group, words, and the number of the piece's papers that hold each."""
    numbers, n_words = np.zeros(len(at), dtype=np.int64), int(piece.ids.max(initial=0)) + 1
    for offset in range(len(words)):
        numbers = pd.factorize(numbers * n_words + piece.ids[at + offset])[0].astype(np.int64)
    first = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))  # numbers rise as they appear
    columns = {name: piece.ids[at[first] + offset] for offset, name in enumerate(words)}
    frequencies = _frequencies(numbers, piece.papers(at), len(first))
    return pd.DataFrame({"group": groups[first]} | columns | {"document_frequency": frequencies})


def _texts(tokens: Tokens, rows: pd.DataFrame, words: list[str]) -> pd.Series:
    """The phrase of each row."""
    vocabulary = pa.array(tokens.vocabulary, pa.string())
    texts = [vocabulary.take(pa.array(rows[word].to_numpy())) for word in words]
    joined = pc.binary_join_element_wise(*texts, " ").to_numpy(zero_copy_only=False)
    return pd.Series(joined, dtype="string[pyarrow]")


def _named(tokens: Tokens, rows: pd.DataFrame, words: list[str], totals: Integers) -> pd.DataFrame:
    """The rows with their phrases and the figures of their groups."""
    papers, occurrences, titles, before, behind = totals[:, rows["group"]]
    return pd.DataFrame(
        {
            "phrase": _texts(tokens, rows, words),
            "document_frequency": rows["document_frequency"].to_numpy(),
            "group_frequency": papers,
            "occurrences": occurrences,
            "title_frequency": titles,
            "boundary": np.minimum(before, behind) / np.maximum(occurrences, 1),
        }
    )
