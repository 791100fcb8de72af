"""The words of papers, as numbers in pieces on disk: memory holds one piece at a time, however many papers there are.

A paper is its title and its abstract, two separate texts. A word is a run of letters, digits and marks with single
hyphens or apostrophes inside (`real-time`, `moore's`) and at least one letter, or a number of one or two digits.
Anything else between two words (a full stop, comma, colon, bracket, quotation mark, slash, a formula, a longer number,
an address, an abbreviation of single letters) separates them: no phrase extends across it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.integer]

BOUNDARY = -1
"""Marks anything that separates two words."""
PIECE_WORDS = 1_000_000
"""Words per piece; a piece ends with the batch of papers that fills it."""

_SEPARATOR = " . "
_TITLE_END = ".."
_WORD = r"\p{L}|^\d\d?$"
"""What a run of letters, digits and marks holds if it is a word."""
_REWRITES = (
    (r"\$[^\s$](?:[^$]{0,300}[^\s$])?\$", _SEPARATOR),  # a formula; prices such as `$5 and $10` are not
    # a LaTeX command, an address, an abbreviation such as `o.d.`
    (r"\\[A-Za-z]+|(?i:https?|ftp)://\S+|(?:^|[^\p{L}\p{N}])\p{L}(?:\.\p{L})+\b\.?", _SEPARATOR),
    (r"[’ʼ]", "'"),
    (r"[^\p{L}\p{N}\p{M}\s'-]+", _SEPARATOR),
    (r"['-]{2,}|(?:^|\s)['-]|['-](?:\s|$)", _SEPARATOR),
)
"""Rewrites, in this order, that turn text into words and full stops separated by white space."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The words of some papers, one after another. Every paper ends with a BOUNDARY."""

    ids: Integers
    """For each word its index in the vocabulary; BOUNDARY where a text or a phrase ends."""
    starts: Integers
    """For each paper the position of its first word, ascending."""
    title_ends: Integers
    """For each paper the position at which its title has ended."""

    def papers(self, at: Integers) -> Integers:
        """For each position, the index within the piece of the paper that holds the word."""
        return (np.searchsorted(self.starts, at, side="right") - 1).astype(np.int32)


class Capitals(NamedTuple):
    """How abstracts write each word of the vocabulary; titles often have capitals everywhere."""

    n: Integers
    """Occurrences in abstracts."""
    n_names: Integers
    """Of these, with a capital first letter or in capitals: `Stokes`, `AIDS`."""
    n_plurals: Integers
    """Of these, in capitals but for an s at the end: `CNNs`."""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The words of all papers."""

    vocabulary: tuple[str, ...]
    capitals: Capitals
    n_pieces: int
    folder: Path
    """Holds the pieces, and the files that counting adds."""

    def piece(self, number: int) -> Piece:
        """The piece of that number, from 0."""
        with np.load(self.folder / f"piece-{number}.npz") as arrays:
            return Piece(**arrays)

    @cached_property
    def n_words(self) -> Integers:
        """How often each word of the vocabulary occurs."""
        counts = np.zeros(len(self.vocabulary) + 1, dtype=np.int64)
        for number in range(self.n_pieces):
            counts += np.bincount(self.piece(number).ids + 1, minlength=len(counts))
        return counts[1:]


def tokenise(batches: Iterable[pa.RecordBatch], folder: Path) -> Tokens:
    """The words of the papers (text columns title and abstract, either may be null), batch after batch.

    `folder` must exist and be empty; the caller removes it.
    """
    vocabulary: dict[str, int] = {}
    capitals: Integers = np.zeros((3, 0), dtype=np.int64)
    gathered: list[tuple[Integers, Integers, Integers]] = []
    paths: list[Path] = []
    n_words = 0
    for batch in batches:
        numbered, more = _number(batch, vocabulary)
        gathered.append(numbered)
        capitals = np.pad(capitals, ((0, 0), (0, len(vocabulary) - capitals.shape[1]))) + more
        n_words += len(gathered[-1][0])
        if n_words >= PIECE_WORDS:
            paths.append(_save(gathered, folder / f"piece-{len(paths)}.npz"))
            n_words, gathered = 0, []
    if gathered:
        paths.append(_save(gathered, folder / f"piece-{len(paths)}.npz"))
    return Tokens(vocabulary=tuple(vocabulary), capitals=Capitals(*capitals), n_pieces=len(paths), folder=folder)


def _number(batch: pa.RecordBatch, vocabulary: dict[str, int]) -> tuple[tuple[Integers, Integers, Integers], Integers]:
    """The ids, starts and title ends of one batch, and the rows of `Capitals`; new words go into the vocabulary."""
    words, lengths = _split(batch)
    encoded = words.dictionary_encode()
    written, at = encoded.dictionary, encoded.indices.to_numpy()
    folded = pc.utf8_lower(written).dictionary_encode()
    are_words = pc.match_substring_regex(folded.dictionary, _WORD).to_pylist()
    numbers = [
        vocabulary.setdefault(word, len(vocabulary)) if is_word else BOUNDARY
        for word, is_word in zip(folded.dictionary.to_pylist(), are_words, strict=True)
    ]
    ids = np.array(numbers, dtype=np.int32)[folded.indices.to_numpy()]
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    title_ends = np.flatnonzero(pc.equal(written, _TITLE_END).to_numpy(zero_copy_only=False)[at])
    in_abstract = np.repeat(np.tile([False, True], len(lengths)), _lengths_of_parts(starts, title_ends, len(at)))
    n_each = np.bincount(at[in_abstract], minlength=len(written))
    kinds = (slice(None), *_kinds(written, folded))
    capitals = [np.bincount(ids[kind] + 1, n_each[kind], len(vocabulary) + 1)[1:] for kind in kinds]
    return (ids[at], starts, title_ends), np.array(capitals, dtype=np.int64)


def _kinds(written: pa.Array, folded: pa.Array) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether each word is a name, and whether it is a plural in capitals, as in `Capitals`."""
    has_capital = pc.not_equal(folded.dictionary.take(folded.indices), written).to_numpy(zero_copy_only=False)
    plural = pc.match_substring_regex(written, r"^\p{Lu}[\p{Lu}\p{N}-]+s$").to_numpy(zero_copy_only=False)
    return np.asarray(has_capital & ~plural, dtype=bool), np.asarray(plural, dtype=bool)


