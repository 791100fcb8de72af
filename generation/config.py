"""What generation is asked for, with the recipes and where their values come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit, NoFlag


@dataclass(frozen=True, kw_only=True)
class SwapConfig:
    """How words are swapped. The values here are ours; `SWAPS` has the paper's (PAWS, Zhang et al. 2019)."""

    beam: NoFlag[int] = 100
    """Hypotheses kept per step of the search."""
    exchanges: NoFlag[bool] = True
    """Also score every exchange of two units."""
    keep_terms: NoFlag[bool] = True
    """Treat terms as units, so that no word moves inside one."""
    lists: NoFlag[Literal["next", "drop"]] = "next"
    """Where the best candidate merely reorders a list: take the next best, or none."""
    content_first: NoFlag[bool] = True
    """Take candidates in which content words moved before all others."""
    most_moved: Advanced[int | None] = 4
    """Units that change their place at most: of sentences taken to pieces, an n-gram model prefers nonsense. If none,
    any number."""
    n_best: NoFlag[int] = 10
    """Candidates per sentence that are ranked, by the second model where there is one."""
    threshold: Advanced[float | None] = None
    """Drop candidates whose logarithm of probability is more than this many nats below their source's; if none, none:
    3 nats accept two thirds of all sentences where a 5-gram is the judge."""
    entity_probability: NoFlag[float] = 0.95
    """A named entity is one unit where its probability is above this."""
    least_likely: Advanced[float | None] = -8.0
    """Leave out sources that the n-gram model finds less likely than this, in nats per word; if none, take all."""
    cap: Advanced[float] = 6.0
    """Margins above this rank as this one: a much better sentence mostly has a broken source."""
    limit: Limit[int | None] = None
    """Keep at most this many pairs, the best of all sentences; by default all."""
    per_entity: Limit[int | None] = 3
    """Keep at most this many pairs whose sources define the same entity; if none, any number."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name in ("most_moved", "limit", "per_entity"):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), 1)


SWAPS: Mapping[str, SwapConfig] = {
    "recommended": SwapConfig(),
    "paper": SwapConfig(
        beam=100,  # section 3.1
        exchanges=False,  # section 3.1: beam search
        keep_terms=False,  # section 3.1: words and named entities
        lists="drop",  # section 3.1, footnote 2: lists are pruned
        content_first=False,
        most_moved=None,
        n_best=1,  # section 3.1: the best candidate
        threshold=3.0,  # section 3.1
        entity_probability=0.95,  # section 3.1
        least_likely=None,
        per_entity=None,
    ),
}
"""docs/paper-choices.md gives the reason for each difference."""


@dataclass(frozen=True, kw_only=True)
class TranslateConfig:
    """Which back translations become pairs. Sections refer to Zhang, Baldridge and He 2019 (PAWS)."""

    results: Advanced[Literal["best", "all"]] = "best"
    """Of each sentence the best with another order of words, or else the best; or all that are close enough."""
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


TRANSLATIONS: Mapping[str, TranslateConfig] = {
    "recommended": TranslateConfig(),
    "paper": TranslateConfig(results="all"),
}
"""PAWS, section 3.2, filters the results and names no choice among them."""


@dataclass(frozen=True, kw_only=True)
class BalanceConfig:
    """Which judged and new pairs make a set. Sections refer to Zhang, Baldridge and He 2019 (PAWS)."""

    swaps: Literal["all", "translated", "none"] = "all"
    """Which judged swaps are in the set themselves: all, those that have a back translation (the others are a campaign
    of their own, `paws-swaps` where the set is `paws`, like Wiki-Swap of section 4), or none."""
    balance: bool = True
    """Keep as many pairs of each label among those that look alike, so that neither shared words, order, lengths, --lm
    nor the commonest words of one text tell the label."""


BALANCES: Mapping[str, BalanceConfig] = {
    "recommended": BalanceConfig(),
    "paper": BalanceConfig(swaps="translated", balance=False),
}
"""PAWS, section 4: swaps without a back translation are a set of their own; all other pairs are kept."""
