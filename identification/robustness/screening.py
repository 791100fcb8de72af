"""Scores of the pairs that matter: a rough look at all of a stage, an exact one at those that may be its lowest.

A search asks for the lowest scores alone. In bfloat16 a transformer scores several times faster than in float32; what
is certainly not among the lowest is not scored again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from data.scorers import Scorer
from identification.robustness.search import DECIMALS, Query, Scores

LEAST_ERROR = 0.02
"""Logits by which a rough score is taken to be wrong at least; bfloat16 was seen to move one by 0.094."""
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
        """P(paraphrase) of each pair; NaN for those that are not among a query's lowest, or that have no answer."""
        if self.rough is None:
            self._score(pair for query in queries for pair in query.pairs)
        else:
            self._look(self.rough, (pair for query in queries for pair in query.pairs))
            while wanted := {pair: None for query in queries for pair in self._find_contenders(query)}:
                self._score(wanted)
        return [np.array([self._exact.get(pair, np.nan) for pair in query.pairs]) for query in queries]

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

    def _find_contenders(self, query: Query) -> list[Pair]:
        """The pairs that may be among the query's lowest and are not scored exactly yet."""
        sign = 1 if query.label else -1
        known = np.array([pair in self._exact for pair in query.pairs])
        logits = sign * _logits([self._exact.get(pair, self._rough[pair]) for pair in query.pairs])
        error = np.where(known, 0.0, self.error)
        least, most = (np.round(expit(logits + side), DECIMALS) for side in (-error, error))
        highest = np.sort(most)[min(query.lowest, len(most)) - 1]
        return [query.pairs[place] for place in np.flatnonzero(~known & (least <= highest))]


def _ask(scorer: Scorer, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    first, second = zip(*pairs, strict=True)
    return np.asarray(scorer(first, second), dtype=np.float64)


def _logits(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = logit(np.clip(np.asarray(scores, dtype=np.float64), SMALLEST, 1 - SMALLEST))
    return values
