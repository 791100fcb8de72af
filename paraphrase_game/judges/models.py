"""Sequence classifiers of transformers as judges: real ones by folder or name, stand-ins by the folder of `judge`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.special import expit

from data.console.errors import InputError
from data.measures.agreement import Reals
from data.models.pretrained import PAIRS, open_pretrained, quiet
from data.models.scorers import JUDGE, RUN, read_run
from data.texts.identity import digest, file_digest
from paraphrase_game.judges.alignment import FORM, AlignmentScorer

MODEL_FILES = (".json", ".safetensors", ".txt", ".model")
BATCH_PAIRS = 16
MAX_TOKENS = {"entailment": 256, "similarity": 128}
"""Tokens of a pair, as in the released code; what follows is cut."""


class Classifier:
    """A sequence classifier over pairs of texts, in float32, one batch composition at a time."""

    def __init__(self, place: str, kind: str, *, symmetric: bool) -> None:
        """Load the folder or name; `symmetric`: mean logits of both orders, as stand-ins are trained."""
        where = f"--{kind} {place}"
        found = open_pretrained(place, PAIRS, where, dtype=torch.float32)
        if found.missing:
            raise _no_judge(place, kind, "a model that was trained to judge", f"no weights {found.missing[0]}")
        self.tokenizer, self.model = found.tokenizer, found.model
        self.kind, self.symmetric = kind, symmetric
        names = dict(self.model.config.id2label)
        self.order = find_labels(place, names) if kind == "entailment" else (0, None, None)
        if kind == "similarity" and len(names) != 1:
            raise InputError(
                f"--similarity {place}",
                expected="a model with one output, BLEURT's score",
                found=f"{len(names)} outputs ({', '.join(map(str, names.values()))})",
                remedy="name a BLEURT model converted to a sequence classifier",
            )

    def probabilities(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        """P(entailment), P(neither), P(contradiction): [pairs, 3]; of two labels, P(no entailment) and NaN."""
        odds = torch.from_numpy(self._logits(first, second)).softmax(dim=1).numpy()
        entailing, neutral, contradicting = self.order
        if neutral is None or contradicting is None:
            return np.column_stack([odds[:, entailing], 1 - odds[:, entailing], np.full(len(odds), np.nan)])
        return odds[:, [entailing, neutral, contradicting]]

    def scores(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        """The model's one output per pair."""
        scores: Reals = self._logits(first, second)[:, 0]
        return scores

    def _logits(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        orders = ((first, second), (second, first)) if self.symmetric else ((first, second),)
        return np.asarray(np.mean([self._in_batches(*order) for order in orders], axis=0))

    @torch.inference_mode()
    def _in_batches(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        lengths = [len(one) + len(other) for one, other in zip(first, second, strict=True)]
        order = np.argsort(lengths, kind="stable")
        logits = np.zeros((len(order), self.model.config.num_labels))
        for start in range(0, len(order), BATCH_PAIRS):
            places = order[start : start + BATCH_PAIRS]
            with quiet():
                tokens = self.tokenizer(
                    [first[place] for place in places], [second[place] for place in places], truncation=True,
                    max_length=MAX_TOKENS[self.kind], padding=True, return_tensors="pt",
                )  # fmt: skip
            logits[places] = self.model(**tokens).logits.float().numpy()
        return logits


def find_labels(place: object, names: dict[Any, str]) -> tuple[int, int | None, int | None]:
    """The outputs for entailment, neither and contradiction, by the names in the model's configuration.

    The latter two are None for a model of two labels. Raises InputError where no output is called entailment.
    """
    lowered = {int(number): str(name).lower().replace("-", "_") for number, name in names.items()}
    negated = ("not", "non", "no_")
    entailing = [n for n, name in lowered.items() if "entail" in name and not name.startswith(negated)]
    if len(entailing) != 1 or len(lowered) not in (2, 3):
        raise InputError(
            f"--entailment {place}",
            expected="two or three labels, one of them called entailment, in its config.json",
            found=", ".join(map(str, names.values())) or "no labels",
            remedy="name them in its id2label, in the order in which it was trained",
        )
    if len(lowered) == 2:
        return entailing[0], None, None
    rest = [n for n in sorted(lowered) if n != entailing[0]]
    contradicting = next((n for n in rest if "contra" in lowered[n]), None)
    neutral = next((n for n in rest if "neutral" in lowered[n]), None)
    if contradicting is None and neutral is None:
        raise InputError(
            f"--entailment {place}",
            expected="labels called neutral and contradiction beside entailment",
            found=", ".join(map(str, names.values())),
            remedy="name them in its id2label",
        )
    neutral = next(n for n in rest if n != contradicting) if neutral is None else neutral
    return entailing[0], neutral, next(n for n in rest if n != neutral)


def open_model(name: str, kind: str) -> tuple[Any, str, str]:
    """The function of the judge `name`, its digest, and its note where it is a stand-in."""
    folder = Path(name)
    run = read_run(folder) if (folder / RUN).is_file() else {}
    if run and (run.get("format") != JUDGE or run.get("kind") != kind):
        raise _no_judge(name, kind, f"a judge of {kind}", str(run.get("kind") or run.get("format"))[:80])
    if run and run.get("digest") != folder_digest(folder):
        raise _no_judge(
            name, kind, "the files that `python -m paraphrase_game judge` wrote", "files that were changed since"
        )
    if (folder / FORM).is_file():
        return AlignmentScorer.load(folder).scores, folder_digest(folder), str(run.get("note", ""))
    judge = Classifier(name, kind, symmetric=bool(run))
    function = judge.probabilities if kind == "entailment" else judge.scores
    config = judge.model.config
    of_hub = "hub", config.name_or_path, str(getattr(config, "_commit_hash", ""))
    return function, folder_digest(folder) if folder.is_dir() else digest(*of_hub), str(run.get("note", ""))


def _no_judge(name: str, kind: str, expected: str, found: str) -> InputError:
    remedy = f"name the folder of {kind} that `python -m paraphrase_game judge` wrote"
    return InputError(f"--{kind} {name}", expected=expected, found=found, remedy=remedy)


def folder_digest(folder: Path) -> str:
    """A digest of the model's files."""
    files = sorted(path for path in folder.iterdir() if path.suffix in MODEL_FILES and path.name != RUN)
    return digest("folder", *(part for path in files for part in (path.name, file_digest(path))))


def load(folder: Path) -> Any:
    """The judge in the folder as a scorer (`data.models.scorers`): P(entails), or the logistic function of BLEURT."""
    kind = str(read_run(folder).get("kind"))
    if kind not in MAX_TOKENS:
        raise InputError(
            folder / RUN, expected=f"kind {' or '.join(MAX_TOKENS)}", found=kind[:80], remedy="copy it again"
        )
    function, _, _ = open_model(str(folder), kind)

    def score(first: Sequence[str], second: Sequence[str]) -> Reals:
        values: Reals = function(first, second)
        return values[:, 0] if kind == "entailment" else np.asarray(expit(values))

    return score
