"""How many changed copies of a definition are found: `python -m studies.changed_copies --pairs PATH`.

Definitions of eight words or more are drawn, changed in one of five ways and put beside all others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from data.console.commands import run
from data.console.messages import say
from data.labelled import corpora
from data.texts.near_copies import find_near_copies

Random = np.random.Generator
Words = list[str]


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Count the changed copies that are tied to their original."""

    pairs: Path
    """Real pairs for their texts, in any form that `identification train --dataset` reads."""
    copies: int = 60
    """Copies per kind of change."""
    seed: int = 7


def append(words: Words, others: list[Words], random: Random) -> Words:
    """Another clause appended."""
    clause = others[random.integers(len(others))][: random.integers(5, 10)]
    return [*words[:-1], words[-1] + ",", *clause]


def cut(words: Words, _others: list[Words], _random: Random) -> Words:
    """Cut to half."""
    return words[: (len(words) + 1) // 2]


def mistype(words: Words, _others: list[Words], random: Random) -> Words:
    """A typing error in each third word: two letters exchanged, one left out or one wrong."""
    return [_mistype(word, random) if n % 3 == 0 and len(word) > 3 else word for n, word in enumerate(words)]


def _mistype(word: str, random: Random) -> str:
    at = int(random.integers(1, len(word) - 1))
    wrong = [word[at + 1] + word[at], word[at + 1], random.choice(list("etaoinsr")) + word[at + 1]]
    return word[:at] + wrong[random.integers(3)] + word[at + 2 :]


def join(words: Words, _others: list[Words], _random: Random) -> Words:
    """Each two words joined by a hyphen."""
    return ["-".join(words[n : n + 2]) for n in range(0, len(words), 2)]


def exchange(words: Words, others: list[Words], random: Random) -> Words:
    """Two words of five letters or more exchanged for others."""
    known = [word for other in others for word in other if len(word) > 4]
    long = [n for n, word in enumerate(words) if len(word) > 4]
    new = {int(n): known[random.integers(len(known))] for n in random.permutation(long)[:2]}
    return [new.get(n, word) for n, word in enumerate(words)]


CHANGES: tuple[Callable[[Words, list[Words], Random], Words], ...] = (append, cut, mistype, join, exchange)


def main(arguments: Arguments) -> None:
    """Print a line per kind of change."""
    frame, _ = corpora.load(arguments.pairs)
    texts = sorted({*frame["first"], *frame["second"]})
    split = [text.split() for text in texts]
    random = np.random.default_rng(arguments.seed)
    n = arguments.copies
    long = [place for place, words in enumerate(split) if len(words) >= 8]
    originals = random.choice(long, len(CHANGES) * n, replace=False)
    kinds = np.repeat(np.arange(len(CHANGES)), n)
    copies = [" ".join(CHANGES[k](split[o], split, random)) for k, o in zip(kinds, originals, strict=True)]
    ties = {kind: _ties(found, len(texts)) for kind, found in find_near_copies([*texts, *copies]).items()}
    tied = {kind: [(o, c) in ties[kind] for c, o in enumerate(originals)] for kind in ties}
    rows = pd.DataFrame({"kind": kinds, **tied})
    say(f"{n} copies each among {len(texts):,} texts; tied to the original by their stems, and by all rules")
    for k, some in rows.groupby("kind"):
        every = some["near_copies"] | some["changed_copies"]
        say(f"{CHANGES[k].__doc__} {some['near_copies'].sum()}, {every.sum()}")


def _ties(found: pd.DataFrame, n_texts: int) -> set[tuple[int, int]]:
    """The original and the copy of each tie between a text and a copy."""
    mixed = found[(found["left"] < n_texts) & (found["right"] >= n_texts)]
    return set(zip(mixed["left"], mixed["right"] - n_texts, strict=True))


if __name__ == "__main__":
    run(main, prog="python -m studies.changed_copies")
