"""Definitions from cards: which cards are definitions, each text once, and of which entities there are enough; pure."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from crawler.cards import fronts
from crawler.cards.acceptance import judge_form
from crawler.cards.outcome import GLOSSARIES
from crawler.cards.texts import per_distinct, typed_media, without_references
from crawler.config import DefinitionConfig
from data.texts import identity, words
from data.texts.languages.base import Language
from data.texts.reading import fold, read_text

CARDS_AT_ONCE = 50_000
"""Cards whose texts are read together; of all at once, a million take gigabytes."""


def read_cards(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> pd.DataFrame:
    """What is read of the cards, in few bytes: of a million, the detectors of languages leave no room for more.

    Columns: card_id, source, front; entity; origin, the number of the set from which the card's set was copied; text,
    definition_id; reason and detail, null where it may be a definition by its form.
    """
    keys = per_distinct(cards["term"], language.canonical if config.merge_variants else words.normalise)
    starts = range(0, max(len(cards), 1), CARDS_AT_ONCE)
    parts = [slice(start, start + CARDS_AT_ONCE) for start in starts]
    read = pd.concat([_read(cards.iloc[part], keys.iloc[part], config) for part in parts])
    entity, origin = _commonest(cards["term"], keys), _origins(cards)
    found = cards[["card_id", "source", "front"]].assign(entity=entity, origin=origin, **read)
    return found.astype(dict.fromkeys(("source", "front", "entity"), "category"))


def keep(cards: pd.DataFrame, config: DefinitionConfig) -> tuple["pd.Series[bool]", pd.DataFrame]:
    """Which judged cards are kept, and the rejects (id = card_id); every card is one or the other.

    Source: He et al. 2020, section 3.1.
    """
    accepted, unique = cards["reason"].isna(), definitions_per_entity(cards)
    rare = accepted & cards["entity"].isin(unique.index[unique < config.min_definitions])
    few = pd.DataFrame(
        {
            "id": cards.loc[rare, "card_id"],
            "reason": "entity_has_too_few_definitions",
            "detail": cards.loc[rare, "entity"].astype(object).map(lambda entity: f"{entity}: {unique[entity]}"),
        }
    )
    others = cards.loc[~accepted, ["card_id", "reason", "detail"]].rename(columns={"card_id": "id"})
    return accepted & ~rare, pd.concat([others, few])


def merge(cards: pd.DataFrame, kept: "pd.Series[bool]", config: DefinitionConfig, language: Language) -> pd.DataFrame:
    """The definitions of the cards that are kept, each of which comes once.

    Texts of an entity that differ only in Unicode form, case or white space are one definition, in the form that most
    cards have (in a tie, the first in alphabetical order).
    """
    texts, places = cards["text"], np.flatnonzero(kept)
    codes, ids = pd.factorize(cards["definition_id"].iloc[places], sort=True)
    cards = cards.loc[kept, ["entity", "front", "source", "origin"]]
    n_origins = cards["origin"].max() + 1 if len(cards) else 1
    n_sources = np.bincount(np.unique(codes * n_origins + cards["origin"].to_numpy()) // n_origins, minlength=len(ids))
    glossary = cards["source"].where(cards["source"].isin(GLOSSARIES.values())).groupby(codes).first().astype(object)
    copied = pd.Series("decks", glossary.index, dtype=object).where(n_sources >= config.many_sources)
    written = _names(cards, language)
    entity = cards["entity"].iloc[np.unique(codes, return_index=True)[1]]
    text = _take(texts, _commonest_texts(texts, places, codes))
    return pd.DataFrame(
        {
            "definition_id": ids,
            "entity": entity.astype("string[pyarrow]").array,
            "written": entity.map(written).astype("string[pyarrow]").array,
            "text": text.array,
            "n_words": np.fromiter(map(words.count_words, text), np.int64, len(text)),
            "n_cards": np.bincount(codes, minlength=len(ids)),
            "n_sources": n_sources,
            "verbatim": glossary.fillna(copied).array,
        },
        copy=False,
    )


def definitions_per_entity(cards: pd.DataFrame) -> "pd.Series[int]":
    """Entity -> number of distinct definitions among judged cards that are accepted."""
    accepted = cards.loc[cards["reason"].isna(), ["entity", "definition_id"]]
    return accepted.groupby("entity", observed=True)["definition_id"].nunique()


def _read(cards: pd.DataFrame, keys: pd.Series, config: DefinitionConfig) -> pd.DataFrame:
    """What is read of the backs of the cards, whose terms have these keys: text, definition_id, reason and detail."""
    media = cards["media"].fillna(per_distinct(cards["back"], typed_media))
    text = per_distinct(cards["back"], read_text if config.resolve_markup else fold)
    text = per_distinct(text, without_references) if config.drop_references else text
    text = text.str.lower() if config.lower_case else text
    names = pd.Series(list(zip(keys, per_distinct(text, words.merge_key), strict=True)), cards.index, dtype=object)
    ids = per_distinct(names, lambda name: identity.definition_id(*name))
    found = pd.DataFrame({"text": text, "definition_id": ids}, dtype="string[pyarrow]")
    return found.join(judge_form(cards[["front"]].assign(text=text, media=media), config))


def _commonest(forms: pd.Series, keys: pd.Series) -> pd.Series:
    """For each card, the form that most cards with its key have; in a tie, the first in alphabetical order."""
    counted = pd.DataFrame({"key": keys, "form": per_distinct(forms, str)}).value_counts(sort=False).reset_index()
    best = counted.sort_values(["count", "form"], ascending=[False, True]).drop_duplicates("key")
    return keys.map(dict(zip(best["key"], best["form"], strict=True)))


def _names(cards: pd.DataFrame, language: Language) -> dict[str, str]:
    """Entity -> the form in which most fronts of its cards write it; in a tie, the first in alphabetical order."""
    counted = cards.groupby(["front", "entity"], observed=True).size().reset_index(name="count")
    fronts_of = zip(counted["front"], counted["entity"], strict=True)
    counted["written"] = [fronts.as_written(front, entity, language) for front, entity in fronts_of]
    sums = counted.groupby(["entity", "written"], observed=True)["count"].sum().reset_index()
    best = sums.sort_values(["count", "written"], ascending=[False, True]).drop_duplicates("entity")
    return dict(zip(best["entity"], best["written"], strict=True))


def _commonest_texts(texts: pd.Series, places: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each code, the place of the text that most of its cards have; in a tie, the first in alphabetical order."""
    commonest = places[np.unique(codes, return_index=True)[1]]
    shared = np.bincount(codes)[codes] > 1
    ways = pd.DataFrame({"code": codes[shared], "text": texts.iloc[places[shared]].array, "place": places[shared]})
    counted = ways.groupby(["code", "text"], as_index=False).agg(n=("place", "size"), place=("place", "first"))
    best = counted.sort_values(["n", "text"], ascending=[False, True]).drop_duplicates("code")
    commonest[best["code"]] = best["place"]
    return commonest


