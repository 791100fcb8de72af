"""The command `bench`: models x data sets x seeds, each trained once, whatever interrupts it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from data.console.commands import FINDINGS
from data.console.errors import Findings, InputError, ParadeError
from data.console.marks import Advanced, Positional
from data.console.messages import progress, quantity, say, say_next
from data.console.optional_packages import require_models
from data.console.parsing import parse
from data.console.rooms import run_program
from data.files.values import read_toml
from data.labelled.dataset import data_digest
from data.models.runs import ENSEMBLE, JOIN, ModelName
from data.models.scorers import RUN, read_run
from data.storage.engine import run_module
from data.storage.manifest import plain
from data.texts.identity import file_digest
from identification.config import Machine, Training, TrainingConfig

REMEDY = "see docs/identification.md"
KNOWN = {"seeds", "shares", "datasets", "models"}
OF_MODEL = {"model", "seeds", "datasets"}
OF_DATASET = {"path", "campaign", "method", "scheme"}
PEAK_OF_MEMORY = Path("/proc/self/clear_refs")
SETTINGS = {setting.name for setting in (*fields(TrainingConfig), *fields(Machine))} - {"seed", "share"}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Train every model of a file on every data set with every seed; what is done is not done again.

    A finished run of other settings or other pairs than the file asks for is an error.
    """

    file: Positional[Path]
    """A TOML file: seeds, shares (of the training groups, for learning curves), [datasets.NAME] with path, and
    [models.NAME] with model (by default NAME; ensemble:NAME+NAME for an ensemble of others), seeds and datasets of its
    own if need be, and any flag of `train`."""
    out: Path = Path("bench")
    """Where the runs go: DATASET/MODEL/SEED."""
    isolated: Advanced[bool] = False
    """Train in processes of their own: memory that a library keeps is given back, and the libraries are loaded each
    time."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One training of the bench."""

    dataset: str
    model: str
    seed: int
    share: float
    words: tuple[str, ...] = field(repr=False)
    """The command line of `train`, without its folder."""
    members: tuple[Path, ...] = ()
    """Of an ensemble, the folders of its members below the bench's folder, or anywhere."""

    @property
    def folder(self) -> Path:
        """Where it goes below the bench's folder."""
        part = "" if self.share == 1 else f"-{self.share:g}"
        return Path(self.dataset, self.model, f"seed-{self.seed}{part}")


def main(arguments: Arguments) -> None:
    """Run `train` for every cell that has no run yet; raise Findings if a model learned nothing."""
    require_models("bench")
    cells = read_cells(arguments.file)
    done = [cell for cell in cells if (arguments.out / cell.folder / RUN).is_file()]
    _require_same(done, arguments.out)
    waiting = [cell for cell in cells if cell not in done]
    say(f"{quantity(len(cells), 'training')}, {len(done):,} of them done")
    failed = [cell for cell in done if read_run(arguments.out / cell.folder).get("outcome", "trained") != "trained"]
    failed += [cell for cell in progress(waiting, label="bench", unit="trainings") if not _train(cell, arguments)]
    for name, words in {cell.dataset: cell.words for cell in cells}.items():
        asked = _parse(words)
        folders = "--runs", arguments.out / name, "--out", arguments.out / f"{name}-page"
        say_next("python -m analysis.models", *asked.open().flags, *folders, *asked.label_set.flags)
    if failed:
        raise Findings("nothing was learned by " + ", ".join(str(cell.folder) for cell in failed))


def _require_same(done: list[Cell], out: Path) -> None:
    """Raise InputError where a finished run is of another model, other settings or pairs than the file asks for."""
    digests: dict[str, str] = {}
    for cell in done:
        asked, run = _parse(cell.words), read_run(out / cell.folder)
        settings = plain(asked.config)
        different = [name for name, value in run["config"].items() if settings.get(name, value) != value]
        if not cell.members and run["model"] != asked.model:
            different.append("model")
        if cell.dataset not in digests:
            digests[cell.dataset] = data_digest(asked.open().frame)
        if run["data"]["digest"] != digests[cell.dataset]:
            different.append("pairs")
        vectors = asked.config.vectors
        if vectors and "file" in run["vectors"] and run["vectors"]["digest"] != file_digest(vectors):
            different.append("file of vectors")
        if [member["digest"] for member in run["form"].get("members", [])] != [*_list_digests(cell, out)]:
            different.append("member")
        if different:
            raise InputError(
                out / cell.folder,
                expected="a run of what the file asks for",
                found=f"one with another {', another '.join(different)}",
                remedy="remove that folder to train it again, or name another --out",
            )


def _list_digests(cell: Cell, out: Path) -> Iterator[str | None]:
    """The digest of each of an ensemble's members; None for one that is not trained yet."""
    for member in cell.members:
        yield read_run(out / member)["digest"] if (out / member / RUN).is_file() else None


def _parse(words: tuple[str, ...]) -> Training:
    training: Training = parse(Training, words, {})
    return training


