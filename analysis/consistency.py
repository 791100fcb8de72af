"""Labels that contradict each other: python -m analysis.consistency DATASET."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import tyro

from analysis.config import LabelSet
from analysis.datasets.sources import Source
from data.console import run, say, say_next
from data.manifest import Manifest
from data.store import Store
from data.tables.labels import Inconsistencies, Labels
from data.tables.pairs import Pairs

STAGE = "analysis.consistency"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Find labels that contradict each other; in a store, keep them for the adjudicators."""

    dataset: tyro.conf.Positional[Path] = field(default_factory=Store.default_path)
    """The folder of a store, of a release, of the published files, or a file or folder of pairs."""

    label_set: LabelSet = field(default_factory=LabelSet)


def main(arguments: Arguments) -> None:
    """Prints what was found, and writes the table `inconsistencies` of a store."""
    from analysis.datasets import sources
    from analysis.datasets.ratings import read_votes
    from analysis.datasets.snapshot import Snapshot
    from analysis.statistics import contradictions, order_effect, transitivity

    label_set = arguments.label_set
    source = sources.open_source(arguments.dataset, label_set)
    found = contradictions.find(source.pairs)
    closed = transitivity.count_triangles(source.pairs)
    share = "" if closed["broken_share"] is None else f" ({closed['broken_share']:.1%})"
    say(f"{closed['broken']:,} of {closed['could_break']:,} triangles with two paraphrases break transitivity{share}")
    for kind, n in contradictions.count(found).items():
        say(f"{n:>6,} pairs: {contradictions.KINDS[kind]} ({kind})")
    for kind, one in contradictions.count_equal_texts(source.pairs).items():
        say(f"{one['inconsistent']:,} of {one['pairs']:,} pairs that could break {kind} do")
    if source.kind == "store":
        seen = order_effect.compare(read_votes(Snapshot(Store(source.path)), label_set))
        for line in _tell(seen) if seen else ():
            say(line)
        _write(Store(source.path), found, source, label_set)


def _tell(found: dict[str, Any]) -> Iterator[str]:
    """What `sides.compare` found, in words."""
    for name, what in (("straight", "as the pair has them"), ("flipped", "the other way round")):
        one = found[name]
        yield f"{one['n']:,} votes saw the two texts {what}: {_percent(one['share'])} for “paraphrase”"
    if found["difference"] is not None:
        points = {name: f"{100 * found[name]:+.1f}" for name in ("difference", "low", "high")}
        yield f"difference {points['difference']} points (95 %: {points['low']} to {points['high']})"
    same, other = found["same_side"], found["other_side"]
    yield (
        f"two votes on one pair agree in {_percent(same['share'])} of {same['n']:,} that saw the same order, "
        f"in {_percent(other['share'])} of {other['n']:,} that did not"
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _write(store: Store, found: pd.DataFrame, source: Source, label_set: LabelSet) -> None:
    manifest = Manifest(
        stage=STAGE,
        config={"campaign": label_set.campaign, "method": label_set.method},
        inputs=store.inputs(Pairs, Labels),
        counts={"rows_in": len(source.pairs), "rows_out": len(found)},
    )
    path = store.path(Inconsistencies)
    if store.is_current(Inconsistencies, manifest):
        say(f"{path} is current")
    else:
        version = store.replace(Inconsistencies, found, manifest)
        say(f"written to {path} (version {version})")
    say_next("python -m analysis.report", "--store", store.root)


if __name__ == "__main__":
    run(main, prog="python -m analysis.consistency")
