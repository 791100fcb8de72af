"""The settings of this room and where each default comes from."""

from dataclasses import dataclass

from data.console.marks import Advanced


@dataclass(frozen=True, kw_only=True)
class AlternativeRule:
    """How the alternative annotator test decides (Calderon, Reichart and Dror, ACL 2025)."""

    epsilon: Advanced[float] = 0.2
    """How far a person may be ahead of the model, in return for what the model saves (the paper: 0.2 for experts, 0.15
    for skilled annotators, 0.1 for crowd workers)."""
    min_pairs: Advanced[int] = 30
    """Fewest pairs of an annotator who is tested."""
