"""What can be set in this room, and where each value comes from."""

from dataclasses import dataclass

CAMPAIGN = "main"
METHOD = "majority"
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
