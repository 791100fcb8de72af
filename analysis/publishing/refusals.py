"""Why a release must not be published; pure."""

import shlex
from collections.abc import Iterator

import pandas as pd

from analysis.publishing import discrepancies, licences
from analysis.publishing.edition import Edition
from analysis.splitting import leaks
from data.contract.licences import DECK, recognise
from data.contract.vocabulary import ANNOTATOR, BELOW_RULE
from data.labelled.pairs import LabelledPairs
from data.provenance.descent import ways_back
from data.provenance.tombstones import text_digest


def find(edition: Edition, name: str, tombstones: pd.DataFrame) -> Iterator[str]:
    """Every reason against publishing except licences; `tombstones` has the columns kind, id, reason."""
    pairs = edition.pairs
    if pairs.empty:
        yield "there is no labelled pair"
        return
    unsplit = int(pairs["split"].isna().sum())
    if unsplit:
        yield f"{unsplit:,} pairs are in no split of the scheme {edition.scheme!r}: run `python -m analysis.splits`"
    splits = pairs["split"].dropna().unique()
    if len(splits) == 1:
        yield f"all pairs are in {splits[0]}: a data set of one split has nothing to test on"
    if edition.forgotten:
        yield f"{edition.forgotten:,} labelled pairs are no longer in the table pairs, which was replaced since"
    has_vote = edition.question is None or edition.question.vote is not None
    is_open = pairs["binary"].isna() & (pairs["decided_by"] != BELOW_RULE).fillna(True) & has_vote
    unresolved = int(is_open.sum()) + edition.unresolved
    if unresolved:
        yield f"{unresolved:,} pairs are unresolved: have them rated, and run `python -m annotation adjudicate`"
    if edition.simulated and "simulated" not in name.lower():
        yield f"{edition.simulated:,} ratings are simulated: give a --name that says `simulated`"
    if edition.ratings is not None and not unresolved:
        stale = next(discrepancies.differ(edition.tables(), edition.rule, edition.question), None)
        if stale:
            commands = (
                "`quality`, `adjudicate` and `recombine`"
                if edition.campaigns is not None
                else "`quality` and `adjudicate`"
            )
            yield f"labels or measures do not follow from the ratings ({stale}): run {commands} again"
    yield from _leaks(edition)
    yield from _withdrawn(edition, tombstones)


def _leaks(edition: Edition) -> Iterator[str]:
    for row in leaks.compare_splits(LabelledPairs(edition.pairs, edition.synonyms, edition.language)):
        shared = ", ".join(f"{row[kind]:,} {what}" for kind, what in leaks.KINDS.items() if row[kind])
        if shared and len(row["against"]) == 1:
            yield (
                f"{row['split']} leaks into {row['against'][0]}: {shared}; {row['pairs_touched']:,} pairs touched "
                "(see `python -m analysis.leakage`)"
            )


UNKNOWN = "unknown"
"""The source of texts that are on no card and were made from none."""

IDS = ("pair_id", "first_id", "second_id", "definition_id", "text_id", "sentence_id", "source_id", "card_id",
    "annotator", "url", "set_id")  # fmt: skip
"""The columns whose values a tombstone may name."""


def _withdrawn(edition: Edition, tombstones: pd.DataFrame) -> Iterator[str]:
    gone = set(tombstones.loc[tombstones["kind"] != ANNOTATOR, "id"])
    for side in ("first", "second"):
        texts = {text: text_digest(text) in gone for text in edition.pairs[side].unique()} if gone else {}
        if any(texts.values()):
            n = int(edition.pairs[side].map(texts).sum())
            yield f"the {side} texts of {n:,} pairs were taken down: run `python -m data takedown` again"
    for name, table in edition.tables().items():
        for column in [name for name in IDS if name in table]:
            hit = _withdrew(table, edition) if column == "annotator" else table[column].isin(gone)
            if hit.any():
                first = table.loc[hit, column].iloc[0]
                yield f"{int(hit.sum()):,} rows of {name} were withdrawn or taken down ({column} {first})"


