"""What a stage dropped, and what was withdrawn or taken down."""

from data.tables.base import Instant, Table, Text, optional


class Rejects(Table):
    """What a stage dropped, and why."""

    stage: Text
    id: Text
    reason: Text
    detail: Text = optional()

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
