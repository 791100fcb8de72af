"""One HTML page of all figures, and the same figures as JSON: python -m analysis.report."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.config import ReportRule
from analysis.datasets.ratings import find_random_part, read_votes
from data.console.errors import InputError
from data.console.messages import say, say_next
from data.contract.tables.labels import Labels
from data.files.values import read_json
from data.files.whole import write_whole
from data.labelled.label_set import LabelSet
from data.labelled.sources import OfDataset
from data.recorded.plans import find_plan
from data.storage.snapshot import Snapshot, parse_moment

if TYPE_CHECKING:
    from analysis.reporting.content import Content


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Show a campaign from its terms to its splits as an HTML page and as JSON, however far it has come."""

    out: Path = Path("report")
    """The folder to write `report.html` and `report.json` to."""

    compare: str | None = None
    """Compare with another data set (a store, a release, files) or with an earlier day of the same store (ISO date)."""

    beside: tuple[Path, ...] = ()
    """Other data sets whose overlap is drawn beside this one's."""

    baselines: Path | None = None
    """What `python -m analysis.baselines --json FILE` wrote; a store's are read from its tables."""

    alignments: tuple[Path, ...] = ()
    """Files that `python -m identification align` wrote: how models read chosen pairs is drawn."""

    as_of: str | None = None
    """Show the tables as they were at this date or time (ISO, in UTC unless it names another zone)."""

    rule: ReportRule = field(default_factory=ReportRule)


def main(arguments: Arguments) -> None:
    """Write the page, the JSON, and the figures as SVG and CSV."""
    from analysis.reporting import alignments, catalogue, explorer

    _require_valid(arguments)
    given = {"baselines": _read_baselines(arguments.baselines, arguments)} if arguments.baselines else {}
    as_of = parse_moment(arguments.as_of) if arguments.as_of else None
    store = None if arguments.dataset else Snapshot(arguments.store, as_of)
    content = _read(arguments, store, as_of)
    values = catalogue.describe(content, arguments.rule) | given
    values |= _describe_more(values, arguments)
    if arguments.alignments:
        values["alignments"] = alignments.describe(arguments.alignments, content.pairs)
    steps = _list_steps(store, arguments.label_set.campaign) if store else []
    report = catalogue.compose(content, values, steps)
    searched = None
    if len(content.pairs):
        searched = explorer.collect(content.pairs, content.provenance, content.ratings, arguments.rule.seed)
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

    is_known = find_plan(store, campaign) is not None or bool(store.distinct(Labels, "method", campaign=campaign))
    steps = next_steps(store, campaign if is_known else None)
    return [] if is_finished(steps) else [*steps]


def _describe_more(values: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    """The figures that a report has only on request; `values`: those that it has anyway."""
    from analysis.reporting import comparison
    from data.labelled import sources

    more: dict[str, Any] = {}
    if arguments.beside:
        more["beside"] = comparison.set_beside([sources.open_dataset(path, LabelSet()) for path in arguments.beside])
    if arguments.compare:
        rows = comparison.compare(values, _describe_other(arguments.compare, arguments))
        more["comparison"] = {"other": arguments.compare, "rows": rows}
    return more


def _describe_other(other: str, arguments: Arguments) -> dict[str, Any]:
    """The figures of the pairs of another data set, or of an earlier day of the same store."""
    from analysis.reporting import catalogue, from_store
    from data.labelled import sources

    if Path(other).exists() or arguments.dataset:
        label_set = replace(arguments.label_set, scheme=None)
        pairs = sources.open_dataset(Path(other), label_set)
        part = find_random_part(pairs, label_set)
    else:
        then = Snapshot(arguments.store, parse_moment(other, "--compare"))
        label_set = from_store.find_method(then, arguments.label_set)
        from_store.require_names(then, label_set, ("campaign", "method"), f" at {other}")
        pairs = sources.read_store(then, label_set)
        part = read_votes(then, label_set).random_part
    return catalogue.describe_pairs(pairs, arguments.rule, part=part) if len(pairs) else {}


def _read_baselines(path: Path, arguments: Arguments) -> list[dict[str, Any]]:
    expected, remedy = "what `python -m analysis.baselines --json FILE` writes", "write it again"
    content = read_json(path, expected, remedy)
    try:
        rows: list[dict[str, Any]] = content["rows"]
        scheme, _ = content["scheme"], [row["runs"] for row in rows]
    except (KeyError, TypeError) as fault:
        found = f"{type(fault).__name__}: {fault}"
        raise InputError(path, expected=expected, found=found, remedy=remedy) from fault
    if not arguments.dataset and scheme != arguments.label_set.store_scheme:
        raise InputError(
            path,
            expected=f"models trained on the split {arguments.label_set.store_scheme!r}",
            found=f"the split {scheme!r}",
            remedy=f"run `python -m analysis.baselines --scheme {arguments.label_set.store_scheme}` with --json again",
        )
    return rows


def _require_valid(arguments: Arguments) -> None:
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(arguments.out, expected="a folder", found="a file", remedy="give --out a folder")
    if not 0 < arguments.rule.near_overlap <= 1:
        raise InputError(
            "--near-overlap", expected="above 0, at most 1", found=str(arguments.rule.near_overlap), remedy="correct it"
        )


def _write(report: dict[str, Any], pairs: dict[str, Any] | None, out: Path) -> None:
    """Write each file completely or not at all."""
    from analysis.reporting.page import draw, plot, render

    drawings = draw(report)
    contents = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        "report.html": render(report, drawings, pairs),
        **{f"figures/{name}": content for name, content in plot(report, drawings).items()},
    }
    for name, content in contents.items():
        write_whole(out / name, content)


if __name__ == "__main__":
    run(main, prog="python -m analysis.report")
