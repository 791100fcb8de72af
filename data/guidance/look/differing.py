"""The words in which two texts differ."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from markupsafe import Markup, escape

_WORD = re.compile(r"\w+|\W")


def mark_words(first: str, second: str) -> tuple[Markup, Markup]:
    """Both texts as HTML, with a mark around the words that the other lacks; case does not count.

    Where neither lacks any, the words are marked that are elsewhere in the other text.
    """
    words = [_WORD.findall(text) for text in (first, second)]
    folded = [[word.casefold() for word in some] for some in words]
    lacking = [{n for n, word in enumerate(own) if word not in other} for own, other in _both_ways(folded)]
    if not any(words[side][n][0].isalnum() for side in (0, 1) for n in lacking[side]):
        blocks = SequenceMatcher(None, folded[0], folded[1], autojunk=False).get_matching_blocks()
        for side, starts in enumerate(([block.a for block in blocks], [block.b for block in blocks])):
            same = {n for start, block in zip(starts, blocks, strict=True) for n in range(start, start + block.size)}
            lacking[side] = set(range(len(words[side]))) - same
    return _marked(words[0], lacking[0]), _marked(words[1], lacking[1])


def _both_ways(texts: list[list[str]]) -> Iterator[tuple[list[str], set[str]]]:
    first, second = texts
    yield first, set(second)
    yield second, set(first)


def _marked(words: list[str], marked: set[int]) -> Markup:
    parts = [
        Markup("<mark>{}</mark>").format(word) if place in marked and word[0].isalnum() else escape(word)
        for place, word in enumerate(words)
    ]
    return Markup("").join(parts).replace(Markup("</mark> <mark>"), Markup(" "))
