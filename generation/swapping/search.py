"""The likeliest sentences that fit a template: a beam from left to right, and all exchanges of two units.

A sentence is a row of units, each of a kind. Units of a kind are drawn without replacement; equal surface forms are one
candidate with a count, so that no two hypotheses are the same sentence (Zhang et al. 2019, section 3.1).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from generation.engines.protocols import StepwiseModel

Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """A sentence that fits the template."""

    order: tuple[int, ...]
    """For each place, the number of the unit there; units of equal surface stay where they can."""
    score: float
    """The natural logarithm of its probability."""

    @property
    def n_moved(self) -> int:
        """How many places have another unit than in the source."""
        return sum(source != place for place, source in enumerate(self.order))


@dataclass(kw_only=True)
class Template:
    """The places of a sentence, and what may fill them."""

    choices: list[int]
    """For each place, the choice that the source has there."""
    options: list[tuple[int, ...]]
    """For each place, the choices of its kind, in the order of their keys."""
    words: list[Words]
    """For each choice, its words as the model spells them."""
    model: StepwiseModel
    _ids: dict[Any, int] = field(default_factory=dict)
    _states: list[Any] = field(default_factory=list)
    _steps: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)
    n_asked: int = 0
    """Words that the model was asked for."""

    @classmethod
    def of(cls, keys: Sequence[tuple[str, str]], words: Sequence[Words], model: StepwiseModel) -> "Template":
        """The template of units with these keys (kind and surface without case) and these words."""
        distinct = sorted(set(keys))
        number = {key: choice for choice, key in enumerate(distinct)}
        spelled = dict(zip(keys, words, strict=True))
        by_kind: dict[str, tuple[int, ...]] = {}
        for key in distinct:
            by_kind[key[0]] = (*by_kind.get(key[0], ()), number[key])
        return cls(
            choices=[number[key] for key in keys],
            options=[by_kind[key[0]] for key in keys],
            words=[spelled[key] for key in distinct],
            model=model,
        )

    @property
    def is_fixed(self) -> bool:
        """Whether no other sentence fits."""
        return all(len(options) == 1 for options in self.options)

    def begin(self) -> int:
        """The number of the state before the first word."""
        return self._number(self.model.start)

    def step(self, state: int, choice: int) -> tuple[float, int]:
        """The logarithm of the choice's probability after the state, and the state after it; each is asked once."""
        known = self._steps.get((state, choice))
        if known is None:
            total, after = 0.0, self._states[state]
            for word in self.words[choice]:
                value, after = self.model.extend(after, word)
                total += value
            self.n_asked += len(self.words[choice])
            known = self._steps[state, choice] = total, self._number(after)
        return known

    def finish(self, state: int) -> float:
        """The logarithm of the probability that the text ends after the state."""
        self.n_asked += 1
        return self.model.finish(self._states[state])

    def score(self, choices: Sequence[int]) -> float:
        """The logarithm of the sentence's probability."""
        total, state = 0.0, self.begin()
        for choice in choices:
            value, state = self.step(state, choice)
            total += value
        return total + self.finish(state)

    def _number(self, state: Any) -> int:
        known = self._ids.get(state)
        if known is None:
            known = self._ids[state] = len(self._states)
            self._states.append(state)
        return known


def search(template: Template, beam: int, *, exchanges: bool = True) -> list[Arrangement]:
    """The sentences found other than the source, likeliest first; ties in the order of their choices."""
    source = tuple(template.choices)
    found = {choices: score for choices, score in _beam(template, beam) if choices != source}
    if exchanges:
        found |= dict(_exchanges(template))
    found_in_order = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [Arrangement(order=order_of(source, choices), score=score) for choices, score in found_in_order]


def order_of(source: Sequence[int], choices: Sequence[int]) -> tuple[int, ...]:
    """The unit in each place: the one that was there if the choice is the same, else the first of it that is left."""
    left: dict[int, list[int]] = {}
    for place in range(len(source) - 1, -1, -1):
        if source[place] != choices[place]:
            left.setdefault(source[place], []).append(place)
    return tuple(
        place if source[place] == choices[place] else left[choices[place]].pop() for place in range(len(source))
    )


def _beam(template: Template, beam: int) -> list[tuple[tuple[int, ...], float]]:
    """What a beam search finds that never holds a sentence twice."""
    left = Counter(template.choices)
    hypotheses: list[tuple[float, int, dict[int, int], Any]] = [(0.0, template.begin(), dict(left), None)]
    step = template.step
    for options in template.options:
        if len(options) == 1:
            choice = options[0]
            advanced = []
            for score, state, counts, path in hypotheses:
                value, after = step(state, choice)
                advanced.append((score + value, after, counts, (path, choice)))
            hypotheses = advanced
            continue
        grown = []
        for number, (score, state, counts, _) in enumerate(hypotheses):
            for choice in options:
                if counts[choice]:
                    value, after = step(state, choice)
                    grown.append((-(score + value), number, choice, after))
        if len(grown) > beam:
            grown.sort()
            del grown[beam:]
        hypotheses = [_grown(hypotheses[number], negative, choice, after) for negative, number, choice, after in grown]
    return [(_choices(path), score + template.finish(state)) for score, state, _, path in hypotheses]


def _grown(
    hypothesis: tuple[float, int, dict[int, int], Any], negative: float, choice: int, after: int
) -> tuple[float, int, dict[int, int], Any]:
    counts = hypothesis[2].copy()
    counts[choice] -= 1
    return -negative, after, counts, (hypothesis[3], choice)


def _choices(path: Any) -> tuple[int, ...]:
    backwards = []
    while path is not None:
        path, choice = path
        backwards.append(choice)
    return tuple(reversed(backwards))


def _exchanges(template: Template) -> list[tuple[tuple[int, ...], float]]:
    """All sentences in which two units of one kind have changed places, with their scores.

    Only what differs from the source is scored: up to the first of the two places nothing does, and after the second
    no more as soon as the model's state equals the source's.
    """
    choices, step = template.choices, template.step
    states, totals = [template.begin()], [0.0]
    for choice in choices:
        value, state = step(states[-1], choice)
        states.append(state)
        totals.append(totals[-1] + value)
    whole = totals[-1] + template.finish(states[-1])
    by_options: dict[tuple[int, ...], list[int]] = {}
    for place, options in enumerate(template.options):
        if len(options) > 1:
            by_options.setdefault(options, []).append(place)
    found = []
    for places in by_options.values():
        for first, second in combinations(places, 2):
            if choices[first] != choices[second]:
                other = list(choices)
                other[first], other[second] = other[second], other[first]
                total, state, place = totals[first], states[first], first
                while place < len(other) and (place <= second or state != states[place]):
                    value, state = step(state, other[place])
                    total, place = total + value, place + 1
                rest = template.finish(state) if place == len(other) and state != states[place] else None
                total += whole - totals[place] if rest is None else rest
                found.append((tuple(other), total))
    return found
