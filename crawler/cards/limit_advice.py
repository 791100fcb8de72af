"""What other limits would bring: definitions and entities, counted on the cards at hand; pure."""

from collections.abc import Iterator

import pandas as pd

from crawler.cards.acceptance import judge_language
from crawler.cards.selection import definitions_per_entity
from crawler.cards.texts import per_distinct
from crawler.config import DefinitionConfig
from data.console.messages import quantity
from data.texts.languages.base import Language
from data.texts.words import count_words

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
    yield from _other_lengths(cards, config, language)


def _other_lengths(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> Iterator[str]:
    """The flags for longer definitions and what each would give."""
    tried = [round(config.max_words * factor) for factor in LENGTH_FACTORS]
    long = cards[cards["reason"] == "too_long"].assign(reason=None, detail=None)
    n_words = per_distinct(long["text"], count_words)
    allowed = judge_language(long[n_words <= tried[-1]], config, language)
    n_words = n_words[allowed.index[allowed["reason"].isna()]]
    shown = prospect(cards, config.min_definitions)
    for n in tried if len(n_words) else ():
        longer = cards["reason"].mask(cards.index.isin(n_words.index[n_words <= n]))
        if (given := prospect(cards.assign(reason=longer), config.min_definitions)) != shown:
            yield f"  --max-words {n} would give {given}"
        shown = given
