"""What trained stand-ins are worth, and their two folders, each with a card."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr
from sklearn.metrics import matthews_corrcoef

from data.files.whole import whole_folder, write_whole
from data.measures import intervals
from data.measures.agreement import Reals
from data.measures.intervals import Groups
from data.models.pretrained import quiet
from data.models.scorers import JUDGE, RUN
from paraphrase_game.judges.alignment import AlignmentScorer
from paraphrase_game.judges.models import folder_digest
from paraphrase_game.judges.training import Watch, predict

MEANING, SIMILARITY = "MCC of MI", "Spearman of BLEURT"
KINDS = ("entailment", "similarity")
RESAMPLES = 500
LABELS = {0: "not_entailment", 1: "entailment"}
"""Of the first two outputs of the trained model, which are the entailment judge's."""

CARD = """# A stand-in for a judge of the adversarial paraphrasing task ({kind})

{note}

Trained by `python -m paraphrase_game judge` on this machine from the released attempts of Nighojkar and Licato (ACL
2021), whose authors state no licence: keep it to yourself.

| measure | value | 95 % interval |
|---|---|---|
{rows}
"""


@dataclass(frozen=True, kw_only=True)
class StandInAgreement:
    """How far stand-ins agree with the real models on sentences that they have not learned from."""

    measures: dict[str, tuple[float, float, float]]
    """Name -> value, and the ends of its 95 % interval over resampled source sentences."""
    n: int
    n_sources: int

    @property
    def note(self) -> str:
        """What players and organisers read."""
        meaning, similarity = self.measures[MEANING][0], self.measures[SIMILARITY][0]
        return (
            "The judges are stand-ins, fit to try the game, not to pay people: on unseen sentences their answers "
            f"correlate with the real ones' by {meaning:.2f} (same meaning) and {similarity:.2f} (similarity); 1 would "
            "be full agreement."
        )


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Both stand-ins."""

    model: Any
    """A sequence classifier: not implied, implied, and what it was trained for besides."""
    tokenizer: Any
    alignment: AlignmentScorer


def assess(judges: Trained, rows: pd.DataFrame, seed: int, watch: Watch) -> StandInAgreement:
    """The agreement on these attempts: first, second, mi, bleurt; intervals by resampling their source sentences."""
    sides = rows["first"].tolist(), rows["second"].tolist()
    logits, bleurt = predict(judges.model, judges.tokenizer, *sides), judges.alignment.scores(*sides, watch)
    implied = logits[:, 1] > logits[:, 0]
    codes, sources = pd.factorize(rows["first"])
    members = [np.flatnonzero(codes == code) for code in range(len(sources))]
    generator = np.random.default_rng(seed)
    drawn = [
        np.concatenate([members[code] for code in generator.integers(len(members), size=len(members))])
        for _ in range(RESAMPLES)
    ]
    mi, score = rows["mi"].to_numpy(np.int64), rows["bleurt"].to_numpy(np.float64)
    found = {
        MEANING: [_where_varied(matthews_corrcoef, mi[at], implied[at]) for at in [np.arange(len(rows)), *drawn]],
        SIMILARITY: [_where_varied(_rank, score[at], bleurt[at]) for at in [np.arange(len(rows)), *drawn]],
    }
    effective = Groups(codes).effective
    measures = {name: (first, *_ends(first, np.array(rest), effective)) for name, (first, *rest) in found.items()}
    return StandInAgreement(measures=measures, n=len(rows), n_sources=len(sources))


def _where_varied(measure: Callable[[Any, Any], float], left: Any, right: Any) -> float:
    """The measure; NaN where one side has one value only."""
    varied = (left != left[0]).any() and (right != right[0]).any()
    return float(measure(left, right)) if varied else float("nan")


def _ends(value: float, draws: Reals, effective: float) -> tuple[float, float]:
    """The limits of a correlation; NaN where it is not defined."""
    return intervals.bounded(value, draws, effective, (-1.0, 1.0)) or (np.nan, np.nan)


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else value


def _rank(left: Any, right: Any) -> float:
    return float(spearmanr(left, right)[0])


def write(judges: Trained, out: Path, about: dict[str, Any], agreement: StandInAgreement) -> None:
    """Write the folders `entailment` and `similarity` below `out`, whole or not at all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(out) as unfinished:
        for kind in KINDS:
            folder = unfinished / kind
            folder.mkdir()
            rows = "\n".join(
                f"| {name} | {v:.3f} | {a:.3f} to {b:.3f} |" for name, (v, a, b) in agreement.measures.items()
            )
            write_whole(folder / "README.md", CARD.format(kind=kind, note=agreement.note, rows=rows))
        with quiet():
            _entailment(judges.model).save_pretrained(unfinished / "entailment")
            judges.tokenizer.save_pretrained(unfinished / "entailment")
        judges.alignment.save(unfinished / "similarity")
        for kind in KINDS:
            run = {"format": JUDGE, "kind": kind, "note": agreement.note} | about
            run["agreement"] = {name: [*map(_plain, values)] for name, values in agreement.measures.items()}
            run["digest"] = folder_digest(unfinished / kind)
            write_whole(unfinished / kind / RUN, json.dumps(run, indent=1) + "\n")


def _entailment(model: Any) -> Any:
    """A copy of the trained model with the outputs of LABELS."""
    judge = copy.deepcopy(model)
    head = torch.nn.Linear(judge.classifier.in_features, len(LABELS))
    with torch.no_grad():
        head.weight.copy_(judge.classifier.weight[: len(LABELS)])
        head.bias.copy_(judge.classifier.bias[: len(LABELS)])
    judge.classifier = head
    judge.num_labels = judge.config.num_labels = len(LABELS)
    judge.config.id2label, judge.config.label2id = LABELS, {name: number for number, name in LABELS.items()}
    return judge
