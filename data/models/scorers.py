"""Models as functions: an artefact's folder or `module:function` becomes a function from texts to scores.

A room that needs a judge (which pairs to label next, rewards, robustness) opens it here and does not know who made it.
"""

import importlib
import inspect
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import InputError, ParadeError
from data.console.paths import Address, last_name
from data.files.sheets import read_delimited
from data.files.values import read_json
from data.models.runs import FUNCTION, ModelName
from data.texts.identity import digest, file_digest

Scorer = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""First texts, second texts -> P(paraphrase) of each pair, 0 to 1."""

RUN = "run.json"
"""The file of an artefact that says what it is; its `format` decides which function of ours opens it."""
PREDICTIONS = "predictions.csv"
"""The file of an artefact with its score of each pair of the data set that it was made on: pair_id, score."""
TRAINED, JUDGE = "parade-run/1", "parade-judge/1"
"""The formats of the folders of `identification train` and of `paraphrase_game judge`."""
LOADERS = {TRAINED: "identification.training.artefact:load", JUDGE: "paraphrase_game.judges.models:load"}
"""What opens each of them: nothing else is ever called for a folder, whatever its files say."""


def open_scorer(spec: str | Path) -> Scorer:
    """The scorer that `spec` names: the folder of a trained model, or `module:function`.

    The function takes two equally long lists of texts and returns a score from 0 to 1 for each pair; each answer is
    checked. Raises InputError where there is no such folder or function.
    """
    folder = Path(spec)
    if folder.is_dir():
        return _checked(_load(folder), str(spec))
    if ModelName.parse(str(spec)).kind != FUNCTION:
        raise InputError(
            spec, expected="the folder of a trained model, or module:function", found="neither", remedy="check the path"
        )
    with _in_users_code(str(spec)):
        function = find_function(str(spec), f"--model {spec}")

    def call(first: list[str], second: list[str]) -> Any:
        with _in_users_code(str(spec)):
            return function(first, second)

    return _checked(call, str(spec))


def identify(spec: str) -> str:
    """A digest that tells the model of `open_scorer` from one that had its name before: of a function, by its file."""
    folder = Path(spec)
    if folder.is_dir():
        return digest(json.dumps(read_run(folder), sort_keys=True))
    with _in_users_code(spec):
        find_function(spec, f"--model {spec}")
    file = getattr(sys.modules[ModelName.parse(spec).parts[0]], "__file__", None)
    return digest(spec, *([file_digest(Path(file))] if file else []))


@contextmanager
def _in_users_code(name: str) -> Iterator[None]:
    """Print the traceback of whatever else than InputError is raised here, and raise InputError."""
    try:
        yield
    except ParadeError:
        raise
    except Exception as fault:
        traceback.print_exc()
        raise InputError(
            name,
            expected="a function that scores two lists of texts",
            found=f"{type(fault).__name__}: {fault}"[:200],
            remedy="correct it; the lines above say where",
        ) from fault


def _load(folder: Path) -> Scorer:
    form = read_format(folder)
    if form not in LOADERS:
        raise _no_artefact(folder, f"the format {form[:80]!r}")
    opened: Scorer = find_function(LOADERS[form], str(folder))(folder)
    return opened


def read_format(folder: Path) -> str:
    """The format of the artefact in the folder; empty where there is no such folder."""
    return str(read_run(folder).get("format")) if folder.is_dir() else ""


def read_run(folder: Path) -> dict[str, Any]:
    """What an artefact says about itself; raises InputError where the folder is none."""
    path = folder / RUN
    if not path.is_file():
        raise _no_artefact(folder, "no such folder" if not folder.is_dir() else f"no {RUN} in it")
    content = read_json(path, "what a training says of its model", "train it again")
    if not isinstance(content, dict):
        raise _no_artefact(folder, f"a {RUN} of another form")
    return content


def read_scores(path: Path) -> "pd.Series[Any]":
    """The score of each pair of an artefact's data set, by its id; raises InputError for a file of anything else."""
    what, remedy = "columns pair_id and score, a number", "let the model predict again"
    rows = read_delimited(path, what, remedy)
    if not {"pair_id", "score"} <= set(rows):
        raise InputError(path, expected=what, found=", ".join(map(str, rows))[:120], remedy=remedy)
    scores = pd.to_numeric(rows.set_index("pair_id")["score"], errors="coerce").astype("float64")
    if not np.isfinite(scores).all() or scores.index.has_duplicates:
        raise InputError(path, expected=what, found="other scores, or a pair twice", remedy=remedy)
    return scores


def _no_artefact(folder: Path, found: str) -> InputError:
    return InputError(
        folder,
        expected="the folder of a trained model",
        found=found,
        remedy="train one with `python -m identification train`",
    )


def find_function(name: str, where: str) -> Callable[..., Any]:
    """The function `module:function`, for a name that the user typed or that is written in our code, never in a file.

    Raises InputError, which begins with `where`, if there is none.
    """
    module, *function = ModelName.parse(name).parts
    try:
        found = getattr(importlib.import_module(module), "".join(function))
    except (ImportError, AttributeError, ValueError) as fault:
        missing = isinstance(fault, ModuleNotFoundError) and fault.name not in (module, module.partition(".")[0])
        raise InputError(
            where,
            expected="the packages that the model needs" if missing else "a function that can be imported",
            found=str(fault),
            remedy="run `make models`" if missing else "check the name, and that Python finds the module",
        ) from fault
    if not callable(found) or inspect.isclass(found):
        raise InputError(where, expected="a function", found=f"{name}, which is none", remedy="check the name")
    return found  # type: ignore[no-any-return]


def _checked(scorer: Callable[..., Any], name: str) -> Scorer:
    """The scorer, which raises InputError for an answer that is no list of scores."""

    def score(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        answer = scorer(list(first), list(second))
        try:
            scores = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            scores = np.full(1, np.nan)
        if scores.shape != (len(first),) or not ((scores >= 0) & (scores <= 1)).all():
            raise InputError(
                name,
                expected=f"{len(first):,} scores from 0 to 1",
                found=str(answer)[:60] if scores.shape != (len(first),) else "others among them",
                remedy="correct the function",
            )
        return scores

    return score


def name_file(place: Address) -> str:
    """What files about a data set are called: after its file, or its whole folder (release-1.0 is not release-1.1)."""
    if isinstance(place, Path) and not place.is_dir():
        return place.absolute().stem
    return last_name(place)
