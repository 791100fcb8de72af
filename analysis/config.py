"""The settings of this room and where each default comes from."""

from dataclasses import dataclass

from data.labelled.groups import NEAR_OVERLAP
from data.vocabulary import CAMPAIGN, MAJORITY

SCHEME = "by-entity"
PUBLISHED = "published"
"""The scheme of the split that a published data set comes with."""


@dataclass(frozen=True, kw_only=True)
class SplitRule:
    """How labelled pairs are dealt to train, validation and test."""

    shares: tuple[float, float, float] = (74.2, 12.5, 13.3)
    """Shares of the pairs for train, validation and test, in any unit (He et al. 2020, 3.5: 7,550, 1,275 and 1,357
    of 10,182 pairs)."""

    seed: int = 1
    """The seed of the order of the groups (the paper names none)."""

    stratify: bool = False
    """Also give each split its share of paraphrases and of non-paraphrases."""


@dataclass(frozen=True, kw_only=True)
class ReportRule:
    """What the report counts as a near-duplicate, and how many examples it shows."""

    near_overlap: float = NEAR_OVERLAP
    """Two definitions with at least this Jaccard overlap of their content stems are near-duplicates (0 to 1)."""

    examples: int = 3
    """The number of examples of each kind."""

    seed: int = 1
    """The seed of the examples."""


@dataclass(frozen=True, kw_only=True)
class LabelSet:
    """Which labels of a data set, and which of its splits."""

    campaign: str = CAMPAIGN
    """The campaign whose labels are read from a store."""

    method: str = MAJORITY
    """The method by which the labels were made, in a store."""

    scheme: str | None = None
    """The name of the split: in a store one that `analysis.splits` wrote (default: `by-entity`); elsewhere
    `published`, the data set's own (default), or `by-entity`, dealt on the fly."""

    @property
    def store_scheme(self) -> str:
        """The name of the split in a store."""
        return self.scheme or SCHEME


@dataclass(frozen=True, kw_only=True)
class ScoringRule:
    """How the scores of models are judged."""

    low_overlap: float = 0.2
    """A paraphrase with less Jaccard overlap is hard (0 to 1)."""

    high_overlap: float = 0.4
    """A non-paraphrase with at least this Jaccard overlap is hard (0 to 1)."""

    resamples: int = 1000
    """The number of bootstrap samples for an interval."""

    seed: int = 1
    """The seed of the bootstrap samples and of the models."""
