"""Which labels of a data set, and which of its splits, a command works on."""

from dataclasses import dataclass
from typing import Annotated

from data.console.errors import InputError
from data.console.marks import Called
from data.contract.vocabulary import CAMPAIGN, MAJORITY

Campaigns = Annotated[tuple[str, ...], Called("campaign")]
"""The names of campaigns whose labels count together, given as one flag: `--campaign main second`."""
SCHEME = "by-entity"
PUBLISHED = "published"
"""The scheme of the split that a published data set comes with."""


@dataclass(frozen=True, kw_only=True)
class LabelSet:
    """Which labels of a data set, and which of its splits."""

    campaigns: Campaigns = (CAMPAIGN,)
    """The campaign whose labels are read from a store; to train and judge models also several, of which the last one
    that labelled a pair counts."""

    method: str = MAJORITY
    """The method by which the labels were made, in a store."""

    scheme: str | None = None
    """The name of the split: in a store one that `analysis.splits` wrote (default: `by-entity`); elsewhere
    `published`, the data set's own (default), or `by-entity`, dealt on the fly."""

    def __post_init__(self) -> None:
        """Raise InputError where no campaign is named."""
        if not self.campaigns:
            raise InputError("--campaign", expected="a campaign", found="none", remedy="name one")

    @property
    def flags(self) -> list[str]:
        """What says on a command line which labels and splits these are; nothing for the usual ones."""
        usual = LabelSet()
        return [
            *(["--campaign", *self.campaigns] if self.campaigns != usual.campaigns else []),
            *(["--method", self.method] if self.method != usual.method else []),
            *(["--scheme", self.scheme] if self.scheme else []),
        ]

    @property
    def campaign(self) -> str:
        """The campaign, for what is about one; raises InputError where several are named."""
        if len(self.campaigns) != 1:
            raise InputError(
                "--campaign",
                expected="one campaign",
                found=" ".join(self.campaigns),
                remedy="several are only split and learned from together",
            )
        return self.campaigns[0]

    @property
    def store_scheme(self) -> str:
        """The name of the split in a store."""
        return self.scheme or SCHEME
