"""The tables of a release: their columns, types and meanings."""

import pandas as pd
import pyarrow as pa

from data.contract.base import Count, Counts, Instant, Real, Table, Text, Texts, Truth, column, optional
from data.contract.licences import DECK
from data.contract.tables.definitions import LINK, SOURCE
from data.contract.vocabulary import BASE_ROLES, DECIDED_BY, KINDS, ROLES, SPLITS

LARGEST = 100_000
"""More votes, rounds or places than any campaign has: larger numbers are a forger's."""


class Pairs(Table):
    """The labelled pairs."""

    pair_id: Text = column("content-derived id of the pair")
    entity: Text = optional("the term that the first text defines, and the second, unless it has another")
    second_entity: Text = optional("the term that the second text defines where that is another one; else null")
    first_id: Text = column("content-derived id of the first definition")
    second_id: Text = column("content-derived id of the second definition")
    first: Text = column("the first definition")
    second: Text = column("the second definition")
    split: Text = column("train, validation or test", isin=SPLITS)
    group: Text = column("what keeps pairs together: no group is in two splits")
    votes: Count = column("annotators who called the pair a paraphrase", ge=0, le=LARGEST)
    n_votes: Count = column("annotators who voted; 0 where that is not known", ge=0, le=LARGEST)
    share: Real = optional("the soft label: votes / n_votes, to train on", ge=0, le=1)
    expected_share: Real = optional(
        "the chance that a further annotator calls the pair a paraphrase: the empirical Bayes estimate under a "
        "beta-binomial fitted to all pairs, (votes + alpha) / (n_votes + alpha + beta); null without votes, where no "
        "answer is a vote, and where the card says why it cannot be fitted",
        ge=0,
        le=1,
    )
    binary: Count = optional(
        "the hard label: 1 paraphrase (or another positive answer), 0 not; null where fewer votes are equal than the "
        "rule asks for, and where no answer is a vote",
        isin=(0, 1),
    )
    scores: Counts = optional("how many annotators gave the scores 0, 1, 2 and 3, or each declared answer, where known")
    posterior: Real = optional(
        "how sure the method is of label 1 (or of `value`) if annotators err independently, kept from 0.05 to 0.95: no "
        "calibrated probability, and no chance of a vote; null for methods that estimate none",
        ge=0,
        le=1,
    )
    stratum: Text = column("whether the annotators agreed")
    decided_by: Text = column(
        "what decided the label: the majority vote, a senior annotator, …; `too_few_agree` marks a pair without one",
        isin=DECIDED_BY,
    )
    overlap: Real = optional("Jaccard overlap of the two texts' content-word stems", ge=0, le=1)
    parents: Texts = column("pairs that this one was made from; empty for collected pairs")

    class Config:
        """The table's name and key."""

        name = "pairs"
        unique = ["pair_id"]


class Labels(Table):
    """The label of each pair for each control of the question; only for other questions than PARADE's."""

    pair_id: Text = column("the pair")
    control: Text = column("the control, as the question declares it")
    value: Text = optional("the label: an answer, several joined by spaces, a mean, or a text; null where undecided")
    votes: Count = column("annotators with a positive answer, or with `value` where none is positive", ge=0, le=LARGEST)
    n_votes: Count = column("annotators who answered", ge=0, le=LARGEST)
    binary: Count = optional("1 where the positive answers won, 0 where not; else null", isin=(0, 1))
    scores: Counts = column("how many annotators gave each declared answer, in the declared order; empty for a text")
    stratum: Text = column("whether the annotators agreed")
    decided_by: Text = column("what decided; `too_few_agree` where fewer votes are equal than the rule asks for")

    class Config:
        """The table's name and key."""

        name = "labels"
        unique = ["pair_id", "control"]


class Ratings(Table):
    """Every single rating of the campaign, under pseudonyms."""

    pair_id: Text = column("the pair")
    annotator: Text = column("the annotator's pseudonym")
    role: Text = column("expert, senior, non_expert or simulated", isin=ROLES)
    round: Count = column("the labelling round, from 1", ge=1, le=LARGEST)
    kind: Text = column(
        "`work` and `pilot` vote; `gold`, `trap` and `repeat` are checks and do not; `senior` is a senior annotator's "
        "blind score of a disputed pair, `review` the deciding one, given with the votes in view",
        isin=KINDS,
    )
    score: Count = optional(
        "0 different, 1 roughly, 2 mostly, 3 completely the same, or the number of the answer to another question's "
        "vote; null with a flag",
        ge=0,
        le=LARGEST,
    )
    flags: Texts = column("not_english, ill_formed or cannot_judge, in place of a score")
    comment: Text = optional("the annotator's own words")
    seconds: Real = optional("seconds on the page", ge=0)
    skipped: Truth = column("whether the annotator skipped the pair")
    flipped: Truth = column("whether the second text was shown first")
    replaced_in: Count = optional(
        "the first round with a rating that replaces this one in the vote; null: it counts", ge=0, le=LARGEST
    )
    further: Truth = column("whether it was asked only because the pair's first ratings disagree")
    known_score: Count = optional("the score that a gold pair is known to have", ge=0, le=LARGEST)
    entity: Text = optional("the entity of the pair's first text: intervals of agreement draw whole entities")
    submitted_at: Instant = column("when the rating was last saved (UTC)")
    guide_version: Text = optional("the version of the guide that was shown")

    class Config:
        """The table's name."""

        name = "ratings"


