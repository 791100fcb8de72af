"""What a stage dropped, and what was withdrawn or taken down."""

from data.contract.base import Instant, Table, Text, column, optional


class Rejects(
    Table,
    name="rejects",
    kind="derived",
    key=("stage", "part", "method", "control", "id", "at"),
    scope=("stage", "part"),
    completes=True,
):
    """What a stage dropped, and why."""

    stage: Text = column("the command that dropped it: its room and, as a rule, its module")
    part: Text = column("what it worked on: a campaign, generator, scheme or source; empty where a store has but one")
    id: Text = column("id of the dropped row in that stage's input")
    reason: Text = column("name of the rule")
    detail: Text = optional("the value that met the rule")
    source_id: Text = optional(
        "of a sentence or a text made from one, what it is from: a paper, a line's number, a definition or sentence; "
        "null for all else"
    )
    at: Instant = optional("of a refused answer, when it was given; null for all else")
    method: Text = optional("of a pair without a label, the method that gave it none; null for all else")
    control: Text = optional(
        "of a pair without a label for a further control of the question, this control; null for all else"
    )


class Tombstones(Table, name="tombstones", kind="event", key=("kind", "study", "id")):
    """What was withdrawn or taken down, so that no later run brings it back."""

    kind: Text = column("`text`, `card`, `source` or `annotator`")
    study: Text = column("of an `annotator`, the study that they withdrew from; empty for all others")
    id: Text = column(
        "of a `text` that was taken down, its digest; of a `card` that held it, the card's id; "
        "of a `source` of sentences, papers:ID or a file's name, and of a text named alone its id; "
        "of an `annotator` who withdrew, the pseudonym"
    )
    reason: Text = column("why it was removed")
    at: Instant = column("when it was removed")
