"""What attacks on models showed, and each model's accuracy on every set of pairs: python -m analysis.robustness."""

from data.console.commands import require_at_least, run  # first: `--help` then needs no libraries

# isort: split
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import TableError
from data.console.messages import estimate, figure, quantity, say
from data.console.paths import Address, last_name
from data.contract.tables.attacks import Attacks
from data.contract.tables.labels import Labels
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs, is_review
from data.contract.vocabulary import INHERITED
from data.files.whole import write_json, write_whole
from data.guidance.next_steps import say_steps
from data.labelled.label_set import LabelSet
from data.measures.rules import ScoringRule
from data.models.runs import find_latest, find_run, name_others, name_runs
from data.recorded.plans import read_plans
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
    from analysis.datasets.ratings import find_simulated_in
    from analysis.reporting.page import template
    from data.guidance.scored import judge_every_set
    from data.labelled import robustness

    require_at_least("--examples", arguments.examples, 0)
    store, seed = Store(arguments.store), arguments.judge.seed
    attempts, runs = store.read(Attacks), _choose_runs(store, arguments.models)
    if attempts.empty and runs.empty:
        raise TableError(
            store.address,
            expected="attempts in the table attacks, or scores of pairs",
            found="none",
            remedy="run `python -m identification attack` first",
        )
    sets = judge_every_set(store, arguments.label_set, arguments.judge, runs)
    attacks = [
        robustness.describe(rows, arguments.examples, seed) | {"settings": _read_settings(store, str(name))}
        for name, rows in attempts.groupby("attack")
    ]
    review = _judge_review(store, arguments) if arguments.review else []
    warning = find_simulated_in(store, arguments.label_set, read_plans(store))
    described: dict[str, Any] = {"simulated": warning, "attacks": attacks, "sets": sets, "review": review}
    _show(described)
    again = shlex.join(["python", "-m", "analysis.robustness", "--store", str(arguments.store)])
    page = template("robustness.html").render(described=described, title=last_name(store.address), again=again)
    write_whole(arguments.out / "robustness.html", page)
    write_json(arguments.out / "robustness.json", described)
    say(f"written to {arguments.out / 'robustness.html'}")
    say_steps(store)


def _judge_review(store: Store, arguments: Arguments) -> list[dict[str, Any]]:
    """What people said in the campaign; raises TableError where it has no labels."""
    from data.labelled.robustness import judge_review
    from data.labelled.sources import without_labels

    method, campaign = arguments.label_set.method, str(arguments.review)
    labels = store.read(Labels, ["pair_id", "binary"], campaign=campaign, method=method, further=False)
    if labels.empty:
        raise without_labels(store, campaign, method)
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


def _choose_runs(store: Store, names: tuple[str, ...]) -> pd.DataFrame:
    """The runs that are named, or each model's latest, with the `name` of each."""
    runs = store.read(Runs)
    if names:
        return pd.DataFrame([find_run(runs, name, "--models") for name in names])
    chosen = find_latest(runs.assign(name=name_runs(runs)))
    for _, row in chosen.iterrows():
        if note := name_others(runs, row, "--models"):
            say(note)
    return chosen


def _show(described: dict[str, Any]) -> None:
    for attack in described["attacks"]:
        say(f"attack {attack['name']} on {attack['target']}, words by {attack['mlm']}")
        if attack["settings"]:
            say(f"  {attack['settings']}")
        say(f"  {'label':<14}{'n':>5}  {'original':<22}{'modified':<22}{'fooled of those right':<24}{'edits':>5}")
        for row in attack["rows"]:
            cells = "".join(
                f"{estimate(row[name]):<{width}}" for name, width in (("before", 22), ("after", 22), ("fooled", 24))
            )
            say(f"  {row['label']:<14}{row['n']:>5}  {cells}{figure(row['steps'], 1):>5}")
        if attack["unanswered"]:
            say(f"  not among them: {quantity(attack['unanswered'], 'original')} that the model gave no answer to")
    for row in described["review"]:
        kept, grammar = estimate(row["kept"]), estimate(row["grammar"])
        say(f"people on {row['n']} {row['kind']} pairs, {row['label']}: label kept {kept}, grammar {grammar}")
    if described["sets"]:
        rows = [("pairs by", "n", "labels", "model", "accuracy")]
        rows += [(s["set"], str(s["n"]), s["labels"], s["model"], estimate(s["accuracy"])) for s in described["sets"]]
        first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
        for name, n, labels, model, accuracy in rows:
            say(f"{name:<{first}}  {n:>{widths[0]}}  {labels:<{widths[1]}}  {model:<{widths[2]}}  {accuracy}")


if __name__ == "__main__":
    run(main, prog="python -m analysis.robustness")
