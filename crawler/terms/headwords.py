"""Headwords that the language does not know: from a file, and from the papers' capitals."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from crawler.terms.lists import read_lines
from crawler.terms.tokens import Tokens
from data.console.errors import InputError
from data.console.messages import say
from data.texts.languages.base import Language

MIN_CAPITAL_SHARE = 0.9
"""Share of a word's occurrences in abstracts from which its capitals are no chance, such as the first word's."""
MAX_PLURAL_SHARE = 0.05
"""Times that a plural is written per time of its singular below which the singular, if it can be one, is mostly an
adjective or adverb."""
MIN_OCCURRENCES = 5
"""Occurrences from which a share says something."""
MIN_PLURALS = 20
"""Occurrences from which a word that papers never write in the singular is no plural: of words that 50,000 papers of
arXiv write as often, only names and phrases with hyphens have none (`opencitations`, `sum-of-squares`)."""


def adapt(language: Language, tokens: Tokens, listed: Mapping[str, str] | None = None) -> Language:
    """The language with the headwords that the papers show, and before these the listed ones.

    A word mostly in capitals, or with a capital, keeps its form (`AIDS`, `Stokes`); one mostly in capitals but for an s
    at the end is a plural (`CNNs`) unless its singular is another word (`LEDs` of `led`). No other form becomes a word
    in capitals (`vasa` is none of `VAS`), nor does a form rarer than its genitive (`todays`), nor a frequent one
    without a singular (`pandas`). A word that is the plural of an adjective or adverb, and rare beside it, keeps its
    form as a whole name (`smarts`).
    """
    words, capitals = tokens.vocabulary, tokens.capitals
    n, n_names, n_plurals = (np.asarray(counts) for counts in capitals)
    are_names = (n >= MIN_OCCURRENCES) & (n_names >= MIN_CAPITAL_SHARE * n) & language.capitals_show_names
    are_plurals = (n >= MIN_OCCURRENCES) & (n_plurals >= MIN_CAPITAL_SHARE * n)
    number = {word: at for at, word in enumerate(words)}
    kept = {words[at]: words[at] for at in np.flatnonzero(are_names)}
    for at in np.flatnonzero(are_plurals):
        word = words[at]
        single = number.get(word[:-1])
        is_other = single is not None and n[single] >= MIN_OCCURRENCES and not are_names[single]
        kept[word] = word if is_other else word[:-1]
    alone = {}
    for word, form in zip(words, map(language.headword, words), strict=True):
        if form == word or word in kept:
            continue
        at, single = number[word], number.get(form)
        if single is None:
            if word == f"{form}s" and tokens.n_words[at] >= MIN_PLURALS:
                kept[word] = word
            continue
        genitive = number.get(f"{form}'s")
        is_genitive = genitive is not None and word == f"{form}s" and tokens.n_words[genitive] > tokens.n_words[at]
        if is_genitive or (are_names[single] and word != f"{form}s"):
            kept[word] = word
        elif tokens.n_words[at] < MAX_PLURAL_SHARE * tokens.n_words[single] and language.may_be_no_noun(form):
            alone[word] = word
    return language.with_headwords(kept, alone).with_headwords(listed or {})


def read_headwords(path: Path) -> dict[str, str]:
    """Word -> headword from the file's lines `WORD HEADWORD`; empty lines and those that begin with # are passed over.

    Raises InputError where a line is neither or repeats a word, with one line per fault.
    """
    headwords: dict[str, str] = {}
    faults = []
    for number, line in read_lines(path, "one word with its headword per line"):
        pair = line.split()
        if len(pair) == 2 and pair[0] not in headwords:
            headwords[pair[0]] = pair[1]
        else:
            faults.append(f"{path}, line {number}: expected a new word and its headword, found {line[:80]!r}")
    if faults:
        say("\n".join(faults))
        raise InputError(
            path, expected="lines like `shingles shingles`", found=f"{len(faults)} others", remedy="correct them"
        )
    return headwords
