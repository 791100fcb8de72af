"""The command `export`: a table as a plain file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import quantity, say
from data.console.paths import Address
from data.contract.register import find_table
from data.files.spreadsheet_cells import without_formulas
from data.files.whole import whole_file
from data.guidance.look import joined
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write a table as a plain file."""

    table: Positional[str]
    """The table's name."""
    out: Path
    """The file to write, in the format of its ending: .parquet, .csv, .tsv or .jsonl."""
    as_of: int | None = None
    """The version to read; the latest by default."""
    joined: bool = False
    """Of `ratings` and `pairs`: join what other tables know of each row, as the pages of `look` show it: a rating's
    pair, texts and annotator; a pair's label, ratings, decks, split and score."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the table's rows."""
    table, store = find_table(arguments.table), Store(arguments.store)
    frame = _join(store, arguments) if arguments.joined else store.read(table, version=arguments.as_of)
    writers: dict[str, Callable[[Path], object]] = {
        ".parquet": lambda path: frame.to_parquet(path, index=False),
        ".csv": lambda path: without_formulas(frame).to_csv(path, index=False),
        ".tsv": lambda path: without_formulas(frame).to_csv(path, index=False, sep="\t"),
        ".jsonl": lambda path: frame.to_json(path, orient="records", lines=True, date_format="iso"),
    }
    if arguments.out.suffix not in writers:
        raise InputError(
            arguments.out,
            expected="an ending of " + ", ".join(writers),
            found=repr(arguments.out.suffix),
            remedy="rename",
        )
    with whole_file(arguments.out) as unfinished:
        writers[arguments.out.suffix](unfinished)
    say(f"{quantity(len(frame), 'row')} of {arguments.table} written to {arguments.out}")


def _join(store: Store, arguments: Arguments) -> pd.DataFrame:
    """Ratings or pairs with what other tables know of them, as they are now."""
    if arguments.table not in ("ratings", "pairs") or arguments.as_of is not None:
        raise InputError(
            "--joined",
            expected="the table ratings or pairs, without --as-of",
            found=arguments.table + ("" if arguments.as_of is None else f" --as-of {arguments.as_of}"),
            remedy="leave --joined out",
        )
    ratings = joined.join_ratings(store)
    return ratings if arguments.table == "ratings" else joined.join_pairs(store, ratings)