def read_cells(path: Path) -> list[Cell]:
    """The trainings that the file asks for; raises InputError where it is no such file."""
    content = read_toml(path, "the models and data sets of a bench", REMEDY)
    if unknown := sorted(set(content) - KNOWN):
        raise _wrong(path, ", ".join(sorted(KNOWN)), unknown[0])
    seeds, shares = _read_seeds(path, content.get("seeds", [1])), content.get("shares", [1.0])
    if (
        not isinstance(shares, list)
        or not shares
        or not all(type(share) in (int, float) and 0 < share <= 1 for share in shares)
    ):
        raise _wrong(path, "shares as a list of numbers above 0, at most 1", repr(shares))
    datasets, models = (dict(_tables(path, content, name)) for name in ("datasets", "models"))
    cells = [
        Cell(dataset=dataset, model=model, seed=seed, share=float(share), words=words)
        for (dataset, where), (model, how), share in product(datasets.items(), models.items(), shares)
        if dataset in _read_names(path, how.get("datasets", list(datasets)), datasets)
        for seed in _read_seeds(path, how.get("seeds", seeds))
        for words in [(*_of_model(path, model, how), *_of_dataset(path, dataset, where), *_of_cell(seed, share))]
    ]
    joined = [cell for cell in cells if ModelName.parse(cell.words[0]).kind == ENSEMBLE]
    others = [cell for cell in cells if cell not in joined]
    return others + [replace(cell, members=tuple(_find_members(cell, cells))) for cell in joined]


def _find_members(ensemble: Cell, cells: list[Cell]) -> Iterator[Path]:
    """The folder of each member: its training with the ensemble's seed, or its first where it has other seeds."""
    for name in ModelName.parse(ensemble.words[0]).parts:
        alike = [
            cell for cell in cells if (cell.dataset, cell.model, cell.share) == (ensemble.dataset, name, ensemble.share)
        ]
        same = [cell for cell in alike if cell.seed == ensemble.seed] or alike
        yield same[0].folder if same else Path(name).absolute()


def _read_seeds(path: Path, seeds: Any) -> list[int]:
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int and 0 <= seed < 2**32 for seed in seeds):
        raise _wrong(path, "seeds as a list of whole numbers below 2**32", repr(seeds))
    return seeds


def _read_names(path: Path, names: Any, datasets: dict[str, Any]) -> list[str]:
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) and name in datasets for name in names)
    ):
        raise _wrong(path, f"datasets as a list of {', '.join(datasets)}", repr(names))
    return names


def _tables(path: Path, content: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    tables = content.get(name)
    if not isinstance(tables, dict) or not tables or not all(isinstance(table, dict) for table in tables.values()):
        raise _wrong(path, f"a table [{name}.NAME] for each of its {name}", repr(tables)[:60])
    for key, table in tables.items():
        if not key or set(key) & {*"/\\\0", JOIN} or key.startswith("."):
            raise _wrong(path, f"names of {name} that can be a folder's, without +", repr(key))
        yield key, table


def _of_model(path: Path, name: str, settings: dict[str, Any]) -> list[str]:
    given = {key.replace("-", "_"): value for key, value in settings.items() if key not in OF_MODEL}
    if unknown := sorted(set(given) - SETTINGS):
        raise _wrong(path, f"[models.{name}] with model or a flag of train", unknown[0])
    return [str(settings.get("model", name)), *(word for key, value in given.items() for word in _flag(key, value))]


def _of_dataset(path: Path, name: str, settings: dict[str, Any]) -> list[str]:
    if "path" not in settings or set(settings) - OF_DATASET:
        found = ", ".join(sorted(set(settings) - OF_DATASET)) or "no path"
        raise _wrong(path, f"[datasets.{name}] with path, and campaign, method or scheme if need be", found)
    others = {key: value for key, value in settings.items() if key != "path"}
    return ["--dataset", str(settings["path"]), *(word for key, value in others.items() for word in _flag(key, value))]


def _of_cell(seed: int, share: float) -> list[str]:
    return ["--seed", str(seed), *([] if share == 1 else ["--share", f"{share:g}"])]


def _flag(name: str, value: object) -> list[str]:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}", *(map(str, value) if isinstance(value, list) else [str(value)])]


def _train(cell: Cell, bench: Arguments) -> bool:
    """Whether the model learned something."""
    folder = bench.out / cell.folder
    words = list(cell.words)
    if cell.members:
        words[0] = str(ModelName(tuple(str(bench.out / member) for member in cell.members), ENSEMBLE))
    command = ["train", *words, "--out", str(folder)]
    say(f"{cell.folder}: {' '.join(command)}")
    if PEAK_OF_MEMORY.exists():
        PEAK_OF_MEMORY.write_text("5")  # Linux: the peak begins again, so that the run states its own
    code = (run_module if bench.isolated else run_program)("identification", command)
    if code not in (0, FINDINGS):
        if code == 130:
            raise KeyboardInterrupt
        raise ParadeError(
            cell.folder,
            expected="a training that ends",
            found=f"the exit code {code}",
            remedy="see its message above; the same command goes on from here",
        )
    return code == 0


def _wrong(path: Path, expected: str, found: str) -> InputError:
    return InputError(path, expected=expected, found=" ".join(found.split())[:120], remedy=REMEDY)
