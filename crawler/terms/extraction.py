"""The table of terms, from counted phrases or from a plain list."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from crawler.config import TermConfig
from crawler.terms import phrases, termhood
from crawler.terms.limits import MAX_TERM_WORDS, MIN_TERM_WORDS, limits
from crawler.terms.phrases import Wanted
from crawler.terms.tokens import BOUNDARY, Tokens, are_countable
from data.texts.languages.base import Language

LETTERS = frozenset("dmosty")
"""Single letters that are stop words only as remains of `I'd` and the like. `a` and `i` are words."""
OPENINGS = ("in silico", "in situ", "in utero", "in vacuo", "in vitro", "in vivo", "de facto", "de novo")
"""Pairs that a term begins with although the first word is one that no term begins with; no term begins with the
second word alone."""
FEW_TERMS = 20
"""With fewer terms, the threshold is probably too high for the papers."""


def find_terms(tokens: Tokens, n_papers: int, config: TermConfig, language: Language) -> pd.DataFrame:
    """The terms of the papers: columns term, document_frequency, documents, canonical, variants, and the scores."""
    used = limits(config, n_papers)
    counted = []
    for sizes in (range(used.min_words, 2), range(max(used.min_words, 2), used.max_words + 1)):
        if sizes:
            shape = _shape(tokens.vocabulary, config, language, are_alone=sizes.start == 1)
            counted.append(phrases.count(tokens, replace(shape, sizes=sizes, above=used.above)))
    merged = _merge(pd.concat(counted, ignore_index=True), config, language)
    scores = termhood.score(merged, merged["key"])
    return _plain(merged.assign(**{name: scores[name] for name in termhood.COLUMNS}), n_papers)


def _shape(vocabulary: Sequence[str], config: TermConfig, language: Language, *, are_alone: bool) -> Wanted:
    """Which phrases of these words may be terms, whatever their frequency: single words, or all longer ones."""
    groups, _ = pd.factorize(_keys_of_words(vocabulary, config, language, are_alone=are_alone))
    words = pd.Index(tuple(vocabulary), dtype=object)
    unfit = language.edge_words - (LETTERS if config.short_words else frozenset())
    return Wanted(
        sizes=range(MIN_TERM_WORDS, MAX_TERM_WORDS + 1),
        above=0,
        groups=groups if config.short_words else np.where(words.str.isdecimal(), BOUNDARY, groups),
        edges=np.asarray(~words.isin(unfit) & ~words.str.isdecimal(), dtype=bool),
        openings=_openings(words) if config.short_words else None,
    )


def _openings(vocabulary: pd.Index) -> npt.NDArray[np.integer]:
    """For each word its partner by OPENINGS, as a number; BOUNDARY for the others. A partner may be no such word."""
    first, second = (vocabulary.get_indexer(pd.Index(pair)) for pair in zip(*map(str.split, OPENINGS), strict=True))
    partners = np.full(len(vocabulary), BOUNDARY)
    partners[second[second >= 0]] = np.where(first >= 0, first, len(vocabulary))[second >= 0]
    return partners


def may_be_terms(names: Sequence[str], config: TermConfig, language: Language) -> npt.NDArray[np.bool_]:
    """For each name, whether a term of papers may consist of its words, whatever their number and frequency."""
    words = [name.split(" ") for name in names]
    ids, vocabulary = pd.factorize(np.array([word for row in words for word in row], dtype=object))
    shape = _shape(list(vocabulary), config, language, are_alone=False)
    return phrases.may_be(ids, np.array([len(row) for row in words], dtype=np.int64), shape)


def list_terms(names: Sequence[str], config: TermConfig, language: Language) -> pd.DataFrame:
    """The terms of a plain list, without counts; the first of number variants in alphabetical order is the term."""
    return _plain(_merge(_uncounted(names), config, language), None)


def measure_terms(
    tokens: Tokens, n_papers: int, names: Sequence[str], config: TermConfig, language: Language
) -> pd.DataFrame:
    """The named terms with their document frequencies, however low, and their variants in the papers.

    Names that do not consist of words only (`tokens.are_countable`) have no frequency.
    """
    countable = are_countable(names)
    counted = _count_named(
        tokens, [name for name, is_countable in zip(names, countable, strict=True) if is_countable], config, language
    )
    listed = _uncounted(names)
    listed.loc[countable, ["document_frequency", "group_frequency"]] = 0
    absent = listed[~listed["phrase"].isin(counted["phrase"])]
    return _plain(_merge(pd.concat([counted, absent], ignore_index=True), config, language), n_papers)


def _count_named(tokens: Tokens, names: Sequence[str], config: TermConfig, language: Language) -> pd.DataFrame:
    """The phrases of the papers that are one of the names or, where variants are merged, a variant of one."""
    tables = []
    for are_alone in (True, False):
        groups, keys = pd.factorize(_keys_of_words(tokens.vocabulary, config, language, are_alone=are_alone))
        by_size: dict[int, list[str]] = {1: []} if are_alone else {}
        for words in (name.split(" ") for name in names if (" " not in name) == are_alone):
            by_size.setdefault(len(words), []).extend(words)
        index = pd.Index(keys)
        for size, sized in by_size.items():
            keyed = _keys_of_words(sized, config, language, are_alone=are_alone)
            rows = index.get_indexer(pd.Index(keyed)).reshape(-1, size)
            tables.append(phrases.count_named(tokens, groups, rows[(rows != BOUNDARY).all(axis=1)]))
    return pd.concat(tables, ignore_index=True)


def drop_terms(
    terms: pd.DataFrame, names: Sequence[str], config: TermConfig, language: Language
) -> tuple[pd.DataFrame, pd.Series]:
    """The terms without the named ones, and the dropped ones."""
    dropped = _are_named(terms["term"], names, config, language)
    return terms[~dropped], terms.loc[dropped, "term"]


def keep_top(
    terms: pd.DataFrame, added: Sequence[str], config: TermConfig, language: Language
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The `limit` terms by `rank_by` with all `added` ones, else all terms; and the others with their `rank`."""
    ranked = terms.assign(rank=termhood.order(terms, config.rank_by))
    kept = ranked["rank"] < (len(terms) if config.limit is None else config.limit)
    kept |= _are_named(terms["term"], added, config, language)
    return terms[kept], ranked[~kept]


