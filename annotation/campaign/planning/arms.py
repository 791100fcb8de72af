"""The plans of a campaign's arms, in which everybody labels the same pairs: the pilot and the control arm."""

from dataclasses import dataclass, replace

import pandas as pd

from annotation.assignment import control_arm, design
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.documents import Document, guide_of
from annotation.campaign.planning.plan import (
    NO_CHECKS,
    PlanRows,
    complete,
    plan_manifest,
    require_same,
    settings_row,
    write,
)
from annotation.campaign.planning.published import write_published
from annotation.config import PlanRule
from data.console.errors import InputError
from data.contract.questions import Question
from data.contract.tables.campaign import Assignments, Documents
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CONTROL, WORKING_ROLES
from data.recorded.languages import followed
from data.storage.manifest import Manifest

MIN_PILOTS = 3
"""The fewest annotators of a pilot: when two differ, it is open who is right."""


@dataclass(frozen=True, kw_only=True)
class SamePairs:
    """The pairs that everybody of an arm labels, and how they were chosen."""

    pair_ids: list[str]
    generator: str
    wanted: int
    """The number of pairs asked for; a control arm may get fewer."""
    show_entity: bool
    question: Question
    seed: int
    published: pd.DataFrame | None = None
    """The pairs and examples with the labels that others published, where the arm labels a data set of theirs."""


def sample_unplanned(pilot: Campaign, pair_ids: "pd.Series[str]", n: int, seed: int) -> list[str]:
    """`n` of the pairs that the pilot's campaign has not planned. Raises InputError where there are too few."""
    planned = pilot.store.read(Assignments, columns=["pair_id"], campaign=pilot.arm_of_study().name)["pair_id"]
    return design.sample(pair_ids[~pair_ids.isin(planned)], n, seed)


def plan_pilot(pilot: Campaign, people: pd.DataFrame, pairs: SamePairs) -> int:
    """Write the pilot's plan; returns the number of annotators. Raises InputError for fewer than MIN_PILOTS."""
    with pilot.store.lock(pilot.lock):
        people = _with_pseudonyms(pilot, people)
        working = people.loc[people["role"].isin(WORKING_ROLES), "annotator"]
        if len(working) < MIN_PILOTS:
            raise InputError(
                "--annotators",
                expected=f"at least {MIN_PILOTS} experts, so that a majority can differ from one of them",
                found=f"a pilot of {len(working)}",
                remedy="ask more people, or plan without a pilot",
            )
        plan = _plan(pilot, people, working, pairs, "pilot")
        write(pilot, plan, plan_manifest(pilot, plan, pilot.store.inputs(Pairs)))
    return len(working)


def plan_control(campaign: Campaign, people: pd.DataFrame, pairs: SamePairs, examples: pd.DataFrame) -> None:
    """Write the plan of the campaign's control arm, with a guide of its own that shows the examples.

    `examples`: pair_id, entity, first, second, binary. Raises InputError for an annotator who labelled the campaign's
    own pairs.
    """
    arm = campaign.arm_of_study(CONTROL)
    with campaign.store.lock(arm.lock):
        people = _with_pseudonyms(arm, people)
        if pairs.published is None:
            _require_outsiders(campaign, people["annotator"])
        plan = _plan(arm, people, people["annotator"], pairs, "work")
        require_same(arm, plan)
        shown = {"examples": examples["pair_id"].to_list()}
        if pairs.published is not None and not arm.is_planned:
            manifest = replace(plan_manifest(arm, plan, {}, **shown), language=followed(campaign.store, Pairs).code)
            write_published(campaign, pairs.published, manifest)
        guide = guide_of(pairs.question) if pairs.published is not None else campaign.guide
        _issue_guide(arm, guide, examples, pairs.question)
        write(arm, plan, plan_manifest(arm, plan, campaign.store.inputs(Pairs, Labels, Splits), **shown))


def _with_pseudonyms(arm: Campaign, people: pd.DataFrame) -> pd.DataFrame:
    return people.assign(annotator=accounts.name(arm.store.root, arm.study, people["email"]))


def require_texts_alone(question: Question) -> None:
    """Raises InputError for a question whose page shows more than the texts of its pairs."""
    if question.shown.beside or question.shown.parts:
        raise InputError(
            f"question {question.name}",
            expected="one that shows texts alone: an arm's page shows nothing else",
            found=", ".join([*question.shown.beside, *(["parts"] if question.shown.parts else [])]),
            remedy="plan the campaign without it",
        )


def _plan(arm: Campaign, people: pd.DataFrame, working: "pd.Series[str]", pairs: SamePairs, kind: str) -> PlanRows:
    """The rows of a plan in which each of `working` labels every pair, whatever their quotas."""
    require_texts_alone(pairs.question)
    unlimited = pd.Series(pd.NA, index=working.to_numpy(object), dtype="Int64")
    rows = design.assign(pairs.pair_ids, unlimited, len(working), pairs.seed)
    rule = PlanRule(labels_per_pair=len(working), show_entity=pairs.show_entity)
    return PlanRows(
        people=people,
        assignments=complete(arm, rows.assign(round=1, supersedes=None, kind=kind)),
        settings=settings_row(rule, NO_CHECKS, pairs.generator, pairs.seed, pairs.wanted),
        question=pairs.question,
    )


def _require_outsiders(campaign: Campaign, names: "pd.Series[str]") -> None:
    known = sorted(set(names) & set(campaign.assignments["annotator"]))
    if known:
        raise InputError(
            "--annotators",
            expected="people who labelled nothing of the campaign",
            found=f"{len(known)} who did ({', '.join(known)})",
            remedy="ask others",
        )


def _issue_guide(arm: Campaign, guide: Document, examples: pd.DataFrame, question: Question) -> None:
    """Append the control arm's own guide, which shows the examples."""
    text = control_arm.with_examples(guide.text, guide.version, examples, question)
    row = {"campaign": arm.name, "kind": "guide", "version": f"{guide.version}.control", "reference": ""}
    frame = pd.DataFrame([row | {"text": text, "at": arm.now()}])
    arm.store.append(Documents, frame, Manifest(stage="annotation.documents", part=arm.name))
    arm.refresh()
