"""Many searches side by side: what they ask in one stage goes to the models in one call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data.console.memory import return_memory
from identification.robustness.proposals import Proposer
from identification.robustness.screening import Screen
from identification.robustness.search import Query, Search, SearchResult, WordProposal


@dataclass
class Runner:
    """Runs searches; each distinct pair of texts is scored once."""

    screen: Screen
    proposer: Proposer

    def run(self, searches: Sequence[Search]) -> list[SearchResult]:
        """The results, in order. All searches share each call, so that the models see large batches."""
        results: dict[int, SearchResult] = {}
        answers: dict[int, Any] = dict.fromkeys(range(len(searches)))
        while answers:
            asked: dict[int, Query | WordProposal] = {}
            for number, answer in answers.items():
                try:
                    asked[number] = searches[number].send(answer)
                except StopIteration as end:
                    results[number] = end.value
            answers = self._answer(asked)
        self.screen.forget()
        return [results[number] for number in range(len(searches))]

    def _answer(self, asked: dict[int, Query | WordProposal]) -> dict[int, Any]:
        queries = {number: question for number, question in asked.items() if isinstance(question, Query)}
        proposals = {number: question for number, question in asked.items() if isinstance(question, WordProposal)}
        scores = self.screen.answer(list(queries.values())) if queries else []
        words = self.proposer.propose(list(proposals.values())) if proposals else []
        return_memory()
        return dict(zip(queries, scores, strict=True)) | dict(zip(proposals, words, strict=True))
