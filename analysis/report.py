"""One HTML page of all figures, and the same figures as JSON: python -m analysis.report."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from analysis.config import LabelSet, ReportRule
from data.console import run, say, say_next
from data.errors import InputError
from data.files import write_whole
from data.store import Store

if TYPE_CHECKING:
    from analysis.reporting.content import Gathered


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show a campaign, from the terms to the splits, as an HTML page and as JSON; works however far it has come."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    out: Path = Path("report")
    """The folder to write `report.html` and `report.json` to."""

    dataset: Annotated[Path | None, tyro.conf.arg(aliases=["--released"])] = None
    """Show this data set instead of a store: a release, the folder of the published PARADE files, or any files of
    pairs. `--released` is its former name."""

    compare: str | None = None
    """Set another data set beside this one: a store, a release, files, or an earlier day of the same store (ISO)."""

    beside: tuple[Path, ...] = ()
    """Other data sets whose overlap is drawn in one figure with this one's."""

    baselines: Path | None = None
    """What `python -m analysis.baselines DATASET --json FILE` wrote; a store's own are found in `predictions`."""

    as_of: str | None = None
    """Show the tables as they stood at this date or time (ISO, UTC unless it says otherwise)."""

    label_set: LabelSet = field(default_factory=LabelSet)
    rule: ReportRule = field(default_factory=ReportRule)


def main(arguments: Arguments) -> None:
    """Writes the page, the JSON, and the figures as SVG and CSV."""
    gathered = _gather(arguments)
    _add_more(gathered, arguments)
    report = gathered.report()
    _write(report, gathered.explorer() if len(gathered.frame) else None, arguments.out)
    for notice in report["notices"]:
        say(f"note: {notice}")
    for name, why in report["missing"].items():
        say(f"missing: {name} ({why})")
    say(f"written to {arguments.out / 'report.html'}, {arguments.out / 'report.json'} and {arguments.out / 'figures'}")
    for command in report["next"]:
        say_next(command)


def _gather(arguments: Arguments) -> "Gathered":
    from analysis.datasets import sources
    from analysis.datasets.snapshot import Snapshot, parse_moment
    from analysis.reporting import from_files, from_store

    _check(arguments)
    if arguments.dataset:
        return from_files.from_source(sources.open_source(arguments.dataset, arguments.label_set), arguments.rule)
    as_of = parse_moment(arguments.as_of) if arguments.as_of else None
    snapshot = Snapshot(Store(arguments.store), as_of)
    return from_store.from_store(snapshot, arguments.label_set, arguments.rule, as_of)


def _add_more(gathered: "Gathered", arguments: Arguments) -> None:
    """The figures that were asked for besides."""
    from analysis.datasets import sources
    from analysis.reporting import comparison, from_files

    if arguments.baselines:
        gathered.add("baselines", _read_baselines(arguments.baselines, arguments))
    if arguments.beside:
        gathered.add(
            "beside", from_files.set_beside([sources.open_source(path, LabelSet()) for path in arguments.beside])
        )
    if arguments.compare:
        rows = comparison.compare(gathered.values, _other(arguments))
        gathered.add("comparison", {"other": arguments.compare, "rows": rows})


def _other(arguments: Arguments) -> dict[str, Any]:
    """The figures of the data set to compare with."""
    from analysis.datasets import sources
    from analysis.reporting import catalogue

    path = Path(str(arguments.compare))
    if path.exists() or arguments.dataset:
        other = sources.open_source(path, replace(arguments.label_set, scheme=None))
        return catalogue.describe(other.frame, arguments.rule, other.synonyms)
    return _gather(replace(arguments, as_of=arguments.compare, compare=None)).values


def _read_baselines(path: Path, arguments: Arguments) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows: list[dict[str, Any]] = content["rows"]
        scheme = content["scheme"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            path,
            expected="what `python -m analysis.baselines DATASET --json FILE` writes",
            found=f"{type(fault).__name__}: {fault}",
            remedy="write it again",
        ) from fault
    if not arguments.dataset and scheme != arguments.label_set.store_scheme:
        raise InputError(
            path,
            expected=f"models trained on the split {arguments.label_set.store_scheme!r}",
            found=f"the split {scheme!r}",
            remedy=f"run `python -m analysis.baselines --scheme {arguments.label_set.store_scheme}` with --json again",
        )
    return rows


def _check(arguments: Arguments) -> None:
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(arguments.out, expected="a folder", found="a file", remedy="name a folder with --out")
    if not 0 < arguments.rule.near_overlap <= 1:
        raise InputError(
            "--near-overlap", expected="above 0, at most 1", found=str(arguments.rule.near_overlap), remedy="mend it"
        )


def _write(report: dict[str, Any], pairs: dict[str, Any] | None, out: Path) -> None:
    """Writes each file whole or not at all."""
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
