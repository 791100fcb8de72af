"""Label Studio's JSON export as rows; pure."""

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
    "score": "string",
    "flags": "object",
    "comment": "string",
    "seconds": "Float64",
}
"""Of an export's rows."""


def read_export(content: bytes, emails: Mapping[int, str]) -> pd.DataFrame:
    """One row per annotation in its latest state; columns and types as in COLUMNS.

    `score` is the text of the choice ("0" to "3" on our page) or null, `flags` and `comment` as on the page,
    `submitted_at` the time of the latest change; who is named by e-mail (`emails`: by user's number; null if unknown).
    """
    rows = [_row(task, one, emails) for task in json.loads(content) for one in task["annotations"]]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _row(task: Mapping[str, Any], annotation: Mapping[str, Any], emails: Mapping[int, str]) -> dict[str, Any]:
    """One annotation of an export as a row of COLUMNS."""
    given: dict[str, list[str]] = {"score": [], "flag": [], "comment": []}
    for part in annotation["result"]:
        value = part.get("value", {})
        given.setdefault(part.get("from_name"), []).extend(value.get("choices") or value.get("text") or [])
    return {
        "assignment": task["data"].get("assignment"),
        "completed_by": emails.get(annotation["completed_by"]),
        "updated_by": emails.get(annotation["updated_by"]),
        "submitted_at": pd.Timestamp(annotation["updated_at"]),
        "created_at": pd.Timestamp(annotation["created_at"]),
        "skipped": bool(annotation["was_cancelled"]),
        "score": " ".join(given["score"]) or None,
        "flags": sorted(given["flag"]),
        "comment": "\n".join(given["comment"]) or None,
        "seconds": annotation["lead_time"],
    }
