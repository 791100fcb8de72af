"""Permutations of lists: `cats and dogs` for `dogs and cats` is no trap, and no work for a rater.

The paper prunes 99 % of them by rules that it does not publish (Zhang et al. 2019, footnote 2). Here a rearrangement is
one where every cycle of moved units is: its units lie beside each other with nothing between them but separators and
other units of the list, or the parse has them as conjuncts of one coordination, each with the same words to its left
and nothing to its right before the last, or one explains the other: `PCR (polymerase chain reaction)`. Whole phrases
that changed places are compared as blocks. Function words that moved besides count for nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from generation.engines.protocols import Tagged
from generation.swapping.units import Unit

SEPARATORS = frozenset({",", "and", "or", "/", ";", "&", "and/or", "as", "well", "nor", "-", "+", "plus"})
CONJOINED = "conj"
LEADING = ("cc", "punct", "preconj")


@dataclass(frozen=True)
class Stretch:
    """Tokens of one or more neighbouring units."""

    start: int
    end: int
    kind: str


def permutes_lists(tagged: Tagged, units: Sequence[Unit], order: Sequence[int]) -> bool:
    """Whether the rearrangement only changes the order within lists, by its units or by blocks of them."""
    by_units = [
        [Stretch(units[p].start, units[p].end, units[p].kind) for p in cycle]
        for cycle in cycles(order)
        if any(units[p].has_content for p in cycle)
    ]
    if not by_units:
        return False
    if _all_lists(tagged, units, by_units):
        return True
    blocks = _blocks(order)
    if blocks is None:
        return False
    places, moved = blocks
    stretches = [
        Stretch(units[first].start, units[last].end, " ".join(unit.kind for unit in units[first : last + 1]))
        for first, last in places
    ]
    return _all_lists(tagged, units, [[stretches[p] for p in cycle] for cycle in cycles(moved)])


def cycles(order: Sequence[int]) -> list[list[int]]:
    """The cycles of places whose units moved among each other, each from left to right."""
    seen: set[int] = set()
    found = []
    for place, source in enumerate(order):
        if source != place and place not in seen:
            cycle, current = [], place
            while current not in seen:
                seen.add(current)
                cycle.append(current)
                current = order[current]
            found.append(sorted(cycle))
    return found


def _blocks(order: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]] | None:
    """The moved units as blocks that stayed together, and the order of the blocks; None where places do not match."""
    runs: list[list[int]] = []
    for place, source in enumerate(order):
        if runs and place and source == order[place - 1] + 1 and (source != place) == (order[place - 1] != place - 1):
            runs[-1][1] = place
        else:
            runs.append([place, place])
    places = [(first, last) for first, last in runs]
    number = {block: i for i, block in enumerate(places)}
    sources = [(order[first], order[first] + last - first) for first, last in places]
    if len(places) == len(order) or any(source not in number for source in sources):
        return None
    return places, [number[source] for source in sources]


def _all_lists(tagged: Tagged, units: Sequence[Unit], groups: list[list[Stretch]]) -> bool:
    return all(
        _side_by_side(tagged, units, group) or _conjuncts(tagged, group) or _explains(tagged, group) for group in groups
    )


def _explains(tagged: Tagged, group: list[Stretch]) -> bool:
    """Whether the second of two stretches is alone in brackets behind the first."""
    first, last = group[0], group[-1]
    around = [*tagged.tokens[first.end : last.start], *tagged.tokens[last.end : last.end + 1]]
    return len(group) == 2 and around == ["(", ")"]


def _side_by_side(tagged: Tagged, units: Sequence[Unit], group: list[Stretch]) -> bool:
    """Whether only separators, and other units of such kinds between separators, lie between the stretches."""
    words = [token.lower() for token in tagged.tokens]
    kind_at = {unit.start: unit for unit in units}
    kinds = {_coarse(kind) for stretch in group for kind in stretch.kind.split(" ")}
    for before, after in pairwise(group):
        place, separated, n_units = before.end, False, 0
        while place < after.start:
            unit = kind_at.get(place)
            if words[place] in SEPARATORS:
                place, separated = place + 1, True
            elif unit is not None and _coarse(unit.kind) in kinds and (separated or n_units):
                place, n_units = unit.end, n_units + 1
            else:
                return False
        if n_units and not separated:
            return False
    return True


def _coarse(kind: str) -> str:
    """The kind without its number or form: nouns, names and terms are one."""
    return kind.rpartition("/")[2][:2]


def _conjuncts(tagged: Tagged, group: list[Stretch]) -> bool:
    """Whether the parse has the stretches as conjuncts of one coordination that could be named in any order."""
    heads = [_head(tagged, stretch) for stretch in group]
    roots = {_first_conjunct(tagged, head) for head in heads}
    if len(roots) > 1 or len(set(heads)) < len(group):
        return False
    words = [token.lower() for token in tagged.tokens]
    left = {
        tuple(words[place] for place in _modifiers(tagged, head, stretch) if place < stretch.start)
        for head, stretch in zip(heads, group, strict=True)
    }
    if len(left) > 1:
        return False
    return not any(
        place >= stretch.end
        for head, stretch in zip(heads[:-1], group[:-1], strict=True)
        for place in _modifiers(tagged, head, stretch)
    )


def _head(tagged: Tagged, stretch: Stretch) -> int:
    """The token of the stretch that depends on one outside it."""
    inside, heads = range(stretch.start, stretch.end), tagged.heads
    return next((place for place in inside if heads[place] not in inside or heads[place] == place), inside[-1])


def _first_conjunct(tagged: Tagged, place: int) -> int:
    for _ in tagged.heads:
        if tagged.relations[place] != CONJOINED or tagged.heads[place] == place:
            break
        place = tagged.heads[place]
    return place


def _modifiers(tagged: Tagged, head: int, stretch: Stretch) -> list[int]:
    """The tokens that depend on the head, directly, beside its own stretch, later conjuncts and what joins them."""
    return [
        place
        for place, other in enumerate(tagged.heads)
        if other == head
        and place != head
        and not stretch.start <= place < stretch.end
        and tagged.relations[place] not in (CONJOINED, *LEADING)
    ]
