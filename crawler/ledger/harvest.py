"""A ledger's cards as rows of the table `cards`: the ones whose front is a term; the others are rejects."""

from dataclasses import dataclass, replace

import pandas as pd

from crawler.cards import fronts
from crawler.cards.survey import spread
from crawler.ledger.ledger import Ledger
from crawler.terms.lists import TermList
from data.contract.stages import UNREAD
from data.contract.tables.definitions import Cards
from data.provenance.tombstones import holds, withheld, withheld_sources
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import card_id
from data.texts.languages.base import Language


@dataclass(frozen=True, kw_only=True)
class Harvest:
    """What a ledger yielded."""

    n_cards: int
    """Cards in the ledger."""
    n_new: int
    """Rows added to the table."""
    n_named: int
    """Cards of the source in the table, from this crawl and earlier ones."""
    texts: list[str]
    """Backs of some cards, evenly spaced."""
    kept_texts: list[str]
    """The same of the cards whose front is a term."""
    rejects: pd.Series
    """Reason -> number of cards or entries."""
    unread: list[str]
    """The addresses of pages and files that gave no card."""
    unnamed: pd.DataFrame
    """The cards whose front is no term."""


def name_cards(cards: pd.DataFrame, source: str) -> pd.DataFrame:
    """The cards of `Ledger.cards` with the columns source and card_id, and fetched_at as times.

    The id depends on the text and on how often it occurred before in its set, not on the position: a card inserted
    before another does not change the other's id.
    """
    occurrence = cards.groupby(["set_id", "front", "back"], sort=False).cumcount()
    columns = (cards["set_id"], cards["front"], cards["back"], occurrence)
    ids = [card_id(source, *values) for values in zip(*columns, strict=True)]
    fetched_at = pd.to_datetime(cards["fetched_at"], utc=True, format="ISO8601")
    return cards.assign(source=source, card_id=ids, fetched_at=fetched_at)


def sort_out(cards: pd.DataFrame, terms: TermList) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cards whose front is a term, with the column term, and the rest as rejects (id, reason, detail).

    Where `any` front is a term, every front is one, as read by `fronts.read`, unless nothing is left of it.
    """
    if terms.terms is None:
        named = fronts.read_all(cards["front"], terms.language, cards["set_id"])
    else:
        named = fronts.match(cards["front"], terms.terms, terms.language, cards["set_id"])
    fits = named.notna() & (named != "")
    others = cards[~fits]
    reason = "empty_front" if terms.terms is None else "front_is_no_term"
    rejects = pd.DataFrame({"id": others["card_id"], "reason": reason, "detail": others["front"]})
    return cards[fits].assign(term=named[fits]), rejects


def page_rejects(ledger: Ledger) -> pd.DataFrame:
    """Findings about pages and files as rejects (id, reason, detail).

    The id is the address of a page that gave no card. Where it gave some, and for findings of further kinds about one
    page, `#` and the kind follow.
    """
    kinds = ledger.findings().groupby(["url", "kind"], sort=False)["detail"].agg("; ".join).reset_index()
    others = kinds.duplicated("url") | kinds["url"].isin(ledger.decks()["url"])
    kinds["id"] = kinds["url"].mask(others, kinds["url"] + "#" + kinds["kind"])
    return kinds.rename(columns={"kind": "reason"})[["id", "reason", "detail"]]


def entry_rejects(ledger: Ledger) -> pd.DataFrame:
    """Entries that gave no card as rejects (id, reason, detail): the id is the page's address, `#`, and the own id."""
    skipped = ledger.skipped().drop_duplicates(["url", "id"])
    entries = skipped.assign(detail=skipped["url"], id=skipped["url"] + "#" + skipped["id"])
    return entries[["id", "reason", "detail"]]


def harvest(store: Store, ledger: Ledger, source: str, terms: TermList) -> Harvest:
    """Append the ledger's cards to `cards` and replace the rejects of the stages `crawler.SOURCE` (cards and entries)
    and `crawler.decks.SOURCE` (pages and files).

    Existing rows stay, and their cards are not rejects, even if they were kept for other terms: cards in the ledger =
    cards in the table + rejected cards.
    """
    cards = name_cards(ledger.cards(), source)
    gone = holds(cards, withheld(store)) | cards["set_id"].isin(withheld_sources(store))
    named, unnamed = sort_out(cards[~gone], terms)
    known = store.read(Cards, columns=["card_id"], source=source)["card_id"]
    withdrawn = pd.DataFrame({"id": cards.loc[gone, "card_id"], "reason": "taken_down", "detail": None})
    unnamed = unnamed[~unnamed["id"].isin(known)]
    others = cards[cards["card_id"].isin(unnamed["id"])]
    unnamed, entries, pages = pd.concat([unnamed, withdrawn]), entry_rejects(ledger), page_rejects(ledger)
    rejects = pd.concat([unnamed, entries], ignore_index=True)
    reasons = rejects["reason"].value_counts()
    counts = {"rows_in": len(cards) + len(entries), "rows_out": len(cards) - len(unnamed), "rejects": reasons.to_dict()}
    manifest = Manifest(
        stage="crawler",
        part=source,
        config={"terms": terms.name},
        language=terms.language.code,
        inputs=terms.inputs,
        counts=counts,
    )
    store.append(Cards, named, manifest)
    store.reject("crawler", rejects, manifest, part=source)
    store.reject(UNREAD, pages, replace(manifest, counts={"rejects": pages["reason"].value_counts().to_dict()}), source)
    n_rows = len(store.read(Cards, columns=["card_id"], source=source))
    return Harvest(
        n_cards=len(cards),
        n_new=n_rows - len(known),
        n_named=n_rows,
        texts=spread(cards["back"].tolist()),
        kept_texts=spread(named["back"].tolist()),
        rejects=reasons,
        unread=pages.loc[~pages["id"].str.contains("#", regex=False), "id"].tolist(),
        unnamed=others,
    )


def front_names(ledger: Ledger, language: Language) -> list[str]:
    """What the ledger's fronts name, each once, in alphabetical order."""
    return sorted(set(fronts.read_all(ledger.fronts(), language)) - {""})
