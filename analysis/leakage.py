"""What the splits of a data set share and should not: python -m analysis.leakage; exit code 1 if they leak."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from data.console.errors import Findings
from data.console.messages import progress, quantity, say
from data.contract.tables.generated import PairMeasures
from data.contract.vocabulary import SPLITS
from data.files.whole import write_whole
from data.guidance.next_steps import say_steps_of
from data.labelled.sources import OfDataset
from data.models import sentence_models
from data.storage.store import Store

if TYPE_CHECKING:
    from data.labelled.dataset import Dataset

NO_MEASURES = pd.DataFrame(columns=["pair_id", "measure", "value", "model_sha256"])


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Compare the splits of a store, a release, the published files or any files of pairs.

    Rules count what two splits share; an audit by nearest neighbours, independent of the rules, lists suspects.
    """

    json: Path | None = None
    """Also write all results to this file."""

    suspects: int = 20
    """The number of suspects of each kind to list; 0 skips the audit."""

    shortcuts: bool = False
    """Also measure how well one signal alone tells the label (the same words, their cosine, lengths, the language
    model's scores, either text without the other), for pairs that are made to need both; exit code 1 for an AUC above
    0.55 that is no chance."""

    encoder: str | None = None
    """Find neighbours with a sentence model (`minilm`, a folder or a name) instead of TF-IDF; needs `make models`."""


def main(arguments: Arguments) -> None:
    """Print the comparison; raise Findings if the splits leak."""
    from analysis.splitting import leaks, neighbours
    from analysis.splitting.growth import describe_growth
    from data.labelled import sources

    dataset = sources.need_splits(arguments.open())
    comparisons = leaks.compare_splits(dataset)
    encode = (
        sentence_models.encoder(arguments.encoder, "--encoder", progress)
        if arguments.encoder
        else neighbours.encode_tfidf
    )
    suspects = neighbours.audit(dataset, arguments.suspects, encode)
    for split in SPLITS:
        if not len(dataset.in_split(split)):
            say(f"note: no pair is in {split}")
    _show(comparisons, suspects)
    pairs = dataset
    if grown := describe_growth(pairs.frame, pairs.groups, pairs.synonyms, pairs.language):
        say(grown)
    shortcuts = _find_shortcuts(dataset) if arguments.shortcuts else []
    if arguments.json:
        _write(arguments.json, {
            "format": "parade-leakage/1",
            "dataset": str(arguments.place),
            "scheme": dataset.scheme,
            "tables": dataset.versions,
            "kinds": leaks.KINDS,
            "clean": leaks.is_clean(comparisons),
            "comparisons": comparisons,
            "suspects": suspects.to_dict("records"),
            "shortcuts": shortcuts,
        })  # fmt: skip
    touched = {row["split"]: row["pairs_touched"] for row in comparisons}
    if not leaks.is_clean(comparisons):
        affected = ", ".join(f"{quantity(n, 'pair')} of {split}" for split, n in touched.items() if n)
        raise Findings(f"the scheme {dataset.scheme!r} leaks: {affected} share something with an earlier split")
    say(f"no leak in the scheme {dataset.scheme!r}")
    if above := [row["name"] for row in shortcuts if row["is_above"] and not row["is_finding"]]:
        say(f"note: so few pairs may give an AUC above 0.55 by chance ({', '.join(above)}): label more to know")
    if found := [f"{row['name']} {row['auc']:.3f}" for row in shortcuts if row["is_finding"]]:
        raise Findings(f"one signal alone tells the label, by AUC: {', '.join(found)}; balance the pairs")
    say_steps_of(arguments)


def _find_shortcuts(dataset: "Dataset") -> list[dict[str, Any]]:
    """Measure and print what one signal alone tells."""
    from analysis.evaluation.shortcuts import HARDNESS, SIGNALS, find_shortcuts

    measures = Store(dataset.path).read(PairMeasures) if dataset.kind == "store" else NO_MEASURES
    rows = find_shortcuts(dataset, measures)
    what = SIGNALS | HARDNESS
    for row in rows:
        figures = "not defined" if row["auc"] is None else f"{row['auc']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        say(f"AUC of {row['name']}: {figures}, {quantity(row['n'], 'pair')}: {what[row['name']]}")
    return rows


def _show(comparisons: list[dict[str, Any]], suspects: pd.DataFrame) -> None:
    from analysis.splitting import leaks

    for row in comparisons:
        say(f"{row['split']} against {' and '.join(row['against'])}: {quantity(row['pairs_touched'], 'pair')} affected")
        for kind, what in leaks.KINDS.items():
            if row[kind]:
                pairs = row.get(f"pairs_by_{kind}")
                say(f"  {row[kind]:>5,} {what}" + ("" if pairs is None else f": {quantity(pairs, 'pair')}"))
    say(f"audit: {quantity(len(suspects), 'suspect')} to check (each with the nearest text of an earlier split)")
    for suspect in suspects.to_dict("records"):
        say(f"  {suspect['cosine']:.3f} {suspect['kind']} {suspect['split']} «{suspect['text']}»")
        say(f"        {suspect['nearest_split']} «{suspect['nearest']}»")


def _write(path: Path, content: dict[str, Any]) -> None:
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    say(f"written to {path}")


if __name__ == "__main__":
    run(main, prog="python -m analysis.leakage")
