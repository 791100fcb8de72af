"""Label Studio's JSON export as a table; pure."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

COLUMNS = {
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
"""The columns of an export and their types."""


def read_export(content: bytes, emails: Mapping[int, str]) -> pd.DataFrame:
    """One row per annotation in its latest state; columns and types as in COLUMNS.

    `answers`: name of a control -> the chosen values, or the one corrected text. `flags` and `comment` are as on the
    page, and `submitted_at` is the time of the latest change. People are named by e-mail address (`emails`: user
    number -> address; null if unknown).
    """
    rows = [_row(task, annotation, emails) for task in json.loads(content) for annotation in task["annotations"]]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _row(task: Mapping[str, Any], annotation: Mapping[str, Any], emails: Mapping[int, str]) -> dict[str, Any]:
    """One annotation of an export as a row of COLUMNS."""
    answers: dict[str, list[str]] = {"flag": [], "comment": []}
    for region in annotation["result"]:
        value = region.get("value", {})
        answers.setdefault(region.get("from_name"), []).extend(value.get("choices") or value.get("text") or [])
    return {
        "assignment": task["data"].get("assignment"),
        "completed_by": emails.get(annotation["completed_by"]),
        "updated_by": emails.get(annotation["updated_by"]),
        "submitted_at": pd.Timestamp(annotation["updated_at"]),
        "created_at": pd.Timestamp(annotation["created_at"]),
        "skipped": bool(annotation["was_cancelled"]),
        "flags": sorted(answers.pop("flag")),
        "comment": "\n".join(answers.pop("comment")) or None,
        "answers": {name: values for name, values in answers.items() if name and values},
        "seconds": annotation["lead_time"],
    }
