"""The command `predict`: a trained model -> scores of pairs, labelled or not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from data.console.errors import Findings, InputError
from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.console.optional_packages import require_models
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.labelled import unlabelled
from data.labelled.dataset import Dataset
from data.labelled.frame import unlabelled as without_labels
from data.labelled.label_set import LabelSet
from data.labelled.sources import OfDataset, need_splits
from data.models.names import ENDPOINT, ModelName
from data.models.runs import record
from data.models.scorers import PREDICTIONS, TRAINED, identify, name_file, open_scorer, read_format, read_scores
from data.storage.engine import check
from data.storage.manifest import Manifest
from data.storage.store import Store
from identification.config import Machine
from identification.endpoints.asking import Asking

if TYPE_CHECKING:
    from identification.training.artefact import Run, Scored

STAGE = "identification.predict"
NOTHING_OPEN = "they are not asked again: outcomes.csv lists them, and another --prompt may do better"


@dataclass(frozen=True, kw_only=True)
class Predict(OfDataset):
    """Score pairs with a trained model: P(paraphrase) of each, the mean of both orders of its texts."""

    run: Positional[str]
    """The folder that `train` wrote, `module:function` for a function from two lists of texts to scores, or
    endpoint:NAME for a language model behind an address (see --url, --prompt)."""
    file: Path | None = None
    """In place of a data set, a file of pairs: two columns of texts such as first and second, with or without pair_id
    and labels."""
    unlabelled: bool = False
    """In a store: also score the unlabelled pairs."""
    out: Path | None = None
    """The file to write pair_id and score to, by default predictions-NAME.csv in the model's folder; for an endpoint
    the folder of its answers, by default models/endpoint-NAME-PROMPT."""
    engine: str | None = None
    """Where pairs are scored: here, processes, processes:N or dask:ADDRESS; the scores are the same. By default here
    for few pairs, otherwise one process per core."""
    machine: Machine = field(default_factory=Machine)
    asking: Asking = field(default_factory=Asking)


@dataclass(frozen=True, kw_only=True)
class ScoredBy:
    """A model that scores pairs, as the tables name it."""

    name: str
    threshold: float = 0.5
    seed: int = 0
    run: "Run | None" = None
    """What its training wrote; None for a function, an endpoint and a model of another room."""
    identity: Mapping[str, Any] = field(default_factory=dict)
    """What else tells its run from others of this name."""


def main(arguments: Predict) -> None:
    """Write the scores and, where the pairs are from a store, the table `predictions`."""
    arguments.asking.require_endpoint(arguments.run)
    if arguments.file is not None and arguments.label_set != LabelSet():
        flag = arguments.label_set.flags[0]
        raise InputError(flag, expected="labels", found="--file", remedy="leave it out: the file is scored whole")
    if arguments.file is not None and arguments.unlabelled:
        raise InputError("--unlabelled", expected="--store", found="--file", remedy="leave it out")
    if ModelName.parse(arguments.run).kind == ENDPOINT:
        _ask(arguments)
        return
    require_models("predict")
    if arguments.engine is not None:
        check(arguments.engine)
    from identification.training.artefact import require_beside_the_model, write_predictions
    from identification.training.shards import score_in_shards

    judge = _open(arguments.run)
    frame, source = _read(arguments)
    runs = _find_runs(source, arguments, judge)
    _require_splits(source)
    out = arguments.out or _place(arguments)
    require_beside_the_model(out)
    _require_own(out, frame)
    texts = frame["first"].tolist(), frame["second"].tolist()
    folder = out.absolute().with_name(f".{out.name}.shards")
    scored = score_in_shards(arguments.run, texts, arguments.machine, arguments.engine, folder)
    write_predictions(frame["pair_id"].tolist(), scored.scores, out)
    _show(judge, scored)
    say(f"scores written to {out}")
    if source is not None and source.kind == "store":
        scores = pd.Series(scored.scores, frame["pair_id"], name="score")
        if len(runs):
            _replace(Store(source.path), runs, scores)
        else:
            _record(source, arguments.label_set, judge, scores)
        following = "clustering select --limit 100" if arguments.unlabelled else "analysis.report"
        chosen = [] if arguments.unlabelled else arguments.label_set.flags
        say_next(f"python -m {following}", "--store", source.path, *chosen)
    elif source is not None:
        say_next("python -m analysis.baselines", *source.flags, "--predictions", out, *arguments.label_set.flags)


def _open(spec: str) -> ScoredBy:
    """The model; raises InputError where `spec` names none, or one whose files were changed."""
    from identification.training import artefact

    folder = Path(spec)
    if read_format(folder) == TRAINED:
        run = artefact.read_unchanged(folder)
        return ScoredBy(name=spec, threshold=run.threshold, seed=run.config["seed"], run=run)
    open_scorer(spec)
    return ScoredBy(name=spec, threshold=0.5, identity={"code": identify(spec)})


def _place(arguments: Predict) -> Path:
    """Where the scores go: in the model's folder or, for a function, in one of its name."""
    folder = Path(arguments.run)
    if not folder.is_dir():
        folder = Path("models") / arguments.run.replace(":", "-")
    return folder / f"predictions-{name_file(arguments.file or arguments.place)}.csv"


