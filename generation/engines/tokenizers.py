"""A language's tokens, as the taggers of spaCy find them: language models are trained and asked with the same ones."""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from data.console.errors import InputError
from data.console.optional_packages import require_generation

MAX_TEXT_CHARS = 1_000_000
"""Characters of a text that are split into sentences."""

_BRACKETS = string.whitespace + "\N{NO-BREAK SPACE}([{"
_LOOKED_AT = 100
"""This many characters before a place tell whether a sentence goes on there; brackets beyond them open nothing."""
_VISIBLE = re.compile(r"\S|$")
_UNFINISHED = re.compile(r"[,;]$|\b(?:cf|viz|resp|approx|pp|w\.r\.t|a\.k\.a|[Ff]igs?|[Ee]qs?|Secs?|Refs?)\.$")
"""Marks and abbreviations after which a sentence goes on, whatever follows."""
_AND_OTHERS = re.compile(r"\bal\.$")
"""`et al.` ends a sentence where a capital follows."""


@cache
def tokenizer(language: str) -> Callable[[str], list[str]]:
    """Text -> its tokens, without white space. Raises InputError where spaCy does not know the language."""
    require_generation("tokens")
    import spacy

    try:
        blank = spacy.blank(language).tokenizer
    except ImportError as fault:
        raise InputError("--language", expected="one that spaCy knows", found=language, remedy="try en") from fault
    return lambda text: [token.text for token in blank(text) if not token.is_space]


Splitter = Callable[[Sequence[str]], Iterator[list[str]]]
"""Texts -> the sentences of each."""


def splitter(language: str) -> Splitter:
    """Texts -> their sentences, without the white space around them, by spaCy's rules.

    spaCy keeps the full stop of abbreviations that it knows; after others it cuts, and it leaves an opening bracket
    with the sentence before. So a bracket goes to the sentence that it opens, and what begins in lower case or follows
    `cf.` or `et al.` goes on (see `_goes_on`).
    """
    require_generation("sentences")
    import spacy

    pipeline = spacy.blank(language)
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = MAX_TEXT_CHARS

    def split(texts: Sequence[str]) -> Iterator[list[str]]:
        for doc in pipeline.pipe(text[:MAX_TEXT_CHARS] for text in texts):
            starts = _find_starts(doc.text, [sentence.start_char for sentence in doc.sents])
            pieces = (doc.text[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True))
            yield [piece for piece in pieces if piece]

    return split


def _find_starts(text: str, places: Sequence[int]) -> list[int]:
    """The places at which a sentence begins, before the brackets that open it; the first is 0."""
    starts = [0]
    for place in places[1:]:
        seen = max(starts[-1], place - _LOOKED_AT)
        before = text[seen:place].rstrip(_BRACKETS)
        first, opened = _VISIBLE.search(text, place), _VISIBLE.search(text, seen + len(before))
        if before and first and opened and not _goes_on(before, first[0], opened[0]):
            starts.append(opened.start())
    return starts


def _goes_on(before: str, first: str, opened: str) -> bool:
    """Whether the sentence that ends in `before` goes on; `first` is the next letter, `opened` its bracket if any."""
    if first.islower() or _UNFINISHED.search(before):
        return True
    return bool(_AND_OTHERS.search(before)) and not opened.isupper()
