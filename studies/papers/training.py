"""Rows that are trained models: their data sets joined, trained by `identification bench`, judged on each test set."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from analysis.datasets.predictions import read_predictions
from analysis.evaluation.comparing import Samples, summarise
from data.console.errors import Findings
from data.console.messages import say
from data.files.whole import write_whole
from data.labelled import corpora
from data.labelled.dataset import Dataset
from data.labelled.metrics import measure
from data.measures.rules import ScoringRule
from data.models.runs import ModelName
from data.models.scorers import PREDICTIONS, read_run
from identification.commands import bench
from studies.papers.needs import differ, find_set, find_weights, read_set
from studies.papers.tables import Figure, Ours, PaperTable, Place, Row

SHARE = 0.1
"""Of the training pairs, which tune where no validation part is published (Nighojkar and Licato 2021, section 4)."""
SEED = 1
FILES = {"train": "train.tsv", "validation": "dev.tsv"}


def train_rows(table: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Train the rows that are not trained yet, and judge them all."""
    runs = fit(table, rows, place)
    return {row.name: _judge(table, row, runs[row.name], place) for row in rows}


def fit(table: PaperTable, rows: Sequence[Row], place: Place) -> dict[str, Path]:
    """The folder of each row's run, trained where it is not there yet; rows of the same training share one."""
    started = _bench(table, [row for row in rows if row.start], place, {}, lambda row: row.start)
    return _bench(table, rows, place, started, lambda row: row.learns)


def _bench(
    table: PaperTable, rows: Sequence[Row], place: Place, starts: Mapping[str, Path], of: Any
) -> dict[str, Path]:
    """Run a bench for each joined data set."""
    runs: dict[str, Path] = {}
    files: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        name = slug("-".join([*of(row), *([str(row.pairs)] if row.pairs is not None else [])]))
        path, held_out = join(name, of(row), row, table, place)
        model = slug(row.model) + (f"-from-{slug('-'.join(row.start))}" if row.name in starts else "")
        head = [f"seeds = [{SEED}]", f"[datasets.{name}]", f"path = {json.dumps(str(path))}"]
        flags = {"model": _spell(row.model, place), "recipe": "paper", **_settings(table, row, place)}
        flags |= {"validation-share": SHARE} if held_out else {}
        flags |= {"start": str(starts[row.name])} if row.name in starts else {}
        cells = files.setdefault(name, {"": head})
        cells[model] = [f"[models.{model}]", *(f"{flag} = {json.dumps(value)}" for flag, value in flags.items())]
        runs[row.name] = place.work / "runs" / name / model / f"seed-{SEED}"
    for name, cells in files.items():
        file = place.work / "benches" / f"{table.name}-{name}.toml"
        write_whole(file, "\n".join(line for cell in cells.values() for line in cell) + "\n")
        try:
            bench.main(bench.Arguments(file=file, out=place.work / "runs"))
        except Findings as findings:
            say(f"finding: {findings}")
    return runs


def _spell(model: str, place: Place) -> str:
    """The name for `train`, with the folder of its weights."""
    name = ModelName.parse(model)
    return str(ModelName((find_weights(name.rest, place) or name.rest,), name.kind)) if name.rest else model


def _settings(table: PaperTable, row: Row, place: Place) -> dict[str, Any]:
    """Further flags of `train`."""
    glove = find_weights("glove", place) if "glove" in row.weights else None
    return {**table.settings.get("", {}), **table.settings.get(row.model, {}), **({"vectors": glove} if glove else {})}


