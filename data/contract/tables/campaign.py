"""A campaign's people, documents, assignments and ratings: what annotation collects."""

from data.contract.base import Count, Instant, Real, Table, Text, Texts, Truth, column, optional
from data.contract.vocabulary import KINDS, ROLES, STATES


class Annotators(Table, name="annotators", kind="event", key=("campaign", "annotator", "at")):
    """A person who joins, changes or leaves a campaign, under a pseudonym; the latest row counts."""

    campaign: Text = column("the campaign's name")
    annotator: Text = column("a pseudonym, never a name or an address")
    at: Instant = column("since when the row holds")
    role: Text = column("expert, senior, non_expert, simulated or player", isin=ROLES)
    level: Text = optional(
        "level of knowledge as the annotator stated it, counted by `status` and the data card; null if unknown"
    )
    areas: Text = optional("areas of knowledge as the annotator stated them, for the lead's own use; null if unknown")
    quota: Count = optional("the most assignments that they take; null for no limit", ge=0)
    state: Text = column("active, paused or left", isin=STATES)
    guide_version: Text = optional("version of the guide that they were shown")
    consent_version: Text = optional("version of the consent that they were shown")


class Documents(Table, name="documents", kind="event", key=("campaign", "kind", "version")):
    """A text that annotators read and accept before their first task; the latest of its kind is in force."""

    campaign: Text = column(
        "the campaign's name; a pilot or control arm without documents of its own takes its campaign's"
    )
    kind: Text = column("consent or guide", isin=("consent", "guide"))
    version: Text = column("the version that the text's own line `Version …` names")
    reference: Text = column("who approved the consent, such as an ethics committee's number; empty for a guide")
    text: Text = column("the text as shown")
    at: Instant = column("since when it is in force")


class Acceptances(Table, name="acceptances", kind="event", key=("campaign", "annotator", "kind", "version")):
    """An annotator's acceptance of a document on the server, before the first task that asked for it."""

    campaign: Text = column("the campaign's name")
    annotator: Text = column("who accepted")
    kind: Text = column("consent or guide", isin=("consent", "guide"))
    version: Text = column("the version accepted")
    at: Instant = column("when the box was ticked, by the server's clock")


class Assignments(Table, name="assignments", kind="event", key=("assignment_id",), completes=True):
    """One pair given to one annotator in one round."""

    assignment_id: Text = column("opaque: computed with a secret key of the campaign, reveals nothing about the pair")
    campaign: Text = column("the campaign's name")
    round: Count = column("the round, from 1", ge=1)
    pair_id: Text = column("the pair to label")
    annotator: Text = column("who labels it")
    position: Count = column("place in the annotator's order, from 0", ge=0)
    flipped: Truth = column("whether the second definition is shown first")
    kind: Text = column(
        "work, gold, repeat, trap or pilot; a senior's are senior (blind) or review (with votes and comments)",
        isin=KINDS,
    )
    supersedes: Text = optional(
        "the assignment whose rating this one replaces; for a review, the same senior's blind assignment"
    )
    random: Truth = column(
        "whether it is of the random part: one of the full number of ratings that a random share of the pairs gets "
        "whatever its raters say; agreement is measured there alone",
        default=True,
    )
    at: Instant = column("when it was planned")


class Openings(Table, name="openings", kind="event", key=("campaign", "at")):
    """When assignments were brought to the annotation server, which has all planned before, or a round of a game."""

    campaign: Text = column("the campaign's name")
    at: Instant = column("when all assignments planned so far, or the round, were there")


class Ratings(Table, name="ratings", kind="event", key=("assignment_id", "submitted_at")):
    """An annotator's rating of an assignment; the latest row counts."""

    assignment_id: Text = column("the assignment, which names annotator and pair")
    submitted_at: Instant = column("when the rating was last saved")
    score: Count = optional(
        "0 different, 1 roughly, 2 mostly, 3 completely the same, or the value on the question's own scale; null where "
        "a flag takes its place, and for questions that are no single scale (see `answers`)",
        ge=0,
    )
    flags: Texts = column("not_english, ill_formed, cannot_judge")
    comment: Text = optional("the annotator's own words")
    seconds: Real = optional("seconds on the page", ge=0)
    skipped: Truth = column("whether the page was skipped")
    guide_version: Text = optional("version of the guide that was shown")


class Answers(Table, name="answers", kind="event", key=("assignment_id", "submitted_at", "control")):
    """What a rating answers to one control of a question that is more than one scale: that one's is `ratings.score`."""

    assignment_id: Text = column("the assignment, which names annotator and pair")
    submitted_at: Instant = column("when the rating was last saved")
    control: Text = column("name of the control, as the campaign's question declares it")
    chosen: Texts = column("the chosen answers; more than one only of a control of the kind several-of")
    text: Text = optional("the corrected text; null for a control with answers to choose from")


class Worked(Table, name="worked", kind="event", key=("campaign", "annotator", "at"), completes=True):
    """Work whose ratings were deleted since an annotator withdrew or a text was taken down: pay without ratings."""

    campaign: Text = column("the campaign's name")
    annotator: Text = column("who worked")
    ratings: Count = column(
        "ratings made, skips left out, those still on the server included; of a game, submitted sentences", ge=0
    )
    seconds: Real = column("seconds worked, pauses cut off", ge=0)
    cents: Count = optional("base pay and bonus of a game, in cents; null for labelling", ge=0)
    at: Instant = column("the time of the removal, as of its tombstone")


class SimulatedTruth(Table, name="simulated_truth", kind="derived", key=("campaign", "pair_id"), scope=("campaign",)):
    """The answer that simulated annotators err from: only the simulator and its evaluation read it."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair")
    score: Count = column(
        "the score that simulated annotators err from; of a question that is no scale the place of the answer, from 0",
        ge=0,
    )
