"""What a table of a paper is: its printed figures, what each row needs, and how a row is found here; pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.console.messages import figure

Figure = Mapping[str, Any] | float | None
"""Of ours: a number, or one with its 95 % interval as `value`, `low` and `high`; None where it is not defined."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table."""

    name: str
    printed: tuple[float | None, ...]
    """As the paper prints them, one for each column."""
    data: tuple[str, ...] = ()
    """The data sets (names of `needs.SETS`) that the row is counted on, learns from or is tested on."""
    weights: tuple[str, ...] = ()
    """Weights (names of `needs.WEIGHTS`) that the row needs."""
    model: str = ""
    """Of a trained row: the name for `identification train`; cross-encoder:NAME names weights."""
    learns: tuple[str, ...] = ()
    """Of a trained row: the data sets whose training pairs it learns from."""
    start: tuple[str, ...] = ()
    """The data sets that the same model learns from first, before it goes on with `learns`."""
    pairs: int | None = None
    """Of the last data set of `learns`, this many training pairs alone; all if none."""
    hardened: bool = False
    """Whether the model is then trained against the attack."""

    def needs_data(self) -> tuple[str, ...]:
        """All data sets of the row, each once."""
        return tuple(dict.fromkeys([*self.data, *self.start, *self.learns]))

    def needs_weights(self) -> tuple[str, ...]:
        """All weights of the row."""
        kind, _, name = self.model.partition(":")
        own = (name,) if kind == "cross-encoder" else ()
        return tuple(dict.fromkeys([*own, *self.weights]))


@dataclass(frozen=True, kw_only=True)
class Ours:
    """What was found here for one row."""

    figures: tuple[Figure, ...]
    """One for each column, in the paper's unit."""
    what: str
    """What the figures are of."""
    marks: tuple[str, ...] = ()
    """In what they differ from the paper's; with any, they are comparable in form only."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """What is at hand."""

    data: Mapping[str, Path]
    weights: Mapping[str, str]
    work: Path
    """The folder where finished cells are kept."""


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table or figure of a paper."""

    name: str
    """What is typed."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    cost: str = "seconds"
    """Hours, memory and machine. An estimate where it was not measured."""
    people: str = ""
    """Whose judgements the table needs, and for what; nothing where no one is asked."""
    commands: tuple[str, ...] = ()
    """How to come to the judgements."""
    about: str = ""
    """What a reader must know to compare."""
    find: Callable[["PaperTable", Sequence[Row], Place], Mapping[str, Ours]] | None = None
    """The rows that can be had here -> ours by the row's name; none where people have to judge."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of trained rows: flags of `train` beside --recipe paper, by model; "" for all."""
    tests: tuple[tuple[str, str], ...] = ()
    """Of trained rows, for each column: the data set whose test pairs are judged, "" for the row's, and the measure."""
    scale: float = 1.0
    """What a share is multiplied by in the paper's unit: 100 for per cent."""

    def __post_init__(self) -> None:
        """Raise ValueError where a row has another number of figures than the table has columns."""
        wrong = [row.name for row in self.rows if len(row.printed) != len(self.columns)]
        if wrong or (self.tests and len(self.tests) != len(self.columns)):
            raise ValueError(f"{self.name}: not a figure for each column: {', '.join(wrong)}")


def render(table: PaperTable, ours: Mapping[str, Ours], missing: Mapping[str, Sequence[str]]) -> str:
    """The paper's figures beside ours, as a Markdown table, and a line for each row that cannot be had here."""
    digits = 1 if table.scale == 100 else 3
    heads = ["", *(f"printed: {name}" for name in table.columns)]
    heads += [*(f"ours: {name}" for name in table.columns), "ours is"] if ours else []
    lines = [f"{table.title}", "", _line(heads), _line(["---"] * len(heads))]
    for row in table.rows:
        cells = [row.name, *(_plain(value) for value in row.printed)]
        if ours:
            found = ours.get(row.name)
            figures = [_cell(value, digits) for value in found.figures] if found else ["–"] * len(table.columns)
            cells += [*figures, _tell(found) if found else "not here"]
        lines.append(_line(cells))
    if ours:
        lines += ["", "in brackets: 95 % intervals, from drawing whole groups of pairs unless said otherwise"]
    if table.about:
        lines += ["", table.about]
    lines += [f"not here: {names}: {'; '.join(parts)}" for parts, names in _group(missing).items()]
    return "\n".join(lines)


def _group(missing: Mapping[str, Sequence[str]]) -> Mapping[tuple[str, ...], str]:
    """What is missing -> the rows that miss it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name, parts in missing.items():
        rows.setdefault(tuple(parts), []).append(name)
    every = len(rows) == 1
    return {parts: "every row" if every and len(names) > 1 else ", ".join(names) for parts, names in rows.items()}


def _tell(ours: Ours) -> str:
    marks = f" (comparable in form only: {'; '.join(ours.marks)})" if ours.marks else ""
    return ours.what + marks


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


def _cell(value: Figure, digits: int) -> str:
    if isinstance(value, Mapping):
        limits = f" [{figure(value['low'], digits)}, {figure(value['high'], digits)}]"
        return figure(value["value"], digits) + (limits if value["low"] is not None else "")
    return f"{value:,}" if isinstance(value, int) else figure(value, digits)
