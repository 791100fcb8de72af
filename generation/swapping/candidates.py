"""From tagged sentences to rearranged ones, each with its margin and what was moved."""

from collections.abc import Sequence
from dataclasses import dataclass

from generation.config import SwapConfig
from generation.engines.protocols import StepwiseModel, Tagged
from generation.swapping.lists import permutes_lists
from generation.swapping.search import Template, search
from generation.swapping.units import Unit, Units, rearranged, units_of


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A sentence of the same words in another order."""

    text: str
    margin: float
    """How much likelier than the source, in nats."""
    log_score: float
    steps: tuple[str, ...]
    """For each place whose unit changed: its number, the kind, `old > new`."""
    moves_content: bool
    """Whether a word of content moved."""


@dataclass(frozen=True, kw_only=True)
class Swapped:
    """What became of a sentence."""

    candidates: tuple[Candidate, ...]
    """Likeliest first; no permutations of lists."""
    n_lists: int
    """Permutations of lists that were left out."""
    per_word: float
    """The natural logarithm of the source's probability, per word."""
    reason: str | None
    """Why there are none: `no_other_sentence` (no two different units of one kind), `only_lists`, `too_many_moved`."""


def swap(tagged: Tagged, model: StepwiseModel, config: SwapConfig, terms: Units | None) -> Swapped:
    """The best other sentences of the template, without permutations of lists."""
    units = units_of(tagged, config.entity_probability, terms if config.keep_terms else None)
    words = tagged.tokens
    spelled = [tuple(model.word(word) for word in words[unit.start : unit.end]) for unit in units]
    template = Template.of([unit.key for unit in units], spelled, model)
    source_score = template.score(template.choices)
    per_word = source_score / (len(words) + 1)
    if template.is_fixed:
        return Swapped(candidates=(), n_lists=0, per_word=per_word, reason="no_other_sentence")
    found = search(template, config.beam, exchanges=config.exchanges)
    kept: list[Candidate] = []
    n_lists = n_moved = 0
    most = config.most_moved or len(units)
    for arrangement in found:
        if arrangement.n_moved > most:
            n_moved += 1
        elif permutes_lists(tagged, units, arrangement.order):
            n_lists += 1
            if config.lists == "drop":
                break
        else:
            kept.append(_candidate(tagged, units, arrangement.order, (arrangement.score, source_score)))
        if len(kept) == config.n_best:
            break
    reason = None if kept else "only_lists" if n_lists else "too_many_moved" if n_moved else "no_other_sentence"
    return Swapped(candidates=tuple(kept), n_lists=n_lists, per_word=per_word, reason=reason)


def _candidate(tagged: Tagged, units: Sequence[Unit], order: Sequence[int], scores: tuple[float, float]) -> Candidate:
    moved = [place for place, source in enumerate(order) if source != place]
    return Candidate(
        text=rearranged(tagged, units, order),
        margin=scores[0] - scores[1],
        log_score=scores[0],
        steps=tuple(_step(place, units[place], units[order[place]]) for place in moved),
        moves_content=any(units[place].has_content for place in moved),
    )


def _step(place: int, old: Unit, new: Unit) -> str:
    """The number of the place, its kind, and the units before and after."""
    return f"{place} {old.kind} {old.surface} > {new.surface}"
