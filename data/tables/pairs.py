"""Candidate pairs: what clustering writes."""

from pandera.pandas import Field

from data.tables.base import Count, Real, Table, Text, Texts, optional


class Pairs(Table):
    """Two definitions of one entity, proposed to the experts."""

    generator: Text
    pair_id: Text
    entity: Text
    first_id: Text
    second_id: Text
    first: Text
    second: Text
    cluster: Count = Field(ge=0)
    similarity: Real = optional(ge=-1.0001, le=1.0001)
    overlap: Real = optional(ge=0, le=1)
    rank: Count = Field(ge=0)
    chosen_by: Text
    parents: Texts

    class Config:
        """The table's name, key, kind and scope."""

        name = "pairs"
        unique = ["generator", "pair_id"]
        metadata = {"kind": "derived", "scope": ["generator"]}
