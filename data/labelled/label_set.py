"""Which labels of a data set, and which of its splits, a command works on."""

from dataclasses import dataclass, fields

from data.contract.vocabulary import CAMPAIGN, MAJORITY

TOGETHER = "+"
"""What joins the names of campaigns whose labels count together; no name has it."""
SCHEME = "by-entity"
PUBLISHED = "published"
"""The scheme of the split that a published data set comes with."""


@dataclass(frozen=True, kw_only=True)
class LabelSet:
    """Which labels of a data set, and which of its splits."""

    campaign: str = CAMPAIGN
    """The campaign whose labels are read from a store; to train and judge models, several joined by + (`main+second`),
    of which the last one that labelled a pair counts."""

    method: str = MAJORITY
    """The method by which the labels were made, in a store."""

    scheme: str | None = None
    """The name of the split: in a store one that `analysis.splits` wrote (default: `by-entity`); elsewhere
    `published`, the data set's own (default), or `by-entity`, dealt on the fly."""

    @property
    def flags(self) -> list[str]:
        """What says on a command line which labels and splits these are; nothing for the usual ones."""
        given = [(field.name, getattr(self, field.name)) for field in fields(self)]
        usual = LabelSet()
        return [word for name, value in given if value != getattr(usual, name) for word in (f"--{name}", value)]

    @property
    def campaigns(self) -> list[str]:
        """The names of the campaigns."""
        return self.campaign.split(TOGETHER)

    @property
    def store_scheme(self) -> str:
        """The name of the split in a store."""
        return self.scheme or SCHEME
