"""Every table's type, in the order of the flow: one model a table. `data/README.md` is the dictionary to it.

A model's `Config` names the table, its key (`unique`), its kind and, for a derived table that is replaced
in parts, the columns that name the part (`scope`).
"""

from typing import Annotated, Any

import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
from pandera.pandas import Field

Text = Annotated[pd.ArrowDtype, pa.string()]
Count = Annotated[pd.ArrowDtype, pa.int64()]
Real = Annotated[pd.ArrowDtype, pa.float64()]
Truth = Annotated[pd.ArrowDtype, pa.bool_()]
Instant = Annotated[pd.ArrowDtype, pa.timestamp("us", tz="UTC")]
Texts = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", pa.string()))]
Counts = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", pa.int64()))]

KINDS = ("work", "gold", "repeat", "trap", "pilot", "senior", "review")
ROLES = ("expert", "senior", "non_expert", "simulated")
FLAGS = ("not_english", "ill_formed", "cannot_judge")


def _optional(**checks: Any) -> Any:
    return Field(nullable=True, **checks)


class Table(pandera.DataFrameModel):
    """What all tables share: no column but the declared ones, types coerced, keys unique."""

    class Config:
        """Pandera's settings, inherited by every table."""

        strict = True
        coerce = True
        ordered = False


class Terms(Table):
    """The phrases that name the speciality's concepts, one row a term."""

    term: Text
    document_frequency: Count = _optional(ge=0)
    documents: Count = _optional(ge=0)
    canonical: Text
    variants: Texts
    recurrence: Real = _optional(ge=1)
    title_share: Real = _optional(ge=0, le=1)
    c_value: Real = _optional()
    boundary: Real = _optional(ge=0, le=1)
    score: Real = _optional(ge=0, le=1)

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
    language: Text = _optional()
    term: Text
    media: Text = _optional()
    body_sha256: Text
    copied_from: Text = _optional()
    licence_note: Text = _optional()

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
    verbatim: Text = _optional()

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


class Pairs(Table):
    """Two definitions of one entity, proposed to the experts."""

    generator: Text
    pair_id: Text
    entity: Text
    first_id: Text
    second_id: Text
    first: Text
    second: Text
    cluster: Count = Field(ge=0)
    similarity: Real = _optional(ge=-1.0001, le=1.0001)
    overlap: Real = _optional(ge=0, le=1)
    rank: Count = Field(ge=0)
    chosen_by: Text
    parents: Texts

    class Config:
        """The table's name, key, kind and scope."""

        name = "pairs"
        unique = ["generator", "pair_id"]
        metadata = {"kind": "derived", "scope": ["generator"]}


class Annotators(Table):
    """Somebody who joins, changes or leaves a campaign, under a pseudonym; the latest row counts."""

    campaign: Text
    annotator: Text
    at: Instant
    role: Text = Field(isin=ROLES)
    level: Text = _optional()
    areas: Text = _optional()
    quota: Count = _optional(ge=0)
    state: Text = Field(isin=("active", "paused", "left"))
    guide_version: Text = _optional()
    consent_version: Text = _optional()

    class Config:
        """The table's name, key and kind."""

        name = "annotators"
        unique = ["campaign", "annotator", "at"]
        metadata = {"kind": "event"}


class Documents(Table):
    """A text that annotators read and accept before their first task; the latest of a kind holds."""

    campaign: Text
    kind: Text = Field(isin=("consent", "guide"))
    version: Text
    reference: Text
    text: Text
    at: Instant

    class Config:
        """The table's name, key and kind."""

        name = "documents"
        unique = ["campaign", "kind", "version"]
        metadata = {"kind": "event"}


class Acceptances(Table):
    """That an annotator accepted a document on the server, before the first task that asked for it."""

    campaign: Text
    annotator: Text
    kind: Text = Field(isin=("consent", "guide"))
    version: Text
    at: Instant

    class Config:
        """The table's name, key and kind."""

        name = "acceptances"
        unique = ["campaign", "annotator", "kind", "version"]
        metadata = {"kind": "event"}


class Assignments(Table):
    """One pair given to one annotator in one round."""

    assignment_id: Text
    campaign: Text
    round: Count = Field(ge=1)
    pair_id: Text
    annotator: Text
    position: Count = Field(ge=0)
    flipped: Truth
    kind: Text = Field(isin=KINDS)
    supersedes: Text = _optional()
    at: Instant

    class Config:
        """The table's name, key and kind."""

        name = "assignments"
        unique = ["assignment_id"]
        metadata = {"kind": "event"}


class Ratings(Table):
    """What an annotator said of an assignment; the latest row counts."""

    assignment_id: Text
    submitted_at: Instant
    score: Count = _optional(isin=(0, 1, 2, 3))
    flags: Texts
    comment: Text = _optional()
    seconds: Real = _optional(ge=0)
    skipped: Truth
    guide_version: Text = _optional()

    class Config:
        """The table's name, key and kind."""

        name = "ratings"
        unique = ["assignment_id", "submitted_at"]
        metadata = {"kind": "event"}


