"""What other limits would bring: definitions and entities, counted on the cards at hand; pure."""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from crawler.cards.acceptance import judge
from crawler.cards.selection import definitions_per_entity
from crawler.config import DefinitionConfig
from data.console.messages import quantity
from data.texts.languages.base import Language

LENGTH_FACTORS = (1.5, 2.0)
"""Multiples of the most words in a definition that are tried."""


def prospect(cards: pd.DataFrame, min_definitions: int) -> str:
    """How many definitions of how many entities judged cards give."""
    counts = definitions_per_entity(cards)
    enough = counts[counts >= min_definitions]
    return count_definitions(int(enough.sum()), len(enough))


def count_definitions(n_definitions: int, n_entities: int) -> str:
    """The numbers in words: `12 definitions of 1 entity`."""
    return f"{quantity(n_definitions, 'definition')} of {quantity(n_entities, 'entity', 'entities')}"


def other_limits(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> Iterator[str]:
    """How many entities have how many definitions, then flags of `crawler.definitions` and what each would give.

    `cards` are all judged cards. A flag that would give no more than what is shown before it is left out.
    """
    counts, most = definitions_per_entity(cards), config.min_definitions
    numbers = [
        *(f"{(counts == n).sum():,} with {n}" for n in range(1, most)),
        f"{(counts >= most).sum():,} with {most} or more",
    ]
    yield f"entities by their number of definitions: {', '.join(numbers)}"
    shown = prospect(cards, most)
    for least in range(most - 1, 1, -1):
        if (given := prospect(cards, least)) != shown:
            yield f"  --min-definitions {least} would give {given}"
        shown = given
    long = cards["reason"] == "too_long"
    shown = prospect(cards, most)
    for n in (round(config.max_words * factor) for factor in LENGTH_FACTORS) if long.any() else ():
        verdicts = judge(cards[long], replace(config, max_words=n), language)
        longer = cards.assign(reason=verdicts["reason"].reindex(cards.index).where(long, cards["reason"]))
        if (given := prospect(longer, most)) != shown:
            yield f"  --max-words {n} would give {given}"
        shown = given
