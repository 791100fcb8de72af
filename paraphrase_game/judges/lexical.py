"""Judges that need no weights: rules of overlap, to try the game with. They understand nothing."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Indel
from scipy.special import expit

from data.measures.agreement import Reals
from data.texts import words
from data.texts.languages.en import ENGLISH

NAME = "overlap"


def entailment(first: Sequence[str], second: Sequence[str]) -> Reals:
    """P(entailment) by the share of the second text's content stems that the first has: [pairs, 3], no contradiction.

    A negation or a number on one side alone counts as a missing stem.
    """
    shares = [_share(*texts) for texts in zip(first, second, strict=True)]
    yes = expit(8 * (np.array(shares, dtype=np.float64).reshape(-1) - 0.35))
    return np.column_stack([yes, 1 - yes, np.zeros_like(yes)])


def similarity(first: Sequence[str], second: Sequence[str]) -> Reals:
    """A number on BLEURT's scale, about -1.5 to 1, from the edit similarity of the words."""
    edits = [
        Indel.normalized_similarity(words.bare(one).split(), words.bare(other).split())
        for one, other in zip(first, second, strict=True)
    ]
    return 2.4 * np.array(edits, dtype=np.float64).reshape(-1) - 1.4


def _share(first: str, second: str) -> float:
    given, wanted = ENGLISH.content_stems(first), ENGLISH.content_stems(second)
    if not wanted:
        return 0.0
    missing = ENGLISH.negates(first) != ENGLISH.negates(second)
    return len(given & wanted) / (len(wanted) + missing)
