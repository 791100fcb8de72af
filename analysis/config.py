"""What can be set in this room, and where each value comes from."""

from dataclasses import dataclass

from data.vocabulary import CAMPAIGN, MAJORITY

SCHEME = "by-entity"
PUBLISHED = "published"
"""The scheme of a published data set's own split."""


@dataclass(frozen=True, kw_only=True)
class SplitRule:
    """How labelled pairs are dealt to train, validation and test."""

    shares: tuple[float, float, float] = (74.2, 12.5, 13.3)
    """Shares of the pairs for train, validation and test, in any unit (He et al. 2020, 3.5: 7,550, 1,275 and 1,357
    of 10,182 pairs)."""

    seed: int = 1
    """What the order of the groups is drawn from (the paper names none)."""

    stratify: bool = False
    """Give each split its share of paraphrases and of non-paraphrases too."""


@dataclass(frozen=True, kw_only=True)
class ReportRule:
    """What the report counts as close, and how much it shows."""

    near_overlap: float = 0.7
    """Two definitions with at least this Jaccard overlap of their content stems are near duplicates (0 to 1)."""

    examples: int = 3
    """Examples of each kind."""

    seed: int = 1
    """What the examples are drawn from."""


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
    """How scores are judged."""

    low_overlap: float = 0.2
    """A paraphrase with less Jaccard overlap is hard (0 to 1)."""

    high_overlap: float = 0.4
    """A non-paraphrase with at least this Jaccard overlap is hard (0 to 1)."""

    resamples: int = 1000
    """How often the groups are drawn anew for an interval."""

    seed: int = 1
    """What the draws, and the models, come from."""
