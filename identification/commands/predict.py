"""The command `predict`: a trained model -> scores of pairs, labelled or not."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.console.optional_packages import require_models
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs
from data.labelled.dataset import Dataset
from data.models.runs import add_scores
from data.models.scorers import TRAINED, identify, name_file, open_scorer, read_format, read_scores
from data.storage.engine import check
from data.storage.manifest import Manifest
from data.storage.store import Store
from identification.config import Machine
from identification.training.pairs import OfPairs, require_splits
from identification.training.recording import ScoredBy, record_scores

if TYPE_CHECKING:
    from identification.training.artefact import Scored

STAGE = "identification.predict"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPairs):
    """Score pairs with a trained model: P(paraphrase) of each, the mean of both orders of its texts."""

    run: Positional[str]
    """The folder that `train` wrote, or `module:function` for a function from two lists of texts to scores."""
    out: Path | None = None
    """The file to write pair_id and score to, by default predictions-NAME.csv in the model's folder."""
    engine: str | None = None
    """Where pairs are scored: here, processes, processes:N or dask:ADDRESS; the scores are the same. By default here
    for few pairs, otherwise one process per core."""
    machine: Machine = field(default_factory=Machine)


def main(arguments: Arguments) -> None:
    """Write the scores and, where the pairs are from a store, the table `predictions`."""
    arguments.require_one_kind()
    require_models("predict")
    if arguments.engine is not None:
        check(arguments.engine)
    from identification.training.artefact import require_beside_the_model, write_predictions
    from identification.training.shards import score_in_shards

    judge = _open(arguments.run)
    frame, dataset = arguments.read()
    runs = _find_runs(dataset, arguments, judge)
    require_splits(dataset)
    out = arguments.out or _place(arguments)
    require_beside_the_model(out)
    _require_own(out, frame)
    texts = frame["first"].tolist(), frame["second"].tolist()
    folder = out.absolute().with_name(f".{out.name}.shards")
    scored = score_in_shards(arguments.run, texts, arguments.machine, arguments.engine, folder)
    write_predictions(frame["pair_id"].tolist(), scored.scores, out)
    _show(judge, scored)
    say(f"scores written to {out}")
    if dataset is not None and dataset.kind == "store":
        scores = pd.Series(scored.scores, frame["pair_id"], name="score")
        if len(runs):
            _replace(Store(dataset.path), runs, scores)
        else:
            record_scores(dataset, arguments.label_set, judge, scores, STAGE)
        following = "clustering select --limit 100" if arguments.unlabelled else "analysis.report"
        chosen = [] if arguments.unlabelled else arguments.label_set.flags
        say_next(f"python -m {following}", "--store", dataset.path, *chosen)
    elif dataset is not None:
        say_next("python -m analysis.baselines", *dataset.flags, "--predictions", out, *arguments.label_set.flags)


def _open(spec: str) -> ScoredBy:
    """The model; raises InputError where `spec` names none, or one whose files were changed."""
    from identification.training import artefact

    folder = Path(spec)
    if read_format(folder) == TRAINED:
        run = artefact.read_unchanged(folder)
        return ScoredBy(name=spec, threshold=run.threshold, seed=run.config["seed"], run=run)
    open_scorer(spec)
    return ScoredBy(name=spec, threshold=0.5, identity={"code": identify(spec)})


def _place(arguments: Arguments) -> Path:
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


def _find_runs(dataset: Dataset | None, arguments: Arguments, judge: ScoredBy) -> pd.DataFrame:
    """The model's rows in the table `runs` of the store that it was trained on; none for any other model.

    A model of elsewhere has rows there, too, once it has scored the store: they say nothing of what it learned from.
    Raises InputError where it saw another split or other labels of the store than those asked for.
    """
    label_set, run = arguments.label_set, judge.run
    if dataset is None or dataset.kind != "store" or run is None:
        return pd.DataFrame()
    runs = Store(dataset.path).read(Runs, artefact_sha256=run.digest)
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
    config = {"model": run["model"], "artefact_sha256": run["artefact_sha256"]}
    inputs = store.inputs(Labels, Pairs, Splits)
    manifest = Manifest(stage=STAGE, config=config, seed=int(run["seed"]), inputs=inputs)
    n_scores = add_scores(store, run["run_id"], scores, manifest)
    say(f"{quantity(n_scores, 'score')} of the run written to the table predictions of {store.address}")
