"""What models without meaning reach on a data set, beside yours: python -m analysis.baselines."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.datasets.predictions import read_predictions
from data.console.errors import InputError, TableError
from data.console.messages import estimate, progress, say, say_next
from data.contract.tables.models import Predictions
from data.contract.vocabulary import SPLITS
from data.files.whole import write_json
from data.labelled.dataset import Dataset
from data.labelled.sources import OfDataset
from data.measures.rules import ScoringRule
from data.storage.store import Store
from data.texts.identity import file_digest

FORMAT = "parade-baselines/1"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Score baselines, controls that must fail, and the predictions of any model in the same way."""

    models: tuple[str, ...] = ()
    """Which baselines (default: all)."""

    predictions: tuple[Path, ...] = ()
    """Files with the scores of a model: two columns, pair_id and score, separated by tabs or commas; the file's name is
    the model's."""

    mask_entity: bool = False
    """First replace the name of the entity in the definitions by `[entity]`."""

    json: Path | None = None
    """Also write all figures to this file."""

    judge: ScoringRule = field(default_factory=ScoringRule)


def main(arguments: Arguments) -> None:
    """Print the measures; in a store, record each model's run in the tables `runs` and `predictions`."""
    from analysis.evaluation.baselines import judge_all
    from analysis.statistics import lexical
    from data.labelled import sources

    dataset = sources.need_splits(arguments.open())
    pairs = lexical.mask_entity(dataset) if arguments.mask_entity else dataset
    scores = {name: model.score(pairs, arguments.judge.seed) for name, model in _models(arguments, dataset)}
    pair_ids = pairs.frame["pair_id"]
    given = {path.stem: read_predictions(path, pair_ids) for path in _named_apart(arguments.predictions)}
    rows = judge_all(pairs, {name: [values] for name, values in (scores | given).items()}, arguments.judge)
    _show(rows)
    if dataset.kind == "store" and not arguments.mask_entity:
        _record(dataset, scores | given, arguments)
        say(f"scores written to {Store(dataset.path).path(Predictions)}")
        say_next("python -m analysis.report", "--store", dataset.path, *arguments.label_set.flags)
    if arguments.json:
        _write(arguments.json, dataset, rows, arguments)


def _models(arguments: Arguments, dataset: Dataset) -> Any:
    """The requested models that the data set has enough for; raises InputError or TableError if there can be none."""
    from analysis.evaluation.baselines import MODELS, training

    unknown = sorted(set(arguments.models) - set(MODELS))
    if unknown:
        raise InputError("--models", expected=" ".join(MODELS), found=unknown[0], remedy="give some of those")
    frame = dataset.frame
    known = frame.loc[training(frame), "binary"]
    if known.nunique() < 2:
        raise TableError(
            dataset.path,
            expected="paraphrases and non-paraphrases in the train split",
            found=f"{len(known):,} decided pairs with {known.nunique()} label{'' if known.nunique() == 1 else 's'}",
            remedy="label more pairs, or give --scheme by-entity",
        )
    has_entity = bool(frame["entity"].notna().any())
    wanted = [(name, MODELS[name]) for name in arguments.models or MODELS]
    usable = [(name, model) for name, model in wanted if has_entity or not model.needs_entity]
    return progress(usable, label="baselines", unit="models")


def _named_apart(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The paths; raises InputError where two files, or a file and a baseline, would give a model the same name."""
    from analysis.evaluation.baselines import MODELS
    from data.models.runs import BASELINE

    names = [path.stem for path in paths]
    for path in paths:
        taken = path.stem in MODELS or path.stem.startswith(BASELINE) or names.count(path.stem) > 1
        if taken or not path.stem.isprintable():
            raise InputError(
                f"--predictions {path}",
                expected="a file name of plain letters that no other model has: it names the model",
                found=repr(path.stem),
                remedy="rename the file",
            )
    return paths


def _record(dataset: Dataset, scores: "dict[str, np.ndarray[Any, np.dtype[np.float64]]]", arguments: Arguments) -> None:
    """Add the runs of all models to the store's tables."""
    from analysis.evaluation.baselines import MODELS, training, tuning
    from data.models.runs import BASELINE, ModelName, record

    frame, store, label_set = dataset.frame, Store(dataset.path), arguments.label_set
    shared = {
        "seed": arguments.judge.seed,
        "campaigns": label_set.campaigns,
        "method": label_set.method,
        "scheme": dataset.scheme,
    }
    sizes = {"n_train": int(training(frame).sum()), "n_validation": int(tuning(frame).sum())}
    files = {path.stem: file_digest(path) for path in arguments.predictions}
    for name, values in scores.items():
        if name in files:
            own: dict[str, Any] = {"model": name, "file": files[name]}
        else:
            threshold = 0.5 if MODELS[name].is_probability else None
            own = {"model": str(ModelName((name,), BASELINE)), "threshold": threshold} | sizes
        record(store, shared | own, pd.Series(values, index=frame["pair_id"]), "analysis.baselines")


def _show(rows: list[dict[str, Any]]) -> None:
    """Print the measures on the last split that has any."""
    from analysis.statistics.wording import real
    from data.labelled.metrics import MEASURES
    from data.measures import intervals

    last = max((row["split"] for row in rows), key=SPLITS.index, default="")
    shown = [row for row in rows if row["split"] == last]
    names = "".join(f"{name:<23}" for name in MEASURES)
    say(f"{last:<20} {'threshold':>14} {'n':>6}  {names}AUC")
    for row in shown:
        cut = f"{row['rule']} {row['threshold']:.2f}"
        cells = "".join(f"{estimate(row[name]):<23}" for name in MEASURES)
        auc = real(row["auc"], of=row["n"])
        mark = " (must fail)" if row["must_fail"] else ""
        say(f"{row['model']:<20} {cut:>14} {row['n']:>6,}  {cells}{auc}{mark}")
    if shown and (warning := intervals.warn_of_few(shown[0]["n_groups"])):
        say(warning)
    for row in shown:
        if row["rule"] == row["headline"]:
            strata = (
                f"{name} {real(s['accuracy'], of=s['n'])} of {s['n']:,}" for name, s in row["strata"].items() if s["n"]
            )
            say(f"{row['model']}, {row['rule']}, accuracy by stratum: " + "; ".join(strata))


def _write(path: Path, dataset: Dataset, rows: list[dict[str, Any]], arguments: Arguments) -> None:
    content = {
        "format": FORMAT,
        "dataset": str(dataset.path),
        "scheme": dataset.scheme,
        "tables": dataset.versions,
        "masked": arguments.mask_entity,
        "seed": arguments.judge.seed,
        "rows": rows,
    }
    write_json(path, content)
    say(f"written to {path}")


if __name__ == "__main__":
    run(main, prog="python -m analysis.baselines")
