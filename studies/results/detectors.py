"""The detectors of the game's paper (Tables 5 and 6), with models that any machine can train; prints Markdown.

python -m studies.results.detectors ../shared/data/paraphrase --machine nap
python -m studies.results.detectors ../shared/data/paraphrase --machine nap --encoder minilm --machine-pairs 5000
python -m studies.results.detectors ../shared/data/paraphrase --machine nap --cross-encoder minilm --machine-pairs 1000
    \\ --sets "MSRP alone" AP_H-train AP_T5 "AP_H-train + AP_T5"

Logistic regression over eight features of overlap, with --encoder also over the cosine of a sentence model's vectors;
with --cross-encoder a transformer that reads both texts, fine-tuned as `identification train` does, a tenth of the
pairs held out to choose the epoch. Each learns from MRPC's training set, where the paper had TwitterPPDB, and the sets
named. MCC and F1 at 0.5; in brackets 95 % intervals from drawing whole source sentences. The last column leaves out
the test pairs whose source is in any of the sets to learn from, whether or not a detector has learned from that set.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from analysis.config import ScoringRule
from analysis.evaluation.metrics import measure
from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import progress, say
from data.labelled import corpora
from data.labelled.features import describe
from identification.architectures.transformers import PAPER, load
from identification.config import Machine, TrainingConfig
from identification.training.epochs.checkpoints import Checkpoints
from identification.training.epochs.examples import Examples, index
from identification.training.epochs.inference import score
from identification.training.epochs.loop import TrainingWork
from identification.training.epochs.machine import place_model
from identification.training.epochs.settings import settle
from identification.training.frozen import Frozen, features, form_of
from paraphrase_game.judges.released import MACHINE, TEST, TRAIN, read_attempts, read_machine, read_split

SETS = {
    "MSRP alone": (),
    "AP_H-train": ("H",),
    "AP_T5 of MSRP": ("M",),
    "AP_H-train + AP_T5 of MSRP": ("H", "M"),
    "AP_T5 of Twitter": ("Tw",),
    "AP_H-train + AP_T5 of Twitter": ("H", "Tw"),
    "AP_T5": ("M", "Tw"),
    "AP_H-train + AP_T5": ("H", "M", "Tw"),
}
NAP = {"M": "msrp1", "Tw": "twitterppdb1"}
"""The machine's attempts -> their folder in the authors' repository."""
HELD_OUT = 0.1
"""Of the pairs to learn from, as in the paper."""

Detect = Callable[[pd.DataFrame], Any]
"""Pairs -> whether each is a mutual implication."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Train and test the detectors."""

    folder: Positional[Path]
    """The folder with `apt` and `mrpc`, as downloaded."""
    machine: Path | None = None
    """The folder `nap` of the authors' repository, with all of their machine's attempts; else those in `apt`."""
    encoder: str | None = None
    """A sentence model: `minilm`, or a folder."""
    cross_encoder: str | None = None
    """A transformer to fine-tune instead: `minilm`, or a folder."""
    epochs: int = 2
    """Passes of the cross-encoder over the pairs."""
    sets: tuple[str, ...] = tuple(SETS)
    """Which of the sets to learn from."""
    machine_pairs: int | None = None
    """Draw this many pairs of each of the two sets of machine attempts; all if omitted."""
    seed: int = 1
    """Which pairs are drawn, and the resamples."""


def main(arguments: Arguments) -> None:
    """Print the two tables."""
    parts = dict(_read(arguments))
    if not arguments.cross_encoder:
        parts = {name: _described(rows, arguments.encoder) for name, rows in parts.items()}
    test = parts["test"]
    sources = {name: set(parts[name]["first"]) for name in ("base", "H", *NAP)}
    apart = ~test["first"].isin(set().union(*sources.values()))
    say(f"{test.loc[test['first'].isin(sources['M']), 'first'].nunique()} sources of AP_H-test also stand in AP_T5")
    say(f"\n| tested on AP_H-test; learned from MSRP and | MCC | F1 | MCC, {apart.sum()} pairs of unseen sources |")
    say("|---|---|---|---|")
    detectors = []
    for name in arguments.sets:
        known = pd.concat([parts[part] for part in ("base", *SETS[name])], ignore_index=True)
        detectors.append(_learn(known, arguments))
        answers = detectors[-1](test)
        cells = _measure(test, answers, arguments.seed) + _measure(test[apart], answers[apart], arguments.seed)[:1]
        say(f"| {name} ({len(known):,} pairs) | " + " | ".join(cells) + " |")
    say(f"\n| learned from {arguments.sets[0]}; tested on | MCC | F1 |\n|---|---|---|")
    tests = {"MSRP test": parts["msrp-test"], "AP_H": pd.concat([parts["H"], test]), "AP_H-test": test}
    for name, tested in tests.items():
        say(f"| {name} | " + " | ".join(_measure(tested, detectors[0](tested), arguments.seed)) + " |")