class Quality(Table):
    """A measure of an annotator's ratings, by round; round 0 is all rounds together."""

    campaign: Text
    round: Count = Field(ge=0)
    annotator: Text
    measure: Text
    n: Count = Field(ge=0)
    value: Real = _optional()
    low: Real = _optional()
    high: Real = _optional()
    reason: Text = _optional()

    class Config:
        """The table's name, key, kind and scope."""

        name = "quality"
        unique = ["campaign", "round", "annotator", "measure"]
        metadata = {"kind": "derived", "scope": ["campaign"]}


class Verdicts(Table):
    """Whether an annotator is careless, and why."""

    campaign: Text
    annotator: Text
    n: Count = Field(ge=0)
    skill: Real = Field(ge=-1, le=1)
    low: Real
    high: Real
    doubt: Real = Field(ge=0, le=1)
    verdict: Text = Field(isin=("careless", "careful", "undecided"))
    reasons: Texts

    class Config:
        """The table's name, key, kind and scope."""

        name = "verdicts"
        unique = ["campaign", "annotator"]
        metadata = {"kind": "derived", "scope": ["campaign"]}


class Labels(Table):
    """What a method makes of a pair's ratings."""

    campaign: Text
    method: Text
    pair_id: Text
    votes: Count = Field(ge=0)
    n_votes: Count = Field(ge=0)
    binary: Count = _optional(isin=(0, 1))
    scores: Counts
    posterior: Real = _optional(ge=0, le=1)
    stratum: Text
    decided_by: Text

    class Config:
        """The table's name, key, kind and scope."""

        name = "labels"
        unique = ["campaign", "method", "pair_id"]
        metadata = {"kind": "derived", "scope": ["campaign", "method"]}


class Splits(Table):
    """The part of a named scheme that a pair belongs to, and the group that keeps it together with others."""

    scheme: Text
    pair_id: Text
    split: Text = Field(isin=("train", "validation", "test"))
    group: Text

    class Config:
        """The table's name, key, kind and scope."""

        name = "splits"
        unique = ["scheme", "pair_id"]
        metadata = {"kind": "derived", "scope": ["scheme"]}


class Inconsistencies(Table):
    """A pair whose label contradicts others, and how."""

    pair_id: Text
    kind: Text
    evidence: Text

    class Config:
        """The table's name, key and kind."""

        name = "inconsistencies"
        unique = ["pair_id", "kind"]
        metadata = {"kind": "derived"}


class Predictions(Table):
    """A model's score of a pair."""

    model: Text
    seed: Count
    pair_id: Text
    score: Real

    class Config:
        """The table's name, key, kind and scope."""

        name = "predictions"
        unique = ["model", "seed", "pair_id"]
        metadata = {"kind": "derived", "scope": ["model", "seed"]}


class Rejects(Table):
    """What a stage dropped, and why."""

    stage: Text
    id: Text
    reason: Text
    detail: Text = _optional()

    class Config:
        """The table's name, key, kind and scope."""

        name = "rejects"
        unique = ["stage", "id"]
        metadata = {"kind": "derived", "scope": ["stage"]}


class Tombstones(Table):
    """What was withdrawn or taken down, so that no later run brings it back."""

    kind: Text
    id: Text
    reason: Text
    at: Instant

    class Config:
        """The table's name, key and kind."""

        name = "tombstones"
        unique = ["kind", "id"]
        metadata = {"kind": "event"}


class Worked(Table):
    """What somebody had done who then withdrew: pay without ratings."""

    campaign: Text
    annotator: Text
    ratings: Count = Field(ge=0)
    seconds: Real = Field(ge=0)
    at: Instant

    class Config:
        """The table's name, key and kind."""

        name = "worked"
        unique = ["campaign", "annotator"]
        metadata = {"kind": "event"}


class SimulatedTruth(Table):
    """The score that simulated annotators err from: only the simulator and its evaluation read it."""

    campaign: Text
    pair_id: Text
    score: Count = Field(isin=(0, 1, 2, 3))

    class Config:
        """The table's name, key, kind and scope."""

        name = "simulated_truth"
        unique = ["campaign", "pair_id"]
        metadata = {"kind": "derived", "scope": ["campaign"]}


TABLES: tuple[type[Table], ...] = (
    Terms,
    Cards,
    Definitions,
    Sightings,
    Pairs,
    Annotators,
    Documents,
    Acceptances,
    Assignments,
    Ratings,
    Quality,
    Verdicts,
    Labels,
    Splits,
    Inconsistencies,
    Predictions,
    Rejects,
    Tombstones,
    Worked,
    SimulatedTruth,
)
"""All tables, in the order of the flow."""


def name(table: type[Table]) -> str:
    """The table's name, which is also its folder's."""
    return str(table.__config__.name)


def key(table: type[Table]) -> list[str]:
    """The columns that identify a row."""
    return list(table.__config__.unique)


def kind(table: type[Table]) -> str:
    """`event` (rows are appended) or `derived` (rows are computed and replaced)."""
    return str(table.__config__.metadata["kind"])


def scope(table: type[Table]) -> list[str]:
    """The columns that name the part of a derived table that one run replaces; empty where it is replaced whole."""
    return list(table.__config__.metadata.get("scope", []))


def arrow(table: type[Table]) -> pa.Schema:
    """The table's Arrow schema, in the declared order of columns."""
    columns = table.to_schema().columns.items()
    return pa.schema([pa.field(column, spec.dtype.type.pyarrow_dtype) for column, spec in columns])
