"""The command `adjudicate`: ratings -> labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import pandas as pd

from annotation.aggregation.models import POOLED
from annotation.assignment.senior_review import decisions
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.config import LabelRule
from data.console.errors import Findings, InputError
from data.console.marks import Metavar
from data.console.messages import quantity, say
from data.contract.tables.labels import Labels
from data.contract.vocabulary import BELOW_RULE, CERTAIN, MAJORITY, TIE, Method
from data.guidance.next_steps import say_steps
from data.measures.ballots import counting, votes_of, with_one_vote
from data.storage.stage import Made, run_stage

if TYPE_CHECKING:
    from annotation.campaign.rounds.deciding import Decision

SHOWN = 5
"""At most this many annotators with open answers are named."""


@dataclass(frozen=True, kw_only=True)
class Arguments(LabelRule, OfCampaign):
    """Turn ratings into labels by the majority of the votes that count; pairs that cannot be decided are rejects.

    Each control of the question has labels of its own.
    """

    method: Annotated[Literal[Method, "all"] | None, Metavar("METHOD")] = None
    """`majority`, or a model of how annotators err, whose labels are written beside it: dawid-skene, dawid-skene-scores
    (on the answers, such as the scores 0-3), dawid-skene-pooled (the same, with annotators drawn towards each other;
    the default of a plan with `--allocate certain`), one-coin, mace; `all` writes the labels of every method."""


def main(arguments: Arguments) -> None:
    """Write the campaign's part of the table labels, and the undecided pairs as rejects.

    Raises Findings where answers are still open.
    """
    from annotation.campaign.rounds.deciding import methods_for, read_rule

    campaign = Campaign(arguments)
    campaign.require_ratings(votes=False)
    rule, possible = read_rule(campaign, arguments), methods_for(campaign.question.first)
    own: Method = POOLED if campaign.plan["allocate"] == CERTAIN else MAJORITY
    asked: tuple[Method, ...] = get_args(Method) if arguments.method == "all" else (arguments.method or own,)
    methods = [method for method in asked if method in possible]
    if not methods:
        raise InputError(
            "--method",
            expected=" or ".join(possible) + f" for question {campaign.question.name}",
            found=str(arguments.method),
            remedy="no answer to it is a vote or a guess of one answer, which this model needs",
        )
    if left_out := [method for method in asked if method not in possible]:
        say(f"left out, not defined for question {campaign.question.name}: {', '.join(left_out)}")
    with campaign.alone():
        decided = decisions(campaign.assignments, campaign.ratings)
        labels = [_label(campaign, rule, method) for method in methods]
    if len(decided):
        changed = int((decided["score"] != decided["blind"]).fillna(True).sum())
        say(f"{len(decided)} pairs decided by seniors, {changed} of them differently than at the blind look")
    if len(methods) > 1:
        _compare(methods, labels)
    if campaign.question.vote:
        _advise(campaign, rule, methods)
    say_steps(campaign.store, campaign.name)
    _require_finished(campaign)


def _require_finished(campaign: Campaign) -> None:
    """Raises Findings where an answer is still open; a skip is an answer, for it may be the last word."""
    asked = campaign.waiting[["assignment_id", "annotator"]]
    asked = asked[~asked["assignment_id"].isin(campaign.ratings["assignment_id"])]
    waiting = asked.loc[~asked["annotator"].isin(sorted(campaign.withdrawn)), "annotator"].value_counts().sort_index()
    if len(waiting):
        whom = ", ".join(f"{name}: {n}" for name, n in waiting.head(SHOWN).items())
        more = f" and {len(waiting) - SHOWN} more" if len(waiting) > SHOWN else ""
        open_ = f"{quantity(int(waiting.sum()), 'answer')} of {len(campaign.held):,} still open ({whom}{more})"
        raise Findings(f"{open_}: collect them, then adjudicate again")


def _label(campaign: Campaign, rule: LabelRule, method: Method) -> pd.DataFrame:
    """Write the labels of one method, of each control; return the first one's."""
    from annotation.campaign.rounds.deciding import decide

    decisions = [*decide(campaign, rule, method)]
    own, scope = decisions[0], {"campaign": campaign.name, "method": method}
    counts = {"rows_in": len(own.labels) + len(own.rejects), "rejects": _count(own)}
    manifest = campaign.manifest("adjudicate", rule, counts=counts)

    def make() -> Made:
        rejects = [
            decision.rejects.assign(method=method, control=None if decision is own else decision.control.name)
            for decision in decisions
        ]
        campaign.reject("adjudicate", pd.concat(rejects), manifest, method)
        rows = pd.concat([decision.labels for decision in decisions if len(decision.labels)] or [own.labels])
        return Made(rows=rows)

    run_stage(campaign.store, Labels, manifest, make, noun="label", **scope)
    for decision in decisions:
        _say_labels(campaign, method, decision)
    return own.labels


