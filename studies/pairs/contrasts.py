"""What each kind of contrast brings by the experts' labels: `python -m studies.pairs.contrasts --dataset DIR`.

Contrasts are proposed from the published definitions. Only pairs that the paper's own generator chose have labels: of
neighbours, none has.
"""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from clustering.candidates.pairs import propose
from clustering.config import Config
from data.console.commands import run
from data.console.messages import progress, say
from data.labelled import parade
from studies.pairs import judged_pairs


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print how many pairs of each selection are proposed, how many have labels, and the share of paraphrases."""

    dataset: Path
    """The folder of the published PARADE files."""
    pairs: int = 500
    """Contrasts of each kind."""
    out: Path | None = None
    """A file for the proposed pairs, to read them."""


def main(arguments: Arguments) -> None:
    """Print one line per selection."""
    data = judged_pairs.prepare(parade.read(arguments.dataset))
    n = arguments.pairs
    config = replace(Config.recommended(), neighbours=n, senses=n, far_ends=n)
    pairs = propose(data.definitions, config, progress).pairs
    pairs = pairs.merge(data.judged[["pair_id", "binary"]], on="pair_id", how="left")
    say(f"{'':26} pairs  judged  paraphrases  mean overlap")
    for name, part in pairs.groupby("selection"):
        judged = part["binary"].dropna()
        share = f"{judged.mean():.3f}" if len(judged) else "–"
        say(f"{name:26} {len(part):5}  {len(judged):6}  {share:>11}  {part['overlap'].astype('Float64').mean():12.3f}")
    if arguments.out:
        pd.DataFrame(pairs).drop(columns="parents").to_csv(arguments.out, index=False)


if __name__ == "__main__":
    logging.getLogger("gensim").setLevel(logging.ERROR)
    run(main, prog="python -m studies.pairs.contrasts")
