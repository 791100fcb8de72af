"""Searches against models that a person can work out by hand."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from data.texts.languages.en import ENGLISH
from identification.robustness.positions import Slots
from identification.robustness.search import Original, Query, Rules, SearchLimits, SearchResult, search
from identification.robustness.texts import TaggedWords

WEIGHTS = {"red": 0.2, "blue": 0.9, "green": 1.5}
BLANK = "[PAD]"
SLOTS = Slots(language=ENGLISH, blank=BLANK)
Score = Callable[[tuple[str, str]], float]


def tagged(text: str) -> TaggedWords:
    """The text; `go` and `up` have no tag, all other words are nouns."""
    parts = TaggedWords.of(text)
    return parts.tagged(["" if word in {"go", "up"} else "NN" for word in parts.lower])


def shared(pair: tuple[str, str]) -> set[str]:
    """The words that both texts have."""
    first, second = (set(TaggedWords.of(text).lower) for text in pair)
    return (first & second) - {"pad"}


def toy(pair: tuple[str, str]) -> float:
    """P(paraphrase), which grows with the colours that the two texts share."""
    return 1 / (1 + math.exp(2 - sum(WEIGHTS.get(word, 0) for word in shared(pair))))


def run(
    original: Original,
    limits: SearchLimits,
    score: Score = toy,
    words: Sequence[str] = tuple(WEIGHTS),
    slots: Slots = SLOTS,
    *,
    threshold: float = 0.5,
) -> SearchResult:
    """The result of a search; the words are proposed in this order."""
    stem = slots.language.content_stem
    rules = Rules(slots, lambda word, other: stem(word) == stem(other))
    searching = search(original, threshold, limits, rules, [1])
    answer: object = None
    while True:
        try:
            asked = searching.send(answer)
        except StopIteration as end:
            result: SearchResult = end.value
            return result
        if isinstance(asked, Query):
            answer = np.array([score(pair) for pair in asked.pairs])
        else:
            answer = [
                [word for word in words if word not in (*draft.first.lower, *draft.second.lower)][: asked.n_words]
                for draft, _ in asked.places
            ]
