"""What attacks on models showed, and each model's accuracy on every set of pairs: python -m analysis.robustness."""

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.config import ScoringRule
from data.console.commands import require_at_least, run
from data.console.errors import TableError
from data.console.messages import figure, quantity, say
from data.console.paths import Address, last_name
from data.contract.rows import is_review
from data.contract.tables.attacks import Attacks
from data.contract.tables.labels import Labels
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import INHERITED
from data.files.whole import write_whole
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.models.runs import find_latest, find_run, name_others, name_runs
from data.recorded.languages import followed
from data.storage.store import Store

GRAMMAR = "grammar"
"""The control that grades the grammar."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show how robust models are: attacks before and after, and accuracy on every set of pairs with a score."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    examples: int = 10
    """Modified pairs of each label that are shown side by side with their originals."""

    models: tuple[str, ...] = ()
    """Models or runs whose accuracy is shown, as named in the table `runs` (default: the latest run of each model):
    "NAME, seed 2" or a run_id for a run that is not its model's latest."""

    review: str | None = None
    """The campaign in which people judged modified and original pairs (see `identification attack --review`)."""

    out: Path = Path("robustness")
    """The folder to write `robustness.html` and `robustness.json` to."""

    label_set: LabelSet = field(default_factory=LabelSet)
    judge: ScoringRule = field(default_factory=ScoringRule)


