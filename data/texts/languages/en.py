"""English. Stems are Porter's; lemmas are WordNet's noun lemmas as NLTK's `WordNetLemmatizer` gives them.

So He et al. 2020, section 3.2, footnote 4. They are read from the tables of spacy-lookups-data, so nothing is
downloaded at run time.
"""

import gzip
import json
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import simplemma

from data.texts.languages.base import Language

_STOP_WORDS = """
    a about above after again against ain all am an and any are aren as at be because been before
    being below between both but by can couldn d did didn do does doesn doing don down during each
    few for from further had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn
    no nor not now o of off on once only or other our ours ourselves out over own re s same shan she
    should shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where which
    while who whom why will with won wouldn y you your yours yourself yourselves
"""
STOP_WORDS: frozenset[str] = frozenset(_STOP_WORDS.split())
"""NLTK's English stop words that can be tokens (its Treebank tokens split contractions), listed here because
NLTK's own copy needs a download. The paper names no list; this one reproduces the released data's known figures.
scikit-learn's contains content words of computer science (`system`, `fire`, `name`, `interest`)."""

_WEAK_WORDS = """
    across afterwards almost alone along already also although always among amongst amoungst another anyhow
    anyone anything anyway anywhere around became become becomes becoming beforehand behind beside besides
    beyond cannot cant co could couldnt de describe done due eg eight either eleven else elsewhere enough etc
    even ever every everyone everything everywhere except fifteen fifty first five former formerly forty found
    four get give go hasnt hence hereafter hereby herein hereupon however hundred ie inc indeed keep last latter
    latterly least less ltd made many may meanwhile might moreover mostly much must namely neither never
    nevertheless next nine nobody none noone nothing nowhere often one onto others otherwise per perhaps please
    put rather see seem seemed seeming seems serious several show since sincere six sixty somehow someone
    something sometime sometimes somewhere still take ten thence thereafter thereby therefore therein thereupon
    third though three throughout thru thus together toward towards twelve twenty two un upon us via well
    whatever whence whenever whereafter whereas whereby wherein whereupon wherever whether whither whoever whole
    whose within without would yet
"""
EDGE_WORDS = STOP_WORDS | frozenset(_WEAK_WORDS.split())
"""Words that no term begins or ends with: the stop words, and scikit-learn's except those that occur in terms."""

_ABBREVIATIONS = """
    abbr al approx ca cf ch conc corp def dept dr ed eds eg eq eqs esp est et etc ex fig figs ie inc incl jr ltd mr mrs
    ms ph.d pp prof resp sr st univ viz vol vols vs
"""
ABBREVIATIONS: frozenset[str] = frozenset(_ABBREVIATIONS.split())


@cache
def _stemmer() -> Any:
    from nltk.stem import PorterStemmer  # NLTK imports all of SciPy: wait for it only where needed

    return PorterStemmer()


def _table(name: str) -> Any:
    path = files("spacy_lookups_data") / "data" / f"en_lemma_{name}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


@cache
def _morphology() -> tuple[frozenset[str], dict[str, list[str]], list[list[str]]]:
    """WordNet's nouns, their irregular forms, and the suffix rules."""
    return frozenset(_table("index")["noun"]), _table("exc")["noun"], _table("rules")["noun"]


@cache
def _verbs_and_adjectives() -> frozenset[str]:
    """WordNet's words that are no nouns."""
    index = _table("index")
    return (frozenset(index["adj"]) | frozenset(index["verb"])) - frozenset(index["noun"])


@cache
def _no_nouns() -> frozenset[str]:
    """WordNet's adverbs, irregular verbs' forms, and adjectives with an adverb or comparative, or like participles."""
    index = _table("index")
    adverbs = frozenset(index["adv"])
    derived = {form for adverb in adverbs if adverb.endswith("ly") for form in _before_ly(adverb)}
    known = frozenset(index["adj"])
    adjectives = {word for word in known if word in derived or word + "er" in known or word.endswith("ed")}
    return adverbs | adjectives | frozenset(_table("exc")["verb"])


def _before_ly(adverb: str) -> tuple[str, ...]:
    """What an adverb in -ly may come from: `safely`, `possibly`, `easily`, `basically`, `fully`."""
    bare = adverb.removesuffix("ly")
    return bare, bare + "le", bare.removesuffix("i") + "y", bare.removesuffix("al"), bare + "l"


