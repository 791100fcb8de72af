"""What is computed from ratings: measures, labels, splits, predictions."""

from pandera.pandas import Field

from data.tables.base import Count, Counts, Real, Table, Text, Texts, optional


class Quality(Table):
    """A measure of an annotator's ratings, by round; round 0 is all rounds together."""

    campaign: Text
    round: Count = Field(ge=0)
    annotator: Text
    measure: Text
    n: Count = Field(ge=0)
    value: Real = optional()
    low: Real = optional()
    high: Real = optional()
    reason: Text = optional()

    class Config:
        """The table's name, key, kind and scope."""

        name = "quality"
        unique = ["campaign", "round", "annotator", "measure"]
        metadata = {"kind": "derived", "scope": ["campaign"]}


class Verdicts(Table):
    """Whether an annotator is careless, and why."""

    campaign: Text
    annotator: Text
    n: Count = Field(ge=0)
    skill: Real = Field(ge=-1, le=1)
    low: Real
    high: Real
    doubt: Real = Field(ge=0, le=1)
    verdict: Text = Field(isin=("careless", "careful", "undecided"))
    reasons: Texts

    class Config:
        """The table's name, key, kind and scope."""

        name = "verdicts"
        unique = ["campaign", "annotator"]
        metadata = {"kind": "derived", "scope": ["campaign"]}


class Labels(Table):
    """What a method makes of a pair's ratings."""

    campaign: Text
    method: Text
    pair_id: Text
    votes: Count = Field(ge=0)
    n_votes: Count = Field(ge=0)
    binary: Count = optional(isin=(0, 1))
    scores: Counts
    posterior: Real = optional(ge=0, le=1)
    stratum: Text
    decided_by: Text

    class Config:
        """The table's name, key, kind and scope."""

        name = "labels"
        unique = ["campaign", "method", "pair_id"]
        metadata = {"kind": "derived", "scope": ["campaign", "method"]}


class Splits(Table):
    """The part of a named scheme that a pair belongs to, and the group that keeps it together with others."""

    scheme: Text
    pair_id: Text
    split: Text = Field(isin=("train", "validation", "test"))
    group: Text

    class Config:
        """The table's name, key, kind and scope."""

        name = "splits"
        unique = ["scheme", "pair_id"]
        metadata = {"kind": "derived", "scope": ["scheme"]}


class Inconsistencies(Table):
    """A pair whose label contradicts others, and how."""

    pair_id: Text
    kind: Text
    evidence: Text

    class Config:
        """The table's name, key and kind."""

        name = "inconsistencies"
        unique = ["pair_id", "kind"]
        metadata = {"kind": "derived"}


class Predictions(Table):
    """A model's score of a pair."""

    model: Text
    seed: Count
    pair_id: Text
    score: Real

    class Config:
        """The table's name, key, kind and scope."""

        name = "predictions"
        unique = ["model", "seed", "pair_id"]
        metadata = {"kind": "derived", "scope": ["model", "seed"]}