def _count(decision: "Decision") -> dict[str, int]:
    """The number of pairs without a label, by reason."""
    counts = decision.rejects["reason"].value_counts()
    return {str(reason): int(n) for reason, n in counts.items()}


def _say_labels(campaign: Campaign, method: str, decision: "Decision") -> None:
    labels, reasons = decision.labels, _count(decision)
    control = decision.control
    is_further = control is not campaign.question.first
    by = f"{method}, for {control.name}" if is_further else method
    undecided = int((labels["decided_by"] == BELOW_RULE).sum())
    split = f"{int((labels['stratum'] == 'split').sum())} by a split vote"
    counted = f"{len(labels) - undecided} labels by {by}"
    if control.is_vote and not is_further:
        say(f"{counted}: {int(labels['binary'].sum())} {campaign.question.yes}, {split}")
    else:
        is_text = not labels["scores"].map(len).any()
        values = [] if is_text else [f"{n} “{value}”" for value, n in labels["value"].value_counts().items()]
        say(f"{counted}: " + ", ".join([*values, split]))
    if undecided:
        say(f"{undecided} pairs stay among the labels without one: fewer votes are equal than the rule asks for")
    for reason, n in reasons.items():
        say(f"{n} pairs without a label: {reason}")
    if TIE in reasons and control.drops:
        say("  as many people drop these items as keep them: they do not go on, and a release leaves them out")


def _advise(campaign: Campaign, rule: LabelRule, methods: Sequence[Method]) -> None:
    """Say which method suits: how each does on the gold pairs, else what the number of people and votes lets expect."""
    from annotation.aggregation import choosing
    from annotation.campaign.progress.judging import gold_votes

    votes = votes_of(with_one_vote(counting(campaign.ballots).reset_index(drop=True), rule.one_vote), rule)
    gold = gold_votes(campaign, rule)
    if votes.empty:
        return
    if gold.empty and choosing.is_thin(votes):
        say("with few people, or few votes of each, the majority is the safer label")
    elif gold.empty:
        other = MAJORITY if POOLED in methods else POOLED
        say(f"no method is best everywhere: compare --method {other}; gold pairs would tell (plan --gold)")
    else:
        found = choosing.try_on_gold(votes, gold, ["dawid-skene-pooled", *methods])
        say(f"right on the {found[0].n} gold pairs, with as many votes as other pairs have:")
        for one in found:
            low, high = one.limits
            chance = "within chance" if one.is_chance else "more than chance"
            than = "" if one.method == MAJORITY else f"; difference from the majority {chance} (p = {one.p_value:.2f})"
            say(f"  {one.method:20} {one.right / one.n:.0%} ({low:.0%}–{high:.0%}){than}")


def _compare(methods: Sequence[str], labels: Sequence[pd.DataFrame]) -> None:
    """Say how many labels of each further method differ from the first one's, the majority's."""
    column = "value" if labels[0]["binary"].isna().all() else "binary"
    majority, *others = (rows.set_index("pair_id")[column] for rows in labels)
    aligned = (answers.reindex(majority.index) for answers in others)
    counts = (int((answers.notna() & (answers != majority)).sum()) for answers in aligned)
    differences = [f"{n} by {method}" for n, method in zip(counts, methods[1:], strict=True)]
    say(f"of the {len(majority)} labels of the majority, these differ: " + ", ".join(differences))
