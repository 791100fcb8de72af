"""What can be set in a campaign, and where each value comes from.

Each verb takes the part that it uses, so that every flag of a verb has an effect. The recipes `paper` and
`recommended` are the same in this room: where the paper is silent the defaults below hold in both.
"""

from dataclasses import dataclass, fields
from typing import Literal, TypeVar

Rule = TypeVar("Rule")

EVERYBODY = "all"
"""What stands for an annotator in measures over everybody."""

ALL_ROUNDS = 0
"""What stands for a round in measures over all rounds."""

Kind = Literal["good", "careless", "guessing", "always-2", "overlap", "drifting", "tiring"]
"""How an annotator of a simulated campaign rates (`campaigns`)."""


@dataclass(frozen=True, kw_only=True)
class PlanRule:
    """How pairs are given to annotators and what these are shown."""

    labels_per_pair: int = 3
    """Annotators for each pair (He et al. 2020, 3.3: three)."""

    show_entity: bool = True
    """Show the entity above the two definitions (the paper is silent; an expert needs to know what is defined)."""


@dataclass(frozen=True, kw_only=True)
class CheckRule:
    """What is mixed into the work and never votes: it cannot be told from work by id, order or text."""

    gold_share: float = 0.05
    """Pairs with a known score, as a share of an annotator's work; only where --gold names some."""

    repeat_share: float = 0.0
    """An annotator's own pairs shown again later, as a share of the work."""

    trap_share: float = 0.0
    """Definitions of two different entities as if of one (they deserve a 0), as a share of the work."""


@dataclass(frozen=True, kw_only=True)
class VoteRule:
    """How a score becomes a vote."""

    paraphrase_from: Literal[1, 2, 3] = 2
    """The lowest score that says "paraphrase" (He et al. 2020, Table 4: 3 and 2 are paraphrases, 1 and 0 are not)."""


@dataclass(frozen=True, kw_only=True)
class QualityRule(VoteRule):
    """Who is a low annotator."""

    low_kappa: float = 0.4
    """Below this kappa with the majority, own vote included, an annotator's work is done again (He et al. 2020, 3.4;
    the sign is lost in the paper's text and can only be "<"). Read it beside the chance level that `quality` prints."""


@dataclass(frozen=True, kw_only=True)
class HabitRule:
    """Which times say something."""

    idle_seconds: float = 300.0
    """A rating that took longer was left lying: its time is cut off (ours; five minutes for about 34 words)."""

    fast_seconds: float = 3.0
    """A rating made faster was not read: two definitions of 17 words take some eight seconds (ours)."""


@dataclass(frozen=True, kw_only=True)
class MeasureRule(QualityRule, HabitRule):
    """What `quality` measures by."""


@dataclass(frozen=True, kw_only=True)
class VerdictRule(VoteRule):
    """Who is careless (`verdict`). All values are ours; `python -m benchmarks.verdict` shows what they are worth."""

    careless_below: float = 0.315
    """The skill below which an annotator is careless: about what is reached by who is right in 65 % of the pairs."""

    spread: float = 0.07
    """The standard error of a skill above which the labels are too few, unless all of them point one way."""

    overlap_margin: float = 0.1
    """By how much more lexical overlap must tell the own votes (AUC) than what the others make of the pairs."""


@dataclass(frozen=True, kw_only=True)
class ReassignRule(QualityRule, VerdictRule):
    """Which ratings are replaced, and by whom."""

    low_by: Literal["kappa", "verdict"] = "kappa"
    """Who is low, and who is best: by kappa (the paper), or the careless and the most skilled by our verdict."""

    high_kappa: float = 0.75
    """Above this kappa an annotator may replace others (He et al. 2020, 3.4); by the verdict, whoever is careful."""

    best: int = 5
    """How many of those take the work, best first (He et al. 2020, 3.4: the best five)."""

    relabel: Literal["of-any-low", "of-two-low", "uncertain"] = "of-any-low"
    """Which pairs are labelled again. The paper's sentence reads as "all pairs of the low annotators" (of-any-low, the
    default) or as "the pairs that two low annotators had" (of-two-low). Ours (uncertain): the pairs whose label is
    least sure by all votes, weighed by their raters' skill; each gets one further rating and none is replaced."""

    budget: int | None = None
    """With `uncertain`: how many further ratings in all; if left out, 5 % of the first round's, which is what the
    paper's reassignment of two of 40 annotators costs."""

    replacements: Literal["one", "every-best"] = "one"
    """New ratings for each low one: one (the paper is silent; the least that restores three votes), or one by each of
    the best who has not seen the pair."""


@dataclass(frozen=True, kw_only=True)
class AnnotationConfig(PlanRule, CheckRule, ReassignRule):
    """All settings of the room."""

    @classmethod
    def paper(cls) -> "AnnotationConfig":
        """The settings of He et al. 2020; where the paper is silent, the defaults."""
        return cls()

    @classmethod
    def recommended(cls) -> "AnnotationConfig":
        """The same as `paper`: nothing measured so far speaks for another rule."""
        return cls()


def settings(arguments: object, rule: type[Rule]) -> Rule:
    """The part `rule` of the settings among a verb's flags."""
    return rule(**{one.name: getattr(arguments, one.name) for one in fields(rule)})  # type: ignore[arg-type]
