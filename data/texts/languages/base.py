"""What a language is to the builder: its tokens, lemmas, stems, stop words and forms of questions."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from simplemma import is_known

from data.console.errors import InputError
from data.texts.words import normalise


@cache
def _tokenizer() -> Any:
    """NLTK's, its rules compiled by Python's own `re`: NLTK measures the time of each, which takes longer than they."""
    from nltk.tokenize import NLTKWordTokenizer  # NLTK imports all of SciPy: wait for it only where needed

    def compile_again(rule: Any) -> re.Pattern[str]:
        return re.compile(rule.pattern, rule.flags & (re.IGNORECASE | re.UNICODE))

    own = NLTKWordTokenizer()
    for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
        setattr(own, name, [(compile_again(rule), form) for rule, form in getattr(own, name)])
    for name in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
        rule, form = getattr(own, name)
        setattr(own, name, (compile_again(rule), form))
    return own


_STOP = re.compile(r"\.(?<=[^\s.]\.)(?=$|[^\w.\-/\\*+=^|~]|--)")
_LAST_WORD = re.compile(r"(?:(?<![\w.'’])(?:[^\W\d_]{2,}|[^\W\d_]+(?:\.[^\W\d_]+)+)|(?<![^\s(\[])[^\W\d_])$")
_INITIALS = re.compile(r"\w(?:\.\w)+")
_INNER_STOP = re.compile(r"\.[^\W\d_]{3}")
_GLUED = re.compile(
    r"(?<![\w./@:\\-])([^\W\d_]{3,})\.(?!(?:com|edu|info|net|org|pdf)\b)([^\W\d_]{3,})(?![\w(@/\\-]|\.\w)"
)
_MAX_WORD_CHARS = 30
_UNUSUAL = re.compile(r"""['"`«“‘„»”’ı\u2012-\u2015]|-(?=-)|\.(?=\.)|[:,](?=[:,])""")
_SPLIT_WORDS = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna")
_MARKS = re.compile(r"([;()?!%&#@$*\[\]{}<>]|[:,](?!\d))")


@lru_cache(maxsize=20_000)
def _read_tokens(text: str, code: str, abbreviations: frozenset[str]) -> tuple[str, ...]:
    """The Treebank tokens of each sentence of a lower-case text, one sentence after the other.

    Texts without quotes and the like need only a few of NLTK's forty rules. These take the last full stop for the end
    of a sentence; one more mark behind the text keeps an abbreviation there whole.
    """
    if "." in text:
        text = _part_sentences(text, code, abbreviations)
    if _UNUSUAL.search(text) or any(word in text for word in _SPLIT_WORDS):
        found = _tokenizer().tokenize(text + " .")[:-1]
    else:
        found = " ".join(_MARKS.split(text)).split()
    return tuple(map(sys.intern, found))


def _part_sentences(text: str, code: str, abbreviations: frozenset[str]) -> str:
    """The text with spaces around each full stop that ends a sentence.

    NLTK's Treebank rules read one sentence. Its Punkt model finds sentences by capitals, which definitions seldom have.
    """

    def part(stop: re.Match[str]) -> str:
        word = _LAST_WORD.search(text, max(0, stop.start() - _MAX_WORD_CHARS), stop.start())
        return "." if word and _is_abbreviation(word[0], text[stop.end() :], abbreviations) else " . "

    if _INNER_STOP.search(text):
        text = _GLUED.sub(lambda words: _part_words(words, code), text)
    return _STOP.sub(part, text)


def _is_abbreviation(word: str, rest: str, abbreviations: frozenset[str]) -> bool:
    """Whether the word's full stop belongs to it: `e.g.`, `etc.`, an initial before another word."""
    initial = len(word) == 1 and rest[:1].isspace() and not rest.isspace()
    return initial or word in abbreviations or _INITIALS.fullmatch(word) is not None


def _part_words(words: re.Match[str], code: str) -> str:
    """The two words of `networks.routers`; a name such as `node.js` or `robots.txt` stays as it is."""
    return words.expand(r"\1 . \2") if all(is_known(word, lang=code) for word in words.groups()) else words[0]


def _is_never(word: str) -> bool:  # noqa: ARG001 - a language that does not know
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One language. `language` finds it by its code; pickled, it is its code."""

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

    spelling: Callable[[str], str] = str
    """A lower-case word of a name in one of its spellings. Another word may come out wrong, but not as a third word."""

    abbreviations: frozenset[str] = frozenset()
    """Words that keep their full stop, without it and in lower case; initials (`e.g.`) need not be here."""

    def __reduce__(self) -> tuple[Callable[[str], "Language"], tuple[str]]:
        return language, (self.code,)

    def tokens(self, text: str) -> tuple[str, ...]:
        """The Treebank tokens of the sentences of a text, in lower case, punctuation included; NLTK's.

        A full stop is a token, with or without a space behind it, unless it belongs to an abbreviation or an initial.
        """
        return _read_tokens(text.lower(), self.code, self.abbreviations)

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
        """The stem of a token; None for a stop word or punctuation (He et al. 2020, footnote 5).

        The full stop of an abbreviation is left out: `etc.` and `etc` are one word.
        """
        word = token.rstrip(".")
        return self.stem(word) if word not in self.stop_words and any(map(str.isalnum, word)) else None

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


def codes() -> list[str]:
    """The codes of the known languages, in alphabetical order: each names a module of this folder."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z][a-z].py"))


def language(code: str) -> Language:
    """The language of the code. Raises InputError where it is not known."""
    if code not in codes():
        raise InputError("language", expected=" or ".join(codes()), found=repr(code), remedy="choose one of them")
    known: Language = import_module(f"data.texts.languages.{code}").LANGUAGE
    return known
