"""Why a release must not be published."""

import shlex
from collections.abc import Collection, Iterator, Mapping

import pandas as pd

from analysis.publishing import discrepancies, licences
from analysis.splitting import leaks
from data.console.messages import quantity
from data.contract.licences import DECK, recognise
from data.contract.questions import Question
from data.contract.stages import concerns
from data.contract.tables.campaign import Assignments
from data.contract.tables.removals import Rejects, Tombstones
from data.contract.vocabulary import ANNOTATOR, BELOW_RULE, LEFT_OUT, TIE, VOTING
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import empty
from data.labelled.releases import Release
from data.provenance.descent import ways_back
from data.provenance.tombstones import text_digest
from data.recorded.plans import withdrawn_from
from data.storage.store import Store


def find(release: Release, dataset: Dataset, label_set: LabelSet, *, without_text: bool) -> Iterator[str]:
    """Every reason against publishing, licences last; `dataset`: what the release is made of."""
    yield from _find_unready(release, dataset, label_set)
    if not without_text:
        yield from find_closed(release)


def _find_unready(release: Release, dataset: Dataset, label_set: LabelSet) -> Iterator[str]:
    pairs = release.tables["pairs"]
    if pairs.empty:
        yield "there is no labelled pair: run `python -m annotation adjudicate`"
        return
    if unsplit := int(pairs["split"].isna().sum()):
        scheme = release.facts.scheme
        yield f"{unsplit:,} pairs are in no split of the scheme {scheme!r}: run `python -m analysis.splits`"
    splits = pairs["split"].dropna().unique()
    if len(splits) == 1:
        yield f"all pairs are in {splits[0]}: a data set of one split has nothing to test on"
    has_vote = release.question.vote is not None
    is_open = pairs["binary"].isna() & (pairs["decided_by"] != BELOW_RULE).fillna(True) & has_vote
    yield from _unfinished(release, dataset, label_set, int(is_open.sum()))
    yield from _leaks(dataset)
    if dataset.kind == "store":
        yield from _withdrawn(release, dataset, label_set.campaign)


def _unfinished(release: Release, dataset: Dataset, label_set: LabelSet, unresolved: int) -> Iterator[str]:
    """What the campaign has yet to do; `unresolved`: the pairs without a label."""
    if dataset.kind == "store":
        labelled = dataset.tables["labels"].loc[~dataset.tables["labels"]["further"], "pair_id"]
        if forgotten := len(labelled) - len(release.tables["pairs"]):
            yield f"{forgotten:,} labelled pairs are no longer in the table pairs, which was replaced since"
        unresolved += count_unresolved(Store(dataset.path), label_set, labelled, release.question)
    if unresolved:
        yield (
            f"{quantity(unresolved, 'pair')} without a label: have them rated (after a tie `python -m annotation "
            "reassign --relabel uncertain`, or `review blind` with seniors), then `python -m annotation adjudicate`"
        )
    if release.facts.simulated and "simulated" not in release.facts.name.lower():
        yield f"{release.facts.simulated:,} ratings are simulated: give a --name that says `simulated`"
    if dataset.kind == "store" and not unresolved:
        stale = next(discrepancies.list_discrepancies(release.tables, release.rule, release.question), None)
        derived = "campaigns" in release.tables
        commands = "`quality`, `adjudicate` and `recombine`" if derived else "`quality` and `adjudicate`"
        if stale:
            yield f"labels or measures do not follow from the ratings ({stale}): run {commands} again"


def count_unresolved(store: Store, label_set: LabelSet, labelled: "pd.Series[str]", question: Question) -> int:
    """The pairs that annotators were given and that may still get a label.

    A tie leaves a pair open where a senior could end it: not where answers are no votes, nor where they keep or drop
    items, since an item that as many people drop as keep does not go on.
    """
    given = store.read(Assignments, ["pair_id", "kind"], campaign=label_set.campaign)
    work = set(given.loc[given["kind"].isin(VOTING), "pair_id"])
    rejects = store.read(Rejects, ["id", "reason", "method", "control"], part=label_set.campaign)
    rejects = rejects[concerns(rejects, label_set.method)]
    ends = question.vote is None or any(control.drops for control in question.asked)
    reasons = (*LEFT_OUT, TIE) if ends else LEFT_OUT
    out = set(rejects.loc[rejects["reason"].isin(reasons), "id"])
    return len(work - set(labelled) - out)


def _leaks(dataset: Dataset) -> Iterator[str]:
    for row in leaks.compare_splits(dataset):
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


