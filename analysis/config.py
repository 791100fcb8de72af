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


@dataclass(frozen=True, kw_only=True)
class AlternativeRule:
    """How the alternative annotator test decides (Calderon, Reichart and Dror, ACL 2025)."""

    epsilon: Advanced[float] = 0.2
    """How far a person may be ahead of the model, in return for what the model saves (the paper: 0.2 for experts, 0.15
    for skilled annotators, 0.1 for crowd workers)."""
    min_pairs: Advanced[int] = 30
    """Fewest pairs of an annotator who is tested."""
