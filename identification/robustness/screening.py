"""Scores of the pairs that matter: a rough look at all of a stage, an exact one where the rough one leaves doubt.

A search asks which scores are the lowest. In bfloat16 a transformer scores about three times faster than in float32;
only pairs that may or may not be among the lowest, and those that may be the very lowest, are scored again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from data.scorers import Scorer
from identification.robustness.search import DECIMALS, Query, Scores

LEAST_ERROR = 0.02
"""Logits by which a rough score is taken to be wrong at least."""
SAFETY = 2.0
"""A rough score is taken to be wrong by this times the largest error seen."""
SMALLEST = 1e-7
"""Probabilities are told apart from this one on; scores are compared after fewer decimals."""
Pair = tuple[str, str]


@dataclass
class Screen:
    """Answers queries; each distinct pair of texts is scored once."""

    exact: Scorer
    rough: Scorer | None = None
    """The same model in faster arithmetic; none: every pair is scored exactly."""
    error: float = LEAST_ERROR
    """Logits by which a rough score is taken to be wrong at most."""
    n_exact: int = 0
    """Pairs that were scored exactly."""
    _exact: dict[Pair, float] = field(default_factory=dict)
    _rough: dict[Pair, float] = field(default_factory=dict)

    def answer(self, queries: Sequence[Query]) -> list[Scores]:
        """P(paraphrase) of each pair: see `Query`."""
        if self.rough is None:
            self._score(pair for query in queries for pair in query.pairs)
        else:
            self._look(self.rough, (pair for query in queries for pair in query.pairs))
            while wanted := {pair: None for query in queries for pair in self._find_open(query)}:
                self._score(wanted)
        return [self._read(query) for query in queries]

    def forget(self) -> None:
        """Drop the scores."""
        self._exact.clear()
        self._rough.clear()

    def _score(self, pairs: Iterable[Pair]) -> None:
        if unknown := [pair for pair in dict.fromkeys(pairs) if pair not in self._exact]:
            self.n_exact += len(unknown)
            scores = _ask(self.exact, unknown)
            self._exact.update(zip(unknown, scores.tolist(), strict=True))
            if self.rough is not None:
                seen = np.abs(_logits(scores) - _logits([self._rough[pair] for pair in unknown])).max()
                self.error = max(self.error, SAFETY * float(seen))

    def _look(self, rough: Scorer, pairs: Iterable[Pair]) -> None:
        if unknown := [pair for pair in dict.fromkeys(pairs) if pair not in self._rough]:
            self._rough.update(zip(unknown, _ask(rough, unknown).tolist(), strict=True))

    def _find_open(self, query: Query) -> list[Pair]:
        """The pairs of which the rough score tells neither whether they are among the lowest nor who is the lowest."""
        least, most = self._bound(query)
        ranked = np.sort(least)
        within = most < ranked[query.lowest] if query.lowest < len(ranked) else np.ones(len(ranked), dtype=bool)
        is_open = ~within & (least <= self._limit(query, most)) | (least <= most.min())
        return [query.pairs[place] for place in np.flatnonzero(is_open) if query.pairs[place] not in self._exact]

    def _bound(self, query: Query) -> tuple[Scores, Scores]:
        """The least and the most that each pair's P(right label) may be, as far as scores are compared."""
        known = np.array([pair in self._exact for pair in query.pairs])
        scores = [self._exact[pair] if pair in self._exact else self._rough[pair] for pair in query.pairs]
        logits = _logits(scores) if query.label else -_logits(scores)
        error = np.where(known, 0.0, self.error)
        return np.round(expit(logits - error), DECIMALS), np.round(expit(logits + error), DECIMALS)

    def _limit(self, query: Query, most: Scores) -> float:
        """A pair that is certainly above it is not among the lowest."""
        return float(np.sort(most)[min(query.lowest, len(most)) - 1])

    def _read(self, query: Query) -> Scores:
        if self.rough is None:
            return np.array([self._exact[pair] for pair in query.pairs])
        least, most = self._bound(query)
        scores = [self._exact[pair] if pair in self._exact else self._rough[pair] for pair in query.pairs]
        return np.where(least <= self._limit(query, most), scores, np.nan)


def _ask(scorer: Scorer, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    first, second = zip(*pairs, strict=True)
    return np.asarray(scorer(first, second), dtype=np.float64)


def _logits(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = logit(np.clip(np.asarray(scores, dtype=np.float64), SMALLEST, 1 - SMALLEST))
    return values
