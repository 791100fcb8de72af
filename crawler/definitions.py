"""`python -m crawler.definitions`: cards -> unique definitions per entity, and the cards behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from crawler.cards.acceptance import judge
from crawler.cards.texts import fold, per_distinct, read_text, typed_media
from crawler.config import DefinitionConfig
from crawler.glossaries.reading import SOURCE
from data import identity, words
from data.console import run, say, say_next
from data.errors import InputError
from data.languages.base import Language
from data.languages.recorded import followed
from data.manifest import Manifest
from data.store import Store
from data.tables.definitions import Cards, Definitions, Sightings, Terms

STAGE = "crawler.definitions"
RECIPES: Mapping[str, DefinitionConfig] = {
    "recommended": DefinitionConfig.recommended(),
    "paper": DefinitionConfig.paper(),
}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Keep the cards that are definitions, each text once, of entities with enough of them."""

    recipe: Literal["recommended", "paper"] = "recommended"
    config: DefinitionConfig = field(default_factory=DefinitionConfig.recommended)
    store: Path = field(default_factory=Store.default_path)
    """Folder of the tables."""


def main(arguments: Arguments) -> None:
    """Write definitions, sightings and rejects."""
    store = Store(arguments.store)
    if not store.exists(Cards):
        raise InputError(
            store.path(Cards), expected="a table of cards", found="none", remedy="run `scrapy crawl` first"
        )
    language = followed(store, Cards, Terms)
    manifest = Manifest(
        stage=STAGE,
        config=arguments.config,
        recipe=arguments.recipe,
        language=language.code,
        inputs=store.inputs(Cards),
    )
    with store.lock("definitions"):
        if store.is_current(Definitions, manifest):
            say("the definitions are up to date with the cards: nothing to do")
        else:
            _write(store, arguments.config, language, manifest)
    say_next("python -m clustering --store", arguments.store)


def _write(store: Store, config: DefinitionConfig, language: Language, manifest: Manifest) -> None:
    cards = store.read(Cards)
    cards = cards.sort_values(["fetched_at", "card_id"]).drop_duplicates("card_id", keep="last")
    definitions, sightings, rejects = collect_definitions(cards, config, language)
    reasons = {str(reason): int(n) for reason, n in rejects["reason"].value_counts().items()}
    counts = {"rows_in": len(cards), "rows_out": len(sightings), "rejects": reasons}
    counted = replace(manifest, counts=counts)
    store.reject(STAGE, rejects, counted)
    store.replace(Sightings, sightings, counted)
    version = store.replace(Definitions, definitions, counted)
    say(
        f"{len(definitions):,} definitions of {definitions['entity'].nunique():,} entities, from {len(sightings):,} of "
        f"{len(cards):,} cards, written to {store.path(Definitions)} (version {version})"
    )
    for reason, n in reasons.items():
        say(f"  {n:,} rejects: {reason}")


def collect_definitions(
    cards: pd.DataFrame, config: DefinitionConfig, language: Language
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The definitions, the sightings and the rejects (id = card_id) of the cards.

    Every card is a sighting or a reject. Texts of an entity that differ only in Unicode form, case or white space are
    one definition, in the form that most cards have (in a tie, the first in alphabetical order).
    Source: He et al. 2020, section 3.1.
    """
    cards = _read_texts(cards, config, language)
    verdicts = judge(cards, config, language).assign(id=cards["card_id"])
    accepted = cards[verdicts["reason"].isna()]
    unique = accepted.groupby("entity")["definition_id"].nunique()
    rare = accepted["entity"].map(unique) < config.min_definitions
    few = pd.DataFrame(
        {
            "id": accepted.loc[rare, "card_id"],
            "reason": "entity_has_too_few_definitions",
            "detail": accepted.loc[rare, "entity"].map(lambda entity: f"{entity}: {unique[entity]}"),
        }
    )
    kept = accepted[~rare]
    rejects = pd.concat([verdicts.loc[verdicts["reason"].notna(), ["id", "reason", "detail"]], few])
    return _merge(kept, config.many_sources), kept[["definition_id", "card_id"]], rejects


def _read_texts(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> pd.DataFrame:
    """The cards with the columns text, entity and definition_id, and with the media typed into their text."""
    media = cards["media"].fillna(per_distinct(cards["back"], typed_media))
    text = per_distinct(cards["back"], read_text if config.resolve_markup else fold)
    text = text.str.lower() if config.lower_case else text
    entity = per_distinct(cards["term"], language.canonical if config.merge_variants else words.normalise)
    names = pd.Series(list(zip(entity, per_distinct(text, words.merge_key), strict=True)), cards.index)
    ids = per_distinct(names, lambda name: identity.definition_id(*name))
    return cards.assign(text=text, entity=entity, definition_id=ids, media=media)


def _merge(cards: pd.DataFrame, many_sources: int) -> pd.DataFrame:
    """One row per definition, from its cards."""
    ways = cards.groupby(["definition_id", "text"], as_index=False).size()
    text = ways.sort_values(["size", "text"], ascending=[False, True]).groupby("definition_id")["text"].first()
    glossary = cards["source"].where(cards["source"].str.startswith(SOURCE))
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


if __name__ == "__main__":
    run(main, prog="python -m crawler.definitions", recipes=RECIPES)