def _read(arguments: Arguments) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name of a set -> its distinct pairs: first, second, binary."""
    names = {"text_a": "first", "text_b": "second", "labels": "binary", "sentence": "first", "paraphrase": "second",
             "mi": "binary"}  # fmt: skip
    apt, (mrpc, _) = arguments.folder / "apt", corpora.load(arguments.folder / "mrpc")
    sets = {"base": mrpc[mrpc["split"] == "train"], "msrp-test": mrpc[mrpc["split"] == "test"]}
    sets |= {name: read_split(apt, file) for name, file in (("H", TRAIN), ("test", TEST))}
    if arguments.machine:
        sets |= {name: read_attempts(arguments.machine / folder) for name, folder in NAP.items()}
    else:
        sets |= {name: read_machine(apt, file) for name, file in zip(NAP, MACHINE, strict=True)}
    for name, rows in sets.items():
        pairs = rows.rename(columns=names)[["first", "second", "binary"]].drop_duplicates(["first", "second"])
        most = (arguments.machine_pairs if name in NAP else None) or len(pairs)
        yield name, pairs.sample(min(most, len(pairs)), random_state=arguments.seed).reset_index(drop=True)


def _learn(known: pd.DataFrame, arguments: Arguments) -> Detect:
    if arguments.cross_encoder:
        return _fine_tune(known, f"cross-encoder:{arguments.cross_encoder}", arguments)
    columns = np.vstack(known["columns"].tolist())
    model = Frozen.fit({}, columns, known["binary"].to_numpy(np.float64), arguments.seed)
    return lambda rows: model.weigh(np.vstack(rows["columns"].tolist())) > 0


def _described(rows: pd.DataFrame, encoder: str | None) -> pd.DataFrame:
    """The rows with their features, a list per pair."""
    sides = rows["first"].tolist(), rows["second"].tolist()
    columns = features(form_of(encoder, "en"), *sides, progress) if encoder else describe(*sides).to_numpy("float64")
    return rows.assign(columns=list(columns))


def _fine_tune(known: pd.DataFrame, name: str, arguments: Arguments) -> Detect:
    config = TrainingConfig(epochs=arguments.epochs, patience=arguments.epochs, seed=arguments.seed)
    model: Any = load(name, seed=arguments.seed)
    settings = settle(config, name, PAPER, trains_words=True, width=int(model.encoder.config.hidden_size))
    model.freeze_words()
    place = place_model(Machine(threads=1), model)
    texts, pairs = index(known["first"].tolist(), known["second"].tolist())
    label = known["binary"].to_numpy(np.float64)
    held_out = np.random.default_rng(arguments.seed).random(len(known)) < HELD_OUT
    examples = Examples(
        texts=texts, all=replace(pairs, target=label, label=label), in_train=~held_out, in_validation=held_out
    )
    with tempfile.TemporaryDirectory() as scratch, torch.random.fork_rng(devices=[]):
        TrainingWork(
            model=model, reading=model.read(texts), examples=examples, settings=settings, place=place,
            seed=arguments.seed, watch=progress, report=lambda line: print(line, file=sys.stderr),
        ).fit(Checkpoints(Path(scratch)))  # fmt: skip

    def detect(rows: pd.DataFrame) -> Any:
        tested, sides = index(rows["first"].tolist(), rows["second"].tolist())
        return np.mean(score(model, model.read(tested), (sides.first, sides.second), place, progress), axis=0) > 0

    return detect


def _measure(tested: pd.DataFrame, answers: Any, seed: int) -> list[str]:
    """MCC and F1, each with its interval; a dash where it is not defined, as the MCC where all answers are the same."""
    label = tested["binary"].to_numpy(np.int64) == 1
    found = measure(label, np.asarray(answers, dtype=bool), tested["first"], ScoringRule(seed=seed))
    return [_cell(found[name]) for name in ("mcc", "f1")]


def _cell(found: dict[str, Any]) -> str:
    if found["value"] is None:
        return "–"
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


if __name__ == "__main__":
    run(main, prog="python -m studies.results.detectors")
