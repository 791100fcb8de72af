"""What a language is to the builder: its tokens, lemmas, stems, stop words and forms of questions."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from data.words import normalise


@cache
def _tokenizer() -> Any:
    from nltk.tokenize import NLTKWordTokenizer  # NLTK imports all of SciPy: wait for it only where needed

    return NLTKWordTokenizer()


_PLAIN = re.compile(r"(?:[a-z0-9 /;()?!%&#+=]|-(?!-)|[:,](?![:,\d])|\.(?!\.|[) ]*$))*\.?")
_SPLIT_WORDS = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b")
_MARKS = re.compile(r"[;()?!%&#:,]|\.$")


@lru_cache(maxsize=20_000)
def treebank_tokens(text: str) -> tuple[str, ...]:
    """The Treebank tokens of the lower-cased text, punctuation included; NLTK's, for every language alike.

    Texts of plain letters and marks, without quotes, need only a few of NLTK's forty rules.
    """
    lowered = text.lower()
    if _PLAIN.fullmatch(lowered) and not _SPLIT_WORDS.search(lowered):
        found = _MARKS.sub(r" \g<0> ", lowered).split()
    else:
        found = _tokenizer().tokenize(lowered)
    return tuple(map(sys.intern, found))


def _is_never(word: str) -> bool:  # noqa: ARG001 - a language that does not know
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One language. `data.languages.known` finds it by its code; pickled, it is its code."""

    code: str
    """ISO 639-1, lower case; also the name of the language's module."""
    name: str
    """In English: `German`."""
    stop_words: frozenset[str]
    """Words without content, in lower case."""
    edge_words: frozenset[str]
    """Words that no term begins or ends with, the stop words among them."""
    question: re.Pattern[str]
    """What a card's front has before the name that it asks about, in lower case: `what is a `."""
    lemma: Callable[[str], str]
    """The lemma of a lower-case word of a text; the word itself where none is known."""
    headword: Callable[[str], str]
    """The form under which a dictionary lists a lower-case word of a name; the word itself in doubt."""
    stem: Callable[[str], str]
    """The stem of a lower-case word."""

    capitals_show_names: bool = True
    """Whether a word that is mostly written with a capital is a name; in German it may be any noun."""
    may_be_no_noun: Callable[[str], bool] = _is_never
    """Whether a lower-case word may be an adjective, an adverb or a form of a verb as well as a noun."""
    alone: Mapping[str, str] = field(default_factory=dict)
    """Word -> its headword where it is a whole name, if that is another one than within names."""
    negations: frozenset[str] = frozenset()
    """Tokens that turn a statement round, in lower case, though they are stop words."""

    tokens: Callable[[str], tuple[str, ...]] = treebank_tokens
    """The tokens of a text, in lower case, punctuation included."""

    def __reduce__(self) -> tuple[Callable[[str], "Language"], tuple[str]]:
        return load, (self.code,)

    def negates(self, text: str) -> bool:
        """Whether the text contains a negation."""
        return not self.negations.isdisjoint(self.tokens(text))

    def with_headwords(self, headwords: Mapping[str, str], alone: Mapping[str, str] | None = None) -> "Language":
        """The language with other headwords for some words; what is pickled is the language without them."""
        usual = self.headword
        others = {word: form for word, form in self.alone.items() if word not in headwords} | dict(alone or {})
        return replace(self, headword=lambda word: headwords.get(word) or usual(word), alone=others)

    def lone_headword(self, word: str) -> str:
        """The headword of a word that is a whole name."""
        return self.alone.get(word) or self.headword(word)

    def lemmas(self, words: Iterable[str]) -> list[str]:
        """The lemma of each word, in order."""
        return [self.lemma(word) for word in words]

    def stems(self, words: Iterable[str]) -> list[str]:
        """The stem of each word, in order."""
        return [self.stem(word) for word in words]

    @lru_cache(maxsize=1_000_000)  # noqa: B019 - there are few languages, which live as long as the process
    def content_stem(self, token: str) -> str | None:
        """The stem of a token; None for a stop word or punctuation (He et al. 2020, footnote 5)."""
        return self.stem(token) if token not in self.stop_words and any(map(str.isalnum, token)) else None

    def content_stems(self, text: str) -> frozenset[str]:
        """The stems of a text's words, without stop words and punctuation."""
        return frozenset(stem for token in self.tokens(text) if (stem := self.content_stem(token)) is not None)

    @lru_cache(maxsize=1_000_000)  # noqa: B019 - there are few languages, which live as long as the process
    def canonical(self, phrase: str) -> str:
        """The phrase with the headword of every word: phrases with the same one name the same entity.

        English merges the 788 released entities to 716 (`data structures` and `data structure`).
        """
        words = normalise(phrase).split(" ")
        return self.lone_headword(words[0]) if len(words) == 1 else " ".join(map(self.headword, words))

    def canonicals(self, phrases: Sequence[str]) -> list[str]:
        """The canonical form of each phrase, in order."""
        return [self.canonical(phrase) for phrase in phrases]


def load(code: str) -> Language:
    """The language whose module has the name `code`."""
    known: Language = import_module(f"data.languages.{code}").LANGUAGE
    return known
