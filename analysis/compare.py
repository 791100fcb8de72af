"""Data sets side by side: python -m analysis.compare DATASETS."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.datasets.ratings import find_random_part, find_simulated, find_simulated_in, read_votes
from data.console.marks import Positional
from data.console.messages import say
from data.console.paths import Address, last_name
from data.contract.vocabulary import CAMPAIGN, MAJORITY
from data.files.spreadsheet_cells import without_formulas
from data.files.whole import write_whole
from data.labelled.dataset import Dataset
from data.labelled.label_set import Campaigns, LabelSet
from data.labelled.sources import open_dataset, read_store
from data.storage.snapshot import Snapshot, parse_moment

Measured = dict[str, tuple[str, Any]]
"""Measures of a data set: name -> how it is shown (count, share, real), and its value, None where it has none."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show the labels, agreement, size and word overlap of data sets side by side."""

    datasets: Positional[tuple[Address, ...]]
    """Stores, releases, PARADE's published files, or files or folders of pairs."""

    campaigns: Campaigns = (CAMPAIGN,)
    """The campaigns whose labels are read from stores."""

    method: str = MAJORITY
    """The method by which the labels were made, in stores."""

    as_of: str | None = None
    """Show each store also as it was at this date or time (ISO, in UTC unless it names another zone)."""

    out: Path | None = None
    """Also write the numbers to this CSV file, one row per data set."""


def main(arguments: Arguments) -> None:
    """Print one row per measure, with a column per data set."""
    sets, notes = {}, {}
    for name, dataset, part, note in _open(arguments):
        sets[name], notes[name] = measure(dataset, part), note
        if note:
            say(f"note: {name}: {note}")
    shown = {name: [_show(*one, found["pairs"][1]) for one in found.values()] for name, found in sets.items()}
    columns = [["", *next(iter(sets.values()))], *([name, *cells] for name, cells in shown.items())]
    widths = [max(map(len, column)) for column in columns]
    for first, *cells in zip(*columns, strict=True):
        right = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        say(f"{first:<{widths[0]}}  {right}")
    if arguments.out:
        rows = [
            {"dataset": name} | {what: value for what, (_, value) in found.items()} | {"note": notes[name]}
            for name, found in sets.items()
        ]
        write_whole(arguments.out, without_formulas(pd.DataFrame(rows)).to_csv(index=False, lineterminator="\n"))
        say(f"written to {arguments.out}")


def measure(dataset: Dataset, part: pd.DataFrame | None) -> Measured:
    """What is compared; `part`: the votes of the random part, where there is one: agreement is measured there."""
    from analysis.statistics import agreement, lexical, transitivity
    from data.measures.ballots import in_random_part

    labels, size = agreement.describe_labels(dataset), lexical.measure_size(dataset)
    agreed = agreement.agree(in_random_part(dataset.frame, part))
    overlap = lexical.describe_overlap(dataset)
    return {
        "pairs": ("count", size["pairs"]),
        "entities, singular and plural as one": ("count", size["canonical_entities"]),
        "definitions or other texts": ("count", size["definitions"]),
        "paraphrases, of the decided pairs": ("share", labels["paraphrase_share"]),
        "undecided pairs": ("count", labels["undecided"]),
        "Fleiss’ κ": ("real", agreed["fleiss_kappa"]),
        "κ with the majority, including one’s own vote": ("real", agreed["kappa_with_majority"]),
        "κ with the majority of the others": ("real", agreed["kappa_with_others"]),
        "pairs that are not unanimous": ("share", agreed["split_pairs"] / agreed["pairs"] if agreed["pairs"] else None),
        "words per text, mean over both sides": (
            "real",
            lexical.measure_lengths(dataset)["slots"]["whitespace"]["mean"],
        ),
        "mean overlap of paraphrases": ("real", overlap["paraphrase"]["mean"]),
        "mean overlap of non-paraphrases": ("real", overlap["non_paraphrase"]["mean"]),
        "AUC of overlap alone": ("real", overlap["auc"]),
        f"paraphrases with an overlap below {overlap['low']}": ("share", overlap["low_paraphrases"]),
        f"non-paraphrases with one from {overlap['high']}": ("share", overlap["high_non_paraphrases"]),
        "pairs that name their entity": ("share", lexical.count_named(dataset)["share"] if size["entities"] else None),
        "triangles that violate transitivity": ("share", transitivity.count_triangles(dataset)["broken_share"]),
        "texts that define several entities": ("count", transitivity.count_shared_definitions(dataset)),
    }


def _show(form: str, value: Any, n_pairs: int) -> str:
    from analysis.statistics import wording

    if form == "count":
        return wording.count(value)
    return wording.share(value, n_pairs) if form == "share" else wording.real(value, of=n_pairs)


def _open(arguments: Arguments) -> Iterator[tuple[str, Dataset, pd.DataFrame | None, str | None]]:
    """Each data set with its name, the votes of its random part, and a warning where ratings are simulated.

    After a store comes what it was at the moment asked.
    """
    label_set = LabelSet(campaigns=arguments.campaigns, method=arguments.method)
    moment = None if arguments.as_of is None else parse_moment(arguments.as_of)
    places = list(dict.fromkeys(arguments.datasets))
    short = list(map(last_name, places))
    for place, own in zip(places, short, strict=True):
        name, dataset = own if short.count(own) == 1 else str(place), open_dataset(place, label_set)
        yield name, dataset, find_random_part(dataset, label_set), find_simulated(dataset, label_set)
        if moment and dataset.kind == "store":
            then = Snapshot(place, moment)
            earlier = read_store(then, label_set)
            part = read_votes(then, label_set, earlier.question).random_part
            yield f"{name}, {arguments.as_of}", earlier, part, find_simulated_in(then, label_set, earlier.plans)


if __name__ == "__main__":
    run(main, prog="python -m analysis.compare")