def _require_own(out: Path, frame: pd.DataFrame) -> None:
    """Raise InputError where the file has scores of other pairs alone, for example of another file with the same
    name."""
    if not out.is_file() or frame.empty:
        return
    try:
        known = set(read_scores(out).index)
    except InputError:
        known = set()
    if known.isdisjoint(frame["pair_id"]):
        raise InputError(
            out, expected="no file, or scores of these pairs", found="another file", remedy="name one by --out FILE"
        )


def _show(judge: ScoredBy, scored: "Scored") -> None:
    n = int((scored.scores >= judge.threshold).sum())
    say(f"{quantity(len(scored.scores), 'pair')} scored, {n:,} of them paraphrases from {judge.threshold:.3f} on")
    if judge.run is None:
        return
    if scored.n_shortened:
        longest = judge.run.settings["longest"]
        say(f"read not to its end: {quantity(scored.n_shortened, 'pair')} of more than {longest} words or tokens")
    if scored.unknown_share:
        say(f"{scored.unknown_share:.1%} of the words have no vector in this model")
    say(f"asymmetry {scored.asymmetry:.4f}: the mean difference between both orders, before their mean was taken")


def _ask(arguments: Predict) -> None:
    """Ask a language model about every pair; raise Findings where questions are without a yes or no."""
    from identification.endpoints import asking

    endpoint, prompt = arguments.asking.read(arguments.run)
    frame, source = _read(arguments)
    _require_splits(source)
    folder = arguments.out or Path("models") / asking.name_folder(endpoint, prompt)
    asked = asking.ask(frame, endpoint, prompt, arguments.asking.budget, folder)
    counts = ", ".join(f"{n:,} {name}" for name, n in asked.counts.items())
    asks = f"{2 * len(frame):,} questions about {quantity(len(frame), 'pair')}"
    say(f"{asks}, {quantity(asked.n_requests, 'request')}: {counts}")
    if asked.models:
        say(f"answered by {', '.join(asked.models)}")
    for loss in asked.losses:
        say(f"note: {loss}")
    say(f"answers, outcomes and predictions.csv written to {folder}")
    if source is not None and source.kind == "store":
        identity = {"asked": endpoint.identity | {"prompt": prompt.digest}, "outcomes": dict(asked.counts)}
        scores = asked.scored.set_index("pair_id")["score"]
        _record(source, arguments.label_set, ScoredBy(name=arguments.run, identity=identity), scores)
        say_next("python -m analysis.report", "--store", source.path, *arguments.label_set.flags)
    elif source is not None:
        predictions = "--predictions", folder / PREDICTIONS
        say_next("python -m analysis.baselines", *source.flags, *predictions, *arguments.label_set.flags)
    _require_answers(asked.counts)


def _require_answers(counts: Mapping[str, int]) -> None:
    """Raise Findings where questions ended without a yes or no."""
    n = sum(n for name, n in counts.items() if name not in ("yes", "no"))
    n_open = sum(counts.get(name, 0) for name in ("error", "not asked"))
    if n:
        following = f"run the same command again to ask the {n_open:,} that are open" if n_open else NOTHING_OPEN
        raise Findings(f"{quantity(n, 'question')} without an answer of one word; {following}")


