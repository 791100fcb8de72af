"""The texts of a campaign: what annotators are shown, and what they answered, in words."""

import pandas as pd

from annotation.campaign.campaign import Campaign
from data.console.errors import TableError
from data.contract.tables.pairs import Pairs
from data.grouping.entities import ENTITIES, name_pairs
from data.measures.ballots import given
from data.recorded.names import read_names_at


def read_shown_texts(campaign: Campaign) -> pd.DataFrame:
    """The texts that annotators see: pair_id, entity, definition1, definition2 (empty where one is shown)."""
    texts, shown = read_texts(campaign), campaign.question.shown
    straight = shown.in_order or not shown.is_pair
    first, second = texts["source" if straight else "first"], texts["generated" if straight else "second"]
    sides = (
        {"definition1": first, "definition2": second} if shown.is_pair else {"definition1": second, "definition2": ""}
    )
    return texts[["pair_id", "entity"]].assign(**sides)


def read_texts(campaign: Campaign) -> pd.DataFrame:
    """The pairs' texts, the definition with the smaller id first: pair_id, entity, first, second.

    `entity`: as it was written when the campaign was planned, of two both in alphabetical order; null for none.
    `source` and `generated` are the first and second text as the generator wrote the pair.
    """
    columns = ["pair_id", *ENTITIES, "first_id", "second_id", "first", "second"]
    pairs = campaign.store.read(Pairs, columns=columns, generator=campaign.plan["generator"])
    missing = ~campaign.assignments["pair_id"].isin(pairs["pair_id"])
    if missing.any():
        raise TableError(
            "pairs",
            expected=f"the texts of the {campaign.assignments['pair_id'].nunique()} planned pairs",
            found=f"none for {campaign.assignments.loc[missing, 'pair_id'].nunique()} of them",
            remedy="write this generator's pairs again as they were (python -m data history pairs)",
        )
    names = read_names_at(campaign.store, campaign.assignments["at"].min())
    turned = (pairs["first_id"] > pairs["second_id"]).astype("bool")
    first, second = pairs["first"], pairs["second"]
    return pairs[["pair_id"]].assign(
        entity=name_pairs(pairs, names, in_order=True),
        first=first.where(~turned, second),
        second=second.where(~turned, first),
        source=first,
        generated=second,
    )


def answers_in_words(campaign: Campaign) -> "pd.Series[str]":
    """The last answers by assignment id, as values; those to several controls are joined by commas."""
    last = given(campaign.ratings)
    if campaign.question.scale:
        scored = last.dropna(subset="score").set_index("assignment_id")["score"]
        return scored.astype("int64").astype("str").astype("object")
    places = {control.name: place for place, control in enumerate(campaign.question.asked)}
    rows = campaign.answers.merge(last[["assignment_id", "submitted_at"]])
    rows = rows.assign(place=rows["control"].map(places)).sort_values(["assignment_id", "place"])
    chosen = [
        " ".join(values) if pd.isna(text) else f"“{text}”" for values, text in rows[["chosen", "text"]].to_numpy()
    ]
    words = pd.Series(chosen, index=rows["assignment_id"].to_numpy(object), dtype="object")
    return words.groupby(level=0).agg(", ".join)
