"""In how many papers each phrase stands: exact document frequencies of n-grams, on whole columns.

A paper is its title and its abstract, each a text of its own. A word is a run of letters, digits and marks with
single hyphens or apostrophes inside (`real-time`, `moore's`), one letter in it at least. Whatever else stands
between two words (a full stop, comma, colon, bracket, quotation mark, slash, a formula, a number) parts them:
no phrase reaches across. Counted by level (Agrawal and Srikant 1994, the a-priori rule): a phrase can only be
frequent where both phrases that are one word shorter are.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.integer]

BOUNDARY = -1
"""Stands for whatever parts two words."""
AT_ONCE = 8_000_000
"""Occurrences that are sorted into phrases at once, so that memory follows the number of words by 8 bytes alone."""
NOTHING = np.array([], dtype=np.int64), np.array([], dtype=np.int64)

_PARTING = " . "
_TITLE_END = ".."
_REWRITES = (
    (r"\$[^\s$](?:[^$]{0,300}[^\s$])?\$", _PARTING),  # a formula; a price such as `$5 and $10` is none
    (r"\\[a-z]+", _PARTING),  # a command of LaTeX
    (r"[’ʼ]", "'"),
    (r"[^\p{L}\p{N}\p{M}\s'-]+", _PARTING),
    (r"['-]{2,}|(?:^|\s)['-]|['-](?:\s|$)", _PARTING),
)
"""What turns lower-case text into words and full stops between white space, in this order."""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The words of all papers, one after the other."""

    vocabulary: tuple[str, ...]
    ids: Integers
    """Index into the vocabulary of each word; BOUNDARY where a text or a phrase ends."""
    starts: Integers
    """For each paper the position of its first word, ascending."""
    title_ends: Integers
    """For each paper the position at which its title has ended."""

    def papers(self, at: Integers) -> Integers:
        """Index of the paper that the word at each position stands in."""
        return (np.searchsorted(self.starts, at, side="right") - 1).astype(np.int32)


def tokenise(batches: Iterable[pa.RecordBatch]) -> Tokens:
    """The words of the papers (text columns title and abstract, either may be null), batch after batch."""
    vocabulary: dict[str, int] = {".": BOUNDARY, _TITLE_END: BOUNDARY}
    ids: list[Integers] = []
    starts: list[Integers] = []
    title_ends: list[Integers] = []
    n_words = 0
    for batch in batches:
        words, lengths = _split(batch)
        encoded = words.dictionary_encode()
        known = [vocabulary.setdefault(word, len(vocabulary) - 2) for word in encoded.dictionary.to_pylist()]
        ids.append(np.array(known, dtype=np.int32)[encoded.indices.to_numpy()])
        starts.append(np.cumsum(lengths, dtype=np.int64) - lengths + n_words)
        ends = pc.equal(encoded.dictionary, _TITLE_END).to_numpy(zero_copy_only=False)[encoded.indices.to_numpy()]
        title_ends.append(np.flatnonzero(ends) + n_words)
        n_words += len(words)
    texts = tuple(list(vocabulary)[2:])
    nothing = np.array([], dtype=np.int64)
    return Tokens(
        vocabulary=texts,
        ids=_without_numbers(texts, np.concatenate([*ids, np.array([], dtype=np.int32)])),
        starts=np.concatenate([*starts, nothing]),
        title_ends=np.concatenate([*title_ends, nothing]),
    )


def _split(batch: pa.RecordBatch) -> tuple[pa.Array, Integers]:
    """All words of the batch with `.` for boundaries and `..` behind titles, and how many each paper has."""
    title, abstract = (_part(pc.fill_null(batch[column], "")) for column in ("title", "abstract"))
    text = pc.binary_join_element_wise(title, _TITLE_END, abstract, ".", " ")
    words = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(text))
    return pc.list_flatten(words), pc.list_value_length(words).to_numpy()


def _part(text: pa.Array) -> pa.Array:
    """The text in lower case, with a full stop between white space for all that is neither word nor white space."""
    text = pc.utf8_lower(pc.utf8_normalize(text, form="NFKC"))
    for pattern, replacement in _REWRITES:
        text = pc.replace_substring_regex(text, pattern, replacement)
    return text


