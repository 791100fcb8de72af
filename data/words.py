"""The one definition of a word: the only module that knows a language (English).

Tokens are NLTK's Treebank tokens, stems are Porter's, lemmas are WordNet's noun lemmas as NLTK's
`WordNetLemmatizer` gives them (He et al. 2020, section 3.1, footnote 4), read from the tables of
spacy-lookups-data, so nothing is downloaded at run time.
"""

import gzip
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_STOP_WORDS = """
    a about above after again against ain all am an and any are aren as at be because been before
    being below between both but by can couldn d did didn do does doesn doing don down during each
    few for from further had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn
    no nor not now o of off on once only or other our ours ourselves out over own re s same shan she
    should shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where which
    while who whom why will with won wouldn y you your yours yourself yourselves
"""
STOP_WORDS: frozenset[str] = frozenset(_STOP_WORDS.split())
"""NLTK's English stop words that can be tokens (its Treebank tokens split contractions), listed here because
NLTK's own copy needs a download. The paper names no list; this one reproduces the released data's known figures.
scikit-learn's contains content words of computer science (`system`, `fire`, `name`, `interest`)."""

_WEAK_WORDS = """
    across afterwards almost alone along already also although always among amongst amoungst another anyhow
    anyone anything anyway anywhere around became become becomes becoming beforehand behind beside besides
    beyond cannot cant co could couldnt de describe done due eg eight either eleven else elsewhere enough etc
    even ever every everyone everything everywhere except fifteen fifty first five former formerly forty found
    four get give go hasnt hence hereafter hereby herein hereupon however hundred ie inc indeed keep last latter
    latterly least less ltd made many may meanwhile might moreover mostly much must namely neither never
    nevertheless next nine nobody none noone nothing nowhere often one onto others otherwise per perhaps please
    put rather see seem seemed seeming seems serious several show since sincere six sixty somehow someone
    something sometime sometimes somewhere still take ten thence thereafter thereby therefore therein thereupon
    third though three throughout thru thus together toward towards twelve twenty two un upon us via well
    whatever whence whenever whereafter whereas whereby wherein whereupon wherever whether whither whoever whole
    whose within without would yet
"""
EDGE_WORDS = STOP_WORDS | frozenset(_WEAK_WORDS.split())
"""Words that no term begins or ends with: the stop words, and scikit-learn's except those that occur in terms."""

_SPACES = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")


@cache
def _tokenizer() -> Any:
    from nltk.tokenize import NLTKWordTokenizer  # NLTK imports all of SciPy: wait for it only where needed

    return NLTKWordTokenizer()


@cache
def _stemmer() -> Any:
    from nltk.stem import PorterStemmer

    return PorterStemmer()


def normalise(text: str) -> str:
    """The text in Unicode NFKC and lower case, with runs of white space reduced to one space and none at the ends."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


_ASCII_WORDS = bytes(ord(chr(code).lower() if chr(code).isalnum() else " ") for code in range(128)).ljust(256)
"""Letters in lower case and digits; a space for everything else."""


def bare(text: str) -> str:
    """The normalised text without punctuation: its runs of letters and digits, one space between them."""
    if text.isascii():
        return " ".join(text.encode().translate(_ASCII_WORDS).decode().split())
    return _NO_WORD.sub(" ", normalise(text)).strip()


merge_key = normalise
"""Texts with the same key are one definition (He et al. 2020, section 3.1: identical definitions are merged)."""


def count_words(text: str) -> int:
    """The number of words separated by white space (the unit of the released 30-word limit)."""
    return len(text.split())


_PLAIN = re.compile(r"(?:[a-z0-9 /;()?!%&#+=]|-(?!-)|[:,](?![:,\d])|\.(?!\.|[) ]*$))*\.?")
_SPLIT_WORDS = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b")
_MARKS = re.compile(r"[;()?!%&#:,]|\.$")


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """The Treebank tokens of the lower-cased text, punctuation included.

    Texts of plain letters and marks, without quotes, need only a few of NLTK's forty rules.
    """
    lowered = text.lower()
    if _PLAIN.fullmatch(lowered) and not _SPLIT_WORDS.search(lowered):
        found = _MARKS.sub(r" \g<0> ", lowered).split()
    else:
        found = _tokenizer().tokenize(lowered)
    return tuple(map(sys.intern, found))


def _table(name: str) -> Any:
    path = files("spacy_lookups_data") / "data" / f"en_lemma_{name}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


@cache
def _morphology() -> tuple[frozenset[str], dict[str, list[str]], list[list[str]]]:
    """WordNet's nouns, their irregular forms, and the suffix rules."""
    return frozenset(_table("index")["noun"]), _table("exc")["noun"], _table("rules")["noun"]


@lru_cache(maxsize=1_000_000)
def lemma(word: str) -> str:
    """The noun lemma of a lower-case word: WordNet's shortest candidate, or the word itself if WordNet has none.

    As in NLTK, `was` becomes `wa` and `has` becomes `ha`: applied to every text alike, this changes no comparison.
    """
    nouns, irregular, rules = _morphology()
    candidates = irregular.get(word, [])
    if not candidates:
        candidates = [word.removesuffix(old) + new for old, new in rules if word.endswith(old)]
    known = [form for form in (word, *candidates) if form in nouns]
    return min(known, key=len, default=word)


def lemmas(words: Iterable[str]) -> list[str]:
    """The lemma of each word, in order."""
    return [lemma(word) for word in words]


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """The Porter stem of a word."""
    stemmed: str = _stemmer().stem(word)
    return stemmed


def stems(words: Iterable[str]) -> list[str]:
    """The Porter stem of each word, in order."""
    return [stem(word) for word in words]


@lru_cache(maxsize=1_000_000)
def content_stem(token: str) -> str | None:
    """The stem of a token; None for a stop word or punctuation (He et al. 2020, footnote 5)."""
    return stem(token) if token not in STOP_WORDS and any(map(str.isalnum, token)) else None


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's words, without stop words and punctuation."""
    return frozenset(stem for token in tokens(text) if (stem := content_stem(token)) is not None)


@lru_cache(maxsize=1_000_000)
def canonical(phrase: str) -> str:
    """The phrase with every word lemmatised: the name under which its number variants are one entity.

    Merges the 788 released entities to 716 (`data structures` and `data structure`).
    """
    return " ".join(lemmas(normalise(phrase).split(" ")))


def canonicals(phrases: Sequence[str]) -> list[str]:
    """The canonical form of each phrase, in order."""
    return [canonical(phrase) for phrase in phrases]