def suggest_threshold(tokens: Tokens, config: TermConfig, language: Language) -> tuple[pd.Series, int | None]:
    """The number of phrases in more than 1, 2, 3, 5, 10, 20, 50 papers, and the highest threshold that gives FEW_TERMS
    terms; None where even 1 gives fewer.
    """
    frequencies = find_terms(tokens, 0, replace(config, above=1), language)["document_frequency"].sort_values(
        ascending=False
    )
    numbers = pd.Series({above: int((frequencies > above).sum()) for above in (1, 2, 3, 5, 10, 20, 50)})
    if len(frequencies) < FEW_TERMS:
        return numbers, None
    return numbers, int(frequencies.iloc[FEW_TERMS - 1]) - 1


def _uncounted(names: Sequence[str]) -> pd.DataFrame:
    """The names as phrases that were not searched for in papers."""
    unknown = pd.array([None] * len(names), dtype="Int64")
    return pd.DataFrame({"phrase": names, "document_frequency": unknown, "group_frequency": unknown})


def _merge(surfaces: pd.DataFrame, config: TermConfig, language: Language) -> pd.DataFrame:
    """One row per term: the most frequent form of its group (ties: the first in the alphabet), and its variants."""
    order = surfaces.assign(key=_keys(surfaces["phrase"], config, language)).sort_values(
        ["key", "document_frequency", "phrase"], ascending=[True, False, True]
    )
    is_first = ~order.duplicated("key").to_numpy()
    bounds = [*np.flatnonzero(is_first).tolist(), len(order)]
    names = order["phrase"].tolist()
    terms = order[is_first].rename(columns={"phrase": "term"}).reset_index(drop=True)
    variants = [names[start:end] for start, end in itertools.pairwise(bounds)]
    canonical = language.canonicals(terms["term"].tolist())
    return terms.assign(variants=pd.Series(variants, dtype=object), canonical=canonical)


def _plain(merged: pd.DataFrame, n_papers: int | None) -> pd.DataFrame:
    """The columns of the table `terms`, null where not measured."""
    measured = merged.assign(document_frequency=merged["group_frequency"], documents=n_papers)
    missing = {name: pd.array([None] * len(merged), dtype="Float64") for name in termhood.COLUMNS if name not in merged}
    columns = ["term", "document_frequency", "documents", "canonical", "variants", *termhood.COLUMNS]
    return measured.assign(**missing)[columns]


def _keys(names: pd.Series, config: TermConfig, language: Language) -> pd.Series:
    """A key per name, equal for names of the same term."""
    keys = language.canonicals(names.tolist()) if config.merge_variants else names.tolist()
    return pd.Series(keys, index=names.index, dtype=object)


def _are_named(phrases: pd.Series, names: Sequence[str], config: TermConfig, language: Language) -> "pd.Series[bool]":
    """Whether each phrase is one of the names or, where variants are merged, a variant of one."""
    return _keys(phrases, config, language).isin(_keys(pd.Series(names, dtype=object), config, language))


def _keys_of_words(
    words: Sequence[str], config: TermConfig, language: Language, *, are_alone: bool
) -> npt.NDArray[np.object_]:
    """A key per word, equal for words that count as the same within a term, or as whole terms."""
    headword = language.lone_headword if are_alone else language.headword
    return np.array([headword(word) for word in words] if config.merge_variants else words, dtype=object)
