"""Many searches side by side: what they ask in one stage goes to the models in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data.scorers import Scorer
from identification.robustness.proposals import Proposer
from identification.robustness.search import Proposal, Query, Result, Search


@dataclass
class Runner:
    """Runs searches; each distinct pair of texts is scored once."""

    score: Scorer
    proposer: Proposer
    n_scored: int = 0
    """Pairs that the model was asked about, each distinct pair of a group of searches once."""
    _scores: dict[tuple[str, str], float] = field(default_factory=dict)

    def run(self, searches: Sequence[Search]) -> list[Result]:
        """The results, in order. All searches share each call, so that the models see large batches."""
        results: dict[int, Result] = {}
        answers: dict[int, Any] = dict.fromkeys(range(len(searches)))
        while answers:
            asked: dict[int, Query | Proposal] = {}
            for number, answer in answers.items():
                try:
                    asked[number] = searches[number].send(answer)
                except StopIteration as end:
                    results[number] = end.value
            answers = self._answer(asked)
        self._scores.clear()
        return [results[number] for number in range(len(searches))]

    def _answer(self, asked: dict[int, Query | Proposal]) -> dict[int, Any]:
        queries = {number: question for number, question in asked.items() if isinstance(question, Query)}
        proposals = {number: question for number, question in asked.items() if isinstance(question, Proposal)}
        self._learn([pair for query in queries.values() for pair in query.pairs])
        scores = {number: np.array([self._scores[pair] for pair in query.pairs]) for number, query in queries.items()}
        words = self.proposer.propose(list(proposals.values())) if proposals else []
        return scores | dict(zip(proposals, words, strict=True))

    def _learn(self, pairs: Sequence[tuple[str, str]]) -> None:
        unknown = [pair for pair in dict.fromkeys(pairs) if pair not in self._scores]
        if unknown:
            self.n_scored += len(unknown)
            first, second = zip(*unknown, strict=True)
            self._scores.update(zip(unknown, self.score(first, second).tolist(), strict=True))
