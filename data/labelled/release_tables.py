"""The tables of a release: columns of the store's tables, of which it takes type and rules, and some of its own.

All new columns of `labels` and `quality` are published. What the others tell of people is named column by column.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa

from data.contract.base import Count, Real, Table, Text, Texts, Truth, column, optional
from data.contract.licences import DECK
from data.contract.tables.campaign import Annotators, Answers, Assignments, Documents, Ratings
from data.contract.tables.definitions import Cards, Licences, Sightings
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels, Quality, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import BASE_ROLES

MAX_COUNT = 100_000
"""More votes, rounds or places than any campaign has: larger numbers are a forger's."""
BOUNDED = {"votes", "n_votes", "round", "score", "replaced_in", "known_score", "paraphrase_from"}
"""The numbers that are at most MAX_COUNT."""

Columns = dict[str, tuple[Any, Any]]
"""By name, a column's type and what `column` or `optional` says of it."""


def take(table: type[Table], **meanings: str | None) -> Columns:
    """These columns of a table of the store, in this order, each with the meaning given or with its own (None)."""
    taken: Columns = {}
    for name, meaning in meanings.items():
        own = table.columns()[name]
        taken[name] = (table.__annotations__[name], replace(own, meaning=meaning or own.meaning))
    return taken


def take_all(table: type[Table], without: Sequence[str], **meanings: str) -> Columns:
    """All columns of a table of the store but some, each with the meaning given or with its own."""
    return take(table, **{name: meanings.get(name) for name in table.columns() if name not in without})


def build(name: str, meaning: str, columns: Columns, key: Sequence[str] = ()) -> type[Table]:
    """The type of a release's table."""
    body = {
        known: replace(one, rules={"le": MAX_COUNT} | dict(one.rules)) if known in BOUNDED else one
        for known, (_, one) in columns.items()
    }
    annotations = {known: kind for known, (kind, _) in columns.items()}
    return type(name, (Table,), {"__doc__": meaning, "__annotations__": annotations} | body, name=name, key=key)


CONTROL = "the control, as the question declares it"
PSEUDONYM = "the annotator's pseudonym"
ROLE = "expert, senior, non_expert or simulated"
OF_RATING = {"round": "as in `ratings`", "kind": "as in `ratings`"}


def list_pairs() -> Columns:
    """The columns of `pairs`: what a pair is, its split, and its label."""
    label = take_all(
        Labels,
        ("campaign", "method", "control", "further", "pair_id", "value"),
        votes="annotators who called the pair a paraphrase",
        n_votes="annotators who voted; 0 where that is not known",
        binary="the hard label: 1 paraphrase (or another positive answer), 0 not; null where fewer votes are equal "
        "than the rule asks for, and where no answer is a vote",
        stratum="whether the annotators agreed",
        decided_by="what decided the label: the majority vote, a senior annotator, …; `too_few_agree` marks a pair "
        "without one",
    )
    scores = "how many annotators gave the scores 0, 1, 2 and 3, or each declared answer, where known"
    label["scores"] = (label["scores"][0], optional(scores))
    shares = {
        "share": (Real, optional("the soft label: votes / n_votes, to train on", ge=0, le=1)),
        "expected_share": (
            Real,
            optional(
                "the chance that a further annotator calls the pair a paraphrase: the empirical Bayes estimate under a "
                "beta-binomial fitted to all pairs, or to the random part where there is one, (votes + alpha) / "
                "(n_votes + alpha + beta); null without votes, where no answer is a vote, and where the card says "
                "why it cannot be fitted",
                ge=0,
                le=1,
            ),
        ),
    }
    return {
        **take(
            Pairs,
            pair_id="content-derived id of the pair",
            entity="the term that the first text defines, and the second, unless it has another",
            second_entity="the term that the second text defines where that is another one; else null",
            first_id="content-derived id of the first definition",
            second_id="content-derived id of the second definition",
            first="the first definition",
            second="the second definition",
        ),
        **take(Splits, split=None, group=None),
        **{name: label.pop(name) for name in ("votes", "n_votes")},
        **shares,
        **label,
        **take(
            Pairs,
            overlap="Jaccard overlap of the two texts' content-word stems",
            parents="pairs that this one was made from; empty for collected pairs",
        ),
    }


