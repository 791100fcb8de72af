"""The command `pack`: the store as one file."""

from dataclasses import dataclass, field
from pathlib import Path

from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.console.paths import Address
from data.storage import pack
from data.storage.store import Store, all_locks
from data.texts.identity import file_digest


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write the store as one file for a colleague: tables with their past, and ledgers; never accounts or keys."""

    out: Positional[Path]
    """The file to write, such as store.tar.gz."""
    ratings: bool = True
    """Include the ratings and everything computed from them; --no-ratings leaves them out."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the pack."""
    store = Store(arguments.store)
    with all_locks(store):
        contents = pack.pack(store, arguments.out, ratings=arguments.ratings)
    ratings = "with ratings" if contents.ratings else "without ratings"
    tables, files = quantity(len(contents.tables), "table"), quantity(len(contents.files), "file")
    say(f"{tables} {ratings}, {files}, written to {arguments.out}")
    say(f"blake2b digest, to be sent separately: {file_digest(arguments.out)}")
    say("accounts, passwords and campaigns' keys are not in it: if need be, hand over private/ by hand")
    say_next("python -m data unpack", arguments.out, "--store", "FOLDER")
