"""The term that a card's front names.

Fronts come as people type them: `Hash Table:`, `What is a hash table?`, `Hash table (data structure)`. The
paper keeps the cards whose front is a term of its list (He et al. 2020, section 3.1) and is silent on such
forms; here they count as that term.
"""

import re

import pandas as pd

from crawler.cards.texts import per_distinct, visible
from data.texts import words
from data.texts.languages.base import Language

_BEFORE = " \"'`*•·…–—-"
_AFTER = _BEFORE + ".,:;!?="
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_QUALIFIER = re.compile(r"^[(\[][^()\[\]]*[)\]]\s+(?=\S)|(?<=\S)\s+[(\[][^()\[\]]*[)\]]$")


def read(front: str, language: Language) -> str:
    """The name that a front asks about, normalised by `data.texts.words.normalise`; empty where nothing is left.

    Removes invisible characters, punctuation at the edges (but not `+`, `#` and brackets, which may end a name),
    the language's forms of questions (`What is a …?`), and a bracketed qualifier before or after the name.
    """
    name = _without_edges(words.normalise(visible(front)).translate(_QUOTES))
    return _without_edges(_QUALIFIER.sub("", language.question.sub("", name)))


def _without_edges(name: str) -> str:
    return name.lstrip(_BEFORE).rstrip(_AFTER)


def read_all(fronts: pd.Series, language: Language) -> pd.Series:
    """`read` of each front; each distinct front is read once."""
    return per_distinct(fronts, lambda front: read(front, language)).astype("string[pyarrow]")


def match(fronts: pd.Series, terms: pd.DataFrame, language: Language) -> pd.Series:
    """The term that each front names; null where it names none.

    `terms` has the columns term and variants. A front that is a term and also a variant of another term is the former.
    Where neither fits, number variants count as the same name (`Language.canonical`).
    """
    names = read_all(fronts, language)
    index = _index(terms, language)
    exact = names.map(index)
    canonical = names.map(language.canonical, na_action="ignore").map(
        {language.canonical(name): term for name, term in reversed(index.items())}
    )
    return exact.fillna(canonical).astype("string[pyarrow]")


def _index(terms: pd.DataFrame, language: Language) -> dict[str, str]:
    """Name -> term. Terms go before variants, both in alphabetical order of the terms; the first one wins."""
    ordered = terms.sort_values("term")[["term", "variants"]]
    variants = ordered.explode("variants").dropna()
    index: dict[str, str] = {}
    for names, owners in ((ordered["term"], ordered["term"]), (variants["variants"], variants["term"])):
        for name, term in zip(read_all(names, language), owners, strict=True):
            index.setdefault(name, term)
    index.pop("", None)
    return index
