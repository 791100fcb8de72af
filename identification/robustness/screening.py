"""Scores of the pairs that matter: a rough look at all of a stage, an exact one where the rough one leaves doubt.

A search asks which scores are the lowest. In bfloat16 a transformer scores about three times faster than in float32;
only pairs that may or may not be among the lowest are scored again. How far rough scores are off is learned from the
pairs of the same question that have both scores: scores of one original and stage are off by about the same amount.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from data.models.scorers import Scorer
from identification.robustness.search import SCORE_DECIMALS, Query, Scores

MIN_ERROR = 0.01
"""Logits by which a rough score is taken to be wrong at least."""
MIN_PAIRS = 8
"""Pairs with both scores that tell how far rough ones are off."""
SPREADS = 6.0
"""A rough score is taken to be wrong by this many standard deviations, and more where few pairs tell them."""
MIN_PROBABILITY = 1e-7
"""Probabilities are told apart from this one on; scores are compared after fewer decimals."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class _Look:
    """What is known of a query's pairs, as logits of the right label."""

    middle: Scores
    """Exact where the pair has an exact score, otherwise rough and corrected by what rough ones are off on average."""
    error: Scores
    """How far it may be from the exact one; infinite where too few pairs tell."""

    @property
    def least(self) -> Scores:
        """The least that each P(right label) may be, as far as scores are compared."""
        return np.round(expit(self.middle - self.error), SCORE_DECIMALS)

    @property
    def most(self) -> Scores:
        """The most that each may be."""
        return np.round(expit(self.middle + self.error), SCORE_DECIMALS)

    def find_open(self, query: Query) -> NDArray[np.intp]:
        """The places of which it cannot be told whether they are among the lowest, or who is the lowest."""
        least, most = self.least, self.most
        ranked = np.sort(least)
        n = query.lowest
        is_within = most < ranked[n] if n < len(ranked) else np.ones(len(ranked), dtype=bool)
        may_be = least <= np.sort(most)[min(n, len(most)) - 1]
        is_open = may_be & ~is_within
        if query.exact == "best":
            is_open |= least <= most.min()
        return np.flatnonzero(is_open & (self.error > 0))


@dataclass
class Screen:
    """Answers queries; each distinct pair of texts is scored once."""

    exact: Scorer
    rough: Scorer | None = None
    """The same model in faster arithmetic; none: every pair is scored exactly."""
    _exact: dict[Pair, float] = field(default_factory=dict)
    _rough: dict[Pair, float] = field(default_factory=dict)

    def answer(self, queries: Sequence[Query]) -> list[Scores]:
        """P(paraphrase) of each pair: see `Query`."""
        is_large = [
            self.rough is not None and query.exact != "all" and len(query.pairs) > MIN_PAIRS for query in queries
        ]
        large = list(compress(queries, is_large))
        self._look(pair for query in large for pair in query.pairs)
        self._score(pair for query, some in zip(queries, is_large, strict=True) if not some for pair in query.pairs)
        while wanted := [pair for query in large for pair in self._choose(query)]:
            self._score(wanted)
        return [self._read(query) for query in queries]

    def forget(self) -> None:
        """Drop the scores."""
        self._exact.clear()
        self._rough.clear()

    def _score(self, pairs: Iterable[Pair]) -> None:
        if unknown := [pair for pair in dict.fromkeys(pairs) if pair not in self._exact]:
            self._exact.update(zip(unknown, _ask(self.exact, unknown), strict=True))

    def _look(self, pairs: Iterable[Pair]) -> None:
        if self.rough and (unknown := [pair for pair in dict.fromkeys(pairs) if pair not in self._rough]):
            self._rough.update(zip(unknown, _ask(self.rough, unknown), strict=True))

    def _choose(self, query: Query) -> list[Pair]:
        """The pairs to score exactly next: a few that look lowest, and once these tell the error all in doubt."""
        look = self._weigh(query)
        unknown = np.flatnonzero(look.error > 0)
        if np.isinf(look.error).any():
            n = MIN_PAIRS - (len(look.error) - len(unknown))
            places = unknown[np.argsort(look.middle[unknown], kind="stable")[:n]]
        else:
            places = look.find_open(query)
        return [query.pairs[place] for place in places]

    def _weigh(self, query: Query) -> _Look:
        side = 1 if query.label else -1
        exact = side * _logits([self._exact.get(pair, np.nan) for pair in query.pairs])
        rough = side * _logits([self._rough.get(pair, np.nan) for pair in query.pairs])
        is_known = ~np.isnan(exact)
        off, n = (rough - exact)[is_known], int(is_known.sum())
        if n < MIN_PAIRS:
            return _Look(np.where(is_known, exact, rough), np.where(is_known, 0, np.inf))
        error = max(MIN_ERROR, SPREADS * (1 + 2 / np.sqrt(n)) * float(off.std(ddof=1)))
        return _Look(np.where(is_known, exact, rough - off.mean()), np.where(is_known, 0, error))

    def _read(self, query: Query) -> Scores:
        exact = np.array([self._exact.get(pair, np.nan) for pair in query.pairs])
        if self.rough is None or not np.isnan(exact).any():
            return exact
        middle = self._weigh(query).middle
        return np.where(np.isnan(exact), expit(middle if query.label else -middle), exact)


def _ask(scorer: Scorer, pairs: Sequence[Pair]) -> list[float]:
    first, second = zip(*pairs, strict=True)
    return [float(score) for score in scorer(first, second)]


def _logits(scores: Sequence[float]) -> Scores:
    values: Scores = logit(np.clip(np.asarray(scores, dtype=np.float64), MIN_PROBABILITY, 1 - MIN_PROBABILITY))
    return values
