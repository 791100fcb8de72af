"""The languages by their codes: each module of this folder that a code names is one."""

from pathlib import Path

from data.console.errors import InputError
from data.texts.languages.base import Language, load
from data.texts.languages.en import ENGLISH

__all__ = ["ENGLISH", "codes", "language"]


def codes() -> list[str]:
    """The codes of the known languages, in alphabetical order."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z][a-z].py"))


def language(code: str) -> Language:
    """The language of the code. Raises InputError where it is not known."""
    if code not in codes():
        raise InputError("language", expected=" or ".join(codes()), found=repr(code), remedy="choose one of them")
    return load(code)
