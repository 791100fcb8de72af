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
    """The cards with what is read of their backs and media, in place of these, and the entity of each.

    Columns: entity, text, definition_id, and reason and detail, null where it may be a definition by its form.
    """
    keys = per_distinct(cards["term"], language.canonical if config.merge_variants else words.normalise)
    starts = range(0, max(len(cards), 1), CARDS_AT_ONCE)
    parts = [slice(start, start + CARDS_AT_ONCE) for start in starts]
    read = pd.concat([_read(cards.iloc[part], keys.iloc[part], config) for part in parts])
    entity = _commonest(cards["term"], keys).astype("category")
    return cards.drop(columns=["back", "media"]).assign(entity=entity, **read)


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
    cards = cards.loc[kept, ["definition_id", "entity", "front", "source", "set_id", "copied_from"]]
    codes, ids = pd.factorize(cards["definition_id"], sort=True)
    held = pd.DataFrame({"definition": codes, "origin": pd.factorize(_origins(cards))[0]}).drop_duplicates()
    n_sources = np.bincount(held["definition"], minlength=len(ids))
    glossary = cards["source"].where(cards["source"].isin(GLOSSARIES.values())).groupby(codes).first().astype(object)
    copied = pd.Series("decks", glossary.index, dtype=object).where(n_sources >= config.many_sources)
    written = _names(cards, language)
    entity = cards["entity"].iloc[np.unique(codes, return_index=True)[1]]
    text = texts.iloc[_commonest_texts(texts, places, codes)]
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


def _origins(cards: pd.DataFrame) -> pd.Series:
    """The set (source and id) from which each card's set was copied, through copies of copies."""
    sets = cards["source"].str.cat(cards["set_id"], sep=" ")
    copied = cards["source"].str.cat(cards["copied_from"], sep=" ")
    parents = dict(zip(sets[copied.notna()], copied[copied.notna()], strict=True))
    return per_distinct(sets, lambda name: _root(name, parents))


def _root(name: str, parents: Mapping[str, str]) -> str:
    """The first set of a chain of copies; in a circle the first by name."""
    chain = {name}
    while (parent := parents.get(name)) is not None:
        if parent in chain:
            return min(chain)
        chain.add(name := parent)
    return name
