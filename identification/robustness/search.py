"""Modification with shared words: the two-stage beam of Shi and Huang (2020, section 3.3); pure.

A search is a generator: it yields what it wants to know and is sent the answer, so that one model call can serve a
stage of many searches.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from identification.robustness.positions import Slot, Slots
from identification.robustness.texts import TaggedWords

Outcome = Literal["fooled", "limit", "stuck", "budget", "wrong_at_start"]
SCORE_DECIMALS = 6
"""Scores are compared after this many decimals: in float32 the batch moves what follows them."""
Scores = NDArray[np.float64]
Exact = Literal["best", "all", "none"]


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """How far a search goes."""

    steps: int
    """S: replacements at most."""
    words: int
    """K: substitutes per place."""
    beam: int
    """B: drafts that go on."""
    places: int | None = None
    """Places that are tried per draft, by chance where there are more; None: all."""
    queries: int | None = None
    """Pairs that the model may be asked about."""
    refine: bool = False
    """Once the model is wrong, undo what is not needed for it, and take likelier words."""


@dataclass(frozen=True)
class Edit:
    """One step: the places in both texts, what stood there, and the word that both have now."""

    slot: Slot
    old: tuple[str, str]
    word: str

    @property
    def row(self) -> dict[str, Any]:
        """The entry of `attacks.edits`; places count from 0."""
        first, second = self.old
        places = {"first": list(self.slot.first), "second": list(self.slot.second)}
        return places | {"old_first": first, "old_second": second, "word": self.word}


@dataclass(frozen=True)
class Draft:
    """Both texts after some steps."""

    first: TaggedWords
    second: TaggedWords
    edits: tuple[Edit, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """The two texts."""
        return self.first.text, self.second.text

    def put(self, slot: Slot, word: str) -> "Draft":
        """The draft with the word in the slot, without a record of it."""
        return Draft(self.first.put(slot.first, word), self.second.put(slot.second, word), self.edits)

    def edit(self, slot: Slot, word: str) -> "Draft":
        """The draft after the step that puts the word into the slot."""
        old = self.first.lower[slot.first[0]], self.second.lower[slot.second[0]]
        return replace(self.put(slot, word), edits=(*self.edits, Edit(slot, old, word)))

    def repeat(self, edits: Sequence[Edit]) -> "Draft":
        """The draft after these steps."""
        draft = self
        for edit in edits:
            draft = draft.edit(edit.slot, edit.word)
        return draft


@dataclass(frozen=True)
class Query:
    """Which of these pairs have the lowest P(right label)? The answer: P(paraphrase) of each.

    It is good enough to tell which are the lowest; NaN where the model has no answer.
    """

    pairs: Sequence[tuple[str, str]]
    label: int
    lowest: int
    """How many of the lowest matter, 1 or more."""
    exact: Exact = "best"
    """Whose score has to be exact: the lowest of all, every pair's, or none."""


@dataclass(frozen=True)
class WordProposal:
    """Which words fit into the slots of these drafts? The answer: for each the words, best first, at most K."""

    places: Sequence[tuple[Draft, Slot]]
    label: int
    n_words: int


@dataclass(frozen=True)
class Original:
    """A pair to modify, and its label, which modification must keep."""

    first: TaggedWords
    second: TaggedWords
    label: int


@dataclass(frozen=True)
class Rules:
    """Where words are replaced, and which may not meet."""

    slots: Slots
    clash: Callable[[str, str], bool]
    """Whether of two lower-case words one may not come into a pair that has the other, and so may not come back."""


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """How a search ended."""

    outcome: Outcome
    draft: Draft
    """The one that the model was most wrong about, after whichever step; the original where none was worse. A refined
    one has fewer steps or likelier words, and the model may be less wrong about it."""
    score_before: float
    """P(paraphrase) of the original; NaN where the model gave no answer."""
    score_after: float
    """P(paraphrase) of the draft."""
    queries: int
    """Pairs that the model was asked about."""


Question = Query | WordProposal
Search = Generator[Question, Any, SearchResult]


class _BudgetSpentError(Exception):
    """The search may ask no more, or the model gives no answer."""


@dataclass
class _Asker:
    """What one search asks of the model: scores of the right label, counted."""

    label: int
    limits: SearchLimits
    queries: int = 0

    def ask(self, drafts: Sequence[Draft], lowest: int, exact: Exact = "best") -> Generator[Query, Any, Scores]:
        """P(right label) of each draft, as `Query` says; NaN for those that have no answer."""
        if self.limits.queries is not None and self.queries + len(drafts) > self.limits.queries:
            raise _BudgetSpentError
        self.queries += len(drafts)
        query = Query([draft.pair for draft in drafts], self.label, lowest, exact)
        scores = np.asarray((yield query), dtype=np.float64)
        if np.isnan(scores).all():
            raise _BudgetSpentError
        return scores if self.label else 1 - scores


