"""What may make a pair hard, suggested by rule for a person to decide; pure (after He et al. 2020, Table 9).

The names of the phenomena are answers of the question `phenomena`. Rules see texts and labels, not meaning: a
suggestion is a hint, and what is missing is no sign that nothing applies.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from data.labelled.dataset import Dataset
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.words import bare, count_words

KNOWLEDGE, SYNONYMS, OVERLAP, DETAIL, NONE = "knowledge", "synonyms", "overlap", "detail", "none"
ACRONYM = re.compile(r"\b[A-Z]{2,6}\b|\b[a-z]{3,6}\b")
"""Small letters as well: many card sites fold case. See `_is_plain`."""
PLAIN = re.compile(r"[^aeiou][aeiouy]")
NUMBER = re.compile(r"\d+")
DIGITS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "zero": "0"}
YEARS = range(1900, 2100)
"""Numbers that are years: mostly of a citation."""
EQUATION = re.compile(r"[=<>≤≥∑√^]")
EXAMPLES = ("for example", "for instance", "such as", "e g", "zum beispiel", "z b")
LITTLE, MUCH = 0.2, 0.4
"""Overlap below which different terms call for knowledge, and above which equal words may hide a difference."""
LONGER = 2.5
"""How many times as many words the longer text has, if it says more."""
LONGEST_TERM = 4
COLUMNS = ["pair_id", "phenomenon", "rule", "evidence"]


def suggest(pairs: Dataset, terms: Mapping[str, str]) -> pd.DataFrame:
    """The suggestions: one row per pair and rule (COLUMNS).

    `terms`: every known phrase in lower case -> its canonical form (the table `terms`; without it, the names of the
    entities).
    """
    frame, overlap = pairs.frame, pairs.overlap.astype("Float64").to_numpy("float64", na_value=np.nan)
    bags = {text: _find_terms(text, terms) for side in ("first", "second") for text in frame[side].unique()}
    rows = [
        (row.pair_id, *suggestion)
        for row, share in zip(frame.itertuples(), overlap.tolist(), strict=True)
        for suggestion in _of_pair(row, share, bags, pairs.language)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_pair(
    row: Any, overlap: float, terms: Mapping[str, dict[str, str]], language: Language
) -> Iterator[tuple[str, str, str]]:
    first, second = row.first, row.second
    for one, other in ((first, second), (second, first)):
        for short, long in find_acronyms(one, other, language):
            yield SYNONYMS, "acronym", f"{short}: {long}"
    left, right = terms[first], terms[second]
    for name in sorted(left.keys() & right.keys()):
        if left[name] != right[name]:
            yield SYNONYMS, "variant", f"{left[name]}: {right[name]}"
    own = {bare(name) for name in (row.entity, row.second_entity) if isinstance(name, str)}
    only = [sorted(mine.keys() - theirs.keys() - own) for mine, theirs in ((left, right), (right, left))]
    if all(only) and overlap < LITTLE:
        yield KNOWLEDGE, "terms", "; ".join(", ".join(names[:3]) for names in only)
    signs = [_find_equation(text) for text in (first, second)]
    if signs[0] != signs[1]:
        yield KNOWLEDGE, "equation", " ".join(sorted(signs[0] ^ signs[1]))
    if overlap >= MUCH and row.binary == 0:
        yield OVERLAP, "overlap", f"{overlap:.2f}"
    yield from _details(first, second)


def _details(first: str, second: str) -> Iterator[tuple[str, str, str]]:
    """What one text has and the other lacks: numbers, examples, length."""
    numbers = [set(filter(_counts, NUMBER.findall(_write_digits(text)))) for text in (first, second)]
    if numbers[0] != numbers[1] and not any(map(_find_equation, (first, second))):
        yield DETAIL, "number", ", ".join(sorted(numbers[0] ^ numbers[1])[:4])
    named = [{phrase for phrase in EXAMPLES if f" {phrase} " in f" {bare(text)} "} for text in (first, second)]
    if bool(named[0]) != bool(named[1]):
        yield DETAIL, "example", ", ".join(sorted(named[0] | named[1]))
    lengths = sorted((count_words(first), count_words(second)))
    if lengths[1] >= LONGER * lengths[0] > 0:
        yield DETAIL, "length", f"{lengths[1]} words to {lengths[0]}"


def _find_equation(text: str) -> set[str]:
    """The signs of equations in a text that has a number, too; a lone sign is often a word or a bullet."""
    return set(EQUATION.findall(text)) if NUMBER.search(text) else set()


def _write_digits(text: str) -> str:
    """The text with small numbers in digits."""
    return " ".join(DIGITS.get(word, word) for word in bare(text).split())


def _counts(digits: str) -> bool:
    """Whether a number is no year."""
    return not (len(digits) == 4 and int(digits) in YEARS)


def find_acronyms(text: str, other: str, language: Language = ENGLISH) -> Iterator[tuple[str, str]]:
    """The acronyms of a text that the other spells out: the acronym and the words with these first letters.

    Stop words such as "of" may be between them. An acronym that both texts have is none, nor is a stop word.
    """
    words = bare(other).split()
    content = [place for place, word in enumerate(words) if language.content_stem(word) is not None]
    initials = "".join(words[place][0] for place in content)
    for short in dict.fromkeys(ACRONYM.findall(text)):
        at = initials.find(short.lower())
        if at >= 0 and short.lower() not in words and not _is_plain(short, language):
            yield short, " ".join(words[content[at] : content[at + len(short) - 1] + 1])


def _is_plain(word: str, language: Language) -> bool:
    """Whether small letters are more likely a word: they are a stop word, or have a vowel after a consonant."""
    return word.islower() and (PLAIN.search(word) is not None or language.content_stem(word) is None)


def _find_terms(text: str, terms: Mapping[str, str]) -> dict[str, str]:
    """Canonical form -> the phrase by which the text names it, for each known term in it; longer terms first."""
    words = bare(text).split()
    found: dict[str, str] = {}
    taken = np.zeros(len(words), dtype=bool)
    for n in range(LONGEST_TERM, 0, -1):
        for place in range(len(words) - n + 1):
            phrase = " ".join(words[place : place + n])
            if phrase in terms and not taken[place : place + n].any():
                found.setdefault(terms[phrase], phrase)
                taken[place : place + n] = True
    return found


def join(suggestions: pd.DataFrame, pair_ids: Collection[str]) -> "pd.Series[str]":
    """By pair_id, the suggested phenomena in alphabetical order, joined by spaces; `none` where no rule applies."""
    joined = suggestions.groupby("pair_id")["phenomenon"].agg(lambda some: " ".join(sorted(set(some))))
    return joined.reindex(list(pair_ids)).fillna(NONE)


def count(labels: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """How often each phenomenon was found: phenomenon, paraphrases, non_paraphrases, suggested, right.

    PARADE's Table 9 counts five other categories, over all pairs.
    `labels`: binary (of the pair), value (the phenomena that most annotators chose, joined by spaces) and suggested
    (from `join`). `right`: of the suggestions, those that annotators chose, too. One pair may count several times.
    """
    chosen, suggested = (labels[column].fillna("").str.split().map(set) for column in ("value", "suggested"))
    yes = labels["binary"] == 1
    rows = []
    for name in names:
        is_chosen, is_suggested = chosen.map({name}.issubset), suggested.map({name}.issubset)
        rows.append(
            {
                "phenomenon": name,
                "paraphrases": int((is_chosen & yes).sum()),
                "non_paraphrases": int((is_chosen & ~yes).sum()),
                "suggested": int(is_suggested.sum()),
                "right": int((is_chosen & is_suggested).sum()),
            }
        )
    return pd.DataFrame(rows)
