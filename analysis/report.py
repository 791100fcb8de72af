"""One HTML page of all figures, and the same figures as JSON: python -m analysis.report."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.config import CAMPAIGN, METHOD, SCHEME, ReportRule
from data.console import run, say, say_next
from data.errors import InputError
from data.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show a campaign, from the terms to the splits, as an HTML page and as JSON; works however far it has come."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    out: Path = Path("report")
    """The folder to write `report.html` and `report.json` to."""

    released: Path | None = None
    """Show the published PARADE files of this folder instead of a store."""

    campaign: str = CAMPAIGN
    """Whose labels are shown."""

    method: str = METHOD
    """The labels' method."""

    scheme: str = SCHEME
    """The split's name (`python -m analysis.splits` makes it)."""

    as_of: str | None = None
    """Show the tables as they stood at this date or time (ISO, UTC unless it says otherwise)."""

    rule: ReportRule = field(default_factory=ReportRule)


def main(arguments: Arguments) -> None:
    """Writes the page and the JSON."""
    report = _gather(arguments)
    _write(report, arguments.out)
    for notice in report["notices"]:
        say(f"note: {notice}")
    for name, why in report["missing"].items():
        say(f"missing: {name} ({why})")
    say(f"written to {arguments.out / 'report.html'} and {arguments.out / 'report.json'}")
    for command in report["next"]:
        say_next(command)


def _gather(arguments: Arguments) -> dict[str, Any]:
    from analysis import gather
    from analysis.flow import Question
    from analysis.snapshot import Snapshot, parse_moment

    _check(arguments)
    if arguments.released:
        return gather.from_released(arguments.released, arguments.rule)
    as_of = parse_moment(arguments.as_of) if arguments.as_of else None
    asked = Question(campaign=arguments.campaign, method=arguments.method, scheme=arguments.scheme)
    return gather.from_store(Snapshot(Store(arguments.store), as_of), asked, arguments.rule, as_of)


def _check(arguments: Arguments) -> None:
    if arguments.out.exists() and not arguments.out.is_dir():
        raise InputError(arguments.out, expected="a folder", found="a file", remedy="name a folder with --out")
    if not 0 < arguments.rule.near_overlap <= 1:
        raise InputError(
            "--near-overlap", expected="above 0, at most 1", found=str(arguments.rule.near_overlap), remedy="mend it"
        )


def _write(report: dict[str, Any], out: Path) -> None:
    """Writes both files whole or not at all."""
    from analysis.page import render

    contents = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        "report.html": render(report),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        unfinished = out / f"{name}.part"
        unfinished.write_text(content, encoding="utf-8")
        unfinished.replace(out / name)


if __name__ == "__main__":
    run(main, prog="python -m analysis.report")
