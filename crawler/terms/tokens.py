"""The words of papers, as numbers in pieces on disk: memory holds one piece at a time, however many papers there are.

A paper is its title and its abstract, two separate texts. A word is a run of letters, digits and marks with single
hyphens or apostrophes inside (`real-time`, `moore's`) and at least one letter, or a number of one or two digits.
Anything else between two words (a full stop, comma, colon, bracket, quotation mark, slash, a formula, a longer number)
separates them: no phrase extends across it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.integer]

BOUNDARY = -1
"""Stands for whatever separates two words."""
AT_ONCE = 4_000_000
"""Words per piece; a piece ends with the batch of papers that fills it."""

_SEPARATOR = " . "
_TITLE_END = ".."
_WORD = r"\p{L}|^\d\d?$"
"""What a run of letters, digits and marks holds if it is a word."""
_REWRITES = (
    (r"\$[^\s$](?:[^$]{0,300}[^\s$])?\$", _SEPARATOR),  # a formula; prices such as `$5 and $10` are not
    (r"\\[a-z]+", _SEPARATOR),  # a LaTeX command
    (r"[’ʼ]", "'"),
    (r"[^\p{L}\p{N}\p{M}\s'-]+", _SEPARATOR),
    (r"['-]{2,}|(?:^|\s)['-]|['-](?:\s|$)", _SEPARATOR),
)
"""Rewrites, in this order, that turn lower-case text into words and full stops separated by white space."""


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


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The words of all papers."""

    vocabulary: tuple[str, ...]
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
    gathered: list[tuple[Integers, Integers, Integers]] = []
    paths: list[Path] = []
    n_words = 0
    for batch in batches:
        gathered.append(_number(batch, vocabulary))
        n_words += len(gathered[-1][0])
        if n_words >= AT_ONCE:
            paths.append(_save(gathered, folder / f"piece-{len(paths)}.npz"))
            n_words, gathered = 0, []
    if gathered:
        paths.append(_save(gathered, folder / f"piece-{len(paths)}.npz"))
    return Tokens(vocabulary=tuple(vocabulary), n_pieces=len(paths), folder=folder)


def _number(batch: pa.RecordBatch, vocabulary: dict[str, int]) -> tuple[Integers, Integers, Integers]:
    """The ids, starts and title ends of one batch; new words go into the vocabulary."""
    words, lengths = _split(batch)
    encoded = words.dictionary_encode()
    lettered = pc.match_substring_regex(encoded.dictionary, _WORD).to_pylist()
    known = [
        vocabulary.setdefault(word, len(vocabulary)) if has_letter else BOUNDARY
        for word, has_letter in zip(encoded.dictionary.to_pylist(), lettered, strict=True)
    ]
    at = encoded.indices.to_numpy()
    ends = pc.equal(encoded.dictionary, _TITLE_END).to_numpy(zero_copy_only=False)[at]
    return np.array(known, dtype=np.int32)[at], np.cumsum(lengths, dtype=np.int64) - lengths, np.flatnonzero(ends)


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
    """The text in lower case, with ` . ` for everything that is neither word nor white space."""
    text = pc.utf8_lower(pc.utf8_normalize(text, form="NFKC"))
    for pattern, replacement in _REWRITES:
        text = pc.replace_substring_regex(text, pattern, replacement)
    return text


def are_countable(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """For each normalised name, whether it consists of words only: `c++` and `tcp/ip` do not."""
    texts = pa.array(names, pa.string())
    unchanged = pc.equal(_separate(texts), texts)
    pieces = pc.match_substring_regex(texts, r"^(?:\S*\p{L}\S*|\d\d?)(?: (?:\S*\p{L}\S*|\d\d?))*$")
    return np.asarray(pc.and_(unchanged, pieces).to_numpy(zero_copy_only=False), dtype=bool)
