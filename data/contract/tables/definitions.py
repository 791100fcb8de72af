"""Terms, cards and definitions: what the crawler writes."""

from data.contract.base import Count, Instant, Real, Table, Text, Texts, column, optional

SOURCE = r"^[a-z0-9_-][a-z0-9_.-]*$"
"""A source names files and commands of a release: no path, nothing that a shell reads."""
LINK = r"^https?://[^\s\"<>()]+$"
"""An address that may be printed as a link."""


class Terms(Table, name="terms", kind="derived", key=("term",)):
    """The phrases that name the speciality's concepts: one row per term."""

    term: Text = column("the phrase as papers most often write it, in lower case")
    document_frequency: Count = optional(
        "papers that contain it (in any variant, where variants are merged); null for a given list", ge=0
    )
    documents: Count = optional("papers counted; null for a given list", ge=0)
    canonical: Text = column("the phrase with the headword of every word; terms with the same one are one entity")
    variants: Texts = column("surface forms found in papers, the term among them")
    recurrence: Real = optional(
        "occurrences per paper that contains it, at least 1; this and the following are null where not measured", ge=1
    )
    title_share: Real = optional(
        "of the papers that contain it (plus five), the share that name it in their title, 0 to 1", ge=0, le=1
    )
    c_value: Real = optional("papers, less those of the terms one word longer that contain it, times log2(words + 0.1)")
    boundary: Real = optional(
        "share of occurrences beside which a term could begin or end, on the worse side, 0 to 1", ge=0, le=1
    )
    score: Real = optional(
        "how much it is a term: the mean of its places in the orders by the four measures above, 0 to 1", ge=0, le=1
    )


class Cards(Table, name="cards", kind="event", key=("card_id", "fetched_at")):
    """A flashcard as it was fetched, whose front is a term: one row per card and fetch."""

    card_id: Text = column("hash of source, set, both sides, and how often the same sides came before in the set")
    fetched_at: Instant = column("when the page or file was read")
    source: Text = column("`quizlet`, `cram`, `studystack`, `files` or `glossary.KIND`", str_matches=SOURCE)
    url: Text = column("address of the page or file")
    set_id: Text = column("the set (deck) that holds the card")
    set_title: Text = column("the set's title")
    position: Count = column("the card's place in the set, from 0", ge=0)
    front: Text = column("the front as plain text")
    back: Text = column("the back as plain text")
    language: Text = optional("the back's language as the source declares it; null if it does not")
    term: Text = column("the term that the front matches")
    media: Text = optional("kinds of content other than text, joined by commas (`image,audio`); null for pure text")
    body_sha256: Text = column("SHA-256 digest of the bytes that were read")
    copied_from: Text = optional("the set that this set declares to be a copy of")
    licence_note: Text = optional("what the source says of licence and terms of use")


class Licences(Table, name="licences", kind="event", key=("source", "url", "set_id", "at")):
    """What the lead states about a deck's licence, and whom to credit; a deck's latest row counts, before its note."""

    source: Text = column("as in `cards`", str_matches=SOURCE)
    url: Text = column("as in `cards`")
    set_id: Text = column("the deck, as in `cards`")
    at: Instant = column("when it was stated")
    licence: Text = column("the licence in the lead's words; a well-known name is recognised in any usual form")
    credit: Text = optional("who is to be credited, as they ask for it")
    title: Text = optional("the work's title; null: the deck's own title")
    link: Text = optional("address of the work", str_matches=LINK)


class Definitions(Table, name="definitions", kind="derived", key=("definition_id",), completes=True):
    """A distinct wording of what an entity is: one row per entity and text."""

    definition_id: Text = column("hash of the entity's headwords and the text")
    entity: Text = column("the term in its commonest form; forms with the same headwords are one entity")
    written: Text = optional("the entity as the fronts of its cards most often write it; null where that is not known")
    text: Text = column("the wording")
    n_words: Count = column("words, separated by white space", ge=1)
    n_cards: Count = column("cards that hold the wording", ge=1)
    n_sources: Count = column("independent sets that hold it; a set, its copies and theirs count as one", ge=1)
    verbatim: Text = optional(
        "where else the wording occurs word for word, so that it is no card author's own: `glossary.KIND`, "
        "or `decks` (in `--many-sources` or more); null for others"
    )


class Sightings(Table, name="sightings", kind="derived", key=("definition_id", "card_id")):
    """The cards that a definition was found on: one row per definition and card."""

    definition_id: Text = column("the definition")
    card_id: Text = column("a card that holds it")
