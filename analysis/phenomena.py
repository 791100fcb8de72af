"""What makes a model err: `python -m analysis.phenomena` (after He et al. 2020, Tables 8 and 9)."""

from data.console.commands import require_at_least, run  # first: `--help` then needs no libraries

# isort: split
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data.console.errors import InputError, TableError
from data.console.messages import say, say_next
from data.contract.tables.definitions import Terms
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.shown import Shown
from data.contract.vocabulary import MAJORITY, WRONG_PREDICTION
from data.files.spreadsheet_cells import without_formulas
from data.files.whole import write_whole
from data.grouping.entities import ENTITIES, each
from data.labelled.dataset import Dataset
from data.labelled.sources import OfDataset
from data.models.runs import find_run, learnt_from, name_others
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.words import bare

STAGE = "analysis.phenomena"
QUESTION = "phenomena"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Draw a model's wrong predictions, with what rules suggest makes them hard; later, count what people said.

    In a store, the sample is a generator of the table `pairs`, and `annotation plan --question phenomena` has it
    labelled. The page shows no suggestion, so that `--count` can say how often they are right.
    """

    model: str | None = None
    """The model's name in the table `runs`, for its latest run; may be left out where there is only one. "NAME, seed 2"
    or a run_id for another run."""

    predictions: Path | None = None
    """A file of pair_id and score, for a data set that is no store."""

    threshold: float | None = None
    """The score from which the model says paraphrase; by default its run's, or 0.5 for a file."""

    split: str = "test"
    """The split to draw from; `all` for every labelled pair."""

    sample: int = 277
    """At most this many wrong predictions (the paper's authors read 277)."""

    seed: int = 1
    """Seed of the sample."""

    out: Path = Path("phenomena.csv")
    """The file to write pairs and suggestions to."""

    count: str | None = None
    """Instead: count the phenomena that this campaign found."""


def main(arguments: Arguments) -> None:
    """Write the sample with its suggestions, or print the counts of a campaign."""
    if arguments.count is not None:
        _count(Store(arguments.place), arguments.count)
        return
    require_at_least("--sample", arguments.sample, 1)
    from analysis.evaluation import phenomena

    dataset = arguments.open()
    wrong, model = _find_wrong(dataset, arguments)
    drawn = wrong.sample(min(arguments.sample, len(wrong)), random_state=arguments.seed).sort_values("pair_id")
    suggestions = phenomena.suggest(replace(dataset, frame=drawn), _read_terms(dataset))
    joined = phenomena.join(suggestions, drawn["pair_id"])
    n_yes = int((drawn["binary"] == 1).sum())
    say(f"{len(wrong)} wrong predictions of {model}; {len(drawn)} drawn: {n_yes} paraphrases, {len(drawn) - n_yes} not")
    for (name, rule), some in suggestions.groupby(["phenomenon", "rule"]):
        say(f"  {some['pair_id'].nunique():4} suggested: {name}, by {rule}")
    say(f"  {int((joined == phenomena.NONE).sum()):4} without a suggestion")
    evidence = suggestions["rule"] + ": " + suggestions["evidence"]
    table = drawn[["pair_id", *ENTITIES, "first", "second", "binary", "score"]].assign(
        suggested=joined.to_numpy(),
        evidence=drawn["pair_id"].map(evidence.groupby(suggestions["pair_id"]).agg(" | ".join)),
    )
    write_whole(arguments.out, without_formulas(table).to_csv(index=False, lineterminator="\n"))
    say(f"pairs, suggestions and their evidence written to {arguments.out}")
    if dataset.kind == "store":
        _write_pairs(Store(dataset.path), model, joined, arguments)


def _find_wrong(dataset: Dataset, arguments: Arguments) -> tuple[pd.DataFrame, str]:
    """The pairs of the split that the model calls wrong, with their `score`; and the model's name."""
    frame = dataset.frame
    if dataset.kind == "store":
        if arguments.predictions is not None:
            raise InputError(
                "--predictions",
                expected="a data set that is no store",
                found=str(dataset.path),
                remedy="name one of its models: --model",
            )
        scores, threshold, model = _read_run(Store(dataset.path), arguments, frame["pair_id"])
    elif arguments.predictions is not None:
        from analysis.datasets.predictions import read_predictions

        scores, threshold = read_predictions(arguments.predictions, frame["pair_id"]), 0.5
        model = arguments.predictions.name
    else:
        raise InputError("--predictions", expected="a file of scores", found="nothing", remedy="give one, or a store")
    known = frame["binary"].notna().to_numpy(dtype=bool) & ~np.isnan(scores)
    known &= (frame["split"] == arguments.split).to_numpy(dtype=bool) if arguments.split != "all" else True
    says = scores >= (threshold if arguments.threshold is None else arguments.threshold)
    wrong = known & (says != (frame["binary"] == 1).to_numpy(dtype=bool))
    if not wrong.any():
        raise TableError(
            dataset.path,
            expected=f"wrong predictions of {model} in the split {arguments.split!r}",
            found=f"none among {int(known.sum())} labelled pairs that it scored",
            remedy="give another --split, such as all",
        )
    return frame[wrong].assign(score=scores[wrong]), model


