"""Adversarial training (Shi and Huang 2020, section 4.3): rounds of attacking the current model and training it on.

A round modifies originals of the training split with the current model as target (B = 1 in the paper), and trains the
model on for an epoch with these and the modified pairs of all rounds before, so that it does not forget what they
taught. Then originals of the validation split are modified to the end of the search, which shows what every threshold
would come to, and the model gets the one at which most modified pairs are right (the paper's is 0.5). Every round is an
artefact of its own: an interrupted hardening goes on from the last.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.files.whole import write_whole
from data.grouping.entities import ENTITIES
from data.labelled.dataset import Dataset
from data.labelled.metrics import best_threshold
from data.texts.identity import digest
from identification.config import Hardening
from identification.robustness.attacking import AttackPlan, attack
from identification.robustness.sampling import sample
from identification.training import artefact, members
from identification.training.card import BEST_F1, write_card
from identification.training.epochs import calibration
from identification.training.train import Request, train

ROUNDS = "rounds.json"
BEST = "best"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How good a model is after a round, on originals of the validation split."""

    round: int
    """0: before hardening."""
    folder: str
    original: float
    """The share of originals that it has right."""
    modified: float
    """The share that it still has right after modification."""
    threshold: float
    n_modified: int
    """Modified pairs that it was trained on in this round, including earlier rounds' pairs."""
    seconds: float
    """Of the processor, the round's training."""


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """What all rounds need."""

    pairs: Dataset
    training: AttackPlan
    """The attack on training pairs; its target is replaced by the current model."""
    judging: AttackPlan
    """The attack on validation pairs, to the end of each search; its target, too."""
    request: Request
    """The training; its frame, and what it starts from, are replaced in each round."""
    config: Hardening
    folder: Path
    watch: Callable[..., Iterator[Any]]
    say: Callable[[str], None]

    def run(self, start: Path) -> list[Standing]:
        """The standings from before to the last round; the rule of `is_over` ends it."""
        standings, frames = [self._judge(0, start, [], 0, 0.0)], [self.request.frame]
        while not is_over(standings, self.config):
            number = len(standings)
            frames.append(self._modify(number, Path(standings[-1].folder)))
            folder = self.folder / f"round-{number}"
            frame = pd.concat(frames, ignore_index=True)
            config = replace(self.request.config, start=Path(standings[-1].folder))
            request = replace(self.request, frame=frame, config=config, only_validation=True)
            trained = train(request, folder, self.say)
            n_modified = len(frame) - len(self.request.frame)
            standings.append(self._judge(number, folder, standings, n_modified, trained.seconds))
            write_whole(self.folder / ROUNDS, json.dumps([asdict(row) for row in standings], indent=1) + "\n")
        return standings

    def _modify(self, number: int, current: Path) -> pd.DataFrame:
        """Pairs of the training split, modified against the current model, as rows of the training split."""
        n_train = int((self.request.frame["split"] == "train").sum())
        n = max(1, round(self.config.share / (1 - self.config.share) * n_train / 2))
        rows = self._attack(self.training, "train", n, current, self.config.seed + number)
        rows = rows[rows["n_steps"] > 0]
        return pd.DataFrame(
            {
                "pair_id": [digest("hardening", number, original) for original in rows["pair_id"]],
                "first_id": [digest("text", text) for text in rows["new_first"]],
                "second_id": [digest("text", text) for text in rows["new_second"]],
                **rows[ENTITIES],
                "first": rows["new_first"],
                "second": rows["new_second"],
                "split": "train",
                "votes": 0,
                "n_votes": 0,
                "binary": rows["label"],
                "parents": rows["parents"],
            }
        ).astype({"votes": "Int64", "n_votes": "Int64", "binary": "Int64"})

    def _judge(self, number: int, folder: Path, before: list[Standing], n_modified: int, seconds: float) -> Standing:
        """Attack the model on the same originals of the validation split as in every round, and set its threshold."""
        ends = Ends.of(self._attack(self.judging, "validation", self.config.judged, folder, self.config.seed))
        if before:
            self._set_threshold(folder, ends, before[0])
        threshold = artefact.read(folder).threshold
        standing = Standing(
            round=number,
            folder=str(folder),
            original=float(ends.original(threshold)),
            modified=float(ends.modified(threshold)),
            threshold=threshold,
            n_modified=n_modified,
            seconds=seconds,
        )
        self.say(
            f"round {number}: validation original {standing.original:.3f}, modified {standing.modified:.3f} at "
            f"{threshold:.3f}" + (f"; trained with {n_modified:,} modified pairs, {seconds:.0f} s" if number else "")
        )
        return standing

    def _set_threshold(self, folder: Path, ends: "Ends", start: Standing) -> None:
        """Give the model the threshold that keeps most modified pairs right."""
        run, frame, loss = artefact.read(folder), self.request.frame, self.config.most_loss
        frame = frame[(frame["split"] == "validation") & frame["binary"].notna()]
        scores, labels = members.read_scores(folder, frame), frame["binary"].to_numpy("float64")
        f1_before = artefact.read(Path(start.folder)).validation["at_threshold"]["f1"]

        def is_allowed(cut: float) -> bool:
            """Whether neither the originals nor the labelled pairs lose more than `most_loss` beside the start."""
            f1 = calibration.measure(scores, labels, cut)["f1"]
            return lost(start.original, ends.original(cut)) <= loss and lost(f1_before, f1) <= loss

        threshold, chosen = ends.choose_threshold(is_allowed), "at which most modified pairs are right"
        if threshold is None:
            threshold, chosen = best_threshold(scores, labels), BEST_F1
        measures = run.validation | {"at_threshold": calibration.measure(scores, labels, threshold)}
        run = replace(run, threshold=threshold, validation=measures)
        artefact.write(run, folder)
        write_card(run, folder / "README.md", chosen=chosen)

    def _attack(self, plan: AttackPlan, split: str, n: int, target: Path, seed: int) -> pd.DataFrame:
        originals = sample(self.pairs, split, n, seed)
        plan = replace(plan, target=str(target))
        attempts, _ = attack(plan, originals, self.folder / "attacks", self.config.engine, self.watch)
        return originals.merge(attempts, left_on="pair_id", right_on="original_id", validate="one_to_one")


