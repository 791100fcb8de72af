"""Players of known habits: what each writes for a sentence."""

import random
import re
from collections.abc import Callable, Mapping

SYNONYMS: Mapping[str, str] = {
    "a": "one", "and": "as well as", "are": "happen to be", "because": "since", "between": "lying amid", "but": "yet",
    "can": "is able to", "computer": "machine", "data": "information", "each": "every single", "fast": "quick",
    "first": "initial", "for": "meant for", "from": "out of", "has": "possesses", "in": "within", "is": "amounts to",
    "large": "big", "main": "chief", "many": "numerous", "method": "procedure", "new": "novel", "of": "belonging to",
    "or": "or else", "other": "another", "part": "piece", "program": "piece of software", "set": "collection",
    "small": "little", "that": "which", "the": "this", "they": "these", "to": "towards", "two": "a pair of",
    "used": "employed", "using": "by means of", "value": "quantity", "was": "had been", "when": "at the time that",
    "with": "having", "without": "lacking",
}  # fmt: skip
"""Words with a replacement by rule; no player of flesh would write so."""
_WORD = re.compile(r"\w+")

Habit = Callable[[str, random.Random, Mapping[str, list[str]]], list[str]]


def copy(sentence: str, _: random.Random, __: Mapping[str, list[str]]) -> list[str]:
    """The sentence itself, then in capitals, then with another end."""
    return [sentence, sentence.upper(), sentence.rstrip(".") + "!"]


def reorder(sentence: str, chance: random.Random, _: Mapping[str, list[str]]) -> list[str]:
    """The sentence's words in two other orders."""
    words = sentence.split()
    return [" ".join(chance.sample(words, len(words))) for _ in range(2)]


def synonyms(sentence: str, _: random.Random, __: Mapping[str, list[str]]) -> list[str]:
    """The sentence with synonyms by rule, then also with a new beginning."""
    replaced = _WORD.sub(lambda word: SYNONYMS.get(word[0].lower(), word[0]), sentence)
    return [replaced, f"What is meant here is {replaced[:1].lower()}{replaced[1:]}"]


def replay(sentence: str, chance: random.Random, known: Mapping[str, list[str]]) -> list[str]:
    """What players once wrote for the sentence, such as real players of a released game; synonyms for others."""
    return known.get(sentence) or synonyms(sentence, chance, known)


HABITS: Mapping[str, Habit] = {"copy": copy, "reorder": reorder, "synonyms": synonyms, "replay": replay}