@lru_cache(maxsize=1_000_000)
def lemma(word: str) -> str:
    """The noun lemma of a lower-case word: WordNet's shortest candidate, or the word itself if WordNet has none.

    As in NLTK, `was` becomes `wa` and `has` becomes `ha`: applied to every text alike, this changes no comparison.
    """
    nouns, irregular, rules = _morphology()
    candidates = irregular.get(word, [])
    if not candidates:
        candidates = [word.removesuffix(old) + new for old, new in rules if word.endswith(old)]
    known = [form for form in (word, *candidates) if form in nouns]
    return min(known, key=len, default=word)


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """The Porter stem of a word."""
    stemmed: str = _stemmer().stem(word)
    return stemmed


_FIXED = """
    ables aids alms bayes bests betters checkers commons customs data difficults does fasts generals genetics
    glasses goods graphics hermes https humanities keras kudos least-squares likes mars means measles media mens
    navier-stokes news novels odds pandas pasts people pluses proceedings pylori reals reis riches savings seconds
    series shingles shorts species statics stokes tactics tights torus wales
"""
_HEADWORDS = dict.fromkeys(_FIXED.split()) | {
    "axes": "axis",
    "bases": "base",
    "crises": "crisis",
    "crosses": "cross",
    "leaves": "leaf",
    "lenses": "lens",
    "masses": "mass",
}
"""Words that dictionaries list under another word, or under several: their headword; None for the word itself."""


@lru_cache(maxsize=1_000_000)
def headword(word: str) -> str:
    """The singular of a lower-case noun; the word itself where WordNet and simplemma do not agree on another noun.

    Words of up to three letters and stop words keep their form (`us`, `pus`, `gas`), and so do plurals that
    dictionaries list by themselves (`species`, `dynamics`), even if another name lacks the ending (`argos`, `Argo`),
    and fields named after an adjective (`asymptotics`). No noun of two letters has a plural (`mses`), and a verb's form
    is none (`emphasises`). What WordNet lacks loses the ending that simplemma knows (`datasets`).
    """
    if word in _HEADWORDS:
        return _HEADWORDS[word] or word
    nouns, irregular, rules = _morphology()
    is_plural = (word.endswith(("s", "men")) and not word.endswith("ss")) or word in irregular
    is_other = word.endswith(("ics", "ises")) and word[:-1] in _verbs_and_adjectives()
    if len(word) <= 3 or not is_plural or word in STOP_WORDS or (is_other and word.endswith("ics")):
        return word
    barred = ("ves", "ses") if is_other else ("ves",)
    regular = {word.removesuffix(old) + new for old, new in rules if old not in barred and word.endswith(old)}
    forms = nouns.intersection(regular.union(irregular.get(word, ())) - {word})
    singulars = {form for form in forms if len(form) > 2}
    known = simplemma.lemmatize(word, lang="en")
    if known in singulars:
        return known
    if (known == word or known[:1].isupper()) and (word in nouns or not singulars):
        return word
    if len(singulars) == 1:
        return next(iter(singulars))
    return known if not singulars and word in (known + "s", known + "es") else word


_BRITISH = (
    (r"(?<=\w\w)our(?=$|s$|al$|ed$|ing$|able$)", "or"),
    (r"(?<=\w\w)is(?=(?:e[drs]?|ers|ing|ations?)$)", "iz"),
    (r"(?<=\w\w)ys(?=(?:e[drs]?|ers|ing)$)", "yz"),
    (r"(?<=\w[bt])re(?=s?$)", "er"),
    (r"(?<=\w\w)ogue(?=s?$)", "og"),
    (r"(?<=\w\wl)l(?=ed$|ing$|ers?$)", ""),
    (r"(?<=\w\wen)c(?=es?$)", "s"),
    (r"(?<=gram)me(?=s?$)", ""),
    (r"ae|oe", "e"),
    (r"^grey", "gray"),
)
"""What British words have, and American ones have in its place."""
_SPELLINGS = tuple((re.compile(british), american) for british, american in _BRITISH)


def spelling(word: str) -> str:
    """The American spelling of a British word; of another word mostly itself, and no other word."""
    for british, american in _SPELLINGS:
        word = british.sub(american, word)
    return word


LANGUAGE = ENGLISH = Language(
    code="en",
    name="English",
    stop_words=STOP_WORDS,
    edge_words=EDGE_WORDS,
    abbreviations=ABBREVIATIONS,
    negations=frozenset(["cannot", "n't", "never", "no", "none", "nor", "not", "without"]),
    question=re.compile(r"^(?:what(?:'s| is| are)|define)[\s:]+(?:(?:a|an|the)\s+)?(?=\S)"),
    lemma=lemma,
    headword=headword,
    may_be_no_noun=lambda word: word in _no_nouns(),
    stem=stem,
    spelling=spelling,
)
