"""How models read chosen pairs, as a figure of the report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import TableError
from data.grouping.entities import ENTITIES, Names, name_pair
from data.labelled.dataset import Dataset
from data.models import alignments
from data.models.alignments import Alignment

PARTNERS = 5
"""Word pairs, or words, that the text beside a drawing names."""


def describe(paths: Sequence[Path], pairs: Dataset) -> list[dict[str, Any]]:
    """Each pair of the files that `identification align` wrote, in their order.

    model, pair_id, entity and label (null: none) by the data set, score, first, second (the words read), cells or
    effects (see `data.models.alignments.Alignment`), strongest: the largest of them, as text. Raises TableError for a
    pair that the data set does not have.
    """
    known = pairs.frame.drop_duplicates("pair_id").set_index("pair_id")
    return [
        {
            "model": model,
            **_look_up(alignment, known, pairs.names, path),
            **vars(alignment),
            "strongest": _name_strongest(alignment),
        }
        for path in paths
        for model, read in [alignments.read(path)]
        for alignment in read
    ]


def _look_up(alignment: Alignment, known: pd.DataFrame, names: Names, path: Path) -> dict[str, Any]:
    if alignment.pair_id not in known.index:
        raise TableError(
            path,
            expected="pairs of the data set that is shown",
            found=f"the pair {alignment.pair_id}",
            remedy="run `python -m identification align` with this data set",
        )
    row = known.loc[alignment.pair_id]
    return {
        "entity": name_pair(*row[ENTITIES], names=names),
        "label": None if pd.isna(row["binary"]) else int(row["binary"]),
    }


def _name_strongest(alignment: Alignment) -> str:
    """The different words that belong together most, or the words that move the score most."""
    if alignment.cells is not None:
        together = [
            (value, f"{one} – {other}")
            for one, row in zip(alignment.first, alignment.cells, strict=True)
            for other, value in zip(alignment.second, row, strict=True)
            if one != other
        ]
    else:
        together = [
            (value, word)
            for words, values in zip((alignment.first, alignment.second), alignment.effects or (), strict=True)
            for word, value in zip(words, values, strict=True)
            if value is not None
        ]
    largest = sorted(together, key=lambda pair: -abs(pair[0]))[:PARTNERS]
    sign = "" if alignment.cells is not None else "+"
    return "; ".join(f"{name} {value:{sign}.3f}" for value, name in largest)
