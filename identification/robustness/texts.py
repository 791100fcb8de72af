"""Texts as words and the characters between them, so that words can be replaced and all else stays byte by byte."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from data.console.errors import TableError
from data.texts.languages.base import Language

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class TaggedWords:
    """A text: words, the gaps before, between and after them (one more than words), and parts of speech."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    tags: tuple[str, ...]
    """The Penn Treebank's, NN, NNS, VB, JJ …; empty where unknown. A word that replaces another takes its tag over."""

    @classmethod
    def of(cls, text: str) -> "TaggedWords":
        """The text in parts: a word is a run of letters and digits, inner hyphens and apostrophes included."""
        words, gaps, end = [], [], 0
        for match in _WORD.finditer(text):
            words.append(match[0])
            gaps.append(text[end : match.start()])
            end = match.end()
        return cls(tuple(words), (*gaps, text[end:]), ("",) * len(words))

    def tagged(self, tags: Sequence[str]) -> "TaggedWords":
        """The text with these parts of speech."""
        return replace(self, tags=tuple(tags))

    def __len__(self) -> int:
        """The number of words."""
        return len(self.words)

    @cached_property
    def text(self) -> str:
        """The text again."""
        return "".join(part for pair in zip(self.gaps, self.words, strict=False) for part in pair) + self.gaps[-1]

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(word.lower() for word in self.words)

    def part(self, start: int, end: int) -> "TaggedWords":
        """The words from `start` to before `end`, with the characters between them."""
        gaps = ("", *self.gaps[start + 1 : min(end, len(self))], "")
        return TaggedWords(self.words[start:end], gaps, self.tags[start:end])

    def put(self, places: Collection[int], word: str) -> "TaggedWords":
        """The text with the word in these places, with a capital where there was one."""
        wanted = set(places)
        words = [_cased(word, old) if place in wanted else old for place, old in enumerate(self.words)]
        return replace(self, words=tuple(words))


def list_words(texts: Iterable[str], language: Language, guards: Collection[str]) -> list[str]:
    """The distinct content words of the texts, in lower case, sorted: what may be substituted.

    With the guard `names`, of English texts only words that they write in lower case at least once; for `plain` see
    `is_content`. Raises TableError where none is left.
    """
    distinct = {word for text in texts for word in TaggedWords.of(text).words}
    names = "names" in guards
    capitals_are_names = language.code == "en" and names
    spelled = {word.lower() for word in distinct if word.islower() or not capitals_are_names}
    if not (words := sorted(word for word in spelled if is_content(word, language, plain="plain" in guards))):
        found = f"stop words, numbers{', names' if names else ''} and single letters alone"
        raise TableError(
            "the data set", expected="words that may be replaced", found=found, remedy="choose another data set"
        )
    return words


def is_content(word: str, language: Language, *, plain: bool = True) -> bool:
    """Whether a lower-case word may be replaced, and may replace: no stop word.

    `plain`: no negation, number, single letter or word with a hyphen or apostrophe either.
    """
    if word in language.stop_words or not _WORD.fullmatch(word):
        return False
    return not plain or (len(word) > 1 and word.isalpha() and word not in language.negations)


def _cased(word: str, old: str) -> str:
    return word[:1].upper() + word[1:] if word and old[:1].isupper() else word