def _read_run(store: Store, arguments: Arguments, pair_ids: "pd.Series[str]") -> tuple[Any, float, str]:
    """The scores of the run, its threshold and name."""
    runs = learnt_from(store.read(Runs), arguments.label_set.campaigns)
    run_row = find_run(runs, arguments.model, "--model")
    if note := name_others(runs, run_row, "--model"):
        say(note)
    scores = store.read(Predictions, run_id=run_row["run_id"]).set_index("pair_id")["score"]
    threshold = 0.5 if pd.isna(run_row["threshold"]) else float(run_row["threshold"])
    return pair_ids.map(scores).to_numpy("float64", na_value=np.nan), threshold, str(run_row["name"])


def _read_terms(dataset: Dataset) -> dict[str, str]:
    """Every known phrase -> its canonical form: of the table `terms`, and the names of the entities."""
    known = {bare(name): bare(name) for name in each(dataset.frame).unique()}
    if dataset.kind == "store":
        rows = Store(dataset.path).read(Terms, ["term", "canonical", "variants"])
        for term, canonical, variants in rows.itertuples(index=False):
            known |= {bare(phrase): canonical for phrase in (term, *variants)}
    return known


def _write_pairs(store: Store, model: str, suggested: "pd.Series[str]", arguments: Arguments) -> None:
    """Write the sample as a generator's pairs; why each was chosen says what was suggested."""
    generator = "errors-" + re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")
    config = asdict(arguments.label_set) | {
        "model": model,
        "split": arguments.split,
        "sample": arguments.sample,
        "threshold": arguments.threshold,
    }
    inputs = store.inputs(Labels, Splits, Predictions, Runs, Terms)
    manifest = Manifest(stage=STAGE, config=config, seed=arguments.seed, inputs=inputs)
    planned = store.read(Campaigns, ["campaign"], generator=generator)
    if len(planned):
        say(f"the pairs of {generator} stay as they are: campaign {planned['campaign'].iloc[0]} labels them")
    else:
        pairs = store.read(Pairs).drop_duplicates("pair_id")
        rows = pairs[pairs["pair_id"].isin(suggested.index)].sort_values("pair_id")
        by = {"selection": WRONG_PREDICTION, "detail": rows["pair_id"].map(suggested), "sample_of": None}
        made = Made(rows=rows.assign(rank=range(len(rows)), **by))
        run_stage(store, Pairs, manifest, lambda: made, noun="pair", generator=generator)
    words = (
        "--campaign",
        QUESTION,
        "--question",
        QUESTION,
        "--generator",
        generator,
        "--model",
        model,
        "--split",
        "all",
    )
    say_next("python -m annotation plan", "--store", store.address, *words)


def _count(store: Store, campaign: str) -> None:
    """Print how often each phenomenon was found among paraphrases and others."""
    from analysis.evaluation import phenomena
    from data.recorded.plans import read_plans

    plans = read_plans(store)
    question = plans.question(campaign)
    labels = store.read(Labels, ["pair_id", "value", "control"], campaign=campaign, method=MAJORITY, further=False)
    if question.name != QUESTION or labels.empty:
        raise TableError(
            f"{store.address}, table labels",
            expected=f"labels of a campaign that asks the question {QUESTION}",
            found=f"{len(labels)} of {campaign}, which asks {question.name}",
            remedy=f"run `python -m annotation adjudicate --campaign {campaign}` first, or name another",
        )
    pairs = store.read(Pairs, ["pair_id", "detail"], generator=plans.latest[campaign]["generator"])
    suggested = pairs.set_index("pair_id")["detail"]
    shown = store.read(Shown, ["pair_id", "label"], campaign=campaign).set_index("pair_id")["label"]
    rows = labels.assign(binary=labels["pair_id"].map(shown), suggested=labels["pair_id"].map(suggested))
    names = [answer.value for answer in question.asked[0].answers]
    for line in _show(phenomena.count(rows, names), rows):
        say(line)


def _show(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[str]:
    n_yes = int((rows["binary"] == 1).sum())
    yield f"{len(rows)} wrong predictions: {n_yes} paraphrases, {len(rows) - n_yes} not; one may count several times"
    yield f"{'':14}{'paraphrases':>20}{'others':>20}{'suggested':>12}{'right':>8}"
    for row in table.to_dict("records"):
        cells = [
            f"{row[name]} ({row[name] / max(1, n):.0%})"
            for name, n in (("paraphrases", n_yes), ("non_paraphrases", len(rows) - n_yes))
        ]
        yield f"{row['phenomenon']:14}{cells[0]:>20}{cells[1]:>20}{row['suggested']:>12}{row['right']:>8}"


if __name__ == "__main__":
    run(main, prog="python -m analysis.phenomena")
