"""The command `unpack`: a pack -> a store."""

from dataclasses import dataclass, field
from pathlib import Path

from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.console.paths import Address, existing_file
from data.storage import pack
from data.storage.store import Store
from data.texts.identity import file_digest


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Make a store from a pack, checking every byte and table; nothing that exists is overwritten."""

    file: Positional[Path]
    """The pack."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Make the store, and print what is in it."""
    path = existing_file(arguments.file, "a pack")
    say(f"blake2b digest: {file_digest(path)}")
    contents = pack.unpack(path, arguments.store)
    ratings = "with ratings" if contents.ratings else "without ratings"
    rows, tables = quantity(sum(contents.tables.values()), "row"), quantity(len(contents.tables), "table")
    say(f"{rows} in {tables} {ratings}: {arguments.store}")
    say_next("python -m data status", "--store", arguments.store)
