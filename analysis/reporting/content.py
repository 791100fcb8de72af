"""What a report holds, from wherever it comes."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.reporting import catalogue, explorer
from data import similarity

SIMULATED = (
    "Simulated labels: {n:,} of {all:,} ratings were made by {people}. "
    "They show that the pipeline works; nothing here says what experts think."
)


@dataclass(kw_only=True)
class Gathered:
    """Everything that a report shows, before it is put together."""

    values: dict[str, Any]
    """The figures by name."""
    missing: dict[str, str]
    head: dict[str, Any]
    notices: list[str]
    frame: pd.DataFrame
    """The pairs, in the form of `data.labelled.frame`."""
    provenance: pd.DataFrame | None

    def add(self, name: str, value: Any) -> None:
        """Adds a figure that was asked for."""
        self.values[name] = value
        self.missing.pop(name, None)

    def report(self) -> dict[str, Any]:
        """The report (see `analysis.reporting.catalogue`)."""
        return catalogue.compose(self.values, self.missing, self.head, self.notices)

    def explorer(self) -> dict[str, Any]:
        """What the page's search reads (see `analysis.reporting.explorer`)."""
        frame = self.frame
        overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
        return explorer.collect(frame, overlap, self.provenance)


def warn(simulated: pd.DataFrame, ratings: pd.DataFrame) -> str | None:
    """What to say at the top where some of the ratings are simulated; None where none is."""
    if simulated.empty:
        return None
    n = simulated["annotator"].nunique()
    people = f"{n:,} simulated annotator{'s' if n > 1 else ''}"
    return SIMULATED.format(n=len(simulated), all=len(ratings), people=people)


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain objects; null is None."""
    plain = rows.astype(object)
    return [dict(zip(plain.columns, row, strict=True)) for row in plain.where(plain.notna(), None).to_numpy().tolist()]


def count_scores(labels: pd.DataFrame) -> list[int] | None:
    """How many ratings that count gave the scores 0, 1, 2, 3; None without labels."""
    return [sum(column) for column in zip(*labels["scores"], strict=True)] if len(labels) else None
