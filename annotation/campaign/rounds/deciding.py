"""A campaign's labels, of each control of its question."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import get_args

import pandas as pd

from annotation.aggregation.adjudication import adjudicate
from annotation.aggregation.further import decide_several, decide_text
from annotation.aggregation.models import MACE, POOLED
from annotation.assignment.senior_review import decisions
from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import gold_votes
from annotation.campaign.progress.suspects import require_known
from annotation.campaign.rounds.allocating import rule_of
from annotation.config import LabelRule, settings
from data.console.errors import InputError
from data.contract.questions import Control
from data.contract.vocabulary import AT_LEAST, MAJORITY, MAJORITY_DECIDED, MEAN, Method
from data.measures.ballots import counting, given, with_latest_rating, with_one_vote
from data.measures.classes import classes_of
from data.measures.rules import OneVoteRule


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a method makes of the answers to a control."""

    control: Control
    labels: pd.DataFrame
    rejects: pd.DataFrame
    """id, reason, detail."""


def read_rule(campaign: Campaign, arguments: object) -> LabelRule:
    """The rule of the command's flags, else the question's own. Raises InputError for one that cannot be applied."""
    question, control = campaign.question, campaign.question.first
    require_known(campaign, settings(arguments, OneVoteRule))
    chosen = campaign.with_vote_rule(settings(arguments, LabelRule))
    own = tuple(rule_of(campaign).split())
    rule = replace(chosen, rule=chosen.rule or own)
    if campaign.plan["allocate"] == MAJORITY_DECIDED and rule.rule != own:
        raise InputError(
            "--rule",
            expected=f"{' '.join(own)}, with which campaign {campaign.name} was planned ({MAJORITY_DECIDED})",
            found=" ".join(rule.rule),
            remedy="leave it out: decided pairs were given to no further rater",
        )
    forms = [f"{MAJORITY}, `{AT_LEAST} M`"] if control.is_single else [MAJORITY]
    forms += [MEAN] if control.is_single and classes_of(control).is_ordered else []
    at_least = len(rule.rule) == 2 and rule.rule[0] == AT_LEAST and rule.rule[1].isdecimal() and int(rule.rule[1]) > 0
    if not (rule.rule == (MAJORITY,) or (at_least and control.is_single) or (rule.takes_mean and MEAN in forms)):
        raise InputError(
            "--rule",
            expected=" or ".join(forms) + f" for question {question.name}",
            found=" ".join(rule.rule),
            remedy="see python -m annotation adjudicate --help",
        )
    return rule


def methods_for(control: Control) -> tuple[Method, ...]:
    """The methods that can make labels of the answers to a control.

    Not MACE where several may be given: it would take some seconds for each answer, and its guessers choose one answer.
    """
    if control.kind == "edited-text":
        return (MAJORITY,)
    if control.kind == "several-of":
        return tuple(method for method in get_args(Method) if method != MACE)
    return tuple(method for method in get_args(Method) if control.is_vote or method != POOLED)


def decide(campaign: Campaign, rule: LabelRule, method: Method) -> Iterator[Decision]:
    """The decisions on each control that the method is defined for; the decision of the question's vote comes first."""
    first, values = campaign.question.first, pd.DataFrame({"control": [], "pair_id": [], "value": []})
    for control in [first, *(control for control in campaign.question.asked if control is not first)]:
        if method in methods_for(control):
            labels, rejects = _decide(campaign, control, rule, method, values)
            labels = labels.assign(control=control.name, further=control is not first)
            values = pd.concat([values, labels[["control", "pair_id", "value"]]])
            yield Decision(control=control, labels=labels, rejects=rejects)


def _decide(
    campaign: Campaign, control: Control, rule: LabelRule, method: Method, values: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels of one control and the rejects. `values`: the labels of the earlier ones."""
    if control.is_single:
        ratings, classes = campaign.ratings_of(control), classes_of(control)
        if control is not campaign.question.vote:
            rule = replace(rule, paraphrase_from=classes.lowest_positive)
        if rule.takes_mean and not classes.is_ordered:
            rule = replace(rule, rule=(MAJORITY,))
        decided = decisions(campaign.assignments, ratings)
        gold = gold_votes(campaign, rule) if control is campaign.question.vote else None
        return adjudicate(with_latest_rating(campaign.assignments, ratings), rule, method, decided, classes, gold=gold)
    counted = with_one_vote(counting(campaign.ballots), rule.one_vote)
    answers = campaign.answers.merge(given(campaign.ratings)[["assignment_id", "submitted_at"]])
    own = answers[answers["control"] == control.name].set_index("assignment_id")
    if control.kind == "several-of":
        return decide_several(
            control, counted, {str(name): list(chosen) for name, chosen in own["chosen"].items()}, method
        )
    when = control.when
    asked = values[(values["control"] == when.control) & (values["value"] == when.answer)] if when else values[:0]
    return decide_text(counted, {str(name): str(text) for name, text in own["text"].items()}, set(asked["pair_id"]))
