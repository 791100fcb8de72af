"""The settings of this room and where each default comes from."""

from dataclasses import dataclass

from data.console.marks import Advanced
from data.texts.near_copies import NEAR_OVERLAP


@dataclass(frozen=True, kw_only=True)
class ReportRule:
    """What the report counts as a near-duplicate, and how many examples it shows."""

    near_overlap: Advanced[float] = NEAR_OVERLAP
    """Two definitions with at least this Jaccard overlap of their content stems are near-duplicates (0 to 1)."""

    examples: Advanced[int] = 3
    """The number of examples of each kind."""

    seed: Advanced[int] = 1
    """The seed of the examples, and of the pairs that can be searched where the page has no room for all."""
