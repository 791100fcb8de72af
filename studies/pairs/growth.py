"""How proposing pairs grows with its input: `python -m studies.pairs.growth --definitions FILE... --out FOLDER`.

Each FILE is tab-separated with the columns entity and definition, plain or gzip. It becomes a store in its own folder,
on which the command runs as users run it. Memory covers all its processes, shared pages counted once, sampled twice
a second. Every run adds a row to FOLDER/growth.csv, so a figure of many sizes may take several calls; FOLDER/growth.svg
shows all runs.
"""

import csv
import gzip
import resource
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import psutil
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from data.console.commands import run
from data.console.messages import say
from data.contract.tables.definitions import Definitions
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id

SECONDS_BETWEEN_SAMPLES = 0.5


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure seconds, processor seconds and memory of whole runs, by number of definitions."""

    definitions: tuple[Path, ...]
    """Tab-separated files with the columns entity and definition, plain or gzip."""
    out: Path
    """The folder for stores, the figures of all runs and the drawing."""
    flags: tuple[str, ...] = ()
    """More flags of `python -m clustering propose`, as `--flags=--engine=here`."""


def main(arguments: Arguments) -> None:
    """Run on every file, one after the other."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = arguments.out / "growth.csv"
    for path in arguments.definitions:
        row = {"file": path.name, "flags": " ".join(arguments.flags)} | measure(path, arguments)
        say(f"{row['definitions']} definitions: {row['seconds']:.0f} s, {row['cpu_seconds']:.0f} processor s, ")
        say(f"  {row['peak_mb']:.0f} MB; exit code {row['exit_code']}")
        pd.DataFrame([row]).to_csv(table, mode="a", header=not table.exists(), index=False)
    draw(pd.read_csv(table), arguments.out / "growth.svg")
    say(f"all runs written to {table}, the figure to {arguments.out / 'growth.svg'}")


def measure(path: Path, arguments: Arguments) -> dict[str, float]:
    """The size of one file, and the time and memory of a run on it."""
    root = arguments.out / f"store-{path.name}"
    shutil.rmtree(root, ignore_errors=True)
    n_definitions, largest = fill(Store(root), path)
    used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "clustering", "propose", "--store", str(root), *arguments.flags]
    process = psutil.Popen(command)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory(process))
        time.sleep(SECONDS_BETWEEN_SAMPLES)
    seconds, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "definitions": n_definitions,
        "largest_entity": largest,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, 1),
        "peak_mb": round(peak / 2**20),
        "exit_code": process.returncode,
    }


def fill(store: Store, path: Path) -> tuple[int, int]:
    """Write the table `definitions`; return their number and the largest entity's."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        rows = pd.DataFrame(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = rows.rename(columns={"definition": "text"}).assign(n_cards=1, n_sources=1)
    rows["definition_id"] = list(map(definition_id, rows["entity"], rows["text"]))
    rows = rows.drop_duplicates("definition_id")
    rows["n_words"] = rows["text"].str.split().str.len()
    store.replace(Definitions, rows, Manifest(stage="studies.pairs.growth", config={}))
    return len(rows), int(rows["entity"].value_counts().max())


def memory(process: psutil.Process) -> int:
    """Bytes of the process and all its children, shared pages counted once."""
    total = 0
    for running in (process, *_children(process)):
        try:
            total += running.memory_full_info().pss
        except psutil.Error:  # it ended between two samples
            continue
    return total


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Draw seconds, processor seconds and memory by number of definitions, on logarithmic axes: each file's last run.

    Files with a single entity are drawn as squares.
    """
    rows = rows[rows["exit_code"] == 0].drop_duplicates(["file", "flags"], keep="last").sort_values("definitions")
    single = rows["largest_entity"] == rows["definitions"]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasSVG(figure)
    times, space = figure.subplots(1, 2)
    series = ((times, "seconds", "C0"), (times, "cpu_seconds", "C1"), (space, "peak_mb", "C2"))
    for axes, column, colour in series:
        label = column.replace("cpu_", "processor ")
        axes.loglog(rows.loc[~single, "definitions"], rows.loc[~single, column], "o-", color=colour, label=label)
        axes.loglog(rows.loc[single, "definitions"], rows.loc[single, column], "s", color=colour, fillstyle="none")
    times.legend(frameon=False)
    for axes, label in ((times, "seconds (squares: a single entity)"), (space, "peak memory, MB")):
        axes.set_xlabel("definitions")
        axes.set_ylabel(label)
        axes.grid(visible=True, alpha=0.3)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
            axis.set_minor_formatter("")
    figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    run(main, prog="python -m studies.pairs.growth")
