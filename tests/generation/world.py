"""Language models and sentences of the tests, written by hand."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from data.texts.identity import digest
from generation.engines.protocols import Entity, Tagged

TOY = (
    ("<s>", "flights", -0.1),
    ("flights", "from", -0.2),
    ("from", "new", -0.3),
    ("new", "york", -0.1),
    ("york", "to", -0.4),
    ("to", "florida", -0.5),
    ("florida", "</s>", -0.2),
    ("from", "florida", -0.4),
    ("florida", "to", -0.5),
    ("to", "new", -0.6),
    ("york", "</s>", -0.3),
)
"""Bigrams and their log10 of probability; all unigrams have -1, unknown words -2."""


def arpa(bigrams: tuple[tuple[str, str, float], ...] = TOY, *, unknown: bool = True) -> str:
    """The ARPA file of a bigram model whose back-off weights are all 1."""
    words = sorted({word for first, second, _ in bigrams for word in (first, second)} - {"<s>", "</s>"})
    unigrams = ["-99\t<s>\t0", "-1\t</s>\t0", *(f"-1\t{word}\t0" for word in words)]
    unigrams += ["-2\t<unk>\t0"] if unknown else []
    lines = ["\\data\\", f"ngram 1={len(unigrams)}", f"ngram 2={len(bigrams)}", "", "\\1-grams:", *unigrams, ""]
    lines += ["\\2-grams:", *(f"{value}\t{first} {second}" for first, second, value in bigrams), "", "\\end\\", ""]
    return "\n".join(lines)


class LastWord:
    """A language model that knows the last word alone; its probabilities follow from the words' digests."""

    name = "last word"
    start = "<s>"

    def word(self, surface: str) -> str:
        return surface.lower()

    def extend(self, state: str, word: str) -> tuple[float, str]:
        return -1 - int(digest(state, word)[:6], 16) / 2**22, word

    def finish(self, state: str) -> float:
        return self.extend(state, "</s>")[0]

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([self.of_words(text.lower().split()) for text in texts])

    def of_words(self, words: Sequence[str]) -> float:
        total, state = 0.0, self.start
        for word in words:
            value, state = self.extend(state, word)
            total += value
        return total + self.finish(state)


def tagged(
    marked: str,
    *,
    heads: Sequence[int] | None = None,
    relations: Sequence[str] | None = None,
    entities: Sequence[tuple[int, int, str, float]] = (),
) -> Tagged:
    """A text written as `word/TAG word/TAG`, each word a token; a `_` behind a word joins it to the next."""
    text, starts, ends, tags = "", [], [], []
    for part in marked.split(" "):
        word, _, tag = part.rpartition("/")
        starts.append(len(text))
        text += word.removesuffix("_")
        ends.append(len(text))
        text += "" if word.endswith("_") else " "
        tags.append(tag)
    n = len(tags)
    return Tagged(
        text=text.rstrip(),
        starts=tuple(starts),
        ends=tuple(ends),
        tags=tuple(tags),
        heads=tuple(heads or range(n)),
        relations=tuple(relations or ["dep"] * n),
        entities=tuple(Entity(start=s, end=e, label=label, probability=p) for s, e, label, p in entities),
    )
