"""Which texts may be published, by what their cards' sources say; pure."""

import re
from collections.abc import Mapping

import pandas as pd

OPEN = re.compile(
    r"\bCC[ -]?0\b|\bCC[ -]BY(-SA|-NC|-NC-SA)?\b|creative commons (attribution|zero)|public domain|\bMIT\b|\bApache\b"
    r"|\bBSD\b|\bGFDL\b|GNU free documentation|verbatim copies|\bODC\b|\bODbL\b",
    re.IGNORECASE,
)
"""Licences that allow passing a text on, even changed, since personal data is masked."""
CLOSED = re.compile(r"\bno open licen[cs]e\b|all rights reserved|none stated|-ND\b|NoDeriv", re.IGNORECASE)

Permissions = Mapping[str, str]
"""Source -> by what right its texts may be published, in the publisher's words."""


def is_open(note: str | None) -> bool:
    """Whether a source's note on its licence allows publishing the text; no note does not."""
    return note is not None and bool(OPEN.search(note)) and not CLOSED.search(note)


def judge(provenance: pd.DataFrame, permissions: Permissions) -> "pd.Series[bool]":
    """Whether the text of each row of provenance (columns source, licence_note) may be published."""
    notes = provenance["licence_note"].astype(object)
    opened = [is_open(None if pd.isna(note) else str(note)) for note in notes]
    return pd.Series(opened, index=provenance.index, dtype="bool") | provenance["source"].isin(list(permissions))


def count_closed(pairs: pd.DataFrame, provenance: pd.DataFrame, permissions: Permissions) -> dict[str, int]:
    """How many pairs have a definition that may not be published, by the definition's sources and their notes.

    `provenance`: definition_id, source, licence_note; a definition may be published if one of its cards
    may.
    """
    rows = provenance.assign(allowed=judge(provenance, permissions))
    allowed = set(rows.loc[rows["allowed"], "definition_id"])
    sides = [
        pairs[["pair_id", f"{side}_id"]].set_axis(["pair_id", "definition_id"], axis="columns")
        for side in ("first", "second")
    ]
    ends = pd.concat(sides)
    closed = ends[~ends["definition_id"].isin(allowed)].merge(rows, on="definition_id", how="left")
    notes = closed["source"].fillna("unknown source") + ": " + closed["licence_note"].fillna("no note on a licence")
    return {str(note): int(n) for note, n in closed.groupby(notes)["pair_id"].nunique().items()}