class Answers(Table):
    """What each rating answers to each control of the question; only where that is more than one scale."""

    pair_id: Text = column("the pair")
    annotator: Text = column("the annotator's pseudonym")
    round: Count = column("as in `ratings`", ge=1, le=LARGEST)
    kind: Text = column("as in `ratings`", isin=KINDS)
    submitted_at: Instant = column("as in `ratings`")
    control: Text = column("the control, as the question declares it")
    chosen: Texts = column("the chosen answers")
    text: Text = optional("the corrected text; null for a control with answers to choose from")

    class Config:
        """The table's name."""

        name = "answers"


class Annotators(Table):
    """The annotators, under pseudonyms."""

    annotator: Text = column("the annotator's pseudonym")
    role: Text = column("expert, senior, non_expert or simulated", isin=ROLES)
    level: Text = optional("level of knowledge, as the annotator stated it")
    state: Text = column("active, paused or left")
    guide_version: Text = optional("the last version of the guide that they accepted")
    consent_version: Text = optional("the last version of the consent form that they accepted")

    class Config:
        """The table's name and key."""

        name = "annotators"
        unique = ["annotator"]


class Documents(Table):
    """The consent form and the guide that annotators accepted."""

    kind: Text = column("consent or guide")
    version: Text = column("the document's version")
    reference: Text = column("who approved the consent form, such as an ethics committee's number; empty for a guide")
    text: Text = column("the text as shown")
    at: Instant = column("since when it was in force (UTC)")

    class Config:
        """The table's name and key."""

        name = "documents"
        unique = ["kind", "version"]


class Quality(Table):
    """Measures of the annotators' ratings."""

    round: Count = column("the labelling round; 0 is all rounds together", ge=0, le=LARGEST)
    annotator: Text = column("the annotator's pseudonym; `all`: all annotators together")
    measure: Text = column("the measure's name")
    control: Text = optional("the control whose answers are compared; null for measures of votes and of ratings")
    answer: Text = optional("the answer that `share` or `alpha` is of; null for a measure of all answers")
    n: Count = column("ratings compared", ge=0)
    value: Real = optional("the measure; null where it is not defined")
    low: Real = optional(
        "lower end of its 95 % interval, where there is one: what other pairs would give, with the same raters; for "
        "`chance_kappa` and `shuffled_kappa`, lower end of the middle 95 % of guessers' draws"
    )
    high: Real = optional("upper end, as `low`")
    reason: Text = optional("why the value is null")

    class Config:
        """The table's name and key."""

        name = "quality"
        unique = ["round", "annotator", "measure", "control", "answer"]


class Provenance(Table):
    """The flashcards on which each definition was found, those that texts were made from among them."""

    definition_id: Text = column("the definition")
    card_id: Text = column("a card that holds it")
    source: Text = column("the site or the kind of file", str_matches=SOURCE)
    url: Text = column("the address, or `file:` and a name")
    set_id: Text = column("the card's set (deck)")
    set_title: Text = column("the set's title")
    position: Count = column("the card's place in the set, from 0", ge=0)
    fetched_at: Instant = column("when it was fetched (UTC)")

    class Config:
        """The table's name and key."""

        name = "provenance"
        unique = ["definition_id", "card_id"]


class Sources(Table):
    """The sets (decks) of those cards: their licences, and whom to credit."""

    source: Text = column("as in `provenance`", str_matches=SOURCE)
    url: Text = column("as in `provenance`")
    set_id: Text = column("as in `provenance`")
    title: Text = column("the work's title, or the set's own")
    credit: Text = optional("who is to be credited, as they ask for it")
    link: Text = optional("address of the work", str_matches=LINK)
    licence: Text = optional("the licence as the publisher of this data set states it, or else the source's note on it")
    licence_id: Text = optional("its SPDX identifier; null where it has no well-known name")
    licence_note: Text = optional("what the source says of licence and terms of use")

    class Config:
        """The table's name and key."""

        name = "sources"
        unique = DECK


