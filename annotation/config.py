"""The settings of a campaign, and where each value comes from.

Each command takes only the settings it uses, so every flag of a command has an effect. The recipes `paper` and
`recommended` are the same in this room: where the paper is silent, the defaults below hold in both.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, TypeVar

from data.console.marks import Advanced, Limit, NoFlag
from data.contract.vocabulary import AT_LEAST, MEAN, Allocation
from data.measures.rules import OneVoteRule, QualityRule, VoteRule

Rule = TypeVar("Rule")

MIN_LABELS = 20
"""Labels from which a forecast of the label mix is made: with fewer its interval is nearly everything (ours)."""


@dataclass(frozen=True, kw_only=True)
class AllocationRule:
    """How many ratings each pair gets."""

    labels_per_pair: int | None = None
    """The number of annotators per pair; by default the question's own (He et al. 2020, 4.3: three)."""

    allocate: Allocation | None = None
    """Who is asked. `fixed`: all annotators of each pair. `majority-decided`: a further one only where the label could
    still change, so the labels are the same for fewer ratings. `certain`: one at first, then each next rating where the
    label is least certain. The last two are given out by `collect` or `watch`. By default `majority-decided` where the
    rule allows it and there are more pairs than the random part needs."""

    rule: Advanced[tuple[str, ...]] = ()
    """How votes become a label: `majority` or `at-least M`, this many equal votes. By default what the question
    declares; `majority-decided` keeps to it, and `adjudicate` follows."""

    target: float | None = None
    """With `certain`: how certain a label must be for its pair to get no further rating; by default 0.95. No label
    counts as more certain than that: with a higher target, pairs get ratings until the budget is used up."""

    budget: int | None = None
    """With `certain`: the most ratings in all; by default as many as `fixed` would take."""

    random_share: Advanced[float | None] = None
    """Share of the pairs, drawn at random, that all their annotators are asked about whatever they say: agreement is
    measured there alone. By default 0.15, and at least 100 pairs where --allocate is left out."""


@dataclass(frozen=True, kw_only=True)
class PlanRule(AllocationRule):
    """How pairs are assigned to annotators, and what annotators are shown."""

    double_share: Advanced[float | None] = None
    """Share of the pairs that get one extra annotator, to see how far two agree; by default the question's
    own, unless --labels-per-pair says another number (`sentence-correction`: 0.1)."""

    show_entity: bool = True
    """Show the entity above the two definitions (the paper is silent; an expert needs to know what is defined)."""


@dataclass(frozen=True, kw_only=True)
class CheckRule:
    """What is mixed into the work but never votes; neither id, order nor text gives it away."""

    gold_share: float = 0.05
    """Gold items, pairs with a known score, as a share of an annotator's work, at least one each; only where there are
    gold pairs."""

    repeat_share: Advanced[float] = 0.0
    """Pairs of the annotator's own work shown again later, as a share of the work, at least one each."""

    trap_share: Advanced[float] = 0.0
    """Definitions of two different entities shown as if of one (they deserve a 0), as a share of the work, at least
    one each."""


@dataclass(frozen=True, kw_only=True)
class ShownRule:
    """Where what the page shows beside the texts comes from, for questions that show more than texts."""

    model: Advanced[str | None] = None
    """The model whose predictions are shown, by its latest run; may be left out where the store has one model's alone.
    "NAME, seed 2" or a run_id for another run."""

    threshold: Advanced[float | None] = None
    """The score from which the model says yes; by default its run's own."""

    split: Advanced[Literal["train", "validation", "test", "all"]] = "test"
    """The split of the model's scheme whose pairs are shown with its prediction."""

    errors: Advanced[bool] = False
    """Only the pairs that the model gets wrong (He et al. 2020, Table 9)."""

    labels_of: Advanced[str | None] = None
    """The campaign whose labels are shown; by default those that the model learnt from, or the only one."""

    parts: Advanced[Path | None] = None
    """A CSV or Parquet file of the parts to highlight: pair_id, text (first or second), start, end, part."""


@dataclass(frozen=True, kw_only=True)
class LabelRule(VoteRule, OneVoteRule):
    """How votes become a label."""

    rule: tuple[str, ...] = ()
    """`majority`; `at-least M`, this many equal votes, as 4 of five in PAWS (Zhang et al. 2019): pairs with fewer
    stay among the labels, undecided; or `mean`: positive where the mean of a scale is above the middle between the
    highest negative and the lowest positive answer. By default what the question declares."""

    @property
    def at_least(self) -> int:
        """How many votes must be equal."""
        return int(self.rule[1]) if self.rule[:1] == (AT_LEAST,) else 1

    @property
    def takes_mean(self) -> bool:
        """Whether the mean of the answers decides."""
        return self.rule == (MEAN,)


@dataclass(frozen=True, kw_only=True)
class VerdictRule(VoteRule):
    """Who is careless (`verdict`). All values are ours; `python -m studies.quality.verdict` shows how well they
    work."""

    careless_below: NoFlag[float] = 0.315
    """The skill below which an annotator is careless: about the skill of an annotator who is right in 65 % of the
    pairs."""

    spread: NoFlag[float] = 0.07
    """The standard error of a skill above which labels are too few for a verdict, unless they all point one way."""

    overlap_margin: NoFlag[float] = 0.1
    """By how much lexical overlap must predict the annotator's votes better (AUC) than the others' votes."""


@dataclass(frozen=True, kw_only=True)
class JudgeRule(VerdictRule, OneVoteRule):
    """The settings of `verdict`."""


@dataclass(frozen=True, kw_only=True)
class ReassignRule(QualityRule, JudgeRule):
    """Which ratings are replaced, and by whom."""

    low_by: Advanced[Literal["kappa", "verdict"]] = "kappa"
    """Who is low, and who is best: by kappa (the paper), or the careless and the most skilled by our verdict."""

    high_kappa: Advanced[float] = 0.75
    """Above this kappa an annotator may replace others (He et al. 2020, 4.3); by the verdict, any careful one may."""

    best: Advanced[int] = 5
    """How many of them take over the work, best first (He et al. 2020, 4.3: the best five)."""

    relabel: Advanced[Literal["of-any-low", "of-two-low", "uncertain"]] = "of-any-low"
    """Which pairs are labelled again. The paper's sentence can mean all pairs of the low annotators (of-any-low, the
    default) or the pairs that two low annotators had (of-two-low). Ours (uncertain): the pairs whose label is least
    certain by all votes, weighted by their raters' skill; each gets one further rating and none is replaced."""

    limit: Limit[int | None] = None
    """With `uncertain`: how many further ratings in all; by default 5 % of the first round's, which is what the paper's
    reassignment of two of 40 annotators costs."""


def settings(arguments: object, rule: type[Rule]) -> Rule:
    """The part `rule` of a command's flags."""
    return rule(**{setting.name: getattr(arguments, setting.name) for setting in fields(rule)})  # type: ignore[arg-type]
