"""`python -m crawler.definitions`: cards -> unique definitions per entity, and the cards behind them."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import pandas as pd

from crawler.cards.acceptance import judge_language
from crawler.cards.fronts import match
from crawler.cards.limit_advice import other_limits
from crawler.cards.selection import keep, merge, read_cards
from crawler.cards.survey import survey
from crawler.config import DefinitionConfig
from data.console.errors import Findings, InputError
from data.console.marks import Advanced
from data.console.memory import return_memory
from data.console.messages import quantity
from data.console.paths import Address
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.removals import Rejects
from data.guidance.next_steps import say_steps
from data.recorded.cards import latest_cards
from data.recorded.languages import followed, with_terms
from data.storage.engine import HERE, check
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.languages.base import Language

STAGE = "crawler.definitions"
SHOWN_PAIRS = 10
"""Pairs of names that are shown where more stay apart."""
READ = [
    "card_id", "fetched_at", "source", "url", "set_id", "front", "back", "term", "media", "body_sha256", "copied_from",
]  # fmt: skip
"""Columns of the cards that say what becomes of them."""
RECIPES: Mapping[str, DefinitionConfig] = {
    "recommended": DefinitionConfig.recommended(),
    "paper": DefinitionConfig.paper(),
}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Keep the cards that are definitions, each text once, of entities with enough of them."""

    recipe: Literal["recommended", "paper"] = "recommended"
    """Whose settings hold where a flag gives no other."""
    config: DefinitionConfig = field(default_factory=DefinitionConfig.recommended)
    engine: Advanced[str] = HERE
    """Where languages are detected, which takes most of the time: `here`, `processes`, `processes:N` or `dask:ADDRESS`.
    Here it uses all cores already."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write definitions, sightings and rejects.

    Raises Findings where there is no definition, or most cards are in other languages.
    """
    check(arguments.engine)
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
        inputs=store.inputs(Cards, Terms) if store.exists(Terms) else store.inputs(Cards),
    )
    with store.lock("definitions"):
        make = partial(_make, store, arguments.config, with_terms(store, language), arguments.engine)
        run_stage(store, Definitions, manifest, make, noun="definition")
    if store.read(Definitions, columns=["definition_id"]).empty:
        raise Findings(_why_none(store, language))
    say_steps(store)
    _require_language(store, language)


def _make(store: Store, config: DefinitionConfig, language: Language, engine: str) -> Made:
    cards = latest_cards(store.read(Cards, columns=READ)).drop(columns=["fetched_at", "url", "body_sha256"])
    gone, n_cards = _without_term(store, cards, language), len(cards)
    others = pd.DataFrame({"id": cards["card_id"], "reason": "term_is_gone", "detail": cards["term"]})[gone]
    cards = read_cards(cards[~gone], config, language)
    return_memory()
    cards = judge_language(cards, config, language, engine)
    advice = [*_near(cards), *other_limits(cards, config, language)]
    return_memory()
    kept, rejects = keep(cards, config)
    return_memory()
    definitions, sightings = merge(cards, kept, config, language), cards.loc[kept, ["definition_id", "card_id"]]
    entities = quantity(definitions["entity"].nunique(), "entity", "entities")
    return Made(
        rows=definitions, lines=[f"{entities}, from {len(sightings):,} of {n_cards:,} cards", *advice],
        rejects=pd.concat([rejects, others]),
        counts={"rows_in": n_cards, "sightings": len(sightings)}, beside=[(Sightings, sightings, {})],
    )  # fmt: skip


def _near(cards: pd.DataFrame) -> list[str]:
    """A line with the names that differ by a final s alone and are two entities; none where there are none."""
    names = set(cards.loc[cards["reason"].isna(), "entity"])
    pairs = [f"{name} and {name}s" for name in sorted(names) if f"{name}s" in names]
    if not pairs:
        return []
    more = f" and {len(pairs) - SHOWN_PAIRS:,} more" if len(pairs) > SHOWN_PAIRS else ""
    return [f"names that differ by a final s alone stay apart: {', '.join(pairs[:SHOWN_PAIRS])}{more}"]


def _following(store: Store) -> list[str]:
    """The sources whose cards were kept for the terms of the table, and follow it."""
    sources = sorted(store.distinct(Cards, "source")) if store.exists(Terms) else ()
    records = {source: store.manifest(Rejects, stage="crawler", part=source) for source in sources}
    return [source for source, record in records.items() if record and record["config"].get("terms") == "table"]


def _without_term(store: Store, cards: pd.DataFrame, language: Language) -> "pd.Series[bool]":
    """Whether each card was kept for a term that the table no longer has, in any variant."""
    follows = cards["source"].isin(_following(store))
    present = match(cards["term"], store.read(Terms, columns=["term", "variants"]), language).notna()
    return follows & ~present.astype(bool)


def _why_none(store: Store, language: Language) -> str:
    """Why there is no definition, by the reasons of the rejects and the language of the cards."""
    reasons = store.read(Rejects, columns=["reason"], stage=STAGE)["reason"].value_counts()
    counted = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items())
    limits = "--min-definitions and --max-words move the limits, and other terms or decks bring other cards"
    languages = _describe_languages(store, language)
    return "; ".join([f"no definitions: all {int(reasons.sum()):,} cards are rejects ({counted})", *languages, limits])


def _describe_languages(store: Store, language: Language) -> list[str]:
    return survey(latest_cards(store.read(Cards))["back"].tolist(), language).describe("cards")


def _require_language(store: Store, language: Language) -> None:
    """Raise Findings where at least half of the texts that are definitions by their form are in other languages."""
    n_others, n_few = (
        len(store.read(Rejects, columns=["id"], stage=STAGE, reason=reason))
        for reason in ("other_language", "entity_has_too_few_definitions")
    )
    n_texts = n_others + n_few + len(store.read(Sightings, columns=["card_id"]))
    if 2 * n_others >= n_texts > 0:
        share = f"{n_others:,} of {n_texts:,} texts are rejects because they are not in {language.name}"
        raise Findings("; ".join([share, *_describe_languages(store, language), "--min-confidence 0 keeps them"]))


if __name__ == "__main__":
    run(main, prog="python -m crawler.definitions", recipes=RECIPES)
