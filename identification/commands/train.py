"""The command `train`: labels -> a trained model with its predictions."""

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from data.console.errors import Findings, InputError
from data.console.messages import say, say_next
from data.console.optional_packages import require_models
from data.console.paths import last_name
from data.contract.tables.definitions import Definitions
from data.labelled.dataset import Dataset
from data.labelled.sources import need_splits
from data.models.runs import ENSEMBLE, FROZEN, TRANSFORMERS, ModelName
from data.storage.store import Store
from identification.config import Training, TrainingConfig

if TYPE_CHECKING:
    from identification.training.artefact import Run


OF_PAIRS = {"seed", "share", "validation_share"}
"""The settings that say which pairs are for training and validation."""
READ = {ENSEMBLE: OF_PAIRS, FROZEN: OF_PAIRS | {"recipe", "labels"}}
"""What models without epochs read of the settings of a training, by kind."""


@dataclass(frozen=True, kw_only=True)
class Arguments(Training):
    """Train a model on the labels of a data set; epoch, threshold and temperature are chosen on validation alone."""

    out: Path | None = None
    """The model's folder; by default models/MODEL-DATASET-SEED. An unfinished run of the same command goes on."""
    resume: bool = True
    """Go on with an unfinished run in the folder; otherwise begin again."""


def main(arguments: Arguments) -> None:
    """Write the model's folder and, in a store, the run and its predictions; raise Findings if nothing was learned."""
    require_models("train")
    from identification.training.epochs.checkpoints import Checkpoints
    from identification.training.recording import describe, record_run
    from identification.training.train import Request, advise, require_name, train

    require_name(arguments.model)
    _require_used(arguments)
    dataset = need_splits(arguments.open())
    folder = arguments.out or _folder(arguments)
    if not arguments.resume:
        Checkpoints(folder).forget()
    request = Request(
        model=arguments.model,
        config=arguments.config,
        machine=arguments.machine,
        frame=dataset.frame,
        origin=describe(dataset, arguments.label_set),
        language=dataset.language.code,
        texts=_definitions(dataset),
    )
    run = train(request, folder)
    _show(run)
    if advice := advise(run):
        raise Findings(f"{run.outcome}: {advice}; the run is in {folder}, and in no table")
    if dataset.kind == "store":
        record_run(Store(dataset.path), folder, run)
    say(f"model, model card and predictions.csv written to {folder}")
    if dataset.kind == "store":
        say_next("python -m analysis.report", "--store", dataset.path, *arguments.label_set.flags)
    else:
        say_next("python -m analysis.models", *dataset.flags, "--runs", folder, *arguments.label_set.flags)


def _require_used(arguments: Arguments) -> None:
    """Raise InputError for a setting of the training that the model does not read."""
    config, usual = arguments.config, TrainingConfig()
    kind = ModelName.parse(arguments.model).kind
    has_own_words = kind in TRANSFORMERS
    for name in ("vectors", "texts", "vector_size"):
        if getattr(config, name) != getattr(usual, name) and (has_own_words or (config.vectors and name != "vectors")):
            raise InputError(
                "--" + name.replace("_", "-"),
                expected="a model that learns word vectors" if has_own_words else "no --vectors beside it",
                found=arguments.model if has_own_words else str(config.vectors),
                remedy="leave it out",
            )
    for setting in fields(TrainingConfig) if kind in READ else ():
        value = getattr(arguments.config, setting.name)
        if value != setting.default and setting.name not in READ[kind]:
            raise InputError(
                "--" + setting.name.replace("_", "-"),
                expected=f"no other settings than {', '.join(sorted(READ[kind]))}: {kind}:… fits weights in one step",
                found=str(value),
                remedy="leave it out",
            )


def _definitions(dataset: Dataset) -> list[str]:
    if dataset.kind != "store":
        return []
    return [str(text) for text in Store(dataset.path).read(Definitions, ["text"])["text"]]


def _folder(arguments: Arguments) -> Path:
    model, name = arguments.model, ModelName.parse(arguments.model)
    if name.kind == ENSEMBLE:
        model = "-".join([name.kind, *(Path(part).name for part in name.parts)])
    parts = (model, last_name(arguments.place), str(arguments.config.seed))
    return Path("models") / "-".join(re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in parts)


def _show(run: "Run") -> None:
    half, best = run.validation["at_half"], run.validation["at_threshold"]
    say(
        f"validation: NLL {half['nll']:.4f}, AUC {half['auc']:.3f}; at 0.5 F1 {half['f1']:.3f}, accuracy "
        f"{half['accuracy']:.3f}; at {run.threshold:.3f} F1 {best['f1']:.3f}, accuracy {best['accuracy']:.3f}"
    )
    say(
        f"{run.n_parameters:,} weights, epoch {run.best_epoch} of {len(run.history)}, temperature "
        f"{run.temperature:.2f}, asymmetry {run.asymmetry:.4f}; {run.seconds:.0f} s of the processor, "
        f"{run.memory:.0f} MiB"
    )
