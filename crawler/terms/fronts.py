"""Terms that the fronts of decks add: of other lengths than the papers' terms, where decks have many such fronts.

Every single word of the papers would be a term otherwise, `method` and `result` among them. A front is what a person
thought worth a card.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from crawler.config import TermConfig
from crawler.terms import extraction
from crawler.terms.limits import MAX_TERM_WORDS, MIN_TERM_WORDS, TermLimits, limits
from crawler.terms.word_store import PaperWords
from data.console.messages import quantity
from data.contract.tables.definitions import Terms
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import digest

FRONTS = "fronts of decks"
"""The fronts as an input of the terms, in the manifest."""
MIN_LENGTH_SHARE = 0.05
"""Decks have fronts of a length if at least this share of their distinct fronts has this many words."""


def widen_limits(used: TermLimits, names: Sequence[str], config: TermConfig) -> TermLimits:
    """The limits, widened to the lengths of the fronts (distinct, as names) where the user named none."""
    shares = (pd.Series(names, dtype="string[pyarrow]").str.count(" ") + 1).value_counts(normalize=True)
    often = [n for n in range(MIN_TERM_WORDS, MAX_TERM_WORDS + 1) if shares.get(n, 0.0) >= MIN_LENGTH_SHARE]
    if config.limit is not None:
        return used
    shortest = min([used.min_words, *often]) if config.min_words is None else used.min_words
    longest = max([used.max_words, *often]) if config.max_words is None else used.max_words
    return TermLimits(min_words=shortest, max_words=longest, above=used.above)


def with_fronts(manifest: Manifest, config: TermConfig, names: Sequence[str]) -> Manifest:
    """The manifest of the terms of papers and fronts, from the manifest of the papers' terms alone."""
    usual = limits(config, 0)
    more = _of_other_lengths(names, usual, widen_limits(usual, names, config))
    return replace(manifest, inputs={**manifest.inputs, FRONTS: digest(*more)}) if more else manifest


def without_fronts(record: Mapping[str, Any]) -> Manifest:
    """The manifest of the terms that the papers alone give, from the record of the table's."""
    inputs = {name: value for name, value in record["inputs"].items() if name != FRONTS}
    kept = {name: record[name] for name in ("stage", "config", "recipe", "language", "seed", "counts")}
    return Manifest(inputs=inputs, **kept)


def store_terms(store: Store, terms: pd.DataFrame, words: PaperWords, names: Sequence[str], manifest: Manifest) -> str:
    """Write the `terms` that the papers alone give, and those that the fronts add; return a line that says so.

    `manifest` belongs to the former.
    """
    used = widen_limits(words.limits, names, words.config)
    more = front_terms(words, names, used)
    more = more[~more["term"].isin(terms["term"])]
    table = pd.concat([terms, more], ignore_index=True) if len(more) else terms
    counts = {**manifest.counts, "limits": used, "rows_out": len(table)}
    version = store.replace(Terms, table, replace(with_fronts(manifest, words.config, names), counts=counts))
    added = f", {len(more):,} of them fronts of the decks," if len(more) else ""
    return f"{quantity(len(table), 'term')}{added} written to {store.path(Terms)} (version {version})"


def front_terms(words: PaperWords, names: Sequence[str], used: TermLimits) -> pd.DataFrame:
    """The fronts that are terms by these limits but not by the papers' limits, as rows of the table `terms`."""
    sized = _of_other_lengths(names, words.limits, used)
    fit = extraction.may_be_terms(sized, words.config, words.language)
    terms = words.measure([name for name, fits in zip(sized, fit, strict=True) if fits])
    terms, _ = extraction.drop_terms(terms, words.dropped, words.config, words.language)
    return terms[(terms["document_frequency"] > used.above).fillna(False).astype(bool)]


def _of_other_lengths(names: Sequence[str], usual: TermLimits, used: TermLimits) -> list[str]:
    """The names with as many words as a term has by the limits used, but not by the usual ones."""
    lengths = set(range(used.min_words, used.max_words + 1)) - set(range(usual.min_words, usual.max_words + 1))
    return [name for name in names if name.count(" ") + 1 in lengths]
