"""The command `control`: people outside the field label labelled pairs, to show what expertise is worth."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pandas as pd

from annotation.assignment import control_arm
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.arms import SamePairs, plan_control
from annotation.campaign.planning.plan import read_people, read_question
from annotation.campaign.planning.published import read_published, require_new
from annotation.campaign.texts import read_texts
from annotation.questions.declarations import STANDARD
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.console.messages import figure, say
from data.contract.questions import Question
from data.contract.tables.labels import Labels, Splits
from data.contract.vocabulary import CONTROL, MAJORITY, NON_EXPERT, PUBLISHED
from data.files.whole import write_whole
from data.guidance.next_steps import say_steps
from data.labelled.label_set import SCHEME


@dataclass(frozen=True, kw_only=True)
class PlanControl(OfCampaign):
    """Have people outside the field label labelled pairs, after guide and examples, as campaign NAME-control."""

    annotators: int | Path
    """A number, or a sheet of people; people who labelled the campaign's work are refused."""

    dataset: Path | None = None
    """The pairs of another data set (MRPC, QQP, PAWS, Twitter-URL, PIT-2015, PARADE's files, a release) in place of the
    campaign's, which must have none: `--campaign mrpc`."""

    question: str | None = None
    """With --dataset: the question; by default parade where the pairs have entities, otherwise same-meaning. The
    campaign's own pairs are labelled by its own question."""

    examples: Limit[int] = 100
    """The number of pairs shown first, with their labels (He et al. 2020, Table 10: of the training set)."""

    pairs: Limit[int] = 100
    """The number of pairs that each person labels (He et al. 2020, Table 10: of the test set)."""

    method: str = MAJORITY
    """The method of the labels of the campaign's own pairs."""

    scheme: str = SCHEME
    """The split scheme of the campaign's own pairs. Examples are from the train split, pairs from the test split;
    without splits, from all labelled."""

    seed: int = 1
    """Seed of the sample, order and sides."""


@dataclass(frozen=True, kw_only=True)
class Score(OfCampaign):
    """Score the control arm's ratings against the labels of its pairs."""

    method: str | None = None
    """The method of the labels; by default those that came with the pairs, if any, otherwise majority."""

    out: Path | None = None
    """A CSV file to write the table to, with all limits."""


def _arm(arguments: OfCampaign) -> tuple[Campaign, Campaign]:
    """The campaign, and its control arm."""
    campaign = Campaign(arguments).arm_of_study()
    return campaign, campaign.arm_of_study(CONTROL)


def _labels(campaign: Campaign, method: str) -> pd.DataFrame:
    columns = ["pair_id", "binary", "stratum"]
    labels = campaign.store.read(Labels, columns=columns, campaign=campaign.name, method=method, further=False)
    if labels.empty:
        raise InputError(
            f"labels of {campaign.name} by {method}",
            expected="labels to compare with",
            found="none",
            remedy="write them first: python -m annotation adjudicate; or name other pairs: --dataset",
        )
    return labels[labels["binary"].notna()]


