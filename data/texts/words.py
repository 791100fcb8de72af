"""Words and texts as every language has them: the same letters, however typed, are the same text."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")


def normalise(text: str) -> str:
    """The text in Unicode NFKC and lower case, with runs of white space reduced to one space and none at the ends."""
    if text.isascii():
        return " ".join(text.lower().split())
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


_RUN = re.compile(r"\w+")
_ASCII_RUNS = bytes(code if _RUN.match(chr(code)) else ord(" ") for code in range(128)).ljust(256)
_ASCII_WORDS = bytes(ord(chr(code).lower() if chr(code).isalnum() else " ") for code in range(128)).ljust(256)
"""Letters in lower case and digits; a space for everything else."""


def bare(text: str) -> str:
    """The normalised text without punctuation: its runs of letters and digits, one space between them."""
    if text.isascii():
        return " ".join(text.encode().translate(_ASCII_WORDS).decode().split())
    return _NO_WORD.sub(" ", normalise(text)).strip()


def count_runs(text: str) -> int:
    r"""The number of runs of letters, digits and underscores (`\w+`)."""
    if text.isascii():
        return len(text.encode().translate(_ASCII_RUNS).split())
    return len(_RUN.findall(text))


merge_key = normalise
"""Texts with the same key are one definition (He et al. 2020, section 3.1: identical definitions are merged)."""


def count_words(text: str) -> int:
    """The number of words separated by white space (the unit of the released 30-word limit)."""
    return len(text.split())