def are_countable(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """For each normalised name, whether it is made of words alone: `c++`, `tcp/ip` and `level 2 cache` are not."""
    texts = pa.array(names, pa.string())
    unchanged = pc.equal(_part(texts), texts)
    lettered = pc.match_substring_regex(texts, r"^\S*\p{L}\S*(?: \S*\p{L}\S*)*$")
    return np.asarray(pc.and_(unchanged, lettered).to_numpy(zero_copy_only=False), dtype=bool)


def _without_numbers(vocabulary: tuple[str, ...], ids: Integers) -> Integers:
    """The words with a boundary in place of every one that holds no letter."""
    lettered = pc.match_substring_regex(pa.array(vocabulary, pa.string()), r"\p{L}").to_numpy(zero_copy_only=False)
    ids[~np.append(lettered, False)[ids]] = BOUNDARY  # BOUNDARY itself indexes the False at the end
    return ids


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which phrases are counted."""

    sizes: range
    """Numbers of words."""
    above: int
    """A phrase is kept where more papers than this hold it or another one of its group."""
    groups: Integers
    """For each word of the vocabulary its group, or BOUNDARY: phrases whose words have the same groups are one."""
    edges: npt.NDArray[np.bool_]
    """For each word of the vocabulary, whether a phrase may begin and end with it."""


def count(tokens: Tokens, wanted: Wanted) -> pd.DataFrame:
    """The wanted phrases: columns phrase, document_frequency, and of its group the figures of GROUP_FIGURES.

    The phrases of a group that is frequent enough are all there, however rare each one is. Rows are in no order.
    """
    grams = _words(tokens, wanted)
    edges = np.append(wanted.edges, False)
    found = []
    for size in range(1, wanted.sizes.stop):
        if size > 1:
            grams = _extend(grams, wanted.above)
        if size in wanted.sizes:
            for some in _parts(grams):
                at = some[edges[tokens.ids[some]] & edges[tokens.ids[some + size - 1]]]
                if len(at):
                    found.append(_describe(tokens, pd.factorize(grams[at])[0], at, size, wanted))
    return pd.concat(found, ignore_index=True) if found else _describe(tokens, *NOTHING, 1, wanted)


def _words(tokens: Tokens, wanted: Wanted) -> Integers:
    """For each position the group of its word, where it occurs often enough."""
    n_words = _count_each(tokens.ids, len(tokens.vocabulary))
    n_groups = int(wanted.groups.max(initial=-1)) + 1
    often = np.bincount(wanted.groups + 1, weights=n_words, minlength=n_groups + 1)[1:] > wanted.above
    number = np.append(np.where(often, np.cumsum(often) - 1, BOUNDARY), BOUNDARY).astype(np.int32)
    grams = np.empty(len(tokens.ids), dtype=np.int32)
    np.take(np.append(number[wanted.groups], BOUNDARY), tokens.ids, out=grams, mode="wrap")
    return grams


def _parts(grams: Integers) -> Iterator[Integers]:
    """The positions of all phrases, in parts of some AT_ONCE, all of one phrase in the same part."""
    before = np.cumsum(_count_each(grams, int(grams.max(initial=-1)) + 1))
    n_parts = int(before[-1]) // AT_ONCE + 1 if len(before) else 0
    ends = np.searchsorted(before, np.arange(1, n_parts) * AT_ONCE)
    bounds = [0, *(int(end) + 1 for end in ends), len(before)]
    for low, high in itertools.pairwise(bounds):
        if low < high:
            pieces = ((start, grams[start : start + AT_ONCE]) for start in range(0, len(grams), AT_ONCE))
            yield np.concatenate([start + np.flatnonzero((one >= low) & (one < high)) for start, one in pieces])


def _count_each(codes: Integers, n_codes: int) -> Integers:
    """How often each code from 0 occurs, whatever else there is; piece by piece, with no copy of the whole."""
    counts = np.zeros(n_codes + 1, dtype=np.int64)
    for start in range(0, len(codes), AT_ONCE):
        counts += np.bincount(codes[start : start + AT_ONCE] + 1, minlength=n_codes + 1)
    return counts[1:]


def _extend(grams: Integers, above: int) -> Integers:
    """For each position the phrase that is one word longer than `grams`, where it occurs often enough."""
    longer = np.full(len(grams), BOUNDARY, dtype=np.int32)
    n_before, n_grams = 0, int(grams.max(initial=0)) + 1
    for some in _parts(grams[:-1]):
        at = some[grams[some + 1] >= 0]
        codes = _repeated(pd.factorize(grams[at].astype(np.int64) * n_grams + grams[at + 1])[0], above)
        longer[at] = np.where(codes >= 0, codes + n_before, BOUNDARY)
        n_before += int(codes.max(initial=-1)) + 1
    return longer


def _repeated(codes: Integers, above: int) -> Integers:
    """The codes that occur more than `above` times, numbered anew from 0; BOUNDARY for it and the others.

    What stands in more papers than that occurs more often than that, and counting needs no sorting.
    """
    often = np.bincount(codes + 1) > above  # BOUNDARY is counted at 0
    often[:1] = False
    return np.where(often, np.cumsum(often) - 1, BOUNDARY).astype(np.int32)[codes + 1]


def _frequencies(codes: Integers, papers: Integers) -> Integers:
    """In how many papers each code stands, at the code's index."""
    n_papers = int(papers.max(initial=0)) + 1
    pairs = codes.astype(np.int64) * n_papers + papers
    pairs.sort()
    return np.bincount(pairs[np.diff(pairs, prepend=-1) > 0] // n_papers)


GROUP_FIGURES = ("group_frequency", "occurrences", "title_frequency", "boundary")
"""Of all phrases of a group: papers that hold one, how often they occur, papers with one in the title, and the share
of occurrences beside which a term could begin or end: the smaller of the two sides."""


def _describe(tokens: Tokens, groups: Integers, at: Integers, size: int, wanted: Wanted) -> pd.DataFrame:
    """The phrases of `size` words that begin at the positions `at`, whose groups are `groups`."""
    group_frequencies = _frequencies(groups, tokens.papers(at))
    frequent = group_frequencies[groups] > wanted.above
    at, groups = at[frequent], groups[frequent]
    surfaces = tokens.ids[at]
    for offset in range(1, size):
        keys = surfaces.astype(np.int64) * len(tokens.vocabulary) + tokens.ids[at + offset]
        surfaces = pd.factorize(keys)[0]
    codes, first = np.unique(surfaces, return_index=True)
    figures = {"group_frequency": group_frequencies} | _measure(tokens, groups, at, size, wanted.edges)
    return pd.DataFrame(
        {
            "phrase": _join(tokens, at[first], size),
            "document_frequency": _frequencies(surfaces, tokens.papers(at))[codes],
        }
        | {name: figures[name][groups[first]] for name in GROUP_FIGURES}
    )


def _measure(
    tokens: Tokens, groups: Integers, at: Integers, size: int, edges: npt.NDArray[np.bool_]
) -> dict[str, npt.NDArray[np.number]]:
    """For each group the figures of GROUP_FIGURES but its frequency; `edges` of the vocabulary."""
    n_groups, papers = int(groups.max(initial=-1)) + 1, tokens.papers(at)
    occurrences = np.bincount(groups, minlength=n_groups)
    in_title = at < tokens.title_ends[papers]
    titles = _frequencies(groups[in_title], papers[in_title])
    no_word_of_a_term = ~np.append(edges, False)
    sides = []
    for neighbour in (at - 1, at + size):
        inside = (neighbour >= 0) & (neighbour < len(tokens.ids))
        beside = np.where(inside, tokens.ids[np.where(inside, neighbour, 0)], BOUNDARY)
        sides.append(np.bincount(groups, weights=no_word_of_a_term[beside], minlength=n_groups))
    return {
        "occurrences": occurrences,
        "title_frequency": np.pad(titles, (0, n_groups - len(titles))),
        "boundary": np.minimum(*sides) / np.maximum(occurrences, 1),
    }


def _join(tokens: Tokens, at: Integers, size: int) -> pd.Series:
    """The phrases of `size` words that begin at the positions."""
    vocabulary = pa.array(tokens.vocabulary, pa.string())
    words = [vocabulary.take(pa.array(tokens.ids[at + offset])) for offset in range(size)]
    return pd.Series(pc.binary_join_element_wise(*words, " ").to_numpy(zero_copy_only=False), dtype="string[pyarrow]")