def main(arguments: Arguments) -> None:
    """Write the page and the JSON; print a line per attack and label, and one per set and model."""
    from analysis.evaluation import robustness
    from analysis.reporting import robustness_page, simulated

    require_at_least("--examples", arguments.examples, 0)
    store, seed = Store(arguments.store), arguments.judge.seed
    attempts, scores = store.read(Attacks), _read_scores(store, arguments.models)
    if attempts.empty and scores.empty:
        raise TableError(
            store.address,
            expected="attempts in the table attacks, or scores of pairs",
            found="none",
            remedy="run `python -m identification attack` first",
        )
    labels = _read_labels(store, arguments.label_set)
    pairs = store.read(Pairs)
    pairs = pairs[~is_review(pairs)]
    sets = robustness.judge_sets(pairs, labels, scores, arguments.judge, followed(store, Pairs))
    attacks = [
        robustness.describe(rows, arguments.examples, seed) | {"settings": _read_settings(store, str(name))}
        for name, rows in attempts.groupby("attack")
    ]
    review = _judge_review(store, arguments) if arguments.review else []
    warning = simulated.find_in_store(store, arguments.label_set)
    described: dict[str, Any] = {"simulated": warning, "attacks": attacks, "sets": sets, "review": review}
    _show(described)
    again = shlex.join(["python", "-m", "analysis.robustness", "--store", str(arguments.store)])
    page = robustness_page.render(described, last_name(store.address), again)
    content = json.dumps(described, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(arguments.out / "robustness.html", page)
    write_whole(arguments.out / "robustness.json", content + "\n")
    say(f"written to {arguments.out / 'robustness.html'}")


def _judge_review(store: Store, arguments: Arguments) -> list[dict[str, Any]]:
    """What people said in the campaign; raises TableError where it has no labels."""
    from analysis.evaluation.robustness import judge_review

    method, campaign = arguments.label_set.method, arguments.review
    labels = store.read(Labels, ["pair_id", "binary"], campaign=campaign, method=method, further=False)
    if labels.empty:
        raise TableError(
            f"{store.address}, table labels",
            expected=f"labels of the campaign {campaign!r} by the method {method!r}",
            found="none",
            remedy=f"run `python -m annotation adjudicate --campaign {campaign}` first",
        )
    grammar = store.read(Labels, ["pair_id", "scores"], campaign=campaign, method=method, control=GRAMMAR)
    last = arguments.label_set.campaigns[-1]
    inherited = store.read(Labels, ["pair_id", "binary"], campaign=last, method=INHERITED, further=False)
    pairs = store.read(Pairs, ["pair_id", "selection", "sample_of"])
    pairs = pairs[is_review(pairs)].drop_duplicates("pair_id")
    pairs = pairs.merge(inherited.rename(columns={"binary": "inherited"}), on="pair_id")
    if n := int((~labels["pair_id"].isin(pairs["pair_id"])).sum()):
        say(f"not shown: {quantity(n, 'judged pair')} of no attack's review, or without a label that it inherited")
    return judge_review(pairs, labels, grammar)


def _read_settings(store: Store, attack: str) -> str | None:
    """What the attack was run with, by its manifest; None where that does not say it."""
    manifest = store.manifest(Attacks, attack=attack) or {}
    settings = manifest.get("config", {}).get("settings")
    if not settings:
        return None
    places = f"{settings['places']} places of a draft" if settings["places"] else "all places"
    sizes = "S {steps}, B {beam}, K {words}, {places}, words of the {vocabulary}, occurrences: {occurrences}".format(
        **settings | {"places": places}
    )
    doubled = f", doubled from {settings['long_from']} words" if settings["long_from"] else ""
    fluency = ["fluency"] if manifest["config"].get("fluency_sha256") else []
    refined = "; refined" if settings.get("refine") else ""
    return f"{sizes}{doubled}; guards: {', '.join([*settings['guards'], *fluency]) or 'none'}{refined}"


def _read_scores(store: Store, names: tuple[str, ...]) -> pd.DataFrame:
    """The scores of the runs that are named, or of each model's latest: model, threshold, pair_id, score."""
    runs = store.read(Runs)
    named = runs.assign(name=name_runs(runs))
    chosen = pd.DataFrame([find_run(runs, name, "--models") for name in names]) if names else find_latest(named)
    for _, row in () if names else chosen.iterrows():
        if note := name_others(runs, row, "--models"):
            say(note)
    chosen = chosen.drop_duplicates("run_id")[["run_id", "name", "threshold"]].rename(columns={"name": "model"})
    scores = store.read(Predictions).merge(chosen, on="run_id")
    for _, run_row in runs[runs["run_id"].isin(chosen["run_id"]) & runs["threshold"].isna()].iterrows():
        own = scores["run_id"] == run_row["run_id"]
        scores.loc[own, "threshold"] = _tune(store, run_row, scores.loc[own, ["pair_id", "score"]])
    return scores[["model", "threshold", "pair_id", "score"]]


def _tune(store: Store, run_row: "pd.Series[Any]", scores: pd.DataFrame) -> float:
    """The threshold of a run that has none, as `analysis.baselines` shows it: the best accuracy on validation."""
    from analysis.evaluation.metrics import choose_threshold

    labels = LabelSet(campaigns=tuple(run_row["campaigns"]), method=run_row["method"], scheme=run_row["scheme"])
    frame = read_store(store, labels).frame.merge(scores, on="pair_id")
    label = frame["binary"].fillna(0).to_numpy(dtype="int64") == 1
    decided = frame["binary"].notna().to_numpy(dtype=bool)
    return choose_threshold(frame, label, frame["score"].to_numpy(dtype="float64"), decided, "accuracy")


def _read_labels(store: Store, label_set: LabelSet) -> pd.DataFrame:
    """One label per pair: the chosen method's, otherwise one without votes; pair_id, method, binary."""
    labels = store.read(Labels, ["method", "pair_id", "binary"], campaign=label_set.campaigns[-1], further=False)
    ranked = labels.assign(first=labels["method"] != label_set.method).sort_values(["first", "method"])
    return ranked.drop_duplicates("pair_id")[["pair_id", "method", "binary"]]


def _show(described: dict[str, Any]) -> None:
    for attack in described["attacks"]:
        say(f"attack {attack['name']} on {attack['target']}, words by {attack['mlm']}")
        if attack["settings"]:
            say(f"  {attack['settings']}")
        say(f"  {'label':<14}{'n':>5}  {'original':<22}{'modified':<22}{'fooled of those right':<24}{'edits':>5}")
        for row in attack["rows"]:
            cells = "".join(
                f"{_cell(row[name]):<{width}}" for name, width in (("before", 22), ("after", 22), ("fooled", 24))
            )
            say(f"  {row['label']:<14}{row['n']:>5}  {cells}{figure(row['steps'], 1):>5}")
        if attack["unanswered"]:
            say(f"  not among them: {quantity(attack['unanswered'], 'original')} that the model gave no answer to")
    for row in described["review"]:
        kept, grammar = _cell(row["kept"]), _cell(row["grammar"])
        say(f"people on {row['n']} {row['kind']} pairs, {row['label']}: label kept {kept}, grammar {grammar}")
    if described["sets"]:
        rows = [("pairs by", "n", "labels", "model", "accuracy")]
        rows += [(s["set"], str(s["n"]), s["labels"], s["model"], _cell(s["accuracy"])) for s in described["sets"]]
        first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
        for name, n, labels, model, accuracy in rows:
            say(f"{name:<{first}}  {n:>{widths[0]}}  {labels:<{widths[1]}}  {model:<{widths[2]}}  {accuracy}")


def _cell(measured: dict[str, Any]) -> str:
    interval = "" if measured["low"] is None else f" [{measured['low']:.3f}, {measured['high']:.3f}]"
    return figure(measured["value"], 3) + interval


if __name__ == "__main__":
    run(main, prog="python -m analysis.robustness")
