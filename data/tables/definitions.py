"""Terms, cards and definitions: what the crawler writes."""

from pandera.pandas import Field

from data.tables.base import Count, Instant, Real, Table, Text, Texts, optional


class Terms(Table):
    """The phrases that name the speciality's concepts, one row a term."""

    term: Text
    document_frequency: Count = optional(ge=0)
    documents: Count = optional(ge=0)
    canonical: Text
    variants: Texts
    recurrence: Real = optional(ge=1)
    title_share: Real = optional(ge=0, le=1)
    c_value: Real = optional()
    boundary: Real = optional(ge=0, le=1)
    score: Real = optional(ge=0, le=1)

    class Config:
        """The table's name, key and kind."""

        name = "terms"
        unique = ["term"]
        metadata = {"kind": "derived"}


class Cards(Table):
    """A card of a set as it was fetched, whose front is a term."""

    card_id: Text
    fetched_at: Instant
    source: Text
    url: Text
    set_id: Text
    set_title: Text
    position: Count = Field(ge=0)
    front: Text
    back: Text
    language: Text = optional()
    term: Text
    media: Text = optional()
    body_sha256: Text
    copied_from: Text = optional()
    licence_note: Text = optional()

    class Config:
        """The table's name, key and kind."""

        name = "cards"
        unique = ["card_id", "fetched_at"]
        metadata = {"kind": "event"}


class Definitions(Table):
    """A distinct wording of what an entity is."""

    definition_id: Text
    entity: Text
    text: Text
    n_words: Count = Field(ge=1)
    n_cards: Count = Field(ge=1)
    n_sources: Count = Field(ge=1)
    verbatim: Text = optional()

    class Config:
        """The table's name, key and kind."""

        add_missing_columns = True

        name = "definitions"
        unique = ["definition_id"]
        metadata = {"kind": "derived"}


class Sightings(Table):
    """Which cards a definition stood on."""

    definition_id: Text
    card_id: Text

    class Config:
        """The table's name, key and kind."""

        name = "sightings"
        unique = ["definition_id", "card_id"]
        metadata = {"kind": "derived"}
