"""The command `harden`: a trained model -> one that shared words mislead less."""

import dataclasses
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from data.console.errors import Findings, InputError, TableError
from data.console.marks import Positional
from data.console.messages import progress, say, say_next
from data.console.optional_packages import require_models
from data.labelled.dataset import Dataset
from data.labelled.sources import OfDataset, need_splits
from data.models.runs import ENSEMBLE, ModelName
from data.models.scorers import PREDICTIONS
from data.storage import engine
from data.storage.store import Store
from identification.config import ATTACKS, Hardening, Machine, TrainingConfig

if TYPE_CHECKING:
    from identification.robustness.hardening import Rounds, Standing
    from identification.training.artefact import Run

OF_TRAINING = ("recipe", "seed", "labels", "batch_size", "train_words", "validation_share")
"""The settings of the model's own training that its further training keeps."""


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Train a model on pairs that are modified to mislead it, round after round, while it keeps what it knew."""

    run: Positional[Path]
    """The folder that `train` wrote."""
    recipe: Literal["recommended", "paper"] = "recommended"
    """The recipe of `attack` by which pairs are modified; in training, --beam replaces its beam."""
    mlm: str
    """The masked language model that proposes words: a folder that `mlm` wrote, or the name of one."""
    out: Path | None = None
    """The folder of the rounds and of the best model, `best`; by default RUN-hardened."""
    learning_rate: float | None = None
    """Of the further training; by default half of what the model was trained with."""
    config: Hardening = field(default_factory=Hardening)
    machine: Machine = field(default_factory=lambda: Machine(precision="float32"))


def main(arguments: Arguments) -> None:
    """Write the rounds, and the best as a model of its own; raise Findings where no round is better than the start."""
    require_models("harden")
    engine.check(arguments.config.engine)
    from identification.robustness import hardening
    from identification.training import artefact
    from identification.training.recording import record_run

    dataset = need_splits(arguments.open())
    folder = arguments.out or arguments.run.with_name(f"{arguments.run.name}-hardened")
    run = artefact.read(arguments.run)
    if ModelName.parse(run.model).kind == ENSEMBLE:
        raise InputError(arguments.run, expected="one trained model", found="an ensemble", remedy="harden a member")
    rounds = _rounds(arguments, dataset, run, folder)
    standings = rounds.run(arguments.run)
    best = hardening.choose(standings, arguments.config)
    _show(standings, best)
    hardened = folder / hardening.BEST
    shutil.rmtree(hardened, ignore_errors=True)
    if not best.round:
        raise Findings("no round has more modified pairs right without losing originals; try more --rounds or --share")
    shutil.copytree(best.folder, hardened)
    frame = dataset.frame
    texts = frame["first"].tolist(), frame["second"].tolist()
    scored = artefact.score_pairs(artefact.open_model(hardened), texts, arguments.machine)
    artefact.write_predictions(frame["pair_id"].tolist(), scored.scores, hardened / PREDICTIONS)
    say(f"model written to {hardened}")
    if dataset.kind == "store":
        record_run(Store(dataset.path), hardened, artefact.read(hardened))
    say_next("python -m identification attack", hardened, "--mlm", arguments.mlm, "--generator", "hardened")


def _rounds(arguments: Arguments, dataset: Dataset, run: "Run", folder: Path) -> "Rounds":
    from identification.robustness.attacking import AttackPlan
    from identification.robustness.hardening import Rounds
    from identification.robustness.sampling import choose_words
    from identification.training.epochs.examples import hold_out
    from identification.training.recording import describe
    from identification.training.train import Request

    config = _training(run, arguments.learning_rate)
    pairs = dataclasses.replace(dataset, frame=dataset.frame.assign(split=hold_out(dataset.frame, config)))
    if not (pairs.frame["split"] == "validation").any():
        raise TableError(
            arguments.place,
            expected="a validation split, on which every round is judged",
            found="none",
            remedy="give --scheme by-entity, or harden a model that was trained with --validation-share",
        )
    attack = dataclasses.replace(ATTACKS[arguments.recipe], refine=False, seed=arguments.config.seed)
    plan = AttackPlan(
        target=str(arguments.run),
        mlm=arguments.mlm,
        language=pairs.language.code,
        words=choose_words(pairs, attack),
        config=attack,
        machine=arguments.machine,
    )
    request = Request(
        model=run.model,
        config=config,
        frame=pairs.frame,
        machine=arguments.machine,
        origin=describe(dataset, arguments.label_set) | {"hardened": run.digest},
        language=pairs.language.code,
    )
    return Rounds(
        pairs=pairs,
        training=dataclasses.replace(plan, config=dataclasses.replace(attack, beam=arguments.config.beam)),
        judging=dataclasses.replace(plan, to_the_end=True),
        request=request,
        config=arguments.config,
        folder=folder,
        watch=progress,
        say=say,
    )


def _training(run: "Run", rate: float | None) -> TrainingConfig:
    """One epoch by the settings of the model's own training, at half its learning rate."""
    kept: dict[str, Any] = {name: run.config[name] for name in OF_TRAINING}
    return TrainingConfig(
        **kept, epochs=1, learning_rate=run.settings.get("learning_rate", 2e-5) / 2 if rate is None else rate
    )


def _show(standings: "list[Standing]", best: "Standing") -> None:
    """Print before and after, on validation."""
    before = standings[0]
    say(
        f"best is round {best.round} of {len(standings) - 1}; validation original {before.original:.3f} -> "
        f"{best.original:.3f}, modified {before.modified:.3f} -> {best.modified:.3f}"
    )
