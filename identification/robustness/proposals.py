"""Substitutes: the words that fit best into all masked places of both texts, after the guards."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from identification.robustness.guards import Guards
from identification.robustness.positions import Slot
from identification.robustness.search import Draft, WordProposal
from identification.robustness.texts import TaggedWords

MASK = "\0"
"""A word of a context that is masked, too; `identification.architectures.masked` reads it."""
MAX_CONTEXT_WORDS = 40
"""Words on each side of a masked place that are read at most."""

KEPT = 10_000_000
"""Probabilities that are kept: 40 MB, the distributions of 2,000 contexts over 5,000 words."""
CANDIDATES_PER_WORD = 3
"""Words that the guards of the words around a place look at for each word that is wanted."""

Context = tuple[tuple[str, ...], tuple[str, ...]]
"""The words before a masked place and those after it."""
Weights = NDArray[np.float32]


class MaskedWords(Protocol):
    """A masked language model over a list of words."""

    words: list[str]

    def weigh(self, contexts: Sequence[Context]) -> Weights:
        """The natural logarithm of each word's probability in each context: [contexts, words]."""


@dataclass
class Proposer:
    """Answers proposals; the distributions of the latest contexts are kept."""

    model: MaskedWords
    guards: Guards
    window: int
    """Words on each side of a masked place that are read; 0: all, up to `MAX_CONTEXT_WORDS`."""
    n_contexts: int = 0
    """Contexts that the model was asked about."""
    _known: OrderedDict[Context, Weights] = field(default_factory=OrderedDict)

    def propose(self, proposals: Sequence[WordProposal]) -> list[list[list[str]]]:
        """The words for each slot of each proposal, best first.

        The best have the highest joint probability in all their places (Shi and Huang 2020, section 3.2: the product
        over both texts; here the geometric mean, so that the floor means the same whatever the number of places).
        """
        requests = [(draft, slot) for proposal in proposals for draft, slot in proposal.places]
        labels = [proposal.label for proposal in proposals for _ in proposal.places]
        wanted = [proposal.n_words for proposal in proposals for _ in proposal.places]
        contexts = [list(self._contexts(*request)) for request in requests]
        self._learn(dict.fromkeys(context for some in contexts for context in some))
        tried = CANDIDATES_PER_WORD if self.guards.is_strict else 1
        words = [
            self._best(request, label, some, n * tried)
            for request, label, some, n in zip(requests, labels, contexts, wanted, strict=True)
        ]
        self._forget()
        kept = self.guards.keep(requests, words)
        chosen = (list(some[:n]) for some, n in zip(kept, wanted, strict=True))
        return [[next(chosen) for _ in proposal.places] for proposal in proposals]

    def _best(self, request: tuple[Draft, Slot], label: int, contexts: Sequence[Context], n: int) -> list[str]:
        joint = np.mean([self._known[context] for context in contexts], axis=0)
        allowed = self.guards.allow(*request, label)
        if self.guards.floor:
            allowed &= joint >= np.log(self.guards.floor)
        places = np.flatnonzero(allowed)
        best = places[np.argsort(-joint[places], kind="stable")[:n]]
        return [self.model.words[place] for place in best]

    def _contexts(self, draft: Draft, slot: Slot) -> Iterable[Context]:
        for text, places in ((draft.first, slot.first), (draft.second, slot.second)):
            yield from self._around(text, places)

    def _around(self, text: TaggedWords, places: Sequence[int]) -> Iterable[Context]:
        masked = list(text.words)
        for place in places:
            masked[place] = MASK
        width = self.window or MAX_CONTEXT_WORDS
        for place in places:
            yield tuple(masked[max(0, place - width) : place]), tuple(masked[place + 1 : place + 1 + width])

    def _learn(self, contexts: Iterable[Context]) -> None:
        """Ask the model about the contexts that are not known."""
        unknown = []
        for context in contexts:
            if context in self._known:
                self._known.move_to_end(context)
            else:
                unknown.append(context)
        if unknown:
            self.n_contexts += len(unknown)
            self._known.update(zip(unknown, self.model.weigh(unknown), strict=True))

    def _forget(self) -> None:
        while len(self._known) * len(self.model.words) > KEPT:
            self._known.popitem(last=False)
