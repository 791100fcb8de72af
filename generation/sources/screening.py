"""Which sentences are fit to be changed; what is dropped has a reason."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.contract.vocabulary import TAKEN_DOWN
from data.texts.words import merge_key

FORMULA = re.compile(
    r"\\|[_^]\{|[\w)\]|]\^|\b[^\W\d_]_[^\W_]{1,2}\b|\$(?! ?\d[\d,.]*+(?:[MBKmbk]n?\b|$|[^\w$^+*/=<>|]))"
)
"""LaTeX, powers (`n^2`) and letters with an index (`x_1`), but no names such as `my_file`. A dollar before an amount is
money: `$5`, `$1.2 million`, `$10-a-share`, but not `$5$`, `$2n$` or `$1<x$`."""
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]")
"""What no person typed: bytes of another encoding, terminal escapes, marks that turn the direction of text."""
UNBROKEN = re.compile(r"\S{60}")
"""No word of a language is as long; an address or a text without white space is."""
BULLETS = re.compile(r"(?:^|\s)[-–*•·](?:\s|$)")
MAX_TEXT_CHARS = 2_000
"""Characters; a longer text is too long whatever its tokens."""
QUOTED = 80
"""Characters of a dropped text that its reject quotes."""
LOST = {
    "too_short": "fewer than {shortest} tokens (--shortest)",
    "too_long": "more than {longest} tokens (--longest)",
    "controls": "control characters, lost ones, or marks that turn the direction of text: is the file in UTF-8?",
    "latex": "formulas in LaTeX, or with powers or indices (--keep-latex)",
    "unbroken": "a word of 60 characters or more",
    "layout": "a list with bullets, or several lines",
    "duplicate": "the same as an earlier one but for case and white space",
    "not_drawn": "not drawn (--limit)",
    TAKEN_DOWN: "taken down (`python -m data takedown`), for good",
}
"""Reason -> what the screen says, with the flag that brings the sentences back where there is one."""


@dataclass(frozen=True, kw_only=True)
class SentenceLimits:
    """What a sentence must be."""

    shortest: Limit[int] = 6
    """Tokens of the shortest sentence, punctuation included."""
    longest: Limit[int] = 40
    """Tokens of the longest."""
    keep_latex: bool = False
    """Keep sentences with a backslash, braces of LaTeX, a `$` before no amount of money, `n^2` or `x_1`."""

    def __post_init__(self) -> None:
        """Raise InputError for lengths that no sentence has."""
        require_at_least("--shortest", self.shortest, 1)
        if self.longest < self.shortest:
            raise InputError(
                "--longest", expected=f"at least --shortest {self.shortest}", found=str(self.longest), remedy="raise it"
            )


def screen(texts: Sequence[str], limits: SentenceLimits, tokens: Callable[[str], list[str]]) -> list[str | None]:
    """For each text, why it is dropped; None where it is kept. Duplicates are found by `drop_duplicates`."""
    return [_reason(text, limits, tokens) for text in texts]


def _reason(text: str, limits: SentenceLimits, tokens: Callable[[str], list[str]]) -> str | None:
    if len(text) <= MAX_TEXT_CHARS and (spoilt := CONTROLS.search(text) or UNBROKEN.search(text)):
        return "controls" if spoilt.re is CONTROLS else "unbroken"
    n_tokens = len(text.split()) if len(text) > MAX_TEXT_CHARS else len(tokens(text))
    if n_tokens < limits.shortest:
        return "unbroken" if len(text) > MAX_TEXT_CHARS else "too_short"
    if n_tokens > limits.longest or len(text) > MAX_TEXT_CHARS:
        return "too_long"
    if not limits.keep_latex and FORMULA.search(text):
        return "latex"
    if not {*"\n\r\t"}.isdisjoint(text) or len(BULLETS.findall(text)) > 1:
        return "layout"
    return None


def quote(text: str, reason: str) -> str | None:
    """What the reject of a dropped text says of it: where its fault is, otherwise how it begins.

    A repeated text is quoted whole, so that a takedown finds it; nothing of one that was taken down or not drawn.
    """
    if reason in (TAKEN_DOWN, "not_drawn"):
        return None
    if reason == "duplicate":
        return text
    pattern = {"latex": FORMULA, "controls": CONTROLS, "unbroken": UNBROKEN}.get(reason)
    fault = pattern.search(text) if pattern else None
    start = fault.start() - QUOTED // 2 if fault and fault.end() > QUOTED else 0
    return text[start : start + QUOTED]


def mark_duplicates(frame: pd.DataFrame, seen: set[int]) -> pd.Series:
    """The column reason, with `duplicate` for a kept text that an earlier kept one equals, here or in `seen`."""
    kept = frame.loc[frame["reason"].isna(), "text"].map(merge_key)
    twice = are_repeated(pd.util.hash_array(kept.to_numpy(object), categorize=False), seen)
    return frame["reason"].mask(frame.index.isin(kept.index[twice]), "duplicate")


def are_repeated(numbers: Iterable[int], seen: set[int]) -> NDArray[np.bool_]:
    """Whether each number came before or is in `seen`, which has them all afterwards.

    Numbers of eight bytes replace texts: any two of a million share one with a probability of 3e-8.
    """
    found = list[bool]()
    for number in map(int, numbers):
        found.append(number in seen)
        seen.add(number)
    return np.array(found, dtype=bool)
