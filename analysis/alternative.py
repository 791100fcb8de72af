"""Whether a model may replace an annotator of this campaign: python -m analysis.alternative."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.config import AlternativeRule
from data.console.errors import InputError, TableError
from data.console.messages import figure, say
from data.console.paths import Address
from data.files.whole import write_json
from data.guidance.next_steps import say_steps
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.models.runs import name_run
from data.storage.snapshot import Snapshot
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Run the alternative annotator test (Calderon, Reichart and Dror 2025) on the models of a store.

    Models never vote; the test says whether one could. Beside each model it shows what coins and constants reach: where
    one of these passes as well, there is no verdict. It asks about the pairs of the test split: on the binary votes
    and, where the question is a scale, on that scale. Validation decides how scores become votes and ratings.
    """

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    models: tuple[str, ...] = ()
    """Names of models in the table `runs` (default: all that may be judged on this split); "NAME, seed 2" where a model
    has several."""

    json: Path | None = None
    """Also write all figures to this file."""

    label_set: LabelSet = field(default_factory=LabelSet)
    rule: AlternativeRule = field(default_factory=AlternativeRule)


def main(arguments: Arguments) -> None:
    """Print each model's winning rate and advantage, over all annotators and one by one."""
    from analysis.datasets.ratings import read_votes

    store = Snapshot(arguments.store)
    pairs = read_store(store, arguments.label_set)
    votes = read_votes(store, arguments.label_set, pairs.question).counting
    scores = _read_scores(store, pairs, arguments)
    results = [_judge(name, values, pairs, votes, arguments) for name, values in scores.items()]
    for result in results:
        for line in _describe(result):
            say(line)
    if arguments.json:
        write_json(arguments.json, results)
        say(f"written to {arguments.json}")
    say_steps(Store(arguments.store), arguments.label_set.campaigns[-1])


def _read_scores(
    store: Store, pairs: Dataset, arguments: Arguments
) -> "dict[str, np.ndarray[Any, np.dtype[np.float64]]]":
    from data.guidance.scored import read_usable

    usable, left_out = read_usable(store, arguments.label_set, pairs.frame)
    if left_out:
        say(left_out)
    scores = {
        name_run(model, seed, len(by_seed)): values
        for model, by_seed in usable.items()
        for seed, values in sorted(by_seed.items())
    }
    unknown = [name for name in arguments.models if name not in scores]
    if unknown or not scores:
        raise InputError(
            "--models" if unknown else arguments.store,
            expected=", ".join(sorted(scores)) or f"a model trained on the split {arguments.label_set.store_scheme!r}",
            found=unknown[0] if unknown else "none",
            remedy=f"run `python -m analysis.baselines --store {arguments.store}`, or train one",
        )
    return {name: values for name, values in scores.items() if not arguments.models or name in arguments.models}


def _judge(
    name: str,
    scores: "np.ndarray[Any, np.dtype[np.float64]]",
    pairs: Dataset,
    votes: pd.DataFrame,
    arguments: Arguments,
) -> dict[str, Any]:
    """The test of one model: model, threshold, binary, scale (null where it cannot be had), strata."""
    from analysis.statistics.alternative_annotator import judge_model
    from analysis.statistics.strata import find_strata
    from analysis.statistics.trivial_annotators import decide
    from data.labelled.metrics import choose_threshold

    frame = pairs.frame
    usable = frame["binary"].notna().to_numpy() & ~np.isnan(scores)
    label = frame["binary"].fillna(0).to_numpy("int64") == 1
    threshold = choose_threshold(frame, label, scores, usable, "accuracy")
    by_pair = pd.Series(scores, frame["pair_id"])
    asked = (frame["split"] == "test").to_numpy()
    tested = votes[votes["pair_id"].isin(frame.loc[asked, "pair_id"])]
    if tested.empty:
        raise TableError(
            f"{arguments.store}, table ratings",
            expected="votes on pairs of the test split",
            found="none",
            remedy="deal the split again with a larger share for test",
        )
    binary = tested[["pair_id", "annotator"]].assign(value=tested["vote"].astype("float64"))
    predicted = (by_pair >= threshold).astype("float64").where(by_pair.notna())
    scale = tested[["pair_id", "annotator"]].assign(value=tested["score"].astype("float64"))
    on_scale = _on_scale(by_pair, frame, votes)
    strata = find_strata(pairs, pairs.language)
    return {
        "model": name,
        "threshold": threshold,
        "binary": decide(binary, predicted, True, arguments.rule),
        "scale": None if on_scale is None else decide(scale, on_scale, False, arguments.rule),
        "strata": {
            stratum: judge_model(
                binary[binary["pair_id"].isin(frame.loc[flags, "pair_id"])], predicted, True, arguments.rule
            )["advantage"]
            for stratum, flags in strata.items()
        },
    }


def _on_scale(scores: "pd.Series[float]", frame: pd.DataFrame, votes: pd.DataFrame) -> "pd.Series[float] | None":
    """The model's scores as values of the annotators' scale, fitted on validation; null without ratings there."""
    from analysis.statistics.alternative_annotator import to_scale

    tuned = frame.loc[frame["split"] == "validation", "pair_id"]
    ratings = votes[votes["pair_id"].isin(tuned)].groupby("pair_id")["score"].mean().astype("float64")
    known = scores.dropna()
    if ratings.empty or known.index.isin(ratings.index).sum() < 2:
        return None
    return to_scale(known, ratings)(known)


def _describe(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['model']}, test split"
    for kind in ("binary", "scale"):
        tested = result[kind]
        if tested is None:
            yield f"  {kind}: not defined without ratings on validation"
            continue
        people = tested["annotators"]
        n_tested = sum(person["p"] is not None for person in people)
        yield (
            f"  {kind}: {tested['n_pairs']:,} pairs, {n_tested} of {len(people)} annotators tested, winning rate "
            f"{figure(tested['winning_rate'])}, advantage {figure(tested['advantage'])}, "
            f"epsilon {tested['epsilon']:g}: {_verdict(tested)}"
        )
        yield "    without reading: " + ", ".join(
            f"{one['name']} {figure(one['winning_rate'])} (advantage {figure(one['advantage'])})"
            for one in tested["trivial"]
        )
        for person in people:
            needed = "" if person["needed"] is None else f", {person['needed']:,} pairs needed"
            p = "–" if person["p"] is None else f"{person['p']:.3f}"
            yield (
                f"    {person['annotator']}: {person['n']:,} pairs, advantage {person['advantage']:.2f} against "
                f"{person['own']:.2f}, p {p}{needed}"
            )
    shares = ", ".join(f"{name} {figure(value)}" for name, value in result["strata"].items() if value is not None)
    yield f"  advantage by stratum: {shares}"


def _verdict(tested: dict[str, Any]) -> str:
    from analysis.statistics.trivial_annotators import TOO_FEW_PAIRS, TRIVIAL_PASSES

    if tested["reason"] == TOO_FEW_PAIRS:
        return f"no annotator has the {tested['min_pairs']} pairs that a test needs (--min-pairs)"
    if tested["reason"] == TRIVIAL_PASSES:
        *blind, last = (one["name"] for one in tested["trivial"] if one["passes"])
        names = f"{', '.join(blind)} and {last}" if blind else last
        return f"no verdict, since {names} would pass; use a smaller --epsilon, or more annotators for each pair"
    return "it may stand for one" if tested["passes"] else "it may not"


if __name__ == "__main__":
    run(main, prog="python -m analysis.alternative")
