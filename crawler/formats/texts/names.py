"""What people mean by a name and by its explanation."""

import itertools
import re
import statistics
from collections.abc import Sequence
from functools import lru_cache

from crawler.cards.reversal import QUESTION_WORDS
from crawler.cards.texts import count_words
from data.texts import words
from data.texts.marks import without_marks

MAX_NAME_WORDS = 8
MAX_NAME = 80
"""Characters of a name."""
MAX_QUESTION = 250
"""Characters of a name that asks."""
MIN_PAIRS = 3
"""Pairs from which texts that may be anything are a glossary."""
MOST = 0.9
"""Share of the lines or pairs that a rule must fit."""

_NO_NAME = re.compile(r"[\W\d_]*|\{.*|\[.*\]|.*[.,;:{}(\\]|.*(?:://|: | = |\w\{).*|(?:--|/|@|<)\w.*|-\w(?:[ ,=\[<].*)?")
_BRACKETS = re.compile(r"\s?\([^()]{1,200}\)")
_PART = (
    r"(?:card|flash ?cards?|chapter|section|week|unit|lesson|part|module|entry|question|term|page|day|set|level|topic"
    r"|karte|kapitel|lektion)"
)
_SECTION = re.compile(
    r"(?!\w[+#]++$)"  # C++
    rf"\W{{0,9}}(?:[^\W\u3400-\u9fff]|\d{{1,9}}(?:\.\d{{1,9}}){{0,9}}|{_PART}s?\W{{0,9}}\d{{1,9}}(?: ?[.:–—-].*)?"
    r"|[a-z0-9][ –—-]{1,9}[a-z0-9]|v?\d{1,9}(?:[.-]\d{1,9}){1,9}.*"
    r"|general|misc(?:ellaneous)?|other|others|basics?|(?:number|symbol|digit)s?(?: (?:and|&) \w{1,99})?|#|0-9)\W{0,9}",
    re.IGNORECASE,
)
"""Letters, numbers, `General`, `Card 3`, versions: what heads a part of a glossary."""
_PARTED = re.compile(rf"\W{{0,9}}{_PART}s?\W{{0,9}}\d{{1,9}} ?[.:–—-]\s{{0,9}}(\S.*)", re.IGNORECASE)
"""The name behind `Card 3:`."""
_LABEL = re.compile(
    r"\W*(?:definition|meaning|explanation|description|answer|example|ex|e\.g|see(?: also)?|note|nb|formula|equation"
    r"|source|reference|synonym|antonym|related(?: terms)?|usage|use|term|question|front|back"
    r"|hint|tag|type|category|etymology"
    r"|pronunciation|translation|context|also|todo|tip|warning|important|info|difficulty|link|resource|input|output"
    r"|beispiel|bedeutung|format|content|motivation|constraint)s?(?: ?\d+)?\W*",
    re.IGNORECASE,
)
"""What is written before one of several texts of an entry."""
_MANUAL = frozenset(
    (
        *("about", "abstract", "acceptance", "acknowledgements", "acknowledgments", "api", "api reference", "appendix"),
        *("author", "authors", "background", "bugs", "build", "building", "changelog", "changes", "citation"),
        *("code of conduct", "community", "conclusion", "configuration", "contact", "contents", "context"),
        *("contributing", "contributors", "copyright", "credits", "dependencies", "deployment", "description"),
        *("development", "discussion", "documentation", "download", "environment", "example", "examples", "faq"),
        *("features", "getting help", "getting started", "help", "how to use", "install", "installation", "installing"),
        *("introduction", "issues", "licence", "license", "links", "maintainers", "methods", "motivation", "name"),
        *("notes", "options", "overview", "parameters", "prerequisites", "project structure", "purpose", "quick start"),
        *("quickstart", "references", "related work", "release notes", "requirements", "results", "returns", "roadmap"),
        *("running", "see also", "setup", "status", "summary", "support", "synopsis", "table of contents", "test"),
        *("testing", "tests", "todo", "troubleshooting", "tutorial", "upgrading", "usage", "versioning", "versions"),
        *("goals", "scope", "next steps", "architecture", "resources", "further reading"),
    )
)
_QUESTION = re.compile(rf"(?!how to\b)(?:{QUESTION_WORDS})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\s{0,20}(?:\(?\d{1,4}[.):]|[-*•–▪‣])\s{1,20}(?=\S)")
_TAG = re.compile(r"(?<!\S)#(?:flashcards?|cards?|anki)(?:/[\w/-]{1,80})?(?!\S)")
_TAG_NAME = re.compile(r"&lt;([^&<>;]{1,80})&gt;")
"""A tag of HTML that a page writes about."""
_EDGE = "*_ "
_RATIO = 2.0
"""Words of an explanation per word of its name."""


