"""What generation is asked for, with the two recipes and where their values come from."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit

Recipe = Literal["recommended", "paper"]


@dataclass(frozen=True, kw_only=True)
class SwapConfig:
    """How words are swapped. Sections refer to Zhang, Baldridge and He 2019 (PAWS). None follows the recipe."""

    recipe: Recipe = "recommended"
    """`paper`: the best other sentence of the beam, accepted down to 3 nats below its source. `recommended`: the best
    of beam and exchanges, content words moved first, as many as the budget allows."""
    beam: Advanced[int] = 100
    """Hypotheses kept per step of the search (section 3.1: 100)."""
    exchanges: Advanced[bool | None] = None
    """Also score every exchange of two units (paper: no)."""
    keep_terms: Advanced[bool | None] = None
    """Treat terms as units, so that no word moves inside one (paper: no)."""
    most_moved: Advanced[int | None] = None
    """Units that change their place at most (recommended: 4; paper: no limit): of sentences taken to pieces, an n-gram
    model prefers nonsense."""
    n_best: Advanced[int | None] = None
    """Candidates per sentence that are ranked, by the second model where there is one (paper: 1; recommended: 10)."""
    threshold: Advanced[float | None] = None
    """Drop candidates whose logarithm of probability is more than this many nats below their source's (paper: 3; the
    recommended recipe has none: 3 nats accept two thirds of all sentences where a 5-gram is the judge)."""
    entity_probability: Advanced[float] = 0.95
    """A named entity is one unit where its probability is above this (section 3.1: 0.95)."""
    least_likely: Advanced[float | None] = None
    """Leave out sources that the n-gram model finds less likely than this, in nats per word (recommended: -8)."""
    cap: Advanced[float] = 6.0
    """Margins above this rank as this one: a much better sentence mostly has a broken source."""
    limit: Limit[int | None] = None
    """Keep at most this many pairs, the best of all sentences; by default all."""
    per_entity: Limit[int | None] = None
    """Keep at most this many pairs whose sources define the same entity (recommended: 3; paper: no limit)."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name in ("beam", "most_moved", "n_best", "limit", "per_entity"):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), 1)
        if not 0 <= self.entity_probability < 1:
            found = str(self.entity_probability)
            raise InputError("--entity-probability", expected="from 0, below 1", found=found, remedy="try 0.95")

    def settled(self) -> "SwapConfig":
        """The configuration with the recipe's values where none were given."""
        paper = self.recipe == "paper"
        recipe: dict[str, Any] = {
            "exchanges": not paper,
            "keep_terms": not paper,
            "most_moved": None if paper else 4,
            "n_best": 1 if paper else 10,
            "threshold": 3.0 if paper else None,
            "least_likely": None if paper else -8.0,
            "per_entity": None if paper else 3,
        }
        return replace(self, **{name: value for name, value in recipe.items() if getattr(self, name) is None})


@dataclass(frozen=True, kw_only=True)
class TranslateConfig:
    """Which back translations become pairs. Sections refer to Zhang, Baldridge and He 2019 (PAWS)."""

    recipe: Recipe = "recommended"
    """`paper`: every result that is close enough. `recommended`: per sentence the best with another order of words, or
    else the best."""
    min_cosine: Advanced[float] = 0.9
    """Keep results whose word counts have at least this cosine with the sentence's (section 3.2: 0.9)."""
    min_inversion: Advanced[float] = 0.02
    """At least half of the pairs have a higher inversion rate (section 3.2: 0.02)."""
    seed: int = 1
    """Which of the others stay."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        require_at_least("--seed", self.seed, 0)
        for flag, value in (("--min-cosine", self.min_cosine), ("--min-inversion", self.min_inversion)):
            if not 0 <= value <= 1:
                raise InputError(flag, expected="from 0 to 1", found=str(value), remedy="leave it out")