def list_ratings() -> Columns:
    """The columns of `ratings`, for whose keys the store has an id."""
    known = take(
        Ratings,
        submitted_at="when the rating was last saved (UTC)",
        guide_version="the version of the guide that was shown",
    )
    return {
        **take(Assignments, pair_id="the pair", annotator=PSEUDONYM),
        **take(Annotators, role=ROLE),
        **take(
            Assignments,
            round="the labelling round, from 1",
            kind="`work` and `pilot` vote; `gold`, `trap` and `repeat` are checks and do not; `senior` is a senior "
            "annotator's blind score of a disputed pair, `review` the deciding one, given with the votes in view",
        ),
        **take(
            Ratings,
            score="0 different, 1 roughly, 2 mostly, 3 completely the same, or the number of the answer to another "
            "question's vote; null with a flag",
            flags="not_english, ill_formed or cannot_judge, in place of a score",
            comment=None,
            seconds=None,
            skipped="whether the annotator skipped the pair",
        ),
        **take(Assignments, flipped="whether the second text was shown first", random=None),
        "replaced_in": (
            Count,
            optional("the first round with a rating that replaces this one in the vote; null: it counts", ge=0),
        ),
        "further": (Truth, column("whether it was asked only because of what the pair's first ratings say")),
        "known_score": (Count, optional("the score that a gold pair is known to have", ge=0)),
        "entity": (Text, optional("the entity of the pair's first text: intervals of agreement draw whole entities")),
        **known,
    }


def list_answers(pair: str, text: str | None, **answer: str) -> Columns:
    """The columns of answers or corrected texts: whose they are, these parts of the answer, and the text."""
    return {
        **take(Assignments, pair_id=pair, annotator=PSEUDONYM, **OF_RATING),
        **take(Answers, submitted_at="as in `ratings`"),
        **take(Answers, **answer, text=text),
    }


