"""What falls with a text: all that holds it, and all that was made from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from data.console.errors import InputError
from data.contract.base import Table
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Assignments
from data.contract.tables.definitions import Cards, Definitions, Sightings
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects, Tombstones
from data.contract.vocabulary import ATTEMPT, CARD, CORRECTION
from data.grouping.entities import ENTITIES
from data.provenance import descent
from data.provenance.tombstones import holds, text_digest, withheld, withheld_sources
from data.recorded.languages import followed
from data.storage.store import Store
from data.texts import words

SCREENED = "generation.sentences"
"""The stage of the rejects of sources of sentences; their ids are SOURCE_ID POSITION."""
PAPERS = "papers:"


@dataclass(frozen=True, kw_only=True)
class Removal:
    """Everything that is removed with the texts."""

    texts: frozenset[str]
    """Digests of the texts."""
    cards: frozenset[str]
    """Ids of all cards with one of the texts on either side."""
    definitions: frozenset[str]
    """Their ids, and the ids of all texts made from them."""
    pairs: pd.DataFrame
    """The pairs of the table that fall; columns pair_id, entity and second_entity."""
    pair_ids: frozenset[str]
    """Their ids, and the ids of pairs that are no longer proposed."""
    assignments: frozenset[str]
    """Ids of the assignments of those pairs."""
    sources: frozenset[str] = frozenset()
    """The papers, files and ids that were named."""


def find_named(store: Store, ids: Sequence[str], texts: Sequence[str] = (), sources: Sequence[str] = ()) -> Removal:
    """What is removed with the texts that are named, and with all that was made from them.

    `ids`: cards, whose backs are removed; `texts`: definitions, sentences and generated texts; each by the beginning of
    its id. `sources`: `papers:ID`, the name of a file or the `set_id` of a deck; all their sentences and backs fall.
    The texts of earlier calls are among them: one that was interrupted has removed the pairs that lead to made texts.
    Raises InputError for a beginning that does not name exactly one, or a source without sentences, unless it was taken
    down before.
    """
    cards = store.read(Cards, columns=["card_id", "set_id", "front", "back"]).drop_duplicates("card_id")
    gone = frozenset(store.distinct(Tombstones, "id", kind=CARD))
    decks = cards[cards["set_id"].isin(sources)]
    written = decks[decks["back"].map(words.merge_key).ne("")]
    named = pd.concat([written, *(_one_card(store, cards, gone, beginning) for beginning in ids)])
    known, gone = _list_texts(store), withheld_sources(store)
    others = pd.concat([known[:0], *(_one_text(known, gone, beginning) for beginning in texts)])
    present = gone.union(decks["set_id"])
    sentences = pd.concat([known["text"][:0], *(_sentences_of(store, source, present) for source in sources)])
    digests = frozenset(map(text_digest, [*named["back"], *others["text"], *sentences])) | withheld(store)
    return replace(_descending(store, cards, digests, frozenset()), sources=frozenset(sources).union(others["id"]))


def find_written(store: Store, written: frozenset[str]) -> Removal:
    """What is removed with these texts, given by their ids, and with all that was made from them.

    A text that was mined, generated or among the group's own sentences stays, even if a player wrote it again.
    """
    if written:
        pairs = store.read(Pairs, columns=["first_id", "second_id", "parents"]).explode("parents")
        mined = pairs[pairs["parents"].isna()]
        known = [store.read(table)[table.key_columns()[-1]] for table in (Definitions, Sentences)]
        generated = store.read(GeneratedTexts, columns=["text_id", "method"])
        known.append(generated.loc[generated["method"] != CORRECTION, "text_id"])
        written = written.difference(mined["first_id"], mined["second_id"], *known)
    cards = store.read(Cards, columns=["card_id", "front", "back"]).drop_duplicates("card_id")
    return _descending(store, cards, frozenset(), written)


def find_attempted(store: Store, attempted: frozenset[str]) -> Removal:
    """What is removed with these texts of a game's player, given by their ids, and with all that was made from them.

    A definition, a sentence of the group's own or a text that a program made stays, even if a player wrote it again.
    """
    if attempted:
        made = store.read(GeneratedTexts, columns=["text_id", "model", "method"])
        of_programs = made.loc[made["method"] != ATTEMPT, "text_id"]
        of_tables = ((Definitions, "definition_id"), (Sentences, "sentence_id"))
        known = [store.read(table, columns=[column])[column] for table, column in of_tables]
        attempted = attempted.difference(of_programs, *known)
    cards = store.read(Cards, columns=["card_id", "front", "back"]).drop_duplicates("card_id")
    return _descending(store, cards, frozenset(), attempted)


def _list_texts(store: Store) -> pd.DataFrame:
    """Every definition, sentence and generated text: columns id and text."""
    named = ((Definitions, "definition_id"), (Sentences, "sentence_id"), (GeneratedTexts, "text_id"))
    frames = [store.read(table, [id_, "text"]).set_axis(["id", "text"], axis="columns") for table, id_ in named]
    return pd.concat(frames).drop_duplicates("id")


def _one_text(known: pd.DataFrame, gone: frozenset[str], beginning: str) -> pd.DataFrame:
    found = known[known["id"].str.startswith(beginning)]
    if len(found) == 1 or (found.empty and any(text.startswith(beginning) for text in gone)):
        return found
    raise InputError(
        f"text {beginning}",
        expected="the beginning of exactly one definition_id, sentence_id or text_id",
        found=f"{len(found)} such texts",
        remedy="take an id from `python -m data lineage` or `python -m data export sentences --out sentences.csv`",
    )


def _one_card(store: Store, cards: pd.DataFrame, gone: frozenset[str], beginning: str) -> pd.DataFrame:
    found = cards[cards["card_id"].str.startswith(beginning)]
    if len(found) == 1 and not words.merge_key(found["back"].iloc[0]):
        raise InputError(
            f"card {beginning}",
            expected="a card whose back is a text",
            found="an empty one, as many cards have",
            remedy="name another card",
        )
    if len(found) == 1 or (found.empty and any(card.startswith(beginning) for card in gone)):
        return found
    raise InputError(
        f"card {beginning}",
        expected="the beginning of exactly one card_id",
        found=f"{len(found)} such cards in {store.path(Cards)}",
        remedy="take an id from `python -m data export cards --out cards.csv` or from `lineage`",
    )


def _sentences_of(store: Store, source: str, present: frozenset[str]) -> "pd.Series[str]":
    """The sentences of `papers:ID`, or of a file.

    Raises InputError where the store knows none, dropped or not, and the source is not `present` otherwise.
    """
    rows = store.read(Sentences, ["source", "source_id", "text"])
    named = rows["source"].where(rows["source"] + ":" != PAPERS, PAPERS + rows["source_id"])
    found: pd.Series[str] = rows.loc[named == source, "text"]
    rejects = store.read(Rejects, ["part", "source_id"], stage=SCREENED)
    if found.empty and source not in present.union(_sources_of(rejects)):
        known = sorted({"papers:ID" if name + ":" == PAPERS else name for name in rows["source"]} - {"definitions"})
        raise InputError(
            f"source {source}",
            expected=", ".join(known) or "sentences of a file or of papers, or the set_id of a deck",
            found="no text of it",
            remedy="see `python -m data export` of the tables sentences and cards",
        )
    return found


def _descending(store: Store, cards: pd.DataFrame, texts: frozenset[str], written: frozenset[str]) -> Removal:
    """What is removed with all that holds the texts, with the definitions `written`, and with what was made from it."""
    affected = frozenset(cards.loc[holds(cards, texts), "card_id"])
    sightings = store.read(Sightings)
    definitions = store.read(Definitions, columns=["definition_id", "entity", "text"])
    columns = ["pair_id", *ENTITIES, "first_id", "second_id", "first", "second", "parents"]
    pairs = store.read(Pairs, columns=columns)
    generated = store.read(GeneratedTexts, columns=["text_id", "source_id", "text"])
    sentences = store.read(Sentences, columns=["sentence_id", "text"])
    sides = [_side(pairs, "first"), _side(pairs, "second")]
    others = [frame[[id_, "text"]].set_axis(["definition_id", "text"], axis="columns")
              for frame, id_ in ((generated, "text_id"), (sentences, "sentence_id"))]  # fmt: skip
    wordings = pd.concat([definitions[["definition_id", "text"]], *sides, *others])
    seen = frozenset(sightings.loc[sightings["card_id"].isin(affected), "definition_id"])
    taken = seen | _holding(wordings, texts) | written
    known = descent.Texts(
        definitions=definitions,
        pairs=pairs,
        seen=frozenset(sightings["definition_id"]) | frozenset(sentences["sentence_id"]),
        generated=generated,
        language=followed(store, Definitions),
    )
    fallen = descent.trace(taken, known)
    made = wordings.loc[wordings["definition_id"].isin(fallen.made | written), "text"].unique()
    assignments = store.read(Assignments, columns=["assignment_id", "pair_id"])
    return Removal(
        texts=texts | frozenset(map(text_digest, made)).difference(map(text_digest, cards["back"].unique())),
        cards=affected,
        definitions=taken | fallen.made,
        pairs=pairs.loc[pairs["pair_id"].isin(fallen.pairs), ["pair_id", *ENTITIES]].drop_duplicates("pair_id"),
        pair_ids=fallen.pairs,
        assignments=frozenset(assignments.loc[assignments["pair_id"].isin(fallen.pairs), "assignment_id"]),
    )


def _side(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    return pairs[[f"{side}_id", side]].set_axis(["definition_id", "text"], axis="columns")


def _holding(wordings: pd.DataFrame, texts: frozenset[str]) -> frozenset[str]:
    """The definitions whose text is one of these, also those that no sighting leads to since a later run."""
    if not texts:
        return frozenset()
    distinct = wordings.drop_duplicates()
    return frozenset(distinct.loc[[text_digest(text) in texts for text in distinct["text"]], "definition_id"])


def is_removed(table: type[Table], frame: pd.DataFrame, removal: Removal) -> "pd.Series[bool]":
    """Whether each row of a table, or of one of its past versions, falls with the texts."""
    if table is Cards:
        return holds(frame, removal.texts)
    if table is Rejects:
        ids = removal.cards | removal.definitions | removal.pair_ids
        details = [text_digest(detail) in removal.texts for detail in frame["detail"].fillna("")]
        of_sources = (frame["stage"] == SCREENED) & _sources_of(frame).isin(removal.sources)
        return (
            frame["id"].isin(ids)
            | frame["source_id"].isin(ids)
            | of_sources
            | pd.Series(details, frame.index, dtype=bool)
        )
    gone = {
        "card_id": removal.cards,
        "definition_id": removal.definitions,
        "sentence_id": removal.definitions,
        "text_id": removal.definitions,
        "source_id": removal.definitions,
        "prompt_id": removal.definitions,
        "assignment_id": removal.assignments,
        "pair_id": removal.pair_ids,
        "original_id": removal.pair_ids,
    }
    removed = pd.DataFrame({name: frame[name].isin(ids) for name, ids in gone.items() if name in frame}).any(axis=1)
    if table is Attacks:
        removed |= frame["parents"].explode().isin(removal.pair_ids).groupby(level=0).any()
    return removed


def _sources_of(rejects: pd.DataFrame) -> "pd.Series[str]":
    """The source of sentences that each reject of SCREENED is from."""
    names = rejects["part"].astype("str")
    return names.where(names + ":" != PAPERS, PAPERS + rejects["source_id"].astype("str"))
