"""The parts of a campaign that go to Label Studio: one project per annotator and round, with its pairs."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.assignment import senior_review
from annotation.campaign.accounts import campaign_key
from annotation.campaign.campaign import Campaign
from annotation.campaign.texts import answers_in_words, read_texts
from annotation.questions.marking import Span, highlight
from data.contract.tables.shown import Shown
from data.contract.vocabulary import LEFT
from data.texts.identity import digest


@dataclass(frozen=True, kw_only=True)
class Project:
    """One annotator's work in one round, as a project in Label Studio."""

    round: int
    annotator: str
    tasks: int
    """The number of pairs that are answered, or open and not taken over by another annotator."""
    title: str


def title(campaign: Campaign, number: int, annotator: str) -> str:
    """The title of an annotator's project in a round: always the same, and meaningless to its readers."""
    key = campaign_key(campaign.store.root, campaign.name)
    what = "pairs" if campaign.question.shown.is_pair else "texts"
    return f"Your {what} " + digest("project", campaign.name, number, annotator, key=key)[:8]


def list_projects(campaign: Campaign) -> list[Project]:
    """The projects of the campaign by round and annotator, without people who withdrew."""
    present = campaign.present
    counted = present.assign(tasks=present["assignment_id"].isin(campaign.held["assignment_id"]))
    totals = counted.groupby(["round", "annotator"], as_index=False)["tasks"].sum()
    columns = (totals[column].to_list() for column in ("round", "annotator", "tasks"))
    return [
        Project(round=number, annotator=name, tasks=tasks, title=title(campaign, number, name))
        for number, name, tasks in zip(*columns, strict=True)
    ]


def closed(campaign: Campaign) -> set[str]:
    """The titles of the projects that may no longer be opened.

    They belong to annotators who left, or to rounds that are over.
    """
    left = set(campaign.annotators.index[campaign.annotators["state"] == LEFT])
    first, projects = campaign.first_open_round, list_projects(campaign)
    return {project.title for project in projects if project.annotator in left or project.round < first}


def list_tasks(campaign: Campaign, among: Collection[str] | None = None) -> dict[tuple[int, str], list[dict[str, str]]]:
    """(Round, annotator) -> what the browser gets for each assignment (of `among`, if given), in the planned order.

    The keys are assignment, definition1, definition2 and, if the plan says so, entity; what the question shows beside
    the texts (prediction, label, marked1, marked2); for a senior's second look also votes (`senior_review.summarise`).
    The definition with the smaller id comes first unless the assignment is flipped, however a generator wrote the
    pair, unless the question shows it in that order. Where the question shows one text, it is the pair's second as the
    generator wrote it, and definition2 is missing. A trap shows one definition of its pair beside one of another
    entity. Of a pair of two entities, both are shown.
    """
    texts, look = read_texts(campaign), campaign.question.shown
    rows = campaign.assignments
    rows = rows if among is None else rows[rows["assignment_id"].isin(sorted(among))]
    rows = rows.merge(texts, on="pair_id", how="left")
    trap = (rows["kind"] == "trap").astype("bool")
    for column in ("second", "generated"):
        rows[column] = rows[column].where(~trap, rows["pair_id"].map(_foreign_definitions(texts)))
    rows = rows.sort_values(["round", "annotator", "position"], ignore_index=True)
    straight = ~rows["flipped"].astype("bool")
    sides = {
        "definition1": rows["first"].where(straight, rows["second"]),
        "definition2": rows["second"].where(straight, rows["first"]),
    }
    if look.in_order:
        sides = {"definition1": rows["source"], "definition2": rows["generated"]}
    shown = {"assignment": rows["assignment_id"]} | (sides if look.is_pair else {"definition1": rows["generated"]})
    shown |= {"entity": rows["entity"].fillna("")} if campaign.plan["show_entity"] else {}
    shown |= _beside(campaign, rows, straight) if look.beside or look.parts else {}
    votes = senior_review.summarise(campaign.assignments, campaign.ratings, answers_in_words(campaign))
    tasks = [
        dict(zip(shown, values, strict=True)) | ({"votes": votes[values[0]]} if values[0] in votes else {})
        for values in zip(*shown.values(), strict=True)
    ]
    lists: dict[tuple[int, str], list[dict[str, str]]] = {}
    for number, name, task in zip(rows["round"], rows["annotator"], tasks, strict=True):
        lists.setdefault((number, name), []).append(task)
    return lists


def _beside(campaign: Campaign, rows: pd.DataFrame, straight: "pd.Series[bool]") -> dict[str, "pd.Series[str]"]:
    """What the question shows beside the texts: prediction and label in its words, marked1 and marked2 as HTML."""
    look = campaign.question.shown
    known = rows[["pair_id"]].merge(campaign.store.read(Shown, campaign=campaign.name), on="pair_id", how="left")
    fields = {
        name: known[name].map({1: words.yes, 0: words.no}).set_axis(rows.index) for name, words in look.beside.items()
    }
    if not look.parts:
        return fields
    own = rows["first"].eq(rows["source"])  # the order of the table, which the spans follow
    fields_of_spans = (known[f"part_{field}s"] for field in Span._fields)
    spans = [[Span(*fields) for fields in zip(*lists, strict=True)] for lists in zip(*fields_of_spans, strict=True)]
    texts = zip(rows["source"], rows["generated"], spans, strict=True)
    both = [
        (highlight(first, "first", own_spans, second, look), highlight(second, "second", own_spans, first, look))
        for first, second, own_spans in texts
    ]
    source, generated = (pd.Series(side, index=rows.index, dtype="object") for side in zip(*both, strict=True))
    if not look.is_pair:
        return fields | {"marked1": generated}
    straight_here = pd.Series(True, rows.index) if look.in_order else straight.eq(own)
    return fields | {
        "marked1": source.where(straight_here, generated), "marked2": generated.where(straight_here, source)
    }  # fmt: skip


def _foreign_definitions(texts: pd.DataFrame) -> "pd.Series[str]":
    """Pair id -> a definition of another entity: from the pair half a table away."""
    rows = texts.sort_values(["entity", "pair_id"], ignore_index=True)
    return pd.Series(np.roll(rows["second"].to_numpy(object), len(rows) // 2), index=rows["pair_id"])
