"""What was made from texts: the pairs that hold one, the pairs made from those, and the texts made from or for them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pandas as pd

from data.grouping import entities
from data.texts.identity import pair_id
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Everything made from some texts."""

    made: frozenset[str]
    """Texts made from those given."""
    pairs: frozenset[str]
    """Ids of their pairs and of all that descend from these; some may have left the table."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What is known of texts and pairs."""

    definitions: pd.DataFrame
    """Columns definition_id, entity."""
    pairs: pd.DataFrame
    """Columns pair_id, entity, second_entity, first_id, second_id, parents."""
    seen: frozenset[str]
    """The definitions that a card holds, and the group's own sentences."""
    generated: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({"text_id": [], "source_id": []}, dtype="str"))
    """Columns text_id, source_id: each text that was made from another."""
    language: Language = ENGLISH


def trace(taken: frozenset[str], texts: Texts) -> Descent:
    """What descends from the texts `taken`, through the columns `parents` and `source_id`, in any number of steps.

    A side of a derived pair is a made text if neither a card nor a mined pair has it: it then descends from what its
    pair does. A derived pair that was mined, too, falls only with its texts, and a generated text only with its last
    source or its last pair. A pair that is no longer proposed is known by its id, which follows from two definitions of
    one entity, or of two that share a head word in the language.
    """
    pairs, source_of = texts.pairs, texts.generated[~texts.generated["text_id"].isin(texts.seen)]
    sides = pd.concat([_ends(pairs, "first"), _ends(pairs, "second")])
    known = pd.concat([texts.definitions, sides])[["entity", "definition_id"]].dropna().drop_duplicates()
    known["head"] = [name.rpartition(" ")[2] for name in texts.language.canonicals(known["entity"].tolist())]
    rows = pairs[["pair_id", "parents"]].explode("parents")
    mined = rows.loc[rows["parents"].isna(), "pair_id"]
    parents = rows[~rows["pair_id"].isin(mined)]
    is_derived = sides["pair_id"].isin(parents["pair_id"]) | sides["definition_id"].isin(source_of["text_id"])
    derived, original = sides[is_derived], texts.seen.union(sides.loc[~is_derived, "definition_id"])
    fallen, made, new = set[str](), set[str](), set(taken)
    while new:
        fallen |= set(_possible_pairs(new, known)) | set(sides.loc[sides["definition_id"].isin(new), "pair_id"])
        fallen |= _descendants(fallen, parents)
        falls = derived["pair_id"].isin(fallen)
        needed = set(derived.loc[~falls, "definition_id"]) & set(source_of["text_id"])
        lost = set(derived.loc[falls, "definition_id"]) - needed
        new = (lost | _unsourced(taken.union(made, lost), source_of)) - original - taken - made
        made |= new
    return Descent(made=frozenset(made), pairs=frozenset(fallen))


def ways_back(ids: Iterable[str], made: pd.DataFrame) -> pd.DataFrame:
    """Each text beside itself and everything that it was made from, in any number of steps: text_id, origin.

    `made`: text_id, source_id.
    """
    steps = made[["text_id", "source_id"]].astype(object).drop_duplicates()
    first = pd.unique(pd.Series([*ids], dtype=object))
    new = found = pd.DataFrame({"text_id": first, "origin": first})
    while len(new):
        on = new.merge(steps, left_on="origin", right_on="text_id", suffixes=("", "_made"))
        further = on[["text_id", "source_id"]].rename(columns={"source_id": "origin"})
        known = pd.concat([found, further]).drop_duplicates()
        new, found = known[len(found) :], known
    return found


def made_for(ids: Iterable[str], generated: pd.DataFrame) -> pd.DataFrame:
    """The rows of `generated_texts` that lead from these texts to those that no row explains."""
    return generated[generated["text_id"].isin(ways_back(ids, generated)["origin"])]


def _unsourced(gone: frozenset[str], source_of: pd.DataFrame) -> set[str]:
    """The generated texts all of whose sources are gone."""
    stays = ~source_of["source_id"].isin(gone)
    return set(source_of["text_id"]) - set(source_of.loc[stays, "text_id"])


def _ends(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    ends = pairs[["pair_id", f"{side}_id"]].set_axis(["pair_id", "definition_id"], axis="columns")
    return ends.assign(entity=entities.of_side(pairs, side))


def _possible_pairs(new: set[str], known: pd.DataFrame) -> Iterator[str]:
    """The ids of all pairs that the definitions could form with definitions of the same head word."""
    ours = known[known["definition_id"].isin(new)]
    for one, other in ours.merge(known, on="head")[["definition_id_x", "definition_id_y"]].itertuples(index=False):
        yield pair_id(one, other)


def _descendants(fallen: set[str], parents: pd.DataFrame) -> set[str]:
    """The pairs with one of these among their parents, their parents' parents, and so on."""
    found, new = set[str](), fallen
    while new:
        new = set(parents.loc[parents["parents"].isin(new), "pair_id"]) - found
        found |= new
    return found
