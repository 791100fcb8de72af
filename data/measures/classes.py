"""The answers that ratings are compared by; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.contract.questions import Control, Level
from data.contract.vocabulary import SCORES
from data.measures.agreement import Agreement, Integers, Mask, Names, Reals, krippendorff_alpha


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The answers that can be given, in their declared order; by default the scores of PARADE.

    An answer's *number* is what the column `score` of ballots holds; its *place* counts from 0 in the order.
    """

    values: tuple[str, ...] = tuple(map(str, SCORES))
    numbers: tuple[int, ...] = SCORES
    n_positive: int = 2
    """How many of the last answers are a vote for the item; 0 where there is no vote."""
    level: Level = "interval"

    def __len__(self) -> int:
        """How many answers there are."""
        return len(self.values)

    @property
    def lowest_positive(self) -> int | None:
        """The number of the first answer that is a vote for the item; None where there is no vote."""
        return self.numbers[-self.n_positive] if self.n_positive else None

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the answers means something."""
        return self.level != "nominal"

    @property
    def apart(self) -> Reals | None:
        """At the interval level, the squared difference of each two numbers; None at the others."""
        steps = np.array(self.numbers, dtype="float64")
        return np.asarray((steps[:, None] - steps) ** 2) if self.level == "interval" else None

    def places(self, scores: Sequence[int] | NDArray[Any]) -> Integers:
        """The places of these numbers."""
        return np.asarray(np.searchsorted(self.numbers, scores), dtype=np.int64)

    def positive(self, lowest: int) -> Mask:
        """Which answers are a vote for the item where those from the number `lowest` are."""
        return np.asarray(np.array(self.numbers) >= lowest)

    def alpha(self, table: Integers, groups: Names | None = None) -> Agreement:
        """Krippendorff's alpha of counts by place, by the level of measurement."""
        return krippendorff_alpha(table, self.level, self.apart, groups)


PARADE = Classes()


def classes_of(control: Control) -> Classes:
    """The answers to a control of which one is given."""
    codes = control.codes
    return Classes(
        values=tuple(codes),
        numbers=tuple(codes.values()),
        n_positive=len(control.positive),
        level=control.measured,
    )