TABLES: dict[str, type[Table]] = {
    table.table_name(): table
    for table in (
        build("pairs", "The labelled pairs.", list_pairs(), ["pair_id"]),
        build(
            "labels",
            "The label of each pair for each control of the question; only for other questions than PARADE's.",
            {
                **take(Labels, pair_id=None),
                "control": (Text, column(CONTROL)),
                **take_all(
                    Labels,
                    ("campaign", "method", "control", "further", "pair_id"),
                    value="the label: an answer, several joined by spaces, a mean, or a text; null where undecided",
                    votes="annotators with a positive answer, or with `value` where none is positive",
                    n_votes="annotators who answered",
                    binary="1 where the positive answers won, 0 where not; else null",
                    scores="how many annotators gave each declared answer, in the declared order; empty for a text",
                    stratum="whether the annotators agreed",
                    decided_by="what decided; `too_few_agree` where fewer votes are equal than the rule asks for",
                ),
            },
            ["pair_id", "control"],
        ),
        build("ratings", "Every single rating of the campaign, under pseudonyms.", list_ratings()),
        build(
            "answers",
            "What each rating answers to each control of the question; only where that is more than one scale.",
            list_answers("the pair", None, control=CONTROL, chosen="the chosen answers"),
        ),
        build(
            "annotators",
            "The annotators, under pseudonyms.",
            take(
                Annotators,
                annotator=PSEUDONYM,
                role=ROLE,
                level="level of knowledge, as the annotator stated it",
                state=None,
                guide_version="the last version of the guide that they accepted",
                consent_version="the last version of the consent form that they accepted",
            ),
            ["annotator"],
        ),
        build(
            "documents",
            "The consent form and the guide that annotators accepted.",
            take(
                Documents,
                kind=None,
                version="the document's version",
                reference="who approved the consent form, such as an ethics committee's number; empty for a guide",
                text=None,
                at="since when it was in force (UTC)",
            ),
            ["kind", "version"],
        ),
        build(
            "quality",
            "Measures of the annotators' ratings.",
            take_all(
                Quality,
                ("campaign",),
                round="the labelling round; 0 is all rounds together",
                annotator="the annotator's pseudonym; `all`: all annotators together",
                measure="the measure's name",
                reason="why the value is null, or says nothing",
                control="the control whose answers are compared; null for measures of votes and of ratings",
            ),
            ["round", "annotator", "measure", "control", "answer"],
        ),
        build(
            "provenance",
            "The flashcards on which each definition was found, those that texts were made from among them.",
            {
                **take(Sightings, definition_id=None, card_id=None),
                **take(
                    Cards,
                    source="the site or the kind of file",
                    url="the address, or `file:` and a name",
                    set_id="the card's set (deck)",
                    set_title=None,
                    position=None,
                    fetched_at="when it was fetched (UTC)",
                ),
            },
            ["definition_id", "card_id"],
        ),
        build(
            "sources",
            "The sets (decks) of those cards: their licences, and whom to credit.",
            {
                **take(Cards, **dict.fromkeys(DECK, "as in `provenance`")),
                "title": (Text, column("the work's title, or the set's own")),
                **take(Licences, credit=None, link=None),
                "licence": (
                    Text,
                    optional(
                        "the licence as the publisher of this data set states it, or else the source's note on it"
                    ),
                ),
                "licence_id": (Text, optional("its SPDX identifier; null where it has no well-known name")),
                **take(Cards, licence_note=None),
            },
            DECK,
        ),
        build(
            "generated_texts",
            "How texts of the pairs were made, step by step back to sentences and definitions; only for generated "
            "pairs.",
            take(
                GeneratedTexts,
                text_id="the made text: one of the pairs, or a step on the way to one",
                source_id="what it was made from: another made text, a sentence or a definition",
                generator="what made it",
                method="how: `word-swap`, `back-translation`, `correction`, `shared-words` …",
                model=None,
            ),
            ["generator", "text_id"],
        ),
        build(
            "sentences",
            "Where the sentences are from that texts were made of; only for generated pairs.",
            take(
                Sentences,
                sentence_id="the sentence",
                source=None,
                source_id="the definition, the paper as its file names it, or the number of the line",
                position=None,
                licence=None,
            ),
            ["source", "sentence_id"],
        ),
        build(
            "flow",
            "What came out of each stage of the campaign, and what was dropped there.",
            {
                "step": (Text, column("the stage")),
                "unit": (Text, column("what its rows are")),
                "what": (
                    Text,
                    column(
                        "`rows` (what goes on to the next stage), `detail` or `reject`",
                        isin=("rows", "detail", "reject"),
                    ),
                ),
                "name": (Text, column("which detail, or the reason of the rejects")),
                "n": (Count, column("how many", ge=0)),
            },
            ["step", "what", "name"],
        ),
        build(
            "campaigns",
            "The campaigns that the labels of a set made from several rest on.",
            {
                **take(Campaigns, campaign=None),
                "role": (
                    Text,
                    column(
                        "`judgement` (its labels are the set's, or those by rule follow from them), `correction` (of "
                        "sentences, before their pairs were judged) or `audit` (of a sample of the labels by rule)",
                        isin=BASE_ROLES,
                    ),
                ),
                "question": (Text, column("all of its question as JSON")),
                "method": (Text, column("the method that made its labels")),
                "rule": (Text, column("by which votes become a label: `majority`, or `at-least M` equal votes")),
                "one_vote": (
                    Texts,
                    column(
                        "annotators who copied, two by two: of the pairs that both rated, only the first one's vote "
                        "counts"
                    ),
                ),
                "paraphrase_from": (Count, column("the lowest score that is a vote for `paraphrase`", ge=0)),
            },
            ["campaign"],
        ),
        build(
            "judgements",
            "The labels of those campaigns that judged pairs: what the set's own labels follow from.",
            {
                **take(Labels, campaign=None, pair_id=None),
                **take(Pairs, first_id="as in `pairs`", second_id="as in `pairs`"),
                **take(Labels, **dict.fromkeys(("votes", "n_votes", "binary", "decided_by"), "as in `pairs`")),
            },
            ["campaign", "pair_id"],
        ),
        build(
            "campaign_ratings",
            "Every single rating of those campaigns; a pseudonym is another person in another campaign.",
            {**list_ratings(), **take(Assignments, campaign=None)},
        ),
        build(
            "corrections",
            "The texts that raters of those campaigns wrote.",
            {
                **take(Assignments, campaign=None),
                **list_answers(
                    "the pair whose second text they corrected",
                    "the corrected text; null in a release whose texts were put back",
                ),
            },
        ),
    )
}
TEXTS = {
    "pairs": ("first", "second", "overlap"),
    "ratings": ("comment",),
    "answers": ("text",),
    "campaign_ratings": ("comment",),
    "corrections": ("text",),
}
"""The columns that a release without texts leaves out: the texts, and what is counted from them alone."""


def columns(name: str, *, without_text: bool = False) -> list[str]:
    """The table's columns in their order."""
    left_out = TEXTS.get(name, ()) if without_text else ()
    return [one for one in TABLES[name].columns() if one not in left_out]


def arrow_schema(name: str, *, without_text: bool = False) -> pa.Schema:
    """The table's Arrow schema."""
    whole = TABLES[name].arrow_schema()
    return pa.schema([whole.field(one) for one in columns(name, without_text=without_text)])


def empty(name: str) -> pd.DataFrame:
    """The table without rows."""
    rows: pd.DataFrame = arrow_schema(name).empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    return rows
