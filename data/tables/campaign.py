"""A campaign's people, documents, assignments and ratings: what annotation collects."""

from pandera.pandas import Field

from data.tables.base import Count, Instant, Real, Table, Text, Texts, Truth, optional

KINDS = ("work", "gold", "repeat", "trap", "pilot", "senior", "review")


ROLES = ("expert", "senior", "non_expert", "simulated")


FLAGS = ("not_english", "ill_formed", "cannot_judge")


class Annotators(Table):
    """Somebody who joins, changes or leaves a campaign, under a pseudonym; the latest row counts."""

    campaign: Text
    annotator: Text
    at: Instant
    role: Text = Field(isin=ROLES)
    level: Text = optional()
    areas: Text = optional()
    quota: Count = optional(ge=0)
    state: Text = Field(isin=("active", "paused", "left"))
    guide_version: Text = optional()
    consent_version: Text = optional()

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
    supersedes: Text = optional()
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
    score: Count = optional(isin=(0, 1, 2, 3))
    flags: Texts
    comment: Text = optional()
    seconds: Real = optional(ge=0)
    skipped: Truth
    guide_version: Text = optional()

    class Config:
        """The table's name, key and kind."""

        name = "ratings"
        unique = ["assignment_id", "submitted_at"]
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
