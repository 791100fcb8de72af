"""What of a campaign goes to Label Studio: a project for each annotator and round, and the pairs in it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.assignment import senior_review
from annotation.campaign.accounts import campaign_key
from annotation.campaign.campaign import Campaign
from data.identity import digest


@dataclass(frozen=True, kw_only=True)
class Project:
    """What Label Studio holds of one annotator's part in one round."""

    round: int
    annotator: str
    tasks: int
    """Answered, or open and taken over by nobody."""
    title: str


def title(campaign: Campaign, number: int, annotator: str) -> str:
    """The title of a round's project for an annotator: always the same, and says nothing to who reads it."""
    key = campaign_key(campaign.store.root, campaign.name)
    return "Definitions " + digest("project", campaign.name, number, annotator, key=key)[:8]


def list_projects(campaign: Campaign) -> list[Project]:
    """The projects of the campaign by round and annotator, but for those of people who withdrew."""
    present = campaign.present
    counted = present.assign(tasks=present["assignment_id"].isin(campaign.held["assignment_id"]))
    held = counted.groupby(["round", "annotator"], as_index=False)["tasks"].sum()
    columns = (held[column].to_list() for column in ("round", "annotator", "tasks"))
    return [
        Project(round=number, annotator=name, tasks=tasks, title=title(campaign, number, name))
        for number, name, tasks in zip(*columns, strict=True)
    ]


def closed(campaign: Campaign) -> set[str]:
    """Titles of the projects that nobody may open any more.

    Those of annotators who left, and those of rounds before one that replaces ratings (they have been judged) or
    that took over an annotator's own open work (another guide holds since).
    """
    assignments = campaign.assignments
    over = assignments["supersedes"].isin(sorted(campaign.answered) + _moved(assignments))
    judging = assignments.loc[over, "round"].max()
    left = set(campaign.annotators.index[campaign.annotators["state"] == "left"])
    return {
        one.title
        for one in list_projects(campaign)
        if one.annotator in left or (pd.notna(judging) and one.round < int(judging))
    }


def list_tasks(campaign: Campaign) -> dict[tuple[int, str], list[dict[str, str]]]:
    """By round and annotator, what the browser gets of each assignment, in the planned order.

    The keys are assignment, definition1, definition2 and, where the plan says so, entity; for a senior's second
    look also told (`review.tell`). Unflipped, the definition with the smaller id stands first, whichever way a
    generator wrote the pair. A trap shows one definition of its pair beside one of another entity.
    """
    texts = campaign.texts()
    rows = campaign.assignments.merge(texts, on="pair_id", how="left")
    trap = (rows["kind"] == "trap").astype("bool")
    rows["second"] = rows["second"].where(~trap, rows["pair_id"].map(_strangers(texts)))
    rows = rows.sort_values(["round", "annotator", "position"], ignore_index=True)
    straight = ~rows["flipped"].astype("bool")
    shown = {
        "assignment": rows["assignment_id"],
        "definition1": rows["first"].where(straight, rows["second"]),
        "definition2": rows["second"].where(straight, rows["first"]),
    } | ({"entity": rows["entity"]} if campaign.plan["show_entity"] else {})
    told = senior_review.tell(campaign.assignments, campaign.ratings)
    tasks = [
        dict(zip(shown, values, strict=True)) | ({"told": told[values[0]]} if values[0] in told else {})
        for values in zip(*shown.values(), strict=True)
    ]
    found: dict[tuple[int, str], list[dict[str, str]]] = {}
    for number, name, task in zip(rows["round"], rows["annotator"], tasks, strict=True):
        found.setdefault((number, name), []).append(task)
    return found


def _moved(assignments: pd.DataFrame) -> list[str]:
    """The assignments that the same annotator has again in a later round."""
    given = assignments[["assignment_id", "annotator"]]
    both = assignments.merge(given, left_on="supersedes", right_on="assignment_id", suffixes=("", "_before"))
    return list(both.loc[both["annotator"] == both["annotator_before"], "supersedes"])


def _strangers(texts: pd.DataFrame) -> "pd.Series[str]":
    """For each pair (by id) a definition of another entity: that of the pair half the table away."""
    rows = texts.sort_values(["entity", "pair_id"], ignore_index=True)
    return pd.Series(np.roll(rows["second"].to_numpy(object), len(rows) // 2), index=rows["pair_id"])
