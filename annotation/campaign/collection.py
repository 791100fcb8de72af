"""Which collected annotations become ratings, and why the others do not; pure."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.sheets import read_sheet
from data.tables.campaign import FLAGS
from data.vocabulary import INFORMED, SCORES

UNKNOWN_ASSIGNMENT = "unknown_assignment"
FOREIGN_ASSIGNMENT = "foreign_assignment"
FOREIGN_SIGNATURE = "foreign_signature"
OUTSIDE_SCALE = "score_outside_scale"
UNKNOWN_FLAG = "unknown_flag"
EMPTY = "empty_rating"
NO_REASON = "no_reason"

RATING = ["assignment_id", "submitted_at", "score", "flags", "comment", "seconds", "skipped"]


def accept(collected: pd.DataFrame, assignments: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ratings among a server's annotations, and the rejects (id, reason, detail): each row is in one of the two.

    `collected`: the client's columns and, from each annotation's project, `round`, `annotator` and `email`. A rating is
    by the project's annotator; an annotation that somebody else made or changed is refused with its present content
    (an earlier state that was collected in time stays). A senior's second look needs a reason (the comment), even
    where the page let it pass without.
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
            ~collected["flags"].map(lambda flags: set(flags) <= set(FLAGS)).to_numpy(bool),
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

    Raises InputError that names the line of the first rating that is not of this campaign or not on the scale.
    """
    sheet = read_sheet(path, "a CSV file of ratings", remedy="see docs/questions.md")
    sheet.require(RATING[:3], known=[*RATING, "guide_version"])  # the guide's version follows from the assignment
    rows = sheet.rows.reindex(columns=RATING, fill_value="")
    asked = assignments.set_index("assignment_id").reindex(rows["assignment_id"]).set_axis(rows.index)
    names = asked["annotator"].astype("object")
    owners = names.map(lambda name: "" if pd.isna(name) else f", annotator {name}")
    about = "assignment " + rows["assignment_id"] + owners
    sheet.demand(names.notna(), "an assignment of this campaign", about)
    scores, flags = rows["score"].str.strip(), rows["flags"].str.split()
    skips, seconds = rows["skipped"].str.strip().str.lower(), pd.to_numeric(rows["seconds"], errors="coerce")
    times = pd.to_datetime(rows["submitted_at"], utc=True, errors="coerce", format="ISO8601")
    skipped = skips == "true"
    spoken = pd.Series(~_without_reason(asked["kind"], rows["comment"], skipped), index=rows.index)
    for right, expected, found in (
        (scores.isin(["", *map(str, SCORES)]), "a score of 0, 1, 2 or 3", scores),
        (flags.map(set(FLAGS).issuperset), "flags among " + " ".join(FLAGS), rows["flags"]),
        (skips.isin(["", "true", "false"]), "skipped as true, false or nothing", skips),
        ((scores != "") | (flags.map(len) > 0) | skipped, "a score, a flag or a skip", "none"),
        (spoken, "a reason (in the comment) for a senior's second look", "none"),
        (times.notna(), "an ISO time submitted_at", rows["submitted_at"]),
        ((rows["seconds"] == "") | (seconds >= 0), "a number of seconds, such as 4.5, or nothing", rows["seconds"]),
    ):
        sheet.demand(right, expected, found + " (" + about + ")")
    rows = rows.assign(submitted_at=times, score=pd.to_numeric(scores, errors="coerce").astype("Int64"), flags=flags)
    rows = rows.assign(seconds=seconds, skipped=skipped, comment=rows["comment"].replace("", None))
    return rows[RATING].reset_index(drop=True)


def _without_reason(
    kinds: "pd.Series[str]", comments: "pd.Series[str]", skipped: "pd.Series[bool]"
) -> NDArray[np.bool_]:
    """Whether each is a senior's second look that gives an answer but no reason."""
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
