"""A language's tokens, as the taggers of spaCy find them: language models are trained and asked with the same ones."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from data.errors import InputError
from data.extras import demand_generation

LONGEST_TEXT = 1_000_000
"""Characters of a text that are split into sentences."""


@cache
def tokenizer(language: str) -> Callable[[str], list[str]]:
    """Text -> its tokens, without white space. Raises InputError where spaCy does not know the language."""
    demand_generation("tokens")
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

    What begins in lower case belongs to the sentence before: the full stop was that of an abbreviation.
    """
    demand_generation("sentences")
    import spacy

    pipeline = spacy.blank(language)
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = LONGEST_TEXT

    def split(texts: Sequence[str]) -> Iterator[list[str]]:
        for doc in pipeline.pipe(text[:LONGEST_TEXT] for text in texts):
            starts = [sentence.start_char for sentence in doc.sents if not _continues(sentence.text)]
            ends = [*starts[1:], len(doc.text)]
            pieces = (doc.text[start:end].strip() for start, end in zip([0, *starts[1:]], ends, strict=False))
            yield [piece for piece in pieces if piece]

    return split


def _continues(piece: str) -> bool:
    return piece.lstrip()[:1].islower()
