"""A language's tokens, as the taggers of spaCy find them: language models are trained and asked with the same ones."""

from collections.abc import Callable
from functools import cache

from data.errors import InputError
from data.extras import demand_generation


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
