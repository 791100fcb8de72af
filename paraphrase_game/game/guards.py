"""What earns nothing whatever the judges would say: copies, reorderings, typos, earlier and others' texts, gibberish.

A guard has a name, which is stored with the attempt and shown to its author in words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import simplemma
from rapidfuzz.distance import Indel

from data.texts import words
from data.texts.languages.detection import confidence
from data.texts.similarity import near_duplicates

REASONS = {
    "marks": "It contains control marks or markup. Please use plain text.",
    "too_short": "It is too short to say all that the sentence says.",
    "too_long": "It is far longer than the sentence.",
    "copy": "It repeats the sentence, or a part of it, word for word.",
    "reordering": "It has nearly the same words as the sentence, whatever their order.",
    "typos": "It is the sentence with other spellings.",
    "earlier": "You have tried this one before.",
    "elsewhere": "You have written nearly the same for another sentence.",
    "others": "Another player has written nearly the same.",
    "gibberish": "Too many of its words are not English.",
    "language": "It does not seem to be English.",
}
"""Each guard's name with what the player reads, in the order in which they are asked."""

MAX_TEXT_CHARS = 1_000
"""Characters; nothing longer reaches a pattern."""
_MARKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|</?[A-Za-z]")


@dataclass(frozen=True, kw_only=True)
class GuardRule:
    """From where on the guards refuse."""

    same_words: float = 0.9
    """Refuse from this similarity of the sorted words on (0 to 1): reorderings, texts of other sentences or players."""
    spelling: float = 0.75
    """A word that the sentence lacks counts as one of its words, misspelt, from this similarity on (0 to 1)."""
    unknown_words: float = 0.4
    """Refuse where more than this share of the words is neither English nor in the sentence (0 to 1)."""
    other_language: float = 0.1
    """Refuse where the confidence that the text is English is below this (0 to 1); 0 refuses none."""
    shortest: float = 0.33
    """Refuse attempts with fewer words than this share of the sentence's."""
    longest: float = 3.0
    """Refuse attempts with more words than this many times the sentence's."""
    fewest_words: int = 3
    """Refuse attempts with fewer words than this."""


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What was written before the attempt."""

    own: Sequence[str] = ()
    """By its player for the same sentence."""
    elsewhere: Sequence[str] = ()
    """By its player for other sentences."""
    others: Sequence[str] = ()
    """By other players for the same sentence."""


def refuse(text: str, sentence: str, earlier: Earlier, rule: GuardRule) -> str:
    """The name of the guard that refuses the attempt; empty where none does."""
    if len(text) > MAX_TEXT_CHARS:
        return "too_long"
    if _MARKS.search(text):
        return "marks"
    plain, source = words.bare(text).split(), words.bare(sentence).split()
    if len(plain) < max(rule.fewest_words, rule.shortest * len(source)):
        return "too_short"
    if len(plain) > max(rule.longest * len(source), 12):
        return "too_long"
    return (
        _against_sentence(plain, source, rule)
        or _against_attempts(plain, earlier, rule)
        or _foreign(text, plain, source, rule)
    )


def _against_sentence(plain: list[str], source: list[str], rule: GuardRule) -> str:
    first, second = " ".join(source), " ".join(plain)
    near = near_duplicates([first], [second])["reason"].fillna("").iloc[0]
    if near in ("punctuation", "contained"):
        return "copy"
    corrected = [_corrected(word, source, rule.spelling) for word in plain]
    if corrected != plain and (near or _sorted_similarity(corrected, source) >= rule.same_words):
        return "typos"
    return "reordering" if near or _sorted_similarity(plain, source) >= rule.same_words else ""


def _against_attempts(plain: list[str], earlier: Earlier, rule: GuardRule) -> str:
    ordered = sorted(plain)
    if any(sorted(words.bare(text).split()) == ordered for text in earlier.own):
        return "earlier"
    for guard, texts in (("elsewhere", earlier.elsewhere), ("others", earlier.others)):
        if any(_sorted_similarity(plain, words.bare(text).split()) >= rule.same_words for text in texts):
            return guard
    return ""


def _foreign(text: str, plain: list[str], source: list[str], rule: GuardRule) -> str:
    ours = set(source)
    unknown = [word for word in plain if word not in ours and not word.isdigit() and not _is_english(word)]
    if len(unknown) > rule.unknown_words * len(plain):
        return "gibberish"
    is_foreign = rule.other_language and confidence([text], "en")[0] < rule.other_language
    return "language" if is_foreign else ""


def _sorted_similarity(left: Sequence[str], right: Sequence[str]) -> float:
    """The edit similarity of the words in alphabetical order, from 0 to 1."""
    return Indel.normalized_similarity(" ".join(sorted(left)), " ".join(sorted(right)))


def _corrected(word: str, source: Sequence[str], least: float) -> str:
    """The word of the sentence that this one misspells; the word itself where it is a word of its own."""
    if word in source or len(word) < 3 or _is_english(word):
        return word
    best = max(source, key=lambda other: Indel.normalized_similarity(word, other), default=word)
    return best if Indel.normalized_similarity(word, best) >= least else word


def _is_english(word: str) -> bool:
    return bool(simplemma.is_known(word, lang="en"))