def _lengths_of_parts(starts: Integers, title_ends: Integers, n_words: int) -> Integers:
    """The numbers of words of each paper's title, with what ends it, and of its abstract, in turn."""
    bounds = np.empty(2 * len(starts) + 1, dtype=np.int64)
    bounds[0:-1:2], bounds[1::2], bounds[-1] = starts, title_ends + 1, n_words
    return np.diff(bounds)


def _save(gathered: Sequence[tuple[Integers, Integers, Integers]], path: Path) -> Path:
    """Write the batches as one piece; return its path."""
    ids, starts, title_ends = zip(*gathered, strict=True)
    before = np.cumsum([0, *map(len, ids)])
    shifted = [[part + shift for part, shift in zip(parts, before, strict=False)] for parts in (starts, title_ends)]
    np.savez(path, ids=np.concatenate(ids), starts=np.concatenate(shifted[0]), title_ends=np.concatenate(shifted[1]))
    return path


def _split(batch: pa.RecordBatch) -> tuple[pa.Array, Integers]:
    """All words of the batch, with `.` for boundaries and `..` after titles, and the number per paper."""
    title, abstract = (_separate(pc.fill_null(batch[column], "")) for column in ("title", "abstract"))
    text = pc.binary_join_element_wise(title, _TITLE_END, abstract, ".", " ")
    words = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(text))
    return pc.list_flatten(words), pc.list_value_length(words).to_numpy()


def _separate(text: pa.Array) -> pa.Array:
    """The text with ` . ` for everything that is neither word nor white space."""
    text = pc.utf8_normalize(text, form="NFKC")
    for pattern, replacement in _REWRITES:
        text = pc.replace_substring_regex(text, pattern, replacement)
    return text


def are_countable(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """For each normalised name, whether it consists of words only: `c++` and `tcp/ip` do not."""
    texts = pa.array(names, pa.string())
    unchanged = pc.equal(_separate(texts), texts)
    pieces = pc.match_substring_regex(texts, r"^(?:\S*\p{L}\S*|\d\d?)(?: (?:\S*\p{L}\S*|\d\d?))*$")
    return np.asarray(pc.and_(unchanged, pieces).to_numpy(zero_copy_only=False), dtype=bool)