def _plan(arguments: PlanControl) -> None:
    campaign, arm = _arm(arguments)
    require_at_least("--examples", arguments.examples, 1)
    require_at_least("--pairs", arguments.pairs, 1)
    labelled, splits, question = (
        _own(campaign, arguments) if arguments.dataset is None else _others(campaign, arguments)
    )
    if question.vote is None:
        raise InputError(
            f"question {question.name}",
            expected="votes, which labels can be compared with",
            found="none declared as positive",
            remedy="see positive in docs/questions.md",
        )
    examples, chosen = control_arm.draw(labelled, splits, arguments.examples, arguments.pairs, arguments.seed)
    if not examples or not chosen:
        raise InputError(
            "--pairs and --examples",
            expected="labelled pairs for both",
            found=f"{len(chosen)} and {len(examples)}",
            remedy="label more, or ask for fewer",
        )
    rows = labelled.set_index("pair_id", drop=False)
    people = read_people(arguments.annotators, arm).assign(role=NON_EXPERT)
    is_own = arguments.dataset is None
    pairs = SamePairs(
        pair_ids=chosen,
        generator=campaign.plan["generator"] if is_own else campaign.name,
        wanted=arguments.pairs,
        show_entity=bool(campaign.plan["show_entity"]) if is_own else bool(labelled["entity"].notna().any()),
        question=question,
        seed=arguments.seed,
        published=None if is_own else rows.loc[[*examples, *chosen]].reset_index(drop=True),
    )
    plan_control(campaign, people, pairs, rows.loc[examples].fillna({"entity": ""}).reset_index(drop=True))
    say(f"{len(people)} people label {len(chosen)} pairs after {len(examples)} examples, as campaign {arm.name}")
    for what, n, wanted in (("pairs", len(chosen), arguments.pairs), ("examples", len(examples), arguments.examples)):
        if n < wanted:
            say(f"{wanted} {what} were asked for: no more are labelled and in their split")
    say_steps(arm.store, arm.name)


def _own(campaign: Campaign, arguments: PlanControl) -> tuple[pd.DataFrame, pd.DataFrame, Question]:
    """The campaign's labelled pairs with their texts, their splits, and its question."""
    if arguments.question:
        raise InputError(
            "--question",
            expected="nothing without --dataset: the campaign's own pairs are labelled by its own question",
            found=arguments.question,
            remedy="leave it out",
        )
    labels = _labels(campaign, arguments.method)
    splits = campaign.store.read(Splits, columns=["pair_id", "split"], scheme=arguments.scheme)
    return labels.merge(read_texts(campaign), on="pair_id"), splits, campaign.question


def _others(campaign: Campaign, arguments: PlanControl) -> tuple[pd.DataFrame, pd.DataFrame, Question]:
    """The labelled pairs of the other data set, their splits, and the question."""
    require_new(campaign)
    frame, n_left_out = read_published(cast(Path, arguments.dataset))
    if n_left_out:
        say(f"{n_left_out} pairs without a label, or there twice, are left out")
    standard = STANDARD if frame["entity"].notna().any() else "same-meaning"
    question = read_question(campaign.arm_of_study(CONTROL), arguments.question or standard)
    return frame, frame.loc[frame["split"].notna(), ["pair_id", "split"]], question


def _score(arguments: Score) -> None:
    campaign, arm = _arm(arguments)
    arm.require_ratings()
    published = campaign.store.read(
        Labels, columns=["pair_id"], campaign=campaign.name, method=PUBLISHED, further=False
    )
    method = arguments.method or (MAJORITY if published.empty else PUBLISHED)
    scores = control_arm.score(arm.ballots, _labels(campaign, method), arm.vote_rule)
    known = [name for name in ("unanimous", "split") if name in scores and scores[name].notna().any()]
    heads = "".join(f"  {_HEADS[name]:<20}" for name in control_arm.INTERVALS)
    say(f"{'annotator':<9}    n{heads}  kappa" + "".join(f"  {name:>9}" for name in known))
    for row in scores.to_dict("records"):
        cells = "".join(f"  {_with_limits(row, name):<20}" for name in control_arm.INTERVALS)
        rest = "".join(f"  {figure(row[name], 3):>9}" for name in known)
        say(f"{row['annotator']:<9}  {row['n']:>3}{cells}  {figure(row['kappa'], 3):>5}{rest}")
    say(f"95 % intervals; against the labels of {campaign.name} by {method}; all: the majority of the control arm")
    if arguments.out:
        write_whole(arguments.out, scores.to_csv(index=False))
        say(f"written to {arguments.out}")
    say_steps(campaign.store, campaign.name)


_HEADS = {"accuracy": "accuracy", "f1": "F1", "precision": "precision", "recall": "recall"}


def _with_limits(row: Mapping[Hashable, Any], name: str) -> str:
    if row[name] is None or pd.isna(row[name]):
        return figure(None)
    return f"{row[name]:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"


VERBS = {"plan": _plan, "score": _score}