def _take(texts: pd.Series, places: NDArray[np.int64]) -> pd.Series:
    """The texts at the places. Arrow takes twice the memory of what is taken, so few are taken at once."""
    starts = range(0, max(len(places), 1), CARDS_AT_ONCE)
    taken: pd.Series = pd.concat([texts.iloc[places[start : start + CARDS_AT_ONCE]] for start in starts])
    return taken


def _origins(cards: pd.DataFrame) -> NDArray[np.int64]:
    """For each card, the number of the set from which its set was copied, through copies of copies."""
    of_card = cards.groupby(["source", "set_id"], sort=False).ngroup().to_numpy()
    sets = cards.iloc[np.unique(of_card, return_index=True)[1]]
    copies = cards[["source", "set_id", "copied_from"]].dropna().drop_duplicates()
    parents = dict(zip(_named(copies, "set_id"), _named(copies, "copied_from"), strict=True))
    roots = [_root(name, parents) for name in _named(sets, "set_id")]
    return pd.factorize(np.array(roots, dtype=object))[0][of_card]


def _named(cards: pd.DataFrame, column: str) -> pd.Series:
    """The sets of a column, each with its source."""
    return cards["source"].str.cat(cards[column], sep=" ")


def _root(name: str, parents: Mapping[str, str]) -> str:
    """The first set of a chain of copies; in a circle the first by name."""
    chain = {name}
    while (parent := parents.get(name)) is not None:
        if parent in chain:
            return min(chain)
        chain.add(name := parent)
    return name
