"""The command `status`: the store's tables, and what to run next."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from data.console.messages import quantity, say
from data.console.paths import Address
from data.guidance import status
from data.guidance.next_steps import say_steps
from data.storage.snapshot import Snapshot
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show the store's status: tables, rows, age, rejects by reason, and what to run next (the default)."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Print the tables, the rejects and the next commands."""
    store = Store(arguments.store)
    if not store.tables():
        say(f"{store.address}: no tables yet")
    else:
        store = Snapshot(arguments.store)
        tables = status.tables(store)
        say(tables.assign(at=tables["at"].map(_age)).rename(columns={"at": "age"}).to_string(index=False))
        dropped = status.rejects(store)
        if not dropped.empty:
            say("\nrejects\n" + dropped.to_string(index=False))
    say_steps(store)


def _age(then: datetime) -> str:
    seconds = int((datetime.now(UTC) - then).total_seconds())
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return quantity(max(seconds, 0), "second")
