"""Label Studio's annotations as a table; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

COLUMNS = {
    "project": "int64",
    "assignment": "string",
    "completed_by": "string",
    "updated_by": "string",
    "submitted_at": "datetime64[us, UTC]",
    "created_at": "datetime64[us, UTC]",
    "skipped": "bool",
    "answers": "object",
    "flags": "object",
    "comment": "string",
    "seconds": "Float64",
}
"""The columns of annotations and their types."""


def read_annotations(annotations: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per annotation in its latest state; columns and types as in COLUMNS.

    `answers`: name of a control -> the chosen values, or the one corrected text. `flags` and `comment` are as on the
    page, and `submitted_at` is the time of the latest change. People are named by e-mail address (null if unknown).
    Half an emoji, which an older gate let pass, becomes a replacement character.
    """
    return pd.DataFrame(map(_row, annotations), columns=list(COLUMNS)).astype(COLUMNS)


def _row(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """One annotation as the gate sends it, as a row of COLUMNS."""
    answers: dict[str, list[str]] = {"flag": [], "comment": []}
    for region in annotation["result"]:
        value = region.get("value", {})
        words = map(_storable, value.get("choices") or value.get("text") or [])
        answers.setdefault(region.get("from_name"), []).extend(words)
    return {
        "project": annotation["project_id"],
        "assignment": annotation["assignment"],
        "completed_by": annotation["by"] and annotation["by"].lower(),
        "updated_by": annotation["last_by"] and annotation["last_by"].lower(),
        "submitted_at": pd.Timestamp(annotation["updated_at"]),
        "created_at": pd.Timestamp(annotation["created_at"]),
        "skipped": bool(annotation["was_cancelled"]),
        "flags": sorted(answers.pop("flag")),
        "comment": "\n".join(answers.pop("comment")) or None,
        "answers": {name: values for name, values in answers.items() if name and values},
        "seconds": annotation["lead_time"],
    }


def _storable(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
