"""The detectors of the game's paper (Tables 5 and 6), with models that any machine can train; prints Markdown.

python -m benchmarks.detectors ../shared/data/paraphrase --machine nap
python -m benchmarks.detectors ../shared/data/paraphrase --machine nap --encoder minilm --machine-pairs 5000

Logistic regression over eight features of overlap, with --encoder also over the cosine of a sentence model's vectors.
It learns from MRPC's training set, where the paper had TwitterPPDB, and the sets named. MCC and F1 at 0.5; in brackets
95 % intervals from drawing whole source sentences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tyro

from apt.judges.released import MACHINE, TEST, TRAIN, read_attempts, read_machine, read_split
from data.console import progress, run, say
from data.labelled import corpora
from data.labelled.features import describe
from identification.training.frozen import Frozen, features, form_of

SETS = {
    "MSRP alone": (),
    "AP_H-train": ("H",),
    "AP_T5 of MSRP": ("M",),
    "AP_H-train + AP_T5 of MSRP": ("H", "M"),
    "AP_T5 of Twitter": ("Tw",),
    "AP_H-train + AP_T5 of Twitter": ("H", "Tw"),
    "AP_T5": ("M", "Tw"),
    "AP_H-train + AP_T5": ("H", "M", "Tw"),
}
HEAD = "MCC | F1 |\n|---|---|---|"
NAP = {"M": "msrp1", "Tw": "twitterppdb1"}
"""The machine's attempts -> their folder in the authors' repository."""
RESAMPLES = 1000


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Train and test the detectors."""

    folder: tyro.conf.Positional[Path]
    """The folder with `apt` and `mrpc`, as downloaded."""
    machine: Path | None = None
    """The folder `nap` of the authors' repository, with all of their machine's attempts; else those in `apt`."""
    encoder: str | None = None
    """A sentence model: `minilm`, or a folder."""
    machine_pairs: int | None = None
    """Draw so many pairs of each of the two sets of machine attempts; all if omitted."""
    seed: int = 1
    """Which pairs are drawn, and the resamples."""


def main(arguments: Arguments) -> None:
    """Print the two tables."""
    parts = {name: _described(rows, arguments.encoder) for name, rows in _read(arguments)}
    test = parts["test"]
    shared = parts["M"]["first"].isin(test["first"])
    say(f"{parts['M'].loc[shared, 'first'].nunique()} sources of AP_T5 of MSRP also stand in AP_H-test")
    apart = parts | {"M": parts["M"][~shared]}
    say(f"\n| tested on AP_H-test; learned from MSRP and | {HEAD}")
    for name, chosen in SETS.items():
        _say_row(name, [parts[part] for part in ("base", *chosen)], test, arguments.seed)
        if "M" in chosen:
            learned = [apart[part] for part in ("base", *chosen)]
            _say_row(f"{name}, without the shared sources", learned, test, arguments.seed)
    say(f"\n| learned from MSRP alone; tested on | {HEAD}")
    for name, part in {"MSRP test": "msrp-test", "AP_H": "all", "AP_H-test": "test"}.items():
        tested = pd.concat([parts["H"], test]) if part == "all" else parts[part]
        _say_row(name, [parts["base"]], tested, arguments.seed)


def _read(arguments: Arguments) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name of a set -> its distinct pairs: first, second, binary."""
    names = {"text_a": "first", "text_b": "second", "labels": "binary", "sentence": "first", "paraphrase": "second",
             "mi": "binary"}  # fmt: skip
    apt, (mrpc, _) = arguments.folder / "apt", corpora.load(arguments.folder / "mrpc")
    sets = {"base": mrpc[mrpc["split"] == "train"], "msrp-test": mrpc[mrpc["split"] == "test"]}
    sets |= {name: read_split(apt, file) for name, file in (("H", TRAIN), ("test", TEST))}
    if arguments.machine:
        sets |= {name: read_attempts(arguments.machine / folder) for name, folder in NAP.items()}
    else:
        sets |= {name: read_machine(apt, file) for name, file in zip(NAP, MACHINE, strict=True)}
    for name, rows in sets.items():
        pairs = rows.rename(columns=names)[["first", "second", "binary"]].drop_duplicates(["first", "second"])
        most = (arguments.machine_pairs if name in NAP else None) or len(pairs)
        yield name, pairs.sample(min(most, len(pairs)), random_state=arguments.seed).reset_index(drop=True)


def _described(rows: pd.DataFrame, encoder: str | None) -> pd.DataFrame:
    """The rows with their features, a list per pair."""
    sides = rows["first"].tolist(), rows["second"].tolist()
    columns = features(form_of(encoder, "en"), *sides, progress) if encoder else describe(*sides).to_numpy("float64")
    return rows.assign(columns=list(columns))


def _say_row(name: str, learned: list[pd.DataFrame], tested: pd.DataFrame, seed: int) -> None:
    known = pd.concat(learned)
    model = Frozen.fit({}, np.vstack(known["columns"].tolist()), known["binary"].to_numpy(np.float64), seed)
    answers = model.weigh(np.vstack(tested["columns"].tolist())) > 0
    labels, sources = tested["binary"].to_numpy(np.int64) == 1, pd.factorize(tested["first"])[0]
    kinds = np.column_stack([labels & answers, ~labels & answers, labels & ~answers, ~labels & ~answers])
    counts = np.array([np.bincount(sources, kind) for kind in kinds.T])
    n = counts.shape[1]
    drawn = counts @ np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T
    cells = []
    for measure in (_mcc, _f1):
        low, high = np.percentile(measure(*drawn), [2.5, 97.5])
        cells.append(f"{measure(*counts.sum(1)):.3f} [{low:.3f}, {high:.3f}]")
    say(f"| {name} ({len(known):,} pairs) | " + " | ".join(cells) + " |")


def _mcc(hits: Any, false: Any, missed: Any, rest: Any) -> Any:
    return (hits * rest - false * missed) / np.sqrt((hits + false) * (hits + missed) * (rest + false) * (rest + missed))


def _f1(hits: Any, false: Any, missed: Any, _: Any) -> Any:
    return 2 * hits / (2 * hits + false + missed)


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.detectors")
