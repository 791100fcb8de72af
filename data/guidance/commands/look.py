"""The command `look`: the store in the browser."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Look:
    """Show the store in the browser: the campaign, pairs, annotators and all tables, always as they are now.

    The pages show a copy that is made again when the store changes. Nothing can be written there, no one but this
    machine can open it, and it holds no name, address, password or key of an annotator.
    """

    port: int = 8012
    """The port, on 127.0.0.1; 0 for any free one."""
    per_hour: float = 0.0
    """Pay per hour of labelling, to show what the campaign costs in money."""
    per_label: float = 0.0
    """Pay per rating, likewise."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""


def main(arguments: Look) -> None:
    """Serve the pages until stopped."""
    os.environ["DATASETTE_LOAD_PLUGINS"] = ""  # none but ours, whatever else is installed
    from data.guidance.look.pages import Rates
    from data.guidance.look.server import serve

    rates = Rates(per_hour=arguments.per_hour, per_label=arguments.per_label)
    serve(Store(arguments.store).root, arguments.port, rates)
