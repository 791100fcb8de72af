"""Definitions from cards: which cards are definitions, each text once, and of which entities there are enough; pure."""

from collections.abc import Mapping

import pandas as pd

from crawler.cards import fronts
from crawler.cards.acceptance import judge_form, judge_language
from crawler.cards.outcome import GLOSSARIES
from crawler.cards.texts import per_distinct, typed_media, without_references
from crawler.config import DefinitionConfig
from data.storage.engine import HERE
from data.texts import identity, words
from data.texts.languages.base import Language
from data.texts.reading import fold, read_text


def judge_cards(
    cards: pd.DataFrame, config: DefinitionConfig, language: Language, *, n_texts: int = 0, engine: str = HERE
) -> pd.DataFrame:
    """The cards with the columns text, entity and definition_id, and reason and detail, null where it is accepted.

    Leaves out the cards of entities that have fewer than `n_texts` definitions, whatever their language. `engine` says
    where languages are detected (see `data.storage.engine`).
    """
    cards = _read_texts(cards, config, language)
    verdicts = judge_form(cards, config)
    if n_texts:
        often = definitions_per_entity(cards.join(verdicts)) >= n_texts
        cards = cards[cards["entity"].isin(often.index[often])]
        verdicts = verdicts.loc[cards.index]
    return cards.join(judge_language(cards, verdicts, config, language, engine))


def select(
    cards: pd.DataFrame, config: DefinitionConfig, language: Language
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The definitions, the sightings and the rejects (id = card_id) of judged cards.

    Every card is a sighting or a reject. Texts of an entity that differ only in Unicode form, case or white space are
    one definition, in the form that most cards have (in a tie, the first in alphabetical order).
    Source: He et al. 2020, section 3.1.
    """
    accepted = cards[cards["reason"].isna()]
    unique = definitions_per_entity(cards)
    rare = accepted["entity"].map(unique) < config.min_definitions
    few = pd.DataFrame(
        {
            "id": accepted.loc[rare, "card_id"],
            "reason": "entity_has_too_few_definitions",
            "detail": accepted.loc[rare, "entity"].map(lambda entity: f"{entity}: {unique[entity]}"),
        }
    )
    kept = accepted[~rare]
    others = cards[cards["reason"].notna()].rename(columns={"card_id": "id"})
    rejects = pd.concat([others[["id", "reason", "detail"]], few])
    definitions = _merge(kept, config.many_sources)
    names = definitions["entity"].map(_names(kept, language)).astype(object)
    return definitions.assign(written=names), kept[["definition_id", "card_id"]], rejects


def definitions_per_entity(cards: pd.DataFrame) -> "pd.Series[int]":
    """Entity -> number of distinct definitions among judged cards that are accepted."""
    return cards[cards["reason"].isna()].groupby("entity")["definition_id"].nunique()


def _read_texts(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> pd.DataFrame:
    """The cards with the columns text, entity and definition_id, and with the media typed into their text."""
    media = cards["media"].fillna(per_distinct(cards["back"], typed_media))
    text = per_distinct(cards["back"], read_text if config.resolve_markup else fold)
    text = per_distinct(text, without_references) if config.drop_references else text
    text = text.str.lower() if config.lower_case else text
    key = per_distinct(cards["term"], language.canonical if config.merge_variants else words.normalise)
    names = pd.Series(list(zip(key, per_distinct(text, words.merge_key), strict=True)), cards.index)
    ids = per_distinct(names, lambda name: identity.definition_id(*name))
    return cards.assign(text=text, entity=_commonest(cards["term"], key), definition_id=ids, media=media)


def _commonest(forms: pd.Series, keys: pd.Series) -> pd.Series:
    """For each card, the form that most cards with its key have; in a tie, the first in alphabetical order."""
    counted = pd.DataFrame({"key": keys, "form": forms.astype(object)}).value_counts(sort=False).reset_index()
    best = counted.sort_values(["count", "form"], ascending=[False, True]).drop_duplicates("key")
    return keys.map(dict(zip(best["key"], best["form"], strict=True)))


def _names(cards: pd.DataFrame, language: Language) -> dict[str, str]:
    """Entity -> the form in which most fronts of its cards write it; in a tie, the first in alphabetical order."""
    both = pd.Series(list(zip(cards["front"], cards["entity"], strict=True)), cards.index, dtype=object)
    written = per_distinct(both, lambda card: fronts.as_written(card[0], card[1], language))
    entities = cards.loc[written.notna(), "entity"]
    return dict(zip(entities, _commonest(written.dropna(), entities), strict=True))


def _merge(cards: pd.DataFrame, many_sources: int) -> pd.DataFrame:
    """One row per definition, from its cards."""
    text = _commonest_text(cards)
    glossary = cards["source"].where(cards["source"].isin(GLOSSARIES.values()))
    grouped = cards.assign(origin=_origins(cards), glossary=glossary).groupby("definition_id")
    n_sources = grouped["origin"].nunique()
    copied = pd.Series("decks", n_sources.index).where(n_sources >= many_sources)
    merged = pd.DataFrame(
        {
            "entity": grouped["entity"].first(),
            "text": text,
            "n_words": per_distinct(text, words.count_words),
            "n_cards": grouped["card_id"].nunique(),
            "n_sources": n_sources,
            "verbatim": grouped["glossary"].first().astype(object).fillna(copied),
        }
    )
    return merged.reset_index(names="definition_id")


def _commonest_text(cards: pd.DataFrame) -> pd.Series:
    """Definition_id -> the text that most of its cards have; in a tie, the first in alphabetical order."""
    ways = cards[["definition_id", "text"]].drop_duplicates()
    differ = ways.loc[ways.duplicated("definition_id"), "definition_id"]
    few = cards[cards["definition_id"].isin(differ)].groupby(["definition_id", "text"], as_index=False).size()
    best = few.sort_values(["size", "text"], ascending=[False, True])[["definition_id", "text"]]
    text = pd.concat([best, ways[~ways["definition_id"].isin(differ)]]).drop_duplicates("definition_id")
    return text.set_index("definition_id")["text"].sort_index()


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
