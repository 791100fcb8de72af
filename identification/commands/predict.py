"""The command `predict`: a trained model -> scores of pairs, labelled or not."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import tyro
from numpy.typing import NDArray

from data.console import say, say_next
from data.errors import Findings, InputError
from data.extras import demand_models
from data.labelled import unlabelled
from data.labelled.frame import unlabelled as without_labels
from data.labelled.label_set import LabelSet
from data.labelled.sources import Source, open_source
from data.manifest import Manifest
from data.runs import record
from data.scorers import PREDICTIONS
from data.store import Store
from data.tables.labels import Labels, Splits
from data.tables.models import Predictions, Runs
from data.tables.pairs import Pairs
from identification.config import Machine
from identification.endpoints.asking import Asking

if TYPE_CHECKING:
    from identification.endpoints.asking import Asked
    from identification.training.artefact import Run

STAGE = "identification.predict"
ENDPOINT = "endpoint:"


@dataclass(frozen=True, kw_only=True)
class Predict:
    """Score pairs with a trained model: P(paraphrase) of each, the mean of both orders of its texts."""

    run: tyro.conf.Positional[str]
    """The folder that `train` wrote, or endpoint:NAME for a language model behind an address (see --url, --prompt)."""
    pairs: Path | None = None
    """A file of pairs: two columns of texts such as first and second, with or without pair_id and labels."""
    dataset: Path | None = None
    """A store, a release, the published files, or files of pairs."""
    unlabelled: bool = False
    """In a store: also score the pairs that nobody has labelled."""
    out: Path | None = None
    """The file to write pair_id and score to, by default predictions-NAME.csv in the model's folder; for an endpoint
    the folder of its answers, by default models/endpoint-NAME-PROMPT."""
    label_set: LabelSet = field(default_factory=LabelSet)
    machine: Annotated[Machine, tyro.conf.arg(name="")] = field(default_factory=Machine)
    asking: Annotated[Asking, tyro.conf.arg(name="")] = field(default_factory=Asking)


def main(arguments: Predict) -> None:
    """Write the scores and, where the pairs are from a store, the table `predictions`."""
    if arguments.run.startswith(ENDPOINT):
        _ask(arguments)
        return
    demand_models("predict")
    from identification.training import artefact

    folder = Path(arguments.run)
    opened = artefact.open_model(folder)
    run = opened[0]
    frame, source = _read(arguments, run)
    scored = artefact.score_pairs(opened, (frame["first"].tolist(), frame["second"].tolist()), arguments.machine)
    out = arguments.out or folder / f"predictions-{_name(arguments)}.csv"
    artefact.write_predictions(frame["pair_id"].tolist(), scored.scores, out)
    n = int((scored.scores >= run.threshold).sum())
    say(f"{len(frame):,} pairs scored, {n:,} of them paraphrases from {run.threshold:.3f} on")
    if scored.n_shortened:
        longest = run.settings["longest"]
        say(f"{scored.n_shortened:,} pairs are longer than the {longest} words or tokens that the model reads")
    if scored.unknown_share:
        say(f"{scored.unknown_share:.1%} of the words have no vector in this model")
    say(f"asymmetry {scored.asymmetry:.4f}: the mean difference between both orders, before their mean was taken")
    say(f"scores written to {out}")
    if source is not None and source.kind == "store":
        _store(Store(source.path), run, frame["pair_id"], scored.scores)
        say_next("python -m analysis.report", "--store", source.path)
    elif arguments.dataset is not None:
        say_next("python -m analysis.baselines", arguments.dataset, "--predictions", out)


def _ask(arguments: Predict) -> None:
    """Ask a language model about every pair; raise Findings where questions are without a yes or no."""
    from identification.endpoints import asking

    endpoint, prompt = arguments.asking.read(arguments.run.removeprefix(ENDPOINT))
    frame, source = _read(arguments, None)
    folder = arguments.out or Path("models") / asking.name_folder(endpoint, prompt)
    asked = asking.ask(frame, endpoint, prompt, arguments.asking.budget, folder)
    counts = ", ".join(f"{n:,} {name}" for name, n in asked.counts.items())
    say(f"{2 * len(frame):,} questions about {len(frame):,} pairs, {asked.n_requests:,} requests: {counts}")
    if asked.models:
        say(f"answered by {', '.join(asked.models)}")
    say(f"answers, outcomes and predictions.csv written to {folder}")
    if source is not None and source.kind == "store":
        _record_endpoint(Store(source.path), source, arguments, asked, endpoint.identity | {"prompt": prompt.digest})
    elif source is not None:
        say_next("python -m analysis.baselines", source.path, "--predictions", folder / PREDICTIONS)
    if n := sum(n for name, n in asked.counts.items() if name not in ("yes", "no")):
        raise Findings(f"{n:,} questions without an answer of one word; run the same command again to ask what is open")


def _record_endpoint(
    store: Store, source: Source, arguments: Predict, asked: "Asked", identity: dict[str, Any]
) -> None:
    """Add the scores to the store's tables, as those of a model of this name."""
    label_set = arguments.label_set
    row = {
        "model": arguments.run,
        "seed": 0,
        "campaign": label_set.campaign,
        "method": label_set.method,
        "scheme": source.scheme,
        "threshold": 0.5,
        "asked": identity,
        "outcomes": dict(asked.counts),
    }
    record(store, row, asked.scored.set_index("pair_id")["score"], STAGE)
    say(f"scores written to the tables runs and predictions of {store.root}")
    say_next("python -m analysis.report", "--store", store.root)


