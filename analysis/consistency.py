"""Labels that contradict each other: python -m analysis.consistency."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from data.console.messages import quantity, say, say_next
from data.contract.tables.labels import Inconsistencies, Labels
from data.contract.tables.pairs import Pairs
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.sources import OfDataset
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store

STAGE = "analysis.consistency"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Find labels that contradict each other; in a store, list them for adjudication."""


def main(arguments: Arguments) -> None:
    """Print the contradictions and, in a store, write the table `inconsistencies`."""
    from analysis.datasets.ratings import of_dataset
    from analysis.statistics import contradictions, order_effect, transitivity
    from analysis.statistics.wording import name_sides, part

    label_set = arguments.label_set
    dataset = arguments.open()
    question = dataset.question
    if not question.is_about_pairs:
        why = "shows one text" if question.vote else "has no vote"
        say(f"not defined: the question {question.name} {why}, so no label can contradict that of another pair")
        if dataset.kind == "store":
            _write(Store(dataset.path), pd.DataFrame(columns=contradictions.COLUMNS), dataset, label_set)
        return
    found, called = contradictions.find(dataset), name_sides(question)
    triangles = transitivity.count_triangles(dataset)
    n_broken, n_all = triangles["broken"], triangles["could_break"]
    violate = f"violate transitivity{part(triangles['broken_share'], n_all)}"
    say(f"{n_broken:,} of {quantity(n_all, 'triangle')} with at least two {called.are_yes} {violate}")
    for kind, n in contradictions.count(found).items():
        say(f"{n:>6,} pairs: {contradictions.KINDS[kind]} ({kind})")
    for kind, counts in contradictions.count_equal_texts(dataset).items():
        say(f"{counts['inconsistent']:,} of {counts['pairs']:,} pairs that could violate {kind} do")
    if dataset.kind == "store":
        orders = order_effect.compare(pd.concat([one.counting for one in of_dataset(dataset, label_set)]))
        for line in _describe(orders, called.vote) if orders else ():
            say(line)
        _write(Store(dataset.path), found, dataset, label_set)


def _describe(orders: dict[str, Any], vote: str) -> Iterator[str]:
    """The value of `order_effect.compare` in words."""
    from analysis.statistics.wording import share

    for name, order in (("straight", "in the order of the pair"), ("flipped", "in reverse order")):
        votes = orders[name]
        yield f"{quantity(votes['n'], 'vote')} on the two texts {order}: {share(votes['share'], votes['n'])} for {vote}"
    if orders["difference"] is not None:
        points = {name: f"{100 * orders[name]:+.1f}" for name in ("difference", "low", "high")}
        yield f"difference {points['difference']} percentage points (95 %: {points['low']} to {points['high']})"
    same, other = orders["same_side"], orders["other_side"]
    yield (
        f"two votes on one pair agree in {share(same['share'], same['n'])} of {same['n']:,} cases with the same order, "
        f"in {share(other['share'], other['n'])} of {other['n']:,} with different orders"
    )


def _write(store: Store, found: pd.DataFrame, dataset: Dataset, label_set: LabelSet) -> None:
    manifest = Manifest(
        stage=STAGE,
        config={"campaigns": label_set.campaigns, "method": label_set.method},
        language=dataset.language.code,
        inputs=store.inputs(Pairs, Labels),
        counts={"rows_in": len(dataset)},
    )
    run_stage(store, Inconsistencies, manifest, lambda: Made(rows=found), noun="contradiction")
    say_next("python -m analysis.report", "--store", store.address)


if __name__ == "__main__":
    run(main, prog="python -m analysis.consistency")