def _withdrew(table: pd.DataFrame, edition: Edition) -> "pd.Series[bool]":
    """Whether each row's annotator withdrew from the row's campaign, or else from the edition's own."""
    if "campaign" not in table:
        return table["annotator"].isin(edition.withdrawn)
    gone = edition.withdrawn_from_bases
    hit = [name in gone.get(campaign, ()) for campaign, name in table[["campaign", "annotator"]].to_numpy()]
    return pd.Series(hit, index=table.index, dtype="bool")


def find_closed(edition: Edition, permissions: licences.Permissions) -> Iterator[str]:
    """One reason per licence under which texts may not be published, and per source where none is stated."""
    for closed in licences.list_closed(edition.pairs, *_trace_texts(edition), permissions):
        decks = ", ".join(f"{n:,} {source}" for source, n in closed.sources.items())
        is_deck = edition.provenance is not None and closed.sources.keys() != {UNKNOWN}
        state = "" if closed.licence or not is_deck else "state it (`scrapy crawl … -a licences=FILE`), "
        flag = shlex.quote(f"{closed.key}=REASON")
        yield (
            f"the texts of {closed.n_pairs:,} pairs {closed.why} (decks: {decks}): {state}give --permission {flag}, or "
            "--without-text"
        )


def find_idle(edition: Edition, permissions: licences.Permissions) -> list[str]:
    """The permissions that name no source and no licence of the edition."""
    return licences.find_idle(_trace_texts(edition)[1], permissions)


def _trace_texts(edition: Edition) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Provenance and sources, where a text on no card has the cards that hold what it was made from.

    Without any, it is a deck of the source UNKNOWN. Where the sentence that such a text was made from is stated to be
    under a licence that is not open, the deck is the sentence's source and licence. An open one still takes a
    permission: nothing here says whom to credit. A published data set, whose texts have no cards, is
    a single deck of the source `published`.
    """
    cards = pd.DataFrame({"definition_id": []}) if edition.provenance is None else edition.provenance
    sides = pd.concat([edition.pairs["first_id"], edition.pairs["second_id"]]).drop_duplicates()
    sides = sides[~sides.isin(cards["definition_id"])]
    ways = pd.DataFrame(columns=["text_id", "origin"])
    if edition.generated_texts is not None:
        ways = ways_back(sides, edition.generated_texts)
        held = ways.merge(cards, left_on="origin", right_on="definition_id")
        cards = pd.concat([cards, held.assign(definition_id=held["text_id"])[cards.columns]], ignore_index=True)
        sides = sides[~sides.isin(held["text_id"])]
    deck = dict.fromkeys(DECK, "published" if edition.provenance is None else UNKNOWN)
    nothing = dict.fromkeys(("licence", "licence_id", "licence_note"))
    others, decks = pd.DataFrame({"definition_id": sides}).assign(**deck), pd.DataFrame([deck | nothing], dtype="str")
    if edition.sources is None:
        return others, decks
    closed = _state_closed(ways[ways["text_id"].isin(sides)], edition.sentences)
    others = others[~others["definition_id"].isin(closed["definition_id"])]
    sources = pd.concat([edition.sources, decks[: len(others)], closed.drop(columns="definition_id").drop_duplicates()])
    return pd.concat([cards, others, closed[["definition_id", *DECK]]], ignore_index=True), sources


def _state_closed(ways: pd.DataFrame, sentences: pd.DataFrame | None) -> pd.DataFrame:
    """The sentences' licences that are stated and not open, each as a deck of texts: definition_id, DECK, licence …"""
    known = pd.DataFrame(columns=["sentence_id", "source", "licence"]) if sentences is None else sentences
    rows = ways.merge(known.dropna(subset="licence"), left_on="origin", right_on="sentence_id")
    rows = rows.assign(definition_id=rows["text_id"])[["definition_id", "source", "licence"]].drop_duplicates()
    ids = [recognise(licence) for licence in rows["licence"]]
    rows = rows.assign(url="", set_id=rows["licence"], licence_id=pd.Series(ids, rows.index, dtype=object))
    is_closed = pd.Series([not licences.is_open(licence) for licence in ids], rows.index, dtype=bool)
    return rows[is_closed].assign(licence_note=None).astype(object)
