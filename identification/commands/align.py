"""The command `align`: how a model reads chosen pairs, for the pictures of a report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import progress, say, say_next
from data.console.optional_packages import require_models
from data.labelled.dataset import data_digest
from data.labelled.sources import OfDataset
from data.models import alignments
from data.models.scorers import name_file, read_run
from data.texts.words import count_words

MAX_WORDS = 60
"""With more words per text the picture is unreadable."""


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Write how a model reads chosen pairs, for `analysis.report --alignments`.

    For decatt, decatt-bilstm, esim and pwim: which words they align. For any other model: how much lower the score is
    without each word.
    """

    run: Positional[str]
    """The folder that `train` wrote, or `module:function`."""
    ids: tuple[str, ...] = ()
    """The ids of the pairs; by default, of the pairs that the model gets wrong, those that it is surest of."""
    worst: int = 6
    """How many wrong predictions, without --ids."""
    split: str = "test"
    """The split that they are from."""
    out: Path | None = None
    """The file to write, by default alignments-DATASET.json in the model's folder."""


def main(arguments: Arguments) -> None:
    """Write the file."""
    require_models("align")
    require_at_least("--worst", arguments.worst, 1)
    from identification.training.aligning import align
    from identification.training.artefact import require_beside_the_model

    dataset = arguments.open()
    chosen = _name(dataset.frame, arguments) if arguments.ids else _find_worst(dataset.frame, arguments)
    rows = list(chosen[["pair_id", "first", "second"]].itertuples(index=False, name=None))
    read = align(arguments.run, rows, progress)
    out = arguments.out or _place(arguments)
    require_beside_the_model(out)
    alignments.write(out, arguments.run, read)
    kind = "the words that it aligns" if read[0].cells else "what leaving out each word does"
    say(f"{len(read)} pairs as {arguments.run} reads them, with {kind}, written to {out}")
    say_next("python -m analysis.report", *dataset.flags, "--alignments", out)


def _name(frame: pd.DataFrame, arguments: Arguments) -> pd.DataFrame:
    """The pairs with these ids; raises InputError for one that the data set has not, or whose texts are too long."""
    known = frame.drop_duplicates("pair_id").set_index("pair_id", drop=False)
    for pair in arguments.ids:
        if pair not in known.index:
            found, remedy = repr(pair), "see the column pair_id of what `python -m analysis.phenomena` writes"
            raise InputError("--ids", expected=f"ids of pairs of {arguments.place}", found=found, remedy=remedy)
    chosen: pd.DataFrame = known.loc[list(dict.fromkeys(arguments.ids))]
    if (long := chosen[~_is_short(chosen)]).size:
        found, remedy = f"more in {long['pair_id'].iloc[0]}", "leave it out"
        raise InputError("--ids", expected=f"texts of at most {MAX_WORDS} words", found=found, remedy=remedy)
    return chosen


def _find_worst(frame: pd.DataFrame, arguments: Arguments) -> pd.DataFrame:
    """The wrong predictions of the split that the model is surest of; raises InputError where there are none."""
    scores, threshold = _read_scores(frame, arguments)
    label = frame["binary"].to_numpy("float64", na_value=np.nan)
    wrong = (frame["split"] == arguments.split).to_numpy(dtype=bool) & ~np.isnan(label)
    wrong &= (scores >= threshold) != (label == 1)
    short = _is_short(frame).to_numpy()
    if n := int((wrong & ~short).sum()):
        say(f"{n:,} wrong predictions are left out: they have a text of more than {MAX_WORDS} words")
    if not (wrong & short).any():
        raise InputError(
            "--split",
            expected=f"wrong predictions of {arguments.run} on pairs of {arguments.split}",
            found="none",
            remedy="name pairs with --ids, or another --split",
        )
    sure = pd.Series(np.abs(scores - threshold), frame.index)[wrong & short]
    worst: pd.DataFrame = frame.loc[sure.sort_values(ascending=False, kind="stable").index[: arguments.worst]]
    return worst


def _read_scores(frame: pd.DataFrame, arguments: Arguments) -> tuple[Any, float]:
    """The model's scores of the data set that it was trained on, and its threshold; InputError for any other model."""
    from identification.training import members

    folder = Path(arguments.run)
    facts = read_run(folder) if folder.is_dir() else {}
    if facts.get("data", {}).get("digest") != data_digest(frame):
        raise InputError(
            "--ids",
            expected="ids of pairs, for a model that was not trained on this data set",
            found="nothing",
            remedy="name some, such as wrong predictions by `python -m analysis.phenomena`",
        )
    return members.read_scores(folder, frame), float(facts["threshold"])


def _is_short(frame: pd.DataFrame) -> "pd.Series[bool]":
    lengths = [frame[side].map(count_words) for side in ("first", "second")]
    return (lengths[0] <= MAX_WORDS) & (lengths[1] <= MAX_WORDS)


def _place(arguments: Arguments) -> Path:
    folder = Path(arguments.run)
    if not folder.is_dir():
        folder = Path("models") / arguments.run.replace(":", "-")
    return folder / f"alignments-{name_file(arguments.place)}.json"
