"""What annotators are shown of a pair beside its texts."""

from data.contract.base import Count, Counts, Table, Text, Texts, column, optional


class Shown(Table, name="shown", kind="derived", key=("campaign", "pair_id"), scope=("campaign",)):
    """What a campaign's page shows of a pair beside its texts, as its question declares: fixed when it is planned."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair")
    run_id: Text = optional("the run whose prediction is shown")
    prediction: Count = optional("what the model says: 1 yes, 0 no; null where no prediction is shown", isin=(0, 1))
    label: Count = optional("the label that is shown: 1 or 0; null where none is", isin=(0, 1))
    part_names: Texts = column(
        "the names of the highlighted parts that were given, one per span; those that are computed are not stored"
    )
    part_sides: Texts = column("the text that each span is in: first or second")
    part_starts: Counts = column("the first character of each span, from 0")
    part_ends: Counts = column("the character after the last one of each span")
