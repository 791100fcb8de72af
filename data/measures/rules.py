"""The settings that votes, and the measures of annotators and models, are made with."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from data.console.marks import Advanced, NoFlag
from data.contract.questions import Question
from data.contract.vocabulary import IDLE_SECONDS, PARAPHRASE_FROM


@dataclass(frozen=True, kw_only=True)
class VoteRule:
    """How a score becomes a vote."""

    paraphrase_from: NoFlag[int | None] = None
    """The lowest score that is a vote for "paraphrase": the first answer that the question declares positive (He et al.
    2020, Table 4: 3 and 2 are, 1 and 0 are not). Answers that are no scale are numbered from 0."""

    @property
    def lowest_yes(self) -> int:
        """The lowest score that is a vote for "paraphrase": PARADE's where none is set."""
        return PARAPHRASE_FROM if self.paraphrase_from is None else self.paraphrase_from


@dataclass(frozen=True, kw_only=True)
class OneVoteRule:
    """Whose votes are not independent."""

    one_vote: Advanced[tuple[tuple[str, str], ...]] = ()
    """Two annotators who copied have one vote: of the pairs that both rated, only the first one's counts. Name them by
    pseudonym, couple after couple: `--one-vote a03 a07 a05 a09`. `quality` names suspects; you decide."""


@dataclass(frozen=True, kw_only=True)
class QualityRule(VoteRule):
    """Who is a low annotator."""

    low_kappa: float = 0.4
    """Below this kappa with the majority, which includes the annotator's own vote, an annotator's work is redone (He et
    al. 2020, 4.3). Compare it with the chance level that `quality` prints."""


@dataclass(frozen=True, kw_only=True)
class IdleRule:
    """Which times count."""

    idle_seconds: Advanced[float] = IDLE_SECONDS
    """Seconds beyond which a rating was left lying: time above it is cut off (ours; five minutes for some 34 words)."""


@dataclass(frozen=True, kw_only=True)
class HabitRule(IdleRule):
    """Which times tell us something."""

    fast_seconds: Advanced[float] = 3.0
    """A pair rated in fewer seconds was not read: two definitions of 17 words take about eight (ours)."""


@dataclass(frozen=True, kw_only=True)
class MeasureRule(QualityRule, HabitRule):
    """The settings of the table `quality`."""


@dataclass(frozen=True, kw_only=True)
class CountRule(MeasureRule, OneVoteRule):
    """All that the votes and measures of a release depend on beside its ratings."""

    paraphrase_from: int | None = PARAPHRASE_FROM
    """The lowest score that is a vote for "paraphrase": always a number."""


@dataclass(frozen=True, kw_only=True)
class ScoringRule:
    """How the scores of models are judged."""

    resamples: Advanced[int] = 1000
    """The number of bootstrap samples for an interval."""

    seed: Advanced[int] = 1
    """The seed of the bootstrap samples and of the models."""


def read_rule(config: Mapping[str, Any], question: Question) -> CountRule:
    """The rule in the configuration of a manifest: the lowest vote is the question's where it states none."""
    known = {part.name: config[part.name] for part in fields(CountRule) if config.get(part.name) is not None}
    return CountRule(**{"paraphrase_from": lowest_positive(question)} | known)


def lowest_positive(question: Question) -> int:
    """The lowest score that is a vote for the item."""
    vote = question.vote
    return PARAPHRASE_FROM if vote is None else min(vote.codes[value] for value in vote.positive)
