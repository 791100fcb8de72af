"""Which campaigns belong together: a study is a campaign with its pilot and its control arm."""

PILOT, CONTROL = ARMS = ("-pilot", "-control")
"""Endings of the names of campaigns that belong to another: they share its people, accounts and documents."""


def study_of(campaign: str) -> str:
    """The campaign that a pilot or control arm belongs to; for any other, itself (`main-2` is not part of `main`)."""
    return next((campaign.removesuffix(arm) for arm in ARMS if campaign.endswith(arm)), campaign)


def governed_by(campaign: str) -> tuple[str, ...]:
    """The campaigns whose documents and acceptances apply to a campaign: its study's and, for an arm, its own."""
    return tuple(dict.fromkeys((study_of(campaign), campaign)))


def withdrawal_id(campaign: str, annotator: str) -> str:
    """The id of an annotator's tombstone: one for the whole study."""
    return f"{study_of(campaign)}/{annotator}"


def withdrawn_from(campaign: str, tombstones: list[str]) -> frozenset[str]:
    """The annotators who withdrew from the campaign's study, according to the ids of tombstones."""
    parts = (tombstone.rpartition("/") for tombstone in tombstones)
    return frozenset(annotator for study, _, annotator in parts if study == study_of(campaign))
