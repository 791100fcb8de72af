"""The command `history`: the versions of a table."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from data.console.marks import Positional
from data.console.messages import say
from data.console.paths import Address
from data.contract.register import find_table
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """List the versions of a table with their manifests."""

    table: Positional[str]
    """The table's name."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Print each version with its manifest."""
    store, table = Store(arguments.store), find_table(arguments.table)
    if not store.exists(table):
        say(f"{store.address}: no table {table.table_name()} yet")
        return
    for manifest in store.history(table):
        at = datetime.fromtimestamp(manifest.pop("at") / 1000, UTC)
        say(f"version {manifest.pop('version')}  {at:%Y-%m-%d %H:%M:%S} UTC  by {manifest.pop('stage')}")
        for part, value in sorted(manifest.items()):
            if value not in (None, {}, []):
                say(f"  {part}: {value}")
