"""The term that a card's front names.

Fronts come as people type them: `Hash Table:`, `What is a hash table?`, `Hash table (data structure)`. The
paper keeps the cards whose front is a term of its list (He et al. 2020, section 3.1) and is silent on such
forms; here they count as that term.
"""

import re
import unicodedata

import numpy as np
import pandas as pd

from crawler.cards.texts import per_distinct
from data.texts import words
from data.texts.languages.base import Language
from data.texts.reading import visible

_BEFORE = " \"'`*•·…–—-"
_AFTER = _BEFORE + ".,:;!?="
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_SMALL = frozenset({"of", "and", "the", "for", "in", "to", "a", "&", "von", "und", "der", "die", "das"})
_QUALIFIER = re.compile(r"^[(\[][^()\[\]]*[)\]]\s+(?=\S)|(?<=\S)\s+[(\[][^()\[\]]*[)\]]$")


def read(front: str, language: Language) -> str:
    """The name that a front asks about, normalised by `data.texts.words.normalise`; empty where nothing is left.

    Removes invisible characters, punctuation at the edges (but not `+`, `#` and brackets, which may end a name),
    the language's forms of questions (`What is a …?`), and a bracketed qualifier before or after the name.
    """
    return _without_edges(_QUALIFIER.sub("", _read_whole(front, language)))


def _read_whole(front: str, language: Language) -> str:
    """The name with its qualifier."""
    name = _without_edges(words.normalise(visible(front)).translate(_QUOTES))
    return language.question.sub("", name)


def _without_edges(name: str) -> str:
    return name.lstrip(_BEFORE).rstrip(_AFTER)


def read_all(fronts: pd.Series, language: Language, decks: pd.Series | None = None) -> pd.Series:
    """`read` of each front; each distinct front is read once.

    With the `decks` of the fronts, a name keeps its bracket where another front of its deck has the bare name: `Income
    (1-year growth rate)` is not `income`. But an acronym goes, and what several names of a deck have behind them, as a
    field is: `bond (finance)`. Other decks change nothing, so that a name does not depend on what else was read.
    """
    whole = per_distinct(fronts, lambda front: _read_whole(front, language)).astype(object)
    bare = per_distinct(whole, lambda name: _without_edges(_QUALIFIER.sub("", name))).astype(object)
    whole = per_distinct(whole, _without_edges).astype(object)
    if decks is not None and (has_bracket := whole != bare).any():
        names = pd.DataFrame({"deck": decks, "whole": whole, "bare": bare})
        alone = pd.MultiIndex.from_frame(names.loc[~has_bracket, ["deck", "bare"]].drop_duplicates())
        some = names[has_bracket]
        bracket = per_distinct(some["whole"], _bracket)
        n_names = some.assign(bracket=bracket).groupby(["deck", "bracket"])["whole"].transform("nunique")
        shortens = [_abbreviates(*texts) for texts in zip(bracket, some["bare"], strict=True)]
        kept = pd.MultiIndex.from_frame(some[["deck", "bare"]]).isin(alone) & (n_names == 1) & ~np.array(shortens)
        bare = bare.mask(kept.reindex(bare.index, fill_value=False), whole)
    return bare.astype("string[pyarrow]")


def _bracket(name: str) -> str:
    """What is in the brackets of a name."""
    match = _QUALIFIER.search(name)
    return match[0].strip(" ()[]") if match else ""


def _abbreviates(one: str, other: str) -> bool:
    """Whether one of two names is the acronym of the other: `chemical oxygen demand`, `COD`."""
    short, long = sorted((one, other), key=len)
    letters = [word[0] for word in re.split(r"[\s/-]+", long) if word]
    strong = [word[0] for word in re.split(r"[\s/-]+", long) if word not in _SMALL and word]
    return short.rstrip("s").replace(".", "") in {"".join(letters).rstrip("s"), "".join(strong).rstrip("s")}


def as_written(front: str, entity: str, language: Language) -> str | None:
    """The front's name in its own upper and lower case: the entity where the front has it, else what it asks about.

    None for a front whose letters change their number in lower case.
    """
    text = " ".join(unicodedata.normalize("NFKC", visible(front)).translate(_QUOTES).split())
    lower = text.lower()
    if len(lower) != len(text):
        return None
    return _find_word(entity, text, lower) or _find_word(read(front, language), text, lower)


def _find_word(name: str, text: str, lower: str) -> str | None:
    """Where the lower-case text first has the name as whole words, the text there."""
    start = lower.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        if not (lower[max(start - 1, 0) : start].isalnum() or lower[end : end + 1].isalnum()):
            return text[start:end]
        start = lower.find(name, start + 1)
    return None


def match(fronts: pd.Series, terms: pd.DataFrame, language: Language, decks: pd.Series | None = None) -> pd.Series:
    """The term that each front names, with the `decks` as in `read_all`; null where it names none.

    `terms` has the columns term and variants. A front that is a term and also a variant of another term is the former.
    Where neither fits, number variants count as the same name (`Language.canonical`).
    """
    names = read_all(fronts, language, decks)
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
