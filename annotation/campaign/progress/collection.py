"""Which collected annotations become ratings, and why the others do not."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.questions.answers import INCOMPLETE, Given, describe, fault, relevant
from data.console.messages import quantity, say
from data.contract.questions import Control, Question
from data.contract.vocabulary import FLAGS, INFORMED
from data.files.sheets import Sheet, read_sheet, whole_numbers

UNKNOWN_ASSIGNMENT = "unknown_assignment"
FOREIGN_ASSIGNMENT = "foreign_assignment"
FOREIGN_SIGNATURE = "foreign_signature"
UNKNOWN_FLAG = "unknown_flag"
EMPTY = "empty_rating"
NO_REASON = "no_reason"

RATING = ["assignment_id", "submitted_at", "score", "flags", "comment", "seconds", "skipped"]


def accept(collected: pd.DataFrame, assignments: pd.DataFrame, question: Question) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ratings among a server's annotations, and the rejects (id, at, reason, detail): each row is in one.

    `collected`: the client's columns and, from each annotation's project, `round`, `annotator` and `email`. A rating is
    by the project's annotator; an annotation that another user made or changed is refused with its present content
    (an earlier state that was collected in time stays). A senior's second look needs a reason (the comment), even
    where the page let it pass without.
    """
    asked = assignments.set_index("assignment_id")[["round", "annotator", "kind"]].reindex(collected["assignment"])
    owners = asked[["round", "annotator"]]
    same = owners.reset_index(drop=True).eq(collected[["round", "annotator"]].reset_index(drop=True))
    skipped, has_flag = collected["skipped"].to_numpy(bool), (collected["flags"].map(len) > 0).to_numpy(bool)
    answers = [relevant(question, given) for given in collected["answers"]]
    faults = np.array([fault(question, given) for given in answers], dtype=object)
    missing = (faults == INCOMPLETE) & ~has_flag & ~skipped
    reasons = np.select(
        [
            owners["annotator"].isna().to_numpy(bool),
            ~same.all(axis=1).to_numpy(bool),
            (_differs(collected, "completed_by") | _differs(collected, "updated_by")).to_numpy(bool),
            ~np.isin(faults, ["", INCOMPLETE]),
            ~collected["flags"].map(lambda flags: set(flags) <= set(FLAGS)).to_numpy(bool),
            missing & ~np.array(answers, dtype=bool),
            missing,
            _without_reason(asked["kind"], collected["comment"], collected["skipped"].astype("bool")),
        ],
        [UNKNOWN_ASSIGNMENT, FOREIGN_ASSIGNMENT, FOREIGN_SIGNATURE, faults, UNKNOWN_FLAG, EMPTY, INCOMPLETE, NO_REASON],
        "",
    )
    right = reasons == ""
    ratings = collected.rename(columns={"assignment": "assignment_id"}).loc[right]
    given = [answer for answer, is_right in zip(answers, right, strict=True) if is_right]
    return _scored(ratings, given, question), _rejects(collected[~right], reasons[~right])


def read_file(path: Path, assignments: pd.DataFrame, question: Question) -> pd.DataFrame:
    """The ratings of a sheet with the columns of the table `ratings` (flags joined by spaces), all or nothing.

    A question that is no single scale has a column for each of its controls in place of `score`, with several answers
    joined by spaces. Rows without an answer are left out, and a rating without a time has the file's; a line says so,
    and which columns were not read. Raises InputError that names the line of the first rating that is not of this
    campaign or not an answer to its question.
    """
    sheet = read_sheet(path, "a sheet of ratings", remedy="see docs/questions.md")
    columns = {"score": question.scale} if question.scale else {control.name: control for control in question.asked}
    rows = _find_rows(sheet, path, list(columns))
    asked = assignments.set_index("assignment_id").reindex(rows["assignment_id"]).set_axis(rows.index)
    names = asked["annotator"].astype("object")
    owners = names.map(lambda name: "" if pd.isna(name) else f", annotator {name}")
    about = "assignment " + rows["assignment_id"] + owners
    sheet.require_rows(names.notna(), "an assignment of this campaign", about)
    flags = rows["flags"].str.split()
    cells = [_split(rows[column], control) for column, control in columns.items()]
    controls = [control.name for control in columns.values()]
    given = [
        {name: values for name, values in zip(controls, row, strict=True) if values} for row in zip(*cells, strict=True)
    ]
    answers = [relevant(question, answer) for answer in given]
    skips, seconds = rows["skipped"].str.strip().str.lower(), pd.to_numeric(rows["seconds"], errors="coerce")
    times = pd.to_datetime(rows["submitted_at"], utc=True, errors="coerce", format="ISO8601")
    skipped = skips == "true"
    spoken = pd.Series(~_without_reason(asked["kind"], rows["comment"], skipped), index=rows.index)
    faults = pd.Series([fault(question, answer) for answer in answers], index=rows.index, dtype="object")
    shown = pd.Series([" and ".join(" ".join(values) for values in answer.values()) for answer in given], rows.index)
    wanted = "a score" if question.scale else "every answer"
    for right, expected, found in (
        (faults.isin(["", INCOMPLETE]), describe(question), shown),
        (flags.map(set(FLAGS).issuperset), "flags among " + " ".join(FLAGS), rows["flags"]),
        (skips.isin(["", "true", "false"]), "skipped as true, false or nothing", skips),
        ((faults == "") | (flags.map(len) > 0) | skipped, f"{wanted}, a flag or a skip", "none"),
        (spoken, "a reason (in the comment) for a senior's second look", "none"),
        (times.notna(), "an ISO time submitted_at", rows["submitted_at"]),
        ((rows["seconds"] == "") | (seconds >= 0), "a number of seconds, such as 4.5, or nothing", rows["seconds"]),
    ):
        sheet.require_rows(right, expected, found + " (" + about + ")")
    rows = rows.assign(submitted_at=times, flags=flags)
    rows = rows.assign(seconds=seconds, skipped=skipped, comment=rows["comment"].replace("", None))
    return _scored(rows, answers, question).reset_index(drop=True)


