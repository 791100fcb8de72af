"""One HTML page of all figures, and the same figures as JSON: python -m analysis.report."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.console.errors import InputError
from data.console.messages import say, say_next
from data.contract.tables.labels import Labels
from data.contract.tables.plans import Campaigns
from data.files.whole import write_whole
from data.labelled.sources import OfDataset
from data.storage.snapshot import Snapshot, parse_moment

if TYPE_CHECKING:
    from analysis.reporting.catalogue import Content


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Show a campaign from its terms to its splits as an HTML page and as JSON, however far it has come."""

    out: Path = Path("report")
    """The folder to write `report.html` and `report.json` to."""

    alignments: tuple[Path, ...] = ()
    """Files that `python -m identification align` wrote: how models read chosen pairs is drawn."""

    as_of: str | None = None
    """Show the tables as they were at this date or time (ISO, in UTC unless it names another zone)."""


def main(arguments: Arguments) -> None:
    """Write the page, the JSON, and the figures as SVG."""
    from analysis.reporting import alignments, catalogue, explorer

    _require_valid(arguments)
    as_of = parse_moment(arguments.as_of) if arguments.as_of else None
    store = None if arguments.dataset else Snapshot(arguments.store, as_of)
    content = _read(arguments, store, as_of)
    values = catalogue.describe(content)
    if arguments.alignments:
        values["alignments"] = alignments.describe(arguments.alignments, content.pairs)
    steps = _list_steps(store, arguments.label_set.campaign) if store else []
    report = catalogue.compose(content, values, steps)
    searched = None
    if len(content.pairs):
        searched = explorer.collect(content.pairs, content.provenance, content.ratings)
    _write(report, searched, arguments.out)
    for notice in report["notices"]:
        say(f"note: {notice}")
    for name, why in report["missing"].items():
        if name not in content.meaningless:
            say(f"missing: {name} ({why})")
    say(f"written to {arguments.out / 'report.html'}, {arguments.out / 'report.json'} and {arguments.out / 'figures'}")
    for place, command in enumerate(steps):
        say_next(command, heading="  or" if place else "next")
    if not (steps or arguments.dataset or arguments.as_of):
        say_next("python -m analysis.release FOLDER --store", arguments.store, *arguments.label_set.flags)


def _read(arguments: Arguments, store: Snapshot | None, as_of: datetime | None) -> "Content":
    from analysis.reporting import from_files, from_store

    if store is None:
        return from_files.read(arguments.open())
    return from_store.read(store, arguments.label_set, as_of)


def _list_steps(store: Snapshot, campaign: str) -> list[str]:
    """What is to be run before the report is complete; nothing where only files are left to write."""
    from data.guidance.next_steps import is_finished, next_steps

    is_known = any(campaign in store.distinct(table, "campaign") for table in (Campaigns, Labels))
    steps = next_steps(store, campaign if is_known else None)
    return [] if is_finished(steps) else [*steps]


def _require_valid(arguments: Arguments) -> None:
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(arguments.out, expected="a folder", found="a file", remedy="give --out a folder")


def _write(report: dict[str, Any], pairs: dict[str, Any] | None, out: Path) -> None:
    """Write each file completely or not at all."""
    from analysis.reporting.figures import as_file
    from analysis.reporting.page import draw, render

    drawings = draw(report)
    contents = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        "report.html": render(report, drawings, pairs),
        **{f"figures/{name}.svg": as_file(svg) for name, svg in drawings.items()},
    }
    for name, content in contents.items():
        write_whole(out / name, content)


if __name__ == "__main__":
    run(main, prog="python -m analysis.report")