def without_tags(text: str) -> str:
    """A text without tags for cards."""
    return _TAG.sub("", text) if "#" in text else text


@lru_cache(maxsize=2**16)  # every shape asks for the same ones
def read_name(text: str) -> str:
    """A name without emphasis, links, tags, its number and the colon behind it."""
    name = " ".join(without_tags(without_marks(re.sub(r"</?\w[^<>]*>", "", text))[0]).split())
    name = name.strip(_EDGE)
    return name[:-1].rstrip(_EDGE) if name.endswith((":", "：")) else name


def is_name(text: str) -> bool:
    """Whether a text may be a term: a few words, with or without brackets, that end no sentence and assign nothing."""
    text = _TAG_NAME.sub(r"\1", text) if "&" in text else text
    bare = (_BRACKETS.sub("", text) or text) if text.endswith(")") else text
    return len(bare) <= MAX_NAME and len(bare.split()) <= MAX_NAME_WORDS and _NO_NAME.fullmatch(text) is None


def asks(text: str) -> bool:
    """Whether a text is a question."""
    return text.rstrip("*_ ").endswith(("?", "？")) and len(text) <= MAX_QUESTION


def begins_question(text: str) -> bool:
    """Whether a text is a question, or begins as one does."""
    return asks(text) or _QUESTION.match(text) is not None


def is_section(text: str) -> bool:
    """Whether a heading is a letter, a number or another part of a glossary, and no name."""
    return _SECTION.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Whether a name only says what follows, as `Definition` and `Example` do."""
    return _LABEL.fullmatch(text) is not None


def is_of_manual(text: str) -> bool:
    """Whether a heading is one of a manual, or a version."""
    return text.lower().strip(" .:!") in _MANUAL


def without_numbers(texts: Sequence[str]) -> list[str]:
    """The texts without the numbers or bullets before them, if almost all of those that are not blank have one."""
    n_numbered = sum(_NUMBER.match(text) is not None for text in texts)
    if n_numbered < max(MIN_PAIRS, MOST * sum(bool(text.strip()) for text in texts)):
        return list(texts)
    return [_NUMBER.sub("", text, count=1) for text in texts]


def without_parts(texts: Sequence[str]) -> list[str]:
    """The texts without the `Card 3:` before them, if all have one."""
    parted = list(map(_PARTED.fullmatch, texts))
    return [one[1] for one in parted if one] if all(parted) else list(texts)


def are_explained(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether almost all pairs are a short name and a longer text of several words, and no two names the same."""
    n_words = [list(map(count_words, pair)) for pair in pairs]
    return (
        sum(map(is_name, {name for name, _ in pairs})) >= MOST * len(pairs)
        and sum(len(text) > len(name) for name, text in pairs) >= MOST * len(pairs)
        and sum(text > 1 for _, text in n_words) >= MOST * len(pairs)
        and statistics.fmean(text for _, text in n_words) >= _RATIO * statistics.fmean(name for name, _ in n_words)
    )


def in_order(names: Sequence[str]) -> bool:
    """Whether at least five names are mostly in alphabetical order."""
    keys = list(map(words.normalise, names))
    n_rising = sum(one <= two for one, two in itertools.pairwise(keys))
    return len(keys) > 4 and n_rising >= 0.8 * (len(keys) - 1)


def find_in_place(names: Sequence[str]) -> set[str]:
    """The words that look like labels but are names, since they are where the alphabet has them among other names."""
    keys = list(map(words.normalise, names)) if in_order(names) else []
    places = zip(keys, keys[1:], keys[2:], names[1:], strict=False)
    return {name for before, key, behind, name in places if before < key < behind and is_label(name)}