def search(original: Original, threshold: float, limits: SearchLimits, rules: Rules, seed: Sequence[int]) -> Search:
    """Look for words to share that make the model wrong: at most S steps of two stages each.

    First all slots, blanked in both texts, are ranked by the score of the right label, and the B lowest go on; then
    each of their K substitutes. The model is wrong where its score is on the other side of the threshold, and nowhere
    where that is NaN: such a search goes to its end, and tells what one with any threshold would come to. `seed`
    decides only which slots of a draft are tried where there are more than may be.
    """
    asker, rng = _Asker(original.label, limits), np.random.default_rng(seed)
    start = best = Draft(original.first, original.second)
    before = lowest = np.nan
    beam = [start]
    outcome: Outcome = "limit"
    try:
        before = lowest = float((yield from asker.ask([start], 1))[0])
        if _is_wrong(before, original.label, threshold):
            beam, outcome = [], "wrong_at_start"
        for step in range(1, limits.steps + 1 if beam else 1):
            drafts = yield from _modify(asker, beam, rules.slots, rng)
            if not drafts:
                outcome = "stuck"
                break
            scores = yield from asker.ask(drafts, 1 if step == limits.steps else limits.beam)
            ranked = find_lowest(scores, limits.beam)
            beam = [drafts[place] for place in sorted(ranked)]
            if scores[ranked[0]] < lowest:
                best, lowest = drafts[ranked[0]], float(scores[ranked[0]])
            if _is_wrong(lowest, original.label, threshold):
                outcome = "fooled"
                break
    except _BudgetSpentError:
        outcome = "budget"
    if outcome == "fooled" and limits.refine:
        best, lowest = yield from _Refiner(asker, start, threshold, rules.clash).refine(best, lowest)
    sides = (before, lowest) if original.label else (1 - before, 1 - lowest)
    return SearchResult(outcome=outcome, draft=best, score_before=sides[0], score_after=sides[1], queries=asker.queries)


def _modify(
    asker: _Asker, beam: Sequence[Draft], slots: Slots, rng: np.random.Generator
) -> Generator[Question, Any, list[Draft]]:
    """The drafts of the next step: the B slots that matter most, each with its K substitutes."""
    limits = asker.limits
    options = [(draft, slot) for draft in beam for slot in _some(slots.find(draft, asker.label), limits.places, rng)]
    if not options:
        return []
    blanked = [draft.put(slot, slots.blank) for draft, slot in options]
    scores = yield from asker.ask(blanked, limits.beam, "none")
    chosen = [options[place] for place in sorted(find_lowest(scores, limits.beam))]
    proposed = yield WordProposal(chosen, asker.label, limits.words)
    drafts = (draft.edit(slot, word) for (draft, slot), words in zip(chosen, proposed, strict=True) for word in words)
    return list({draft.pair: draft for draft in drafts}.values())


@dataclass
class _Refiner:
    """Makes the draft that misled the model closer to the original and to ordinary language; the model stays wrong."""

    asker: _Asker
    start: Draft
    threshold: float
    clash: Callable[[str, str], bool]

    def refine(self, draft: Draft, score: float) -> Generator[Question, Any, tuple[Draft, float]]:
        """The draft with fewer steps or likelier words, and P(right label) of it."""
        try:
            while shorter := (yield from self._undo(draft)):
                draft, score = shorter
            for number in range(len(draft.edits)):
                if likelier := (yield from self._reword(draft, number)):
                    draft, score = likelier
        except _BudgetSpentError:  # what is found so far counts
            pass
        return draft, score

    def _undo(self, draft: Draft) -> Generator[Query, Any, tuple[Draft, float] | None]:
        """The draft without the step that matters least; none where all are needed."""
        options = [
            self.start.repeat([*draft.edits[:number], *draft.edits[number + 1 :]])
            for number in range(len(draft.edits))
            if self._may_undo(draft, number)
        ]
        misleading = yield from self._find_misleading(options)
        return min(misleading, key=lambda option: option[1], default=None)

    def _may_undo(self, draft: Draft, number: int) -> bool:
        """Whether the words that would come back may be beside the words that came in at other steps."""
        others = [edit.word for place, edit in enumerate(draft.edits) if place != number]
        return bool(others) and not any(self.clash(old, new) for old in draft.edits[number].old for new in others)

    def _reword(self, draft: Draft, number: int) -> Generator[Question, Any, tuple[Draft, float] | None]:
        """The draft with the likeliest word at this step; none where it has that already."""
        before, edit, after = draft.edits[:number], draft.edits[number], draft.edits[number + 1 :]
        place = self.start.repeat([*before, *after]), edit.slot
        words = (yield WordProposal([place], self.asker.label, self.asker.limits.words))[0]
        likelier = takewhile(lambda word: word != edit.word, words)
        options = [self.start.repeat([*before, replace(edit, word=word), *after]) for word in likelier]
        misleading = yield from self._find_misleading(options)
        return next(iter(misleading), None)

    def _find_misleading(self, drafts: Sequence[Draft]) -> Generator[Query, Any, list[tuple[Draft, float]]]:
        """The drafts that the model is wrong about, with P(right label)."""
        if not drafts:
            return []
        scores = yield from self.asker.ask(drafts, 1, "all")
        return [
            (draft, float(score))
            for draft, score in zip(drafts, scores, strict=True)
            if _is_wrong(score, self.asker.label, self.threshold)
        ]


def _some(slots: Sequence[Slot], most: int | None, rng: np.random.Generator) -> Sequence[Slot]:
    if most is None or len(slots) <= most:
        return slots
    return [slots[place] for place in sorted(rng.choice(len(slots), most, replace=False))]


def find_lowest(scores: Scores, n: int) -> list[int]:
    """The places of the n lowest scores, those without a score left out; of equal ones the first."""
    ranked = np.argsort(np.round(scores, SCORE_DECIMALS), kind="stable")
    return [int(place) for place in ranked[:n] if not np.isnan(scores[place])]


def _is_wrong(right: float, label: int, threshold: float) -> bool:
    """Whether a model is wrong that gives the right label this probability; it says paraphrase from the threshold."""
    return right < threshold if label else 1 - right >= threshold
