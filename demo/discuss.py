"""Play the people who discuss a pilot: complete each open row of the sheet by the majority of its votes."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import say


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Complete the open rows of a pilot's discussion.csv as if people had talked."""

    sheet: Positional[Path]
    """The file written by `annotation pilot report`; it is changed in place."""


def main(arguments: Arguments) -> None:
    """Give each row without a score a 2 where most votes are for paraphrase, else a 1."""
    sheet = pd.read_csv(arguments.sheet, dtype=str, keep_default_na=False)
    disputed = sheet["score"] == ""
    yes = sheet["votes"].astype("int64") * 2 > sheet["n_votes"].astype("int64")
    sheet.loc[disputed, "score"] = yes[disputed].map({True: "2", False: "1"})
    reasons = yes[disputed].map({True: "Only details differ.", False: "Something important is missing."})
    sheet.loc[disputed, "reason"] = reasons
    sheet.to_csv(arguments.sheet, index=False)
    say(f"{disputed.sum()} disputed pairs of {arguments.sheet} have a score and a reason")


if __name__ == "__main__":
    run(main, prog="python -m demo.discuss")