@dataclass(frozen=True, kw_only=True)
class Ends:
    """Where searches that went to their end came to."""

    label: NDArray[np.float64]
    before: NDArray[np.float64]
    """P(paraphrase) of the originals."""
    after: NDArray[np.float64]
    """P(paraphrase) of the pair that the model is most wrong about."""

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Ends":
        """From attempts and their originals."""
        label, before, after = rows[["label", "score_before", "score_after"]].to_numpy("float64").T
        return cls(label=label, before=before, after=after)

    def original(self, threshold: float) -> float:
        """The share of originals that are right."""
        return float(((self.before >= threshold) == self.label).mean())

    def modified(self, threshold: float) -> float:
        """The share that would still be right at this threshold, had the search ended where the model is wrong."""
        return float(((self.after >= threshold) == self.label).mean())

    def choose_threshold(self, is_allowed: Callable[[float], bool]) -> float | None:
        """The allowed threshold at which most modified pairs are right, half-way between two scores.

        Of several the one nearest to 0.5; none where none is allowed.
        """
        scores = np.unique(self.after)
        cuts: list[float] = ((scores[1:] + scores[:-1]) / 2).tolist()
        return max(filter(is_allowed, cuts), key=lambda cut: (self.modified(cut), -abs(cut - 0.5)), default=None)


def is_over(standings: list[Standing], config: Hardening) -> bool:
    """Whether all rounds are done, the best of them is too long ago, or the last one forgot too much."""
    last = len(standings) - 1
    if last >= config.rounds or lost(standings[0].original, standings[-1].original) > config.most_loss:
        return True
    return last - choose(standings, config).round >= config.patience


def choose(standings: list[Standing], config: Hardening) -> Standing:
    """The round with the most modified pairs right, of those that lose at most `most_loss` on the originals."""
    kept = (row for row in standings if lost(standings[0].original, row.original) <= config.most_loss)
    return max(kept, key=lambda row: (row.modified, -row.round))


def lost(before: float, after: float) -> float:
    """How much less a share is; shares are compared as people write them, not in the last bits of a difference."""
    return round(before - after, 9)
