"""The limits of terms that follow the material, where the user names none.

How many papers must hold a phrase follows the number of papers: 20 of 55,171, the share of He et al. 2020 (section
3.1), at least 2 and at most 20. On random parts of 108,790 papers of computer science, this keeps the share of quality
phrases (by AutoPhrase's lists) between 0.41 and 0.56 from 300 papers to 55,171; with 20 throughout, 300 papers have one
term, and with 2, 55,171 papers have 171,181, of which 11 % are such phrases.
"""

from dataclasses import dataclass

from crawler.config import TermConfig

PAPERS, ABOVE = 55_171, 20
"""The papers of He et al. 2020, and the number of them that must be exceeded."""
MIN_PAPERS = 2
MIN_TERM_WORDS, MAX_TERM_WORDS = 1, 4
"""Words in a term."""


@dataclass(frozen=True, kw_only=True)
class TermLimits:
    """The limits in use."""

    min_words: int
    max_words: int
    above: int

    def __str__(self) -> str:
        return f"{self.min_words} to {self.max_words} words and occur in more than {self.above} papers"


def limits(config: TermConfig, n_papers: int) -> TermLimits:
    """The limits of the configuration; where it names none, two and three words, and a threshold by the papers."""
    return TermLimits(
        min_words=min(2, config.max_words or 2) if config.min_words is None else config.min_words,
        max_words=max(3, config.min_words or 3) if config.max_words is None else config.max_words,
        above=threshold(n_papers) if config.above is None else config.above,
    )


def threshold(n_papers: int) -> int:
    """The number of papers that a term's must exceed, by the number of all papers."""
    return min(ABOVE, max(MIN_PAPERS, round(n_papers * ABOVE / PAPERS)))
