"""Which of the annotations that came in become ratings, and why the others do not; pure."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.review import INFORMED
from annotation.votes import SCORES
from data import schemas
from data.errors import TableError

UNKNOWN_ASSIGNMENT = "unknown_assignment"
FOREIGN_ASSIGNMENT = "foreign_assignment"
FOREIGN_SIGNATURE = "foreign_signature"
OUTSIDE_SCALE = "score_outside_scale"
UNKNOWN_FLAG = "unknown_flag"
EMPTY = "empty_rating"
NO_REASON = "no_reason"

RATING = ["assignment_id", "submitted_at", "score", "flags", "comment", "seconds", "skipped"]


def accept(collected: pd.DataFrame, assignments: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ratings among a server's annotations, and the rejects (id, reason, detail): every row is in one of the two.

    `collected`: the client's columns and, of the project each came from, `round`, `annotator` and `email`. Who rated
    is who the project belongs to; an annotation that somebody else made or changed is refused, and with it
    whatever stands in it now (an earlier state that was collected in time stays). A senior's second look needs a
    reason (the comment), whatever the page let pass.
    """
    asked = assignments.set_index("assignment_id")[["round", "annotator", "kind"]].reindex(collected["assignment"])
    owners = asked[["round", "annotator"]]
    same = owners.reset_index(drop=True).eq(collected[["round", "annotator"]].reset_index(drop=True))
    scores = pd.to_numeric(collected["score"], errors="coerce")
    has_score, has_flag = collected["score"].notna(), collected["flags"].map(len) > 0
    reasons = np.select(
        [
            owners["annotator"].isna().to_numpy(bool),
            ~same.all(axis=1).to_numpy(bool),
            (_differs(collected, "completed_by") | _differs(collected, "updated_by")).to_numpy(bool),
            (has_score & ~scores.isin(SCORES)).to_numpy(bool),
            ~collected["flags"].map(lambda flags: set(flags) <= set(schemas.FLAGS)).to_numpy(bool),
            (~has_score & ~has_flag & ~collected["skipped"].astype("bool")).to_numpy(bool),
            _without_reason(asked["kind"], collected["comment"], collected["skipped"].astype("bool")),
        ],
        [UNKNOWN_ASSIGNMENT, FOREIGN_ASSIGNMENT, FOREIGN_SIGNATURE, OUTSIDE_SCALE, UNKNOWN_FLAG, EMPTY, NO_REASON],
        "",
    )
    ratings = collected.assign(score=scores).rename(columns={"assignment": "assignment_id"})
    return ratings.loc[reasons == "", RATING], _rejects(collected[reasons != ""], reasons[reasons != ""])


def read_file(path: Path, assignments: pd.DataFrame) -> pd.DataFrame:
    """The ratings of a CSV file with the columns of the table `ratings` (flags joined by spaces), all or nothing.

    Raises TableError that names the line of the first rating that is not of this campaign or not on the scale.
    """
    rows = _read_csv(path)
    names = assignments.set_index("assignment_id")["annotator"].reindex(rows["assignment_id"])
    names = names.astype("object").reset_index(drop=True)
    about = "assignment " + rows["assignment_id"] + names.map(", annotator {}".format, na_action="ignore").fillna("")
    _demand(path, names.notna(), "an assignment of this campaign", about)
    on_scale = rows["score"].isin(["", *map(str, SCORES)])
    _demand(path, on_scale, "a score of 0, 1, 2 or 3", rows["score"] + " (" + about + ")")
    flags = rows["flags"].str.split()
    known = flags.map(lambda given: set(given) <= set(schemas.FLAGS))
    _demand(path, known, "flags among " + " ".join(schemas.FLAGS), rows["flags"] + " (" + about + ")")
    said = (rows["score"] != "") | (flags.map(len) > 0) | (rows["skipped"] == "true")
    _demand(path, said, "a score, a flag or a skip", "none (" + about + ")")
    kinds = assignments.set_index("assignment_id")["kind"].reindex(rows["assignment_id"])
    silent = _without_reason(kinds, rows["comment"], rows["skipped"] == "true")
    _demand(path, pd.Series(~silent), "a reason (the comment) of a senior's second look", "none (" + about + ")")
    times = pd.to_datetime(rows["submitted_at"], utc=True, errors="coerce", format="ISO8601")
    _demand(path, times.notna(), "an ISO time submitted_at", rows["submitted_at"] + " (" + about + ")")
    seconds = pd.to_numeric(rows["seconds"].replace("", None), errors="coerce")
    scores = pd.to_numeric(rows["score"].replace("", None)).astype("Int64")
    read = rows.assign(submitted_at=times, score=scores, flags=flags, seconds=seconds)
    return read.assign(skipped=rows["skipped"] == "true", comment=rows["comment"].replace("", None))[RATING]


def _without_reason(
    kinds: "pd.Series[str]", comments: "pd.Series[str]", skipped: "pd.Series[bool]"
) -> NDArray[np.bool_]:
    """Whether each is a senior's second look that says something without a reason."""
    informed = (kinds == INFORMED).fillna(False).to_numpy(bool)
    silent = comments.fillna("").str.strip().eq("").to_numpy(bool)
    return informed & silent & ~skipped.to_numpy(bool)


def _differs(collected: pd.DataFrame, column: str) -> "pd.Series[bool]":
    return collected[column].fillna("").str.lower() != collected["email"]


def _rejects(refused: pd.DataFrame, reasons: NDArray[np.str_]) -> pd.DataFrame:
    times = pd.to_datetime(refused["submitted_at"], utc=True).dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    detail = "project of " + refused["annotator"] + ", round " + refused["round"].astype("str")
    ids = refused["assignment"].fillna("none") + " at " + times
    return pd.DataFrame({"id": ids, "reason": reasons, "detail": detail})


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise _wrong(path, "a CSV file of ratings", str(fault)) from fault
    known = {*RATING, "guide_version"}  # which the assignment tells
    if not {"assignment_id", "submitted_at", "score"} <= set(rows.columns) <= known:
        raise _wrong(path, "the columns " + ", ".join(RATING), ", ".join(rows.columns))
    return rows.reindex(columns=RATING, fill_value="")


def _demand(path: Path, right: "pd.Series[bool]", expected: str, found: "pd.Series[str]") -> None:
    wrong = found[~right.astype("bool")]
    if not wrong.empty:
        raise _wrong(f"{path}, line {int(wrong.index[0]) + 2}", expected, str(wrong.iloc[0]))


def _wrong(where: object, expected: str, found: str) -> TableError:
    return TableError(
        f"ratings: {where}", expected=expected, found=found, remedy="see annotation/label_studio/guide.md"
    )
