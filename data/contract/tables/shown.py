"""What annotators are shown of a pair beside its texts."""

from data.contract.base import Count, Table, Text, Texts, column, optional


class Shown(Table):
    """What a campaign's page shows of a pair beside its texts, as its question declares: fixed when it is planned."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair")
    run_id: Text = optional("the run whose prediction is shown")
    prediction: Count = optional("what the model says: 1 yes, 0 no; null where no prediction is shown", isin=(0, 1))
    label: Count = optional("the label that is shown: 1 or 0; null where none is", isin=(0, 1))
    parts: Texts = column(
        "the highlighted parts that were given, as `TEXT START END PART`: first or second, characters from 0, the end "
        "after the last; those that are computed from the texts are not stored"
    )

    class Config:
        """The table's name, key, kind and scope."""

        name = "shown"
        unique = ["campaign", "pair_id"]
        metadata = {"kind": "derived", "scope": ["campaign"]}
