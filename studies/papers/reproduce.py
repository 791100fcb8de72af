"""The papers' tables: `python -m studies.papers.reproduce parade-7 --data parade=FOLDER`.

What is trained or attacked is kept in the folder of work; the same command goes on from there.
"""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.console.errors import Findings, InputError
from data.console.marks import Positional
from data.console.messages import quantity, say
from data.console.parsing import did_you_mean
from data.files.whole import write_whole
from studies.papers import apt, parade, paws, shared_words
from studies.papers.needs import GIVEN, WEIGHTS, miss, read_given
from studies.papers.tables import PaperTable, Place, Row, render

TABLES: Mapping[str, PaperTable] = {
    table.name: table for paper in (parade, paws, apt, shared_words) for table in paper.TABLES
}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Compute a table or figure of one of the four papers again, by the paper's recipe, and show both side by side.

    PARADE (He et al. 2020), PAWS (Zhang et al. 2019), the adversarial paraphrasing task (Nighojkar and Licato 2021),
    shared words (Shi and Huang 2020). Rows that need what is not here are named with what they lack.
    """

    name: Positional[str] = ""
    """The table: see --list."""
    list: bool = False
    """Say of each table what it needs, and what of it is here."""
    data: tuple[str, ...] = ()
    """Folders of data sets, as NAME=FOLDER."""
    weights: tuple[str, ...] = ()
    """Folders of pretrained models, as NAME=FOLDER, and glove=FILE. A model of other sizes than the paper's takes its
    place, and its rows are marked as comparable in form only."""
    rows: tuple[str, ...] = ()
    """These rows alone."""
    work: Path = Path("reproduced")
    """Where finished trainings, drawings and tables are kept."""


def main(arguments: Arguments) -> None:
    """Print the list, or the table; raise InputError where no row of it can be had, Findings where some cannot."""
    data = {name: Path(folder) for name, folder in read_given("--data", arguments.data, GIVEN).items()}
    weights = read_given("--weights", arguments.weights, WEIGHTS)
    lost = [*(str(path) for path in data.values() if not path.exists())]
    if lost:
        raise InputError("--data", expected="folders that are there", found=lost[0], remedy="check the path")
    place = Place(data=data, weights=weights, work=arguments.work.absolute())
    if arguments.list:
        for table in TABLES.values():
            say(describe(table, place))
        return
    if arguments.name not in TABLES:
        remedy = did_you_mean(arguments.name, list(TABLES)) if arguments.name else "see --list"
        raise InputError("the table", expected=", ".join(TABLES), found=repr(arguments.name), remedy=remedy)
    table = TABLES[arguments.name]
    rows = _choose(table, arguments.rows)
    missing = {row.name: parts for row in rows if (parts := list(miss(table, row, place)))}
    here = [row for row in rows if row.name not in missing] if table.find else []
    say(f"{table.name} takes {table.cost}")
    ours = table.find(table, here, place) if table.find and here else {}
    text = render(table, ours, missing)
    write_whole(place.work / f"{table.name}.md", text + "\n")
    say(text)
    for command in table.commands:
        say(f"to get there: {command}")
    if missing and not here:
        remedy = "the lines above name what is missing"
        raise InputError(table.name, expected="what a row needs", found="no row of which all is here", remedy=remedy)
    if missing:
        raise Findings(f"{quantity(len(missing), 'row')} of {len(rows)} could not be had here")


def _choose(table: PaperTable, names: Sequence[str]) -> list[Row]:
    known = {row.name: row for row in table.rows}
    for name in names:
        if name not in known:
            raise InputError("--rows", expected=", ".join(known), found=repr(name), remedy="name rows of the table")
    return [row for row in table.rows if not names or row.name in names]


def describe(table: PaperTable, place: Place) -> str:
    """What the table needs, and what is missing here, in one block."""
    missing = {row.name: list(miss(table, row, place)) for row in table.rows}
    able = sum(not parts for parts in missing.values())
    lines = [f"{table.name}: {table.title.partition(': ')[2]}", f"  takes {table.cost}"]
    if not table.find and not table.people:
        return "\n".join([*lines, "  nothing to compute"])
    parts = dict.fromkeys(part for parts in missing.values() for part in parts)
    lines.append(f"  {able} of {quantity(len(table.rows), 'row')} can be had here")
    return "\n".join([*lines, *(f"  missing: {part}" for part in parts)])


if __name__ == "__main__":
    run(main, prog="python -m studies.papers.reproduce")
