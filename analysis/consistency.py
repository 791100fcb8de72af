"""Labels that contradict each other: python -m analysis.consistency DATASET."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import tyro

from analysis.config import Chosen
from analysis.sources import Source
from data import schemas
from data.console import run, say, say_next
from data.manifest import Manifest
from data.store import Store

STAGE = "analysis.consistency"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Find labels that contradict each other; in a store, keep them for the adjudicators."""

    dataset: tyro.conf.Positional[Path] = field(default_factory=Store.default_path)
    """The folder of a store, of a release, of the published files, or a file or folder of pairs."""

    chosen: Chosen = field(default_factory=Chosen)


def main(arguments: Arguments) -> None:
    """Prints what was found, and writes the table `inconsistencies` of a store."""
    from analysis import contradictions, sources, triangles

    source = sources.open_source(arguments.dataset, arguments.chosen)
    found = contradictions.find(source.frame)
    closed = triangles.count_triangles(source.frame)
    share = "" if closed["broken_share"] is None else f" ({closed['broken_share']:.1%})"
    say(f"{closed['broken']:,} of {closed['could_break']:,} triangles with two paraphrases break transitivity{share}")
    for kind, n in contradictions.count(found).items():
        say(f"{n:>6,} pairs: {contradictions.KINDS[kind]} ({kind})")
    if source.kind == "store":
        _write(Store(source.path), found, source, arguments.chosen)


def _write(store: Store, found: pd.DataFrame, source: Source, chosen: Chosen) -> None:
    manifest = Manifest(
        stage=STAGE,
        config={"campaign": chosen.campaign, "method": chosen.method},
        inputs=store.inputs(schemas.Pairs, schemas.Labels),
        counts={"rows_in": len(source.frame), "rows_out": len(found)},
    )
    path = store.path(schemas.Inconsistencies)
    if store.is_current(schemas.Inconsistencies, manifest):
        say(f"{path} is current")
    else:
        version = store.replace(schemas.Inconsistencies, found, manifest)
        say(f"written to {path} (version {version})")
    say_next("python -m analysis.report", "--store", store.root)


if __name__ == "__main__":
    run(main, prog="python -m analysis.consistency")
