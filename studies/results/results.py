"""The tables of docs/results.md:
`python -m studies.results.results --bench FILE.toml... --runs DIR --page docs/results.md`.

Judges what `identification bench` trained (DIR/DATASET/MODEL/SEED) as `analysis.models` does, and writes the papers'
figures beside ours between the two marks of the page. A row that nothing was trained for says what it needs.
"""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis import models
from analysis.config import ScoringRule
from data.console.commands import run
from data.console.errors import InputError
from data.console.messages import say
from data.files.whole import write_whole
from identification.commands.bench import read_cells

PUBLISHED = Path(__file__).with_name("published.toml")
MARKS = "<!-- the bench's tables -->", "<!-- the end of the bench's tables -->"
FLOOR = "overlap features"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write the bench's figures beside the papers'."""

    bench: tuple[Path, ...]
    """The files of the bench."""
    runs: Path
    """The bench's folder."""
    page: Path = Path("docs/results.md")
    """The page with the two marks."""
    resamples: int = 1000
    """Bootstrap samples of groups for the intervals."""


def main(arguments: Arguments) -> None:
    """Rewrite the page between the marks."""
    text = arguments.page.read_text(encoding="utf-8")
    if not all(text.count(mark) == 1 for mark in MARKS):
        raise InputError(arguments.page, expected=" and ".join(MARKS), found="not both", remedy="put them in")
    cells = {(cell.dataset, cell.model): cell for file in arguments.bench for cell in read_cells(file)}
    paths = {cell.dataset: cell.words[cell.words.index("--dataset") + 1] for cell in cells.values()}
    judged = {
        name: _judge(Path(path), arguments.runs / name, arguments.resamples)
        for name, path in paths.items()
        if any((arguments.runs / name).rglob("run.json"))
    }
    commands = {key: " ".join(cell.words[: cell.words.index("--dataset")]) for key, cell in cells.items()}
    before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    tables = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["tables"]
    parts = [render(table, judged.get(table["dataset"])) for table in tables]
    parts += [render_costs(name, facts, commands) for name, facts in judged.items()]
    write_whole(arguments.page, before + MARKS[0] + "\n\n" + "\n\n".join(parts) + "\n\n" + MARKS[1] + after)
    say(f"{sum(len(facts['models']) for facts in judged.values())} models in {arguments.page}")


def _judge(dataset: Path, folder: Path, resamples: int) -> dict[str, Any]:
    out = folder.with_name(f"{folder.name}-page")
    models.main(models.Arguments(dataset=dataset, runs=(folder,), out=out, judge=ScoringRule(resamples=resamples)))
    judged: dict[str, Any] = json.loads((out / "models.json").read_text(encoding="utf-8"))
    return judged


def render(table: dict[str, Any], judged: dict[str, Any] | None) -> str:
    """The papers' table with ours beside it."""
    columns, known = table["columns"], {model["name"]: model for model in judged["models"]} if judged else {}
    compared = any(row["ours"] in known for row in table["rows"])
    head = ["", *(f"printed: {name}" for name in columns), *([f"ours: {name}" for name in columns] if compared else [])]
    rows = [[*head, "ours is" if compared else "needs"], ["---"] * (len(head) + 1)]
    for row in table["rows"]:
        model = known.get(row["ours"])
        printed = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in row["printed"]]
        cells = [row["name"], *(printed or ["–"] * len(columns))]
        if compared:
            cells += [_cell(model, table["rule"], name) if model else "–" for name in columns]
        rows.append([*cells, _describe(model) if model else f"needs {row['needs']}" if compared else row["needs"]])
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([f"### {table['title']}", "", *([table["about"], ""] if table["about"] else []), *lines])


def _describe(model: dict[str, Any]) -> str:
    n = len(model["seeds"])
    return f"`{model['name']}`" + (f", {n} seeds" if n > 1 else "")


def _cell(model: dict[str, Any], rule: str, name: str) -> str:
    """The figure with its interval and its spread over seeds."""
    if name == "pr_auc":
        return f"{model['calibration'][name]:.3f}"
    figure = model[rule][name]
    interval = "" if figure["low"] is None else f" [{figure['low']:.3f}, {figure['high']:.3f}]"
    return f"{figure['value']:.3f}{interval}" + ("" if figure["spread"] is None else f" ± {figure['spread']:.3f}")


def render_costs(name: str, judged: dict[str, Any], commands: dict[tuple[str, str], str]) -> str:
    """What was trained on the data set: command, seeds, AUC, the threshold's F1, the lead over the floor, cost."""
    lines = [
        f"### Trained here on {name}",
        "",
        f"{judged['n']:,} test pairs; F1 at the threshold chosen on validation; the lead over `{FLOOR}` is paired.",
        "",
        "| model | `train` … | seeds | ROC-AUC | F1, tuned | lead in AUC | lead in F1 | seconds | MiB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    leads = {row["second"]: row for row in judged["leads"]["stored"] if row["first"] == FLOOR}
    for model in judged["models"]:
        command, seeds = commands.get((name, model["name"])), " ".join(map(str, model["seeds"]))
        cells = [f"`{model['name']}`", f"`{command}`" if command else "–", seeds if command else "–"]
        cells += [_cell(model, "stored", "auc"), _cell(model, "stored", "f1")]
        cells += [_lead(leads.get(model["name"]), measure) for measure in ("auc", "f1")]
        cells += [f"{model[cost]:,.0f}" if model[cost] is not None else "–" for cost in ("seconds", "memory_mb")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, *_ceiling(judged["ceiling"])])


def _lead(row: dict[str, Any] | None, measure: str) -> str:
    if row is None:
        return "–"
    lead = row[measure]
    return f"{-lead['value']:+.3f} [{-lead['high']:+.3f}, {-lead['low']:+.3f}]"


def _ceiling(ceiling: dict[str, Any] | None) -> Iterator[str]:
    if ceiling:
        cells = (
            f"{title} {ceiling[name]['value']:.3f} [{ceiling[name]['low']:.3f}, {ceiling[name]['high']:.3f}]"
            for name, title in (("accuracy", "accuracy"), ("f1", "F1"), ("auc", "ROC-AUC"))
        )
        yield from ("", f"The ceiling that the raters' noise sets on these pairs: {', '.join(cells)}.")


if __name__ == "__main__":
    run(main, prog="python -m studies.results.results")