def _record(source: Dataset, label_set: LabelSet, judge: ScoredBy, scores: "pd.Series[float]") -> None:
    """Add the scores of a model that was not trained on the store to its tables, under the name it was given."""
    store, run = Store(source.path), judge.run
    row: dict[str, object] = {
        "model": judge.name,
        "seed": judge.seed,
        "campaigns": label_set.campaigns,
        "method": label_set.method,
        "scheme": source.scheme,
        "threshold": judge.threshold,
        "artefact": str(Path(judge.name).absolute()) if run else None,
        "artefact_sha256": run.digest if run else None,
    }
    record(store, {**row, **judge.identity}, scores, STAGE)
    say(f"scores written to the tables runs and predictions of {store.root}, as those of {judge.name}")
    if run is None:
        return
    seen = run.data.get("path", "other data")
    if Path(seen).resolve() != store.root.resolve():
        say(f"note: it was trained on {seen}; whether pairs of this store were among them is not known")
    if run.outcome != "trained":
        say(f"note: its training ended with {run.outcome}")


def _read(arguments: Predict) -> tuple[pd.DataFrame, Dataset | None]:
    """The pairs to score, and the data set that they are from."""
    if arguments.file is not None and arguments.dataset is None:
        return unlabelled.read(arguments.file), None
    if arguments.file is not None:
        raise InputError("predict", expected="--file or --dataset", found="both", remedy="give one")
    source = arguments.open()
    frame = source.frame
    if source.kind == "store":
        if arguments.unlabelled:
            rest = without_labels(Store(source.path).read(Pairs))
            frame = pd.concat([frame, rest[~rest["pair_id"].isin(frame["pair_id"])]], ignore_index=True)
    elif arguments.unlabelled:
        raise InputError(
            "--unlabelled", expected="a store", found=f"{source.kind} at {source.path}", remedy="give --file FILE"
        )
    return frame.drop_duplicates("pair_id", ignore_index=True), source


def _require_splits(source: Dataset | None) -> None:
    """Raise TableError, before anything is scored, where a store has no splits: a run names those that it is for."""
    if source is not None and source.kind == "store":
        need_splits(source)


def _find_runs(source: Dataset | None, arguments: Predict, judge: ScoredBy) -> pd.DataFrame:
    """The model's rows in the table `runs` of the store that it was trained on; none for any other model.

    A model of elsewhere has rows there, too, once it has scored the store: they say nothing of what it learned from.
    Raises InputError where it saw another split or other labels of the store than those asked for.
    """
    label_set, run = arguments.label_set, judge.run
    if source is None or source.kind != "store" or run is None:
        return pd.DataFrame()
    runs = Store(source.path).read(Runs, artefact_sha256=run.digest)
    runs = runs[runs["n_train"].notna()]
    if runs.empty:
        return runs
    seen = runs.assign(campaign=runs["campaigns"].map(" ".join))
    asked = {"campaign": " ".join(label_set.campaigns), "method": label_set.method, "scheme": label_set.store_scheme}
    for name, value in asked.items():
        if value not in set(seen[name]):
            raise InputError(
                arguments.run,
                expected=f"a model trained on the {name} {value!r}",
                found=f"one trained on {seen[name].iloc[0]!r}",
                remedy=f"give --{name} {seen[name].iloc[0]}, or train again",
            )
    return runs


def _replace(store: Store, runs: pd.DataFrame, scores: "pd.Series[float]") -> None:
    """Add the scores to the latest of the model's runs, whose other pairs keep theirs."""
    run = runs.sort_values(["at", "run_id"]).iloc[-1]
    known = store.read(Predictions, run_id=run["run_id"])
    rows = scores.rename_axis("pair_id").reset_index().assign(run_id=run["run_id"])
    rows = pd.concat([known[~known["pair_id"].isin(rows["pair_id"])], rows], ignore_index=True)
    config = {"model": run["model"], "artefact_sha256": run["artefact_sha256"]}
    inputs = store.inputs(Labels, Pairs, Splits)
    manifest = Manifest(stage=STAGE, config=config, seed=int(run["seed"]), inputs=inputs)
    store.replace(Predictions, rows, manifest, run_id=run["run_id"])
    say(f"{quantity(len(rows), 'score')} of the run written to the table predictions of {store.root}")
