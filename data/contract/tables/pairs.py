"""Candidate pairs: what clustering writes."""

import pandas as pd

from data.contract.base import Count, Real, Table, Text, Texts, column, optional
from data.contract.vocabulary import OF_ATTACKS, SELECTIONS


class Pairs(Table, name="pairs", kind="derived", key=("generator", "pair_id"), scope=("generator",), completes=True):
    """Two texts, as a rule definitions of one entity, proposed to the experts.

    One row per generator and pair.
    """

    generator: Text = column("name of the method that proposed the pair; the recipe's unless another is given")
    pair_id: Text = column("hash of the two texts' ids, whatever their order")
    entity: Text = optional("the canonical term that the first text defines; null where it defines none")
    second_entity: Text = optional("the term that the second text defines where that is another one; else null")
    first_id: Text = column("the definition with the lower id, or the source of a generated text")
    second_id: Text = column("the definition with the higher id, or the generated text")
    first: Text = column("the first text")
    second: Text = column("the second text")
    cluster: Count = optional("number of the cluster within the entity; null where the two share none", ge=0)
    similarity: Real = optional(
        "cosine of the two vectors, -1 to 1; null where a vector is undefined", ge=-1.0001, le=1.0001
    )
    overlap: Real = optional("Jaccard similarity of the content stems, 0 to 1; null where neither has any", ge=0, le=1)
    rank: Count = column("order of preference, from 0", ge=0)
    selection: Text = column("why the pair was chosen, most by the value of a flag `--selection`", isin=SELECTIONS)
    detail: Text = optional("what else is known of the choice, or the pair's id in your file; null for nothing")
    sample_of: Text = optional("the generator from whose pairs people are given this sample; null where it is none")
    parents: Texts = column("pairs that it was made from; empty for mined pairs")


def is_review(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each pair (columns selection, sample_of) is in a sample of an attack's pairs that people judge."""
    return pairs["sample_of"].notna() & pairs["selection"].isin(OF_ATTACKS)