def _find_rows(sheet: Sheet, path: Path, answers: Sequence[str]) -> pd.DataFrame:
    """The rows with an answer or a reason for none, each with a time; prints what was left out or added."""
    others = [column for column in RATING if column != "score"]
    sheet.require_columns(["assignment_id", *answers])
    if unread := sheet.name_others({*others, *answers, "guide_version"}):  # the version follows from the time
        say(f"{path}: {unread}")
    rows: pd.DataFrame = sheet.rows.reindex(columns=[*others, *answers], fill_value="")
    is_blank = rows[["flags", "comment", "skipped", *answers]].apply(lambda cells: cells.str.strip()).eq("").all(axis=1)
    if is_blank.any():
        say(f"{path}: {quantity(int(is_blank.sum()), 'row')} without an answer left out")
    rows = rows[~is_blank]
    if (untimed := rows["submitted_at"].str.strip() == "").any():
        changed = datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat()
        rows["submitted_at"] = rows["submitted_at"].mask(untimed, changed)
        say(f"{path}: {quantity(int(untimed.sum()), 'row')} without a time: taken as given when the file was changed")
    return rows


def answer_rows(ratings: pd.DataFrame) -> pd.DataFrame:
    """Rows of the table `answers`, from the ratings' column `answers`, without what their score says."""
    rows = [
        {"assignment_id": assignment, "submitted_at": at, "control": control} | values
        for assignment, at, answers in zip(
            ratings["assignment_id"], ratings["submitted_at"], ratings["answers"], strict=True
        )
        for control, values in answers.items()
    ]
    return pd.DataFrame(rows, columns=["assignment_id", "submitted_at", "control", "chosen", "text"])


def _scored(ratings: pd.DataFrame, answers: list[Given], question: Question) -> pd.DataFrame:
    """The ratings with the column score (of a question that is one scale) and `answers`: control -> chosen and text."""
    if question.scale:
        name = question.scale.name
        scores: list[int | None] = [int(given[name][0]) if name in given else None for given in answers]
        rest: list[dict[str, Any]] = [{} for _ in answers]
    else:
        texts = {control.name for control in question.asked if control.kind == "edited-text"}
        scores = [None for _ in answers]
        rest = [
            {
                name: {"chosen": [], "text": values[0]} if name in texts else {"chosen": sorted(values), "text": None}
                for name, values in given.items()
            }
            for given in answers
        ]
    rest_column = pd.Series(rest, index=ratings.index, dtype="object")
    return ratings.assign(score=pd.array(scores, dtype="Int64"), answers=rest_column)[[*RATING, "answers"]]


def _split(cells: "pd.Series[str]", control: Control) -> "pd.Series[Any]":
    """The answers in each cell of a file."""
    if control.kind == "edited-text":
        return cells.str.strip().map(lambda text: [text] if text else [])
    known = {value.lower(): value for value in control.values}
    return whole_numbers(cells).str.split().map(lambda given: [known.get(one.lower(), one) for one in given])


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
    detail = "project of " + refused["annotator"] + ", round " + refused["round"].astype("str")
    ids, at = refused["assignment"].fillna("none"), pd.to_datetime(refused["submitted_at"], utc=True)
    return pd.DataFrame({"id": ids, "at": at, "reason": reasons, "detail": detail})