def _withdrawn(release: Release, dataset: Dataset, campaign: str) -> Iterator[str]:
    store = Store(dataset.path)
    tombstones = store.read(Tombstones)
    gone = set(tombstones.loc[tombstones["kind"] != ANNOTATOR, "id"])
    pairs = release.tables["pairs"]
    for side in ("first", "second"):
        texts = {text: text_digest(text) in gone for text in pairs[side].unique()} if gone else {}
        if any(texts.values()):
            n = int(pairs[side].map(texts).sum())
            yield f"the {side} texts of {n:,} pairs were taken down: run `python -m data takedown` again"
    people = {name: withdrawn_from(store, dataset.plans.study(name)) for name in (campaign, *_list_bases(release))}
    for name, table in release.tables.items():
        for column in [name for name in IDS if name in table]:
            hit = _withdrew(table, people, campaign) if column == "annotator" else table[column].isin(gone)
            if hit.any():
                first = table.loc[hit, column].iloc[0]
                yield (
                    f"{int(hit.sum()):,} rows of {name} were withdrawn or taken down ({column} {first}): run what "
                    "`python -m data status` names"
                )


def _list_bases(release: Release) -> list[str]:
    """The campaigns that the labels rest on, where they rest on others."""
    return [str(name) for name in release.tables["campaigns"]["campaign"]] if "campaigns" in release.tables else []


def _withdrew(table: pd.DataFrame, gone: Mapping[str, Collection[str]], campaign: str) -> "pd.Series[bool]":
    """Whether each row's annotator withdrew from the row's campaign, or else from the release's own."""
    if "campaign" not in table:
        return table["annotator"].isin(gone[campaign])
    hit = [name in gone.get(one, ()) for one, name in table[["campaign", "annotator"]].to_numpy()]
    return pd.Series(hit, index=table.index, dtype="bool")


def find_closed(release: Release) -> Iterator[str]:
    """One reason per licence under which texts may not be published, and per source where none is stated."""
    permissions = release.facts.permissions
    for closed in licences.list_closed(release.tables["pairs"], *_trace_texts(release), permissions):
        decks = ", ".join(f"{n:,} {source}" for source, n in closed.sources.items())
        is_deck = "flow" in release.tables and closed.sources.keys() != {UNKNOWN}
        state = "" if closed.licence or not is_deck else "state it (`scrapy crawl … -a decks=FILE`), "
        flag = shlex.quote(f"{closed.key}=REASON")
        yield (
            f"the texts of {closed.n_pairs:,} pairs {closed.why} (decks: {decks}): {state}give --permission {flag}, or "
            "--without-text"
        )


def find_idle(release: Release) -> list[str]:
    """The permissions that name no source and no licence of the release."""
    return licences.find_idle(_trace_texts(release)[1], release.facts.permissions)


def _trace_texts(release: Release) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Provenance and sources, where a text on no card has the cards that hold what it was made from.

    Without any, it is a deck of the source UNKNOWN. Where the sentence that such a text was made from is stated to be
    under a licence that is not open, the deck is the sentence's source and licence. An open one still takes a
    permission: nothing here says whom to credit. A published data set, whose texts have no cards, is
    a single deck of the source `published`.
    """
    tables, pairs, from_files = release.tables, release.tables["pairs"], "flow" not in release.tables
    nothing_known = pd.DataFrame({"definition_id": []}) if from_files else empty("provenance")
    cards = tables.get("provenance", nothing_known)
    sides = pd.concat([pairs["first_id"], pairs["second_id"]]).drop_duplicates()
    sides = sides[~sides.isin(cards["definition_id"])]
    ways = pd.DataFrame(columns=["text_id", "origin"])
    if "generated_texts" in tables:
        ways = ways_back(sides, tables["generated_texts"])
        held = ways.merge(cards, left_on="origin", right_on="definition_id")
        cards = pd.concat([cards, held.assign(definition_id=held["text_id"])[cards.columns]], ignore_index=True)
        sides = sides[~sides.isin(held["text_id"])]
    deck = dict.fromkeys(DECK, "published" if from_files else UNKNOWN)
    nothing = dict.fromkeys(("licence", "licence_id", "licence_note"))
    others, decks = pd.DataFrame({"definition_id": sides}).assign(**deck), pd.DataFrame([deck | nothing], dtype="str")
    if from_files:
        return others, decks
    closed = _state_closed(ways[ways["text_id"].isin(sides)], tables.get("sentences"))
    others = others[~others["definition_id"].isin(closed["definition_id"])]
    known = tables.get("sources", empty("sources"))
    sources = pd.concat([known, decks[: len(others)], closed.drop(columns="definition_id").drop_duplicates()])
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
