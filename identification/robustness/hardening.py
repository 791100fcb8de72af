"""Adversarial training (Shi and Huang 2020, section 4.3): rounds of attacking the current model and training it on.

A round modifies originals of the training split with the current model as target, B = 1, and trains the model on for an
epoch with these and the modified pairs of all rounds before, so that it does not forget what they taught. Every round
is an artefact of its own: an interrupted hardening goes on from the last.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from data.files import write_whole
from data.identity import digest
from data.labelled.pairs import LabelledPairs
from identification.config import Hardening
from identification.robustness.attacking import Plan, attack
from identification.robustness.sampling import sample
from identification.training.train import Request, train

ROUNDS = "rounds.json"
BEST = "best"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a model stands after a round, on originals of the validation split."""

    round: int
    """0: before hardening."""
    folder: str
    original: float
    """The share of originals that it has right."""
    modified: float
    """The share that it still has right after modification."""
    n_modified: int
    """Modified pairs that it was trained on in this round, those of rounds before among them."""
    seconds: float
    """Of the processor, the round's training."""


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """What all rounds need."""

    pairs: LabelledPairs
    plan: Plan
    """The attack; its target is replaced by the current model."""
    request: Request
    """The training; frame and start are replaced in each round."""
    config: Hardening
    folder: Path
    watch: Callable[..., Iterator[Any]]
    say: Callable[[str], None]

    def run(self, start: Path) -> list[Standing]:
        """The standings from before to the last round; the rule of `is_over` ends it."""
        standings, frames = [self._judge(0, start, 0, 0.0)], [self.request.frame]
        while not is_over(standings, self.config):
            number = len(standings)
            frames.append(self._modify(number, Path(standings[-1].folder)))
            folder = self.folder / f"round-{number}"
            frame = pd.concat(frames, ignore_index=True)
            request = replace(self.request, frame=frame, start=Path(standings[-1].folder), only_validation=True)
            trained = train(request, folder, self.say)
            n_modified = len(frame) - len(self.request.frame)
            standings.append(self._judge(number, folder, n_modified, trained.seconds))
            write_whole(self.folder / ROUNDS, json.dumps([asdict(row) for row in standings], indent=1) + "\n")
        return standings

    def _modify(self, number: int, current: Path) -> pd.DataFrame:
        """Pairs of the training split, modified against the current model, as rows of the training split."""
        n_train = int((self.request.frame["split"] == "train").sum())
        n = max(1, round(self.config.share / (1 - self.config.share) * n_train / 2))
        rows = self._attack("train", n, current, self.config.seed + number)
        rows = rows[rows["n_steps"] > 0]
        return pd.DataFrame(
            {
                "pair_id": [digest("hardening", number, original) for original in rows["pair_id"]],
                "first_id": [digest("text", text) for text in rows["new_first"]],
                "second_id": [digest("text", text) for text in rows["new_second"]],
                "entity": rows["entity"],
                "first": rows["new_first"],
                "second": rows["new_second"],
                "split": "train",
                "votes": 0,
                "n_votes": 0,
                "binary": rows["label"],
                "parents": rows["parents"],
            }
        ).astype({"votes": "Int64", "n_votes": "Int64", "binary": "Int64"})

    def _judge(self, number: int, folder: Path, n_modified: int, seconds: float) -> Standing:
        """Attack the model on the same originals of the validation split as in every round."""
        rows = self._attack("validation", self.config.judged, folder, self.config.seed)
        right = rows["outcome"] != "wrong_at_start"
        standing = Standing(
            round=number,
            folder=str(folder),
            original=float(right.mean()),
            modified=float((right & (rows["outcome"] != "fooled")).mean()),
            n_modified=n_modified,
            seconds=seconds,
        )
        self.say(
            f"round {number}: validation original {standing.original:.3f}, modified {standing.modified:.3f}"
            + (f"; trained with {n_modified:,} modified pairs, {seconds:.0f} s" if number else "")
        )
        return standing

    def _attack(self, split: str, n: int, target: Path, seed: int) -> pd.DataFrame:
        originals = sample(self.pairs, split, n, seed)
        plan = replace(self.plan, target=str(target))
        attempts, _ = attack(plan, originals, self.folder / "attacks", self.config.engine, self.watch)
        return originals.merge(attempts, left_on="pair_id", right_on="original_id", validate="one_to_one")


def is_over(standings: list[Standing], config: Hardening) -> bool:
    """Whether all rounds are done, the best of them is too long ago, or the last one forgot too much."""
    last = len(standings) - 1
    if last >= config.rounds or standings[0].original - standings[-1].original > config.most_loss:
        return True
    return last - choose(standings, config).round >= config.patience


def choose(standings: list[Standing], config: Hardening) -> Standing:
    """The round with the most modified pairs right, of those that lose at most `most_loss` on the originals."""
    least = standings[0].original - config.most_loss
    return max((row for row in standings if row.original >= least), key=lambda row: (row.modified, -row.round))
