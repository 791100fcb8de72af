"""Terms that the fronts of decks add: those of other lengths than the papers' terms, where decks have many such fronts.

Every single word of the papers would be a term otherwise, `method` and `result` among them. A front is what somebody
thought worth a card.
"""

from collections.abc import Sequence

import pandas as pd

from crawler.config import TermConfig
from crawler.terms import extraction
from crawler.terms.kept_words import PaperWords
from crawler.terms.limits import LONGEST, SHORTEST, Limits
from data.identity import digest

SHARE = 0.05
"""Decks have fronts of a length if at least this share of their distinct fronts has so many words."""


def follow(used: Limits, names: Sequence[str], config: TermConfig) -> Limits:
    """The limits, widened to the lengths of the fronts (distinct, as names) where the user named none."""
    shares = (pd.Series(names, dtype="string[pyarrow]").str.count(" ") + 1).value_counts(normalize=True)
    often = [n for n in range(SHORTEST, LONGEST + 1) if shares.get(n, 0.0) >= SHARE]
    if config.top is not None:
        return used
    shortest = min([used.min_words, *often]) if config.min_words is None else used.min_words
    longest = max([used.max_words, *often]) if config.max_words is None else used.max_words
    return Limits(min_words=shortest, max_words=longest, above=used.above)


def fronts_input(names: Sequence[str]) -> dict[str, int | str | None]:
    """The fronts as an input of the terms, for the manifest."""
    return {"fronts of decks": digest(*names)}


def front_terms(words: PaperWords, names: Sequence[str], used: Limits) -> pd.DataFrame:
    """The fronts that are terms by these limits but not by those of the papers, as rows of the table `terms`."""
    usual = range(words.limits.min_words, words.limits.max_words + 1)
    lengths = set(range(used.min_words, used.max_words + 1)) - set(usual)
    sized = [name for name in names if name.count(" ") + 1 in lengths]
    terms = words.measure([name for name in sized if extraction.may_be_term(name, words.language)])
    terms, _ = extraction.drop_terms(terms, words.dropped, words.config, words.language)
    return terms[(terms["document_frequency"] > used.above).fillna(False).astype(bool)]
