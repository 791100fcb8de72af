"""The command `rejects`: what a stage dropped, and why."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import quantity, say
from data.console.paths import Address
from data.contract.tables.removals import Rejects
from data.guidance.status import name_stages
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """List what a stage dropped or found fault with, each with its reason."""

    stage: Positional[str]
    """The stage, as `status` shows it, or its beginning: `crawler.files`."""
    reason: str | None = None
    """Only what has this reason."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Print the rejects of the stage."""
    rejects = Store(arguments.store).read(Rejects)
    rejects = rejects.assign(stage=name_stages(rejects))
    column, value = "stage", arguments.stage
    some = rejects[[name.startswith(arguments.stage) for name in rejects["stage"]]]
    if arguments.reason is not None and not some.empty:
        rejects, column, value = some, "reason", arguments.reason
        some = some[some["reason"] == arguments.reason]
    if some.empty:
        known = ", ".join(sorted(rejects[column].unique())) or "no rejects at all"
        raise InputError(f"the {column}s of rejects", expected=known, found=repr(value), remedy="choose one of them")
    for reject in some.to_dict("records"):
        at = "" if pd.isna(reject["at"]) else f" at {reject['at']:%Y-%m-%dT%H:%M:%S.%fZ}"
        detail = "" if pd.isna(reject["detail"]) else f" ({reject['detail']})"
        say(f"{reject['reason']}: {reject['id']}{at}{detail}")
    say(quantity(len(some), "reject"))