class GeneratedTexts(Table):
    """How texts of the pairs were made, step by step back to sentences and definitions; only for generated pairs."""

    text_id: Text = column("the made text: one of the pairs, or a step on the way to one")
    source_id: Text = column("what it was made from: another made text, a sentence or a definition")
    generator: Text = column("what made it")
    method: Text = column("how: `word-swap`, `back-translation`, `correction`, `shared-words` …")
    model: Text = optional("name and digest of the model that made it; null where none did")

    class Config:
        """The table's name and key."""

        name = "generated_texts"
        unique = ["generator", "text_id"]


class Sentences(Table):
    """Where the sentences are from that texts were made of; only for generated pairs."""

    sentence_id: Text = column("the sentence")
    source: Text = column("`definitions`, `papers`, or the name of the file it was read from")
    source_id: Text = column("the definition, the paper as its file names it, or the number of the line")
    position: Count = column("its place among the sentences of `source_id`, from 0", ge=0)
    licence: Text = optional("the licence of its source; null where none is stated")

    class Config:
        """The table's name and key."""

        name = "sentences"
        unique = ["source", "sentence_id"]


class Flow(Table):
    """What came out of each stage of the campaign, and what was dropped there."""

    step: Text = column("the stage")
    unit: Text = column("what its rows are")
    what: Text = column(
        "`rows` (what goes on to the next stage), `detail` or `reject`", isin=("rows", "detail", "reject")
    )
    name: Text = column("which detail, or the reason of the rejects")
    n: Count = column("how many", ge=0)

    class Config:
        """The table's name and key."""

        name = "flow"
        unique = ["step", "what", "name"]


class Campaigns(Table):
    """The campaigns that the labels of a set made from several rest on."""

    campaign: Text = column("the campaign's name")
    role: Text = column(
        "`judgement` (its labels are the set's, or those by rule follow from them), `correction` (of sentences, before "
        "their pairs were judged) or `audit` (of a sample of the labels by rule)",
        isin=BASE_ROLES,
    )
    question: Text = column("all of its question as JSON")
    method: Text = column("the method that made its labels")
    rule: Text = column("by which votes become a label: `majority`, or `at-least M` equal votes")
    one_vote: Texts = column(
        "annotators who copied, two by two: of the pairs that both rated, only the first one's vote counts"
    )
    paraphrase_from: Count = column("the lowest score that is a vote for `paraphrase`", ge=0, le=LARGEST)

    class Config:
        """The table's name and key."""

        name = "campaigns"
        unique = ["campaign"]


class Judgements(Table):
    """The labels of those campaigns that judged pairs: what the set's own labels follow from."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair")
    first_id: Text = column("as in `pairs`")
    second_id: Text = column("as in `pairs`")
    votes: Count = column("as in `pairs`", ge=0, le=LARGEST)
    n_votes: Count = column("as in `pairs`", ge=0, le=LARGEST)
    binary: Count = optional("as in `pairs`", isin=(0, 1))
    decided_by: Text = column("as in `pairs`")

    class Config:
        """The table's name and key."""

        name = "judgements"
        unique = ["campaign", "pair_id"]


class CampaignRatings(Ratings):
    """Every single rating of those campaigns; a pseudonym is another person in another campaign."""

    campaign: Text = column("the campaign's name")

    class Config:
        """The table's name."""

        name = "campaign_ratings"


class Corrections(Table):
    """The texts that raters of those campaigns wrote."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair whose second text they corrected")
    annotator: Text = column("the annotator's pseudonym")
    round: Count = column("as in `ratings`", ge=1, le=LARGEST)
    kind: Text = column("as in `ratings`", isin=KINDS)
    submitted_at: Instant = column("as in `ratings`")
    text: Text = optional("the corrected text; null in a release whose texts were put back")

    class Config:
        """The table's name."""

        name = "corrections"


TABLES: dict[str, type[Table]] = {
    table.table_name(): table
    for table in (
        Pairs,
        Labels,
        Ratings,
        Answers,
        Annotators,
        Documents,
        Quality,
        Provenance,
        Sources,
        GeneratedTexts,
        Sentences,
        Flow,
        Campaigns,
        Judgements,
        CampaignRatings,
        Corrections,
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
    return [one for one in TABLES[name].to_schema().columns if one not in left_out]


def arrow_schema(name: str, *, without_text: bool = False) -> pa.Schema:
    """The table's Arrow schema."""
    whole = TABLES[name].arrow_schema()
    return pa.schema([whole.field(one) for one in columns(name, without_text=without_text)])


def empty(name: str) -> pd.DataFrame:
    """The table without rows."""
    rows: pd.DataFrame = arrow_schema(name).empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    return rows
