"""Two judges together: does each text entail the other, and how similar do they look."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data.console.marks import Advanced
from data.measures.agreement import Reals
from data.models.model_folders import opening
from data.texts.identity import digest
from paraphrase_game.config import RewardRule
from paraphrase_game.judges import lexical
from paraphrase_game.judges.reward import cents, passed

Probabilities = Callable[[Sequence[str], Sequence[str]], Reals]
"""First texts, second texts -> P(entailment), P(neither), P(contradiction) of the second given the first."""
Similarities = Callable[[Sequence[str], Sequence[str]], Reals]


@dataclass(frozen=True, kw_only=True)
class JudgeChoice:
    """Which models judge."""

    entailment: str = lexical.NAME
    """The entailment model: a folder or a name of transformers or of `paraphrase_game judge`, or `overlap` (a rule)."""
    similarity: str = lexical.NAME
    """The similarity model, BLEURT as a sequence classifier with one output: likewise."""
    paper_bug: Advanced[bool] = False
    """Score one direction of similarity only, as the released generator and trainer did."""

    @property
    def flags(self) -> list[str]:
        """What names these judges on a command line, where they are not the usual ones."""
        models = {"--entailment": self.entailment, "--similarity": self.similarity}
        named = [word for flag, name in models.items() if name != lexical.NAME for word in (flag, name)]
        return [*named, *(["--paper-bug"] if self.paper_bug else [])]


@dataclass(frozen=True, kw_only=True)
class Judges:
    """An entailment and a similarity model, opened."""

    probabilities: Probabilities
    similarities: Similarities
    sha256: str
    """A digest of both models and of how they are asked."""
    stand_ins: str
    """What a player must know of them; empty for the real models."""
    paper_bug: bool = False

    def judge(self, first: Sequence[str], second: Sequence[str], rule: RewardRule) -> list[dict[str, Any]]:
        """Per pair: forward and backward probabilities and BLEURT, bleurt, implied, reward (cents), passed."""
        n = len(first)
        if not n:
            return []
        both = [*first, *second], [*second, *first]
        odds, scores = self.probabilities(*both), self.similarities(*both)
        implied = (odds[:, 0] >= np.nanmax(odds[:, 1:], axis=1)).reshape(2, n).all(axis=0)
        bleurt = scores[:n] if self.paper_bug else scores.reshape(2, n).mean(axis=0)
        earned, through = cents(implied, bleurt, rule), passed(implied, bleurt, rule)
        return [
            {
                "forward": _round(odds[number]),
                "backward": _round(odds[n + number]),
                "bleurts": _round(scores[[number, n + number]]),
                "bleurt": float(round(bleurt[number], 6)),
                "implied": bool(implied[number]),
                "reward": int(earned[number]),
                "passed": bool(through[number]),
                "judges": self.sha256,
            }
            for number in range(n)
        ]


def _round(values: Reals) -> list[float | None]:
    return [None if np.isnan(value) else float(round(value, 6)) for value in values]


def open_judges(choice: JudgeChoice) -> Judges:
    """The judges of the choice. Raises InputError for a folder without labels, or with others than are needed."""
    probabilities, first, note = _open(choice.entailment, "entailment")
    similarities, second, other = _open(choice.similarity, "similarity")
    return Judges(
        probabilities=probabilities,
        similarities=similarities,
        sha256=digest("judges", first, second, choice.paper_bug),
        stand_ins=" ".join(dict.fromkeys(filter(None, (note, other)))),
        paper_bug=choice.paper_bug,
    )


def _open(name: str, kind: str) -> tuple[Any, str, str]:
    """The function of a judge, its digest, and what it says of itself where it is a stand-in."""
    if name == lexical.NAME:
        note = "Practice judges: they only compare words, so points mean little and nothing is paid."
        return getattr(lexical, kind), digest("lexical", kind, Path(lexical.__file__).read_text(encoding="utf-8")), note
    from data.console.optional_packages import require_models

    require_models(f"--{kind} {name}")
    from paraphrase_game.judges.models import open_model

    expected = "a folder of a sequence classifier with its tokenizer, or the name of one that can be fetched"
    with opening(f"--{kind} {name}", expected, f"give the path of one, or `{lexical.NAME}` to try the game"):
        return open_model(name, kind)