def _name(arguments: Predict) -> str:
    return (arguments.pairs or arguments.dataset or Path(arguments.run)).absolute().stem


def _read(arguments: Predict, run: "Run | None") -> tuple[pd.DataFrame, Source | None]:
    """The pairs to score, and the data set that they are from; `run`: None for a model that was not trained here."""
    if arguments.pairs is not None and arguments.dataset is None:
        return unlabelled.read(arguments.pairs), None
    if arguments.pairs is not None or arguments.dataset is None:
        found = "both" if arguments.pairs else "neither"
        raise InputError("predict", expected="--pairs FILE or --dataset DATASET", found=found, remedy="give one")
    source = open_source(arguments.dataset, arguments.label_set)
    frame = source.pairs.frame
    if source.kind == "store":
        if run is not None:
            _demand_same_labels(source, arguments, run)
        if arguments.unlabelled:
            rest = without_labels(Store(source.path).read(Pairs))
            frame = pd.concat([frame, rest[~rest["pair_id"].isin(frame["pair_id"])]], ignore_index=True)
    elif arguments.unlabelled:
        raise InputError(
            "--unlabelled", expected="a store", found=f"{source.kind} at {source.path}", remedy="give --pairs FILE"
        )
    return frame.drop_duplicates("pair_id", ignore_index=True), source


def _demand_same_labels(source: Source, arguments: Predict, run: "Run") -> None:
    """Raise InputError where the model saw another split or other labels than those asked for."""
    store, label_set = Store(source.path), arguments.label_set
    runs = store.read(Runs, artefact_sha256=run.digest)
    if runs.empty:
        raise InputError(
            arguments.run,
            expected=f"a model that was trained on the store {source.path}",
            found=f"one trained on {run.data.get('path', 'other data')}",
            remedy="train it with --dataset on this store, or score a file with --pairs",
        )
    asked = {"campaign": label_set.campaign, "method": label_set.method, "scheme": label_set.store_scheme}
    for name, value in asked.items():
        if value not in set(runs[name]):
            raise InputError(
                arguments.run,
                expected=f"a model trained on the {name} {value!r}",
                found=f"one trained on {runs[name].iloc[0]!r}",
                remedy=f"give --{name} {runs[name].iloc[0]}, or train again",
            )


def _store(store: Store, run: "Run", pair_ids: "pd.Series[str]", scores: NDArray[np.float64]) -> None:
    """Replace the scores of the model's latest run."""
    runs = store.read(Runs, artefact_sha256=run.digest).sort_values(["at", "run_id"])
    run_id = str(runs["run_id"].iloc[-1])
    rows = pd.DataFrame({"run_id": run_id, "pair_id": pair_ids, "score": scores})
    config = {"model": run.model, "artefact_sha256": run.digest}
    manifest = Manifest(stage=STAGE, config=config, seed=run.config["seed"], inputs=store.inputs(Labels, Pairs, Splits))
    store.replace(Predictions, rows, manifest, run_id=run_id)
    say(f"{len(rows):,} scores of the run written to the table predictions of {store.root}")
