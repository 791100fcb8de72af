"""Headwords that the language does not know: those of a file, and those that the papers' capitals show."""

from pathlib import Path

import numpy as np

from crawler.terms.tokens import Tokens
from data.console import existing_file, say
from data.errors import InputError
from data.languages.base import Language
from data.words import normalise

MOSTLY = 0.9
"""Share of a word's occurrences in abstracts from which its capitals are no chance, such as the first word's."""
FEWEST = 5
"""Occurrences from which a share says something."""


def adapt(language: Language, tokens: Tokens) -> Language:
    """The language with the headwords of acronyms and names as the papers write them.

    A word mostly in capitals, or with a capital, keeps its form (`AIDS`, `Stokes`); one mostly in capitals but for an s
    at the end is a plural (`CNNs`).
    """
    n, n_names, n_plurals = (np.asarray(counts) for counts in tokens.capitals)
    names = (n >= FEWEST) & (n_names >= MOSTLY * n) & language.capitals_show_names
    plurals = (n >= FEWEST) & (n_plurals >= MOSTLY * n)
    kept = {tokens.vocabulary[at]: tokens.vocabulary[at] for at in np.flatnonzero(names)}
    return language.with_headwords(
        kept | {(word := tokens.vocabulary[at]): word.removesuffix("s") for at in np.flatnonzero(plurals)}
    )


def read_headwords(path: Path) -> dict[str, str]:
    """Word -> headword from the file's lines `WORD HEADWORD`; empty lines and those that begin with # are passed over.

    Raises InputError where a line is neither or repeats a word, with one line per fault.
    """
    existing_file(path, "a list of words with their headwords, one pair per line")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as fault:
        raise InputError(path, expected="UTF-8 text", found=str(fault), remedy="convert it") from fault
    headwords: dict[str, str] = {}
    faults = []
    for number, line in enumerate(lines, 1):
        pair = normalise(line.partition("#")[0]).split()
        if len(pair) == 2 and pair[0] not in headwords:
            headwords[pair[0]] = pair[1]
        elif pair:
            faults.append(f"{path}, line {number}: expected a new word and its headword, found {line.strip()[:80]!r}")
    if faults:
        say("\n".join(faults))
        raise InputError(
            path, expected="lines like `shingles shingles`", found=f"{len(faults)} others", remedy="correct them"
        )
    return headwords