def join(name: str, sets: Sequence[str], row: Row, table: PaperTable, place: Place) -> tuple[Path, bool]:
    """The folder of the data sets' training pairs and of all test pairs of the table, and whether it lacks validation.

    A set that is alone and has the papers' split stays where it is.
    """
    frames = {one: read_set(one, _path(one, place)) for one in sets}
    held_out = not any((frame["split"] == "validation").any() for frame in frames.values())
    tests = list(dict.fromkeys(test or row.data[0] for test, _ in table.tests))
    published = corpora.load(_path(sets[0], place))[0] if len(sets) == 1 and tests == list(sets) else None
    if published is not None and row.pairs is None and published["split"].tolist() == frames[sets[0]]["split"].tolist():
        return _path(sets[0], place), held_out
    folder = place.work / "sets" / table.name / name
    parts = {
        file: pd.concat([frame[frame["split"] == split] for frame in frames.values()]) for split, file in FILES.items()
    }
    if row.pairs is not None:
        last = frames[sets[-1]]
        last = last[last["split"] == "train"].sample(row.pairs, random_state=SEED)
        others = [frame[frame["split"] == "train"] for one, frame in frames.items() if one != sets[-1]]
        parts["train.tsv"] = pd.concat([*others, last])
    parts |= {f"test-{test}.tsv": read_set(test, _path(test, place)).query("split == 'test'") for test in tests}
    for file, part in parts.items():
        if len(part):
            texts = part[["first", "second"]].apply(lambda side: side.str.split().str.join(" "))
            rows = texts.assign(binary=part["binary"].astype("int64"))
            lines = ["\t".join(map(str, cells)) for cells in [list(rows), *rows.to_numpy().tolist()]]
            write_whole(folder / file, "\n".join(lines) + "\n")
    return folder, held_out


def _path(name: str, place: Place) -> Path:
    path = find_set(name, place)
    assert path is not None, name
    return path


def _judge(table: PaperTable, row: Row, run: Path, place: Place) -> Ours:
    """The measures of the run on the test pairs of each column."""
    facts = read_run(run)
    tests = dict.fromkeys(test or row.data[0] for test, _ in table.tests)
    by_test = {test: judge(test_pairs(test, run, place), run) for test in tests}
    figures = tuple(scaled(by_test[test or row.data[0]][name], table.scale) for test, name in table.tests)
    what = f"`{row.model}`, one seed, {facts['seconds']:,.0f} s, {facts['memory']:,.0f} MiB"
    return Ours(figures=figures, what=what, marks=(*differ(row, place), *fault_of(run)))


def fault_of(run: Path) -> tuple[str, ...]:
    """That the run learned nothing, if so."""
    outcome = read_run(run)["outcome"]
    return () if outcome == "trained" else (f"it learned nothing: {outcome}",)


def test_pairs(test: str, run: Path, place: Place) -> Dataset:
    """The test pairs as the run scored them: of its joined folder, else of the data set itself."""
    file = Path(read_run(run)["data"]["path"]) / f"test-{test}.tsv"
    frame = corpora.read([file]) if file.is_file() else read_set(test, _path(test, place))
    return Dataset(frame[(frame["split"] == "test") & frame["binary"].notna()].reset_index(drop=True))


def judge(pairs: Dataset, run: Path) -> dict[str, Figure]:
    """The run's measures on the pairs at 0.5, each with its interval; `pr_auc` is the area for precision and recall.

    `specificity`: the share of the pairs that are no paraphrases that the run is right about.
    """
    frame, (known, _) = pairs.frame, corpora.load(Path(read_run(run)["data"]["path"]))
    of_known = known["pair_id"].drop_duplicates()
    by_pair = pd.Series(read_predictions(run / PREDICTIONS, of_known), of_known)
    label, scores = frame["binary"].to_numpy(np.int64) == 1, by_pair[frame["pair_id"]].to_numpy(np.float64)
    said = scores >= 0.5
    figures: dict[str, Figure] = dict(measure(label, said, pairs.groups, ScoringRule()))
    figures["specificity"] = measure(~label, ~said, pairs.groups, ScoringRule())["recall"]
    samples = Samples(pairs.groups, ScoringRule())
    weights = (one[samples.codes] for some in samples.weights() for one in some)
    areas = [average_precision_score(label, scores, sample_weight=one) for one in weights]
    return figures | {"pr_auc": summarise("auc", np.array(areas), samples.effective)}


def scaled(value: Figure, by: float) -> Figure:
    """The figure in another unit."""
    if isinstance(value, Mapping):
        return {name: None if part is None else part * by for name, part in value.items()}
    return None if value is None else value * by


def slug(name: str) -> str:
    """The name as a folder's."""
    return re.sub(r"[^\w.]+", "-", name).strip("-.")
