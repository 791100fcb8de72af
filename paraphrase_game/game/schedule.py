"""The machine's schedule: which sampling each round uses, and when it stops; pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

ROUND_SENTENCES = 10
FIRST_K, FIRST_P = 120, 0.95
STEP_K, STEP_P = 20, 0.05


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How one round samples."""

    number: int
    """From 1."""
    top_k: int
    top_p: float


def rounds(n: int = 5) -> list[Sampling]:
    """The first `n` rounds: wider in top-k and narrower in top-p each time (the paper has 5, the released code 6)."""
    return [
        Sampling(number=place + 1, top_k=FIRST_K + STEP_K * place, top_p=round(FIRST_P - STEP_P * place, 2))
        for place in range(n)
    ]


@dataclass(frozen=True, kw_only=True)
class MachineAttempt:
    """An attempt of the machine and what was said of it."""

    text: str
    sampling: Sampling
    sample: int
    """Its number within the round, from 0."""
    judgement: dict[str, Any] | None
    """What the judges say; None for a copy or a repetition, which is not judged."""


def play(
    sentence: str,
    write: Callable[[str, Sampling], Sequence[str]],
    judge: Callable[[str, Sequence[str]], Sequence[dict[str, Any]]],
    schedule: Sequence[Sampling],
) -> list[MachineAttempt]:
    """All attempts at a sentence, round by round, until a round has one that passes; that round's are all kept.

    Copies of the sentence in any case, and texts tried before, are recorded unjudged, as the released code skips them.
    """
    attempts: list[MachineAttempt] = []
    tried = {sentence.strip().lower()}
    for sampling in schedule:
        texts = [" ".join(text.split()) for text in write(sentence, sampling)]
        new: dict[int, str] = {}
        for number, text in enumerate(texts):
            if text and text.lower() not in tried:
                tried.add(text.lower())
                new[number] = text
        judgements = dict(zip(new, judge(sentence, list(new.values())), strict=True)) if new else {}
        attempts += [
            MachineAttempt(text=text, sampling=sampling, sample=number, judgement=judgements.get(number))
            for number, text in enumerate(texts)
        ]
        if any(judgement["passed"] for judgement in judgements.values()):
            break
    return attempts
