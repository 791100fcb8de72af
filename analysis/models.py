"""Trained models side by side on pairs that none of them has seen: python -m analysis.models --runs FOLDER."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.datasets.predictions import read_predictions
from analysis.datasets.ratings import find_random_part, find_simulated
from data.console.errors import InputError
from data.console.messages import estimate, progress, quantity, say
from data.console.paths import last_name
from data.files.values import read_json
from data.files.whole import write_json, write_whole
from data.guidance.next_steps import say_steps_of
from data.labelled import sources
from data.labelled.dataset import Dataset, data_digest
from data.labelled.sources import OfDataset
from data.measures import intervals
from data.measures.rules import ScoringRule
from data.models.scorers import PREDICTIONS, RUN

if TYPE_CHECKING:
    from analysis.reporting.models import ModelRun

FLOOR = "logistic_regression"
HELD_OUT = ("validation", "test")
CEILING = "ceiling of the raters’ noise"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Compare trained models: measures with intervals, paired differences, strata, calibration, learning curves."""

    runs: tuple[Path, ...]
    """Folders of trained models, searched to any depth."""

    split: str = "test"
    """The split to judge on: validation or test."""

    out: Path = Path("models")
    """The folder to write `models.html`, `models.json`, `models.csv` and the figures to."""

    judge: ScoringRule = field(default_factory=ScoringRule)


def main(arguments: Arguments) -> None:
    """Write the page, the JSON, the CSV and the figures; print a line for each model."""
    from analysis.reporting import figures, models, models_page

    if arguments.split not in HELD_OUT:
        expected = " or ".join(HELD_OUT)
        raise InputError("--split", expected=expected, found=repr(arguments.split), remedy="give one of those")
    dataset = sources.need_splits(arguments.open())
    runs = list(_read_runs(arguments, dataset))
    part = find_random_part(dataset, arguments.label_set)
    judged = models.judge(dataset, runs, arguments.split, arguments.judge, part)
    judged |= {"simulated": find_simulated(dataset, arguments.label_set)}
    _show(judged)
    again = shlex.join(
        ["python", "-m", "analysis.models", *map(str, dataset.flags), "--runs", *map(str, arguments.runs)]
        + (["--split", arguments.split] if arguments.split != "test" else [])
        + arguments.label_set.flags
    )
    page = models_page.render(judged, last_name(dataset.path), again, dataset.kind == "published")
    write_whole(arguments.out / "models.html", page)
    write_json(arguments.out / "models.json", judged)
    write_whole(arguments.out / "models.csv", models.tabulate(judged).to_csv(index=False))
    for name, svg in models_page.draw(judged).items():
        write_whole(arguments.out / "figures" / f"{name}.svg", figures.as_file(svg))
    say(f"written to {arguments.out / 'models.html'}")
    say_steps_of(arguments)


def _read_runs(arguments: Arguments, dataset: Dataset) -> "Iterator[ModelRun]":
    """The floor and every finished run below the folders; raises InputError where there is none."""
    from analysis.evaluation.baselines import MODELS, training
    from analysis.reporting.models import ModelRun

    roots = {path.parent.absolute(): root for root in reversed(arguments.runs) for path in root.absolute().rglob(RUN)}
    folders = sorted(roots)
    if not folders:
        raise InputError(
            "--runs",
            expected=f"folders of trained models (with {RUN} and {PREDICTIONS})",
            found=", ".join(map(str, arguments.runs)),
            remedy="train one with `python -m identification train`",
        )
    scores = MODELS[FLOOR].score(dataset, arguments.judge.seed)
    n_train = int(training(dataset.frame).sum())
    yield ModelRun(model="overlap features", seed=arguments.judge.seed, scores=scores, n_train=n_train)
    watched = progress(folders, label="runs", unit="runs", total=len(folders))
    trained = [_read_run(folder, roots[folder].absolute(), dataset) for folder in watched]
    times = Counter((one.model, one.seed, one.share) for one in trained)
    above = os.path.commonpath(folders)
    for folder, one in zip(folders, trained, strict=True):  # two trainings with one seed are two models
        name = f"{one.model}, {folder.relative_to(above)}"
        yield replace(one, model=name) if times[one.model, one.seed, one.share] > 1 else one


def _read_run(folder: Path, root: Path, dataset: Dataset) -> "ModelRun":
    """The run in a folder; below a folder of its own (MODEL/seed-1) it is called by that."""
    from analysis.reporting.models import ModelRun

    try:
        facts: dict[str, Any] = read_json(folder / RUN, "what a training wrote", "train the model again")
        config = facts["config"]
        parts = folder.relative_to(root).parts
        name = parts[0] if len(parts) > 1 else str(facts["model"])
        outcome = facts.get("outcome", "trained")
        run: dict[str, Any] = {
            "model": name if outcome == "trained" else f"{name} ({str(outcome).replace('_', ' ')})",
            "seed": int(config["seed"]),
            "share": float(config.get("share") or 1),
            "n_train": facts.get("data", {}).get("n_train"),
            "threshold": facts.get("threshold"),
            "seconds": facts.get("seconds"),
            "memory_mb": facts.get("memory"),
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as fault:
        raise InputError(
            folder / RUN, expected="what a training wrote", found=str(fault), remedy="train the model again"
        ) from fault
    may_have_seen = _may_have_seen(folder, facts, dataset)
    scores = read_predictions(folder / PREDICTIONS, dataset.frame["pair_id"])
    return ModelRun(scores=np.asarray(scores), may_have_seen=may_have_seen, **run)


def _may_have_seen(folder: Path, facts: Mapping[str, Any], dataset: Dataset) -> bool:
    """Whether a run is of another data set (a release of its store, labels that changed since), which is printed.

    It does not say which pairs it learned from. Raises InputError for a run of another split of this kind of data set.
    """
    data = facts.get("data", {})
    if data.get("digest") in (None, data_digest(dataset.frame)):
        return False
    if data.get("kind") == dataset.kind and data.get("scheme") != dataset.scheme:
        raise InputError(
            folder,
            expected=f"a model trained on the scheme {dataset.scheme!r}",
            found=f"one trained on {data.get('scheme')!r}",
            remedy=f"give --scheme {data.get('scheme')}, or leave the folder out",
        )
    unknown = "whether it saw pairs that it is judged on is not known"
    say(f"note: {folder} was trained on other pairs, labels or splits; {unknown}")
    return True


def _show(judged: dict[str, Any]) -> None:
    say(f"{judged['split']}, {quantity(judged['n'], 'pair')}, cut at the threshold chosen on validation")
    names = ["model", *(model["name"] for model in judged["models"]), CEILING]
    width = max(map(len, names))
    say(f"{'model':<{width}} {'runs':>4}  {'accuracy':<23}{'F1':<23}{'AUC':<23}")
    for model in sorted(judged["models"], key=lambda model: -(model["stored"]["auc"]["value"] or 0)):
        cells = "".join(f"{estimate(model['stored'][name]):<23}" for name in ("accuracy", "f1", "auc"))
        say(f"{model['name']:<{width}} {len(model['seeds']):>4}  {cells}".rstrip())
    if ceiling := judged["ceiling"]:
        cells = "".join(f"{estimate(ceiling[name]):<23}" for name in ("accuracy", "f1", "auc"))
        say(f"{CEILING:<{width}} {'':>4}  {cells}".rstrip())
    if warning := intervals.warn_of_few(judged["n_groups"]):
        say(warning)


if __name__ == "__main__":
    run(main, prog="python -m analysis.models")
