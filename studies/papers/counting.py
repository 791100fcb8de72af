"""Rows that are counted on released files, without a model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.reporting.figures import as_file, draw_overlap
from analysis.statistics.agreement import describe_labels, describe_splits
from analysis.statistics.lexical import describe_overlap, measure_lengths, measure_size
from data.console.messages import say
from data.files.whole import whole_file, write_whole
from data.grouping import entities
from data.labelled import corpora
from data.labelled.dataset import Dataset
from data.labelled.metrics import measure
from data.measures.rules import ScoringRule
from paraphrase_game.judges.released import TEST, TRAIN, read_attempts, read_log, read_split
from studies.papers.needs import SETS, count_pairs, find_set, read_set
from studies.papers.tables import Figure, Ours, PaperTable, Place, Row

BINS = 100
"""Of BLEURT (Nighojkar and Licato 2021, Figure 2)."""
PASSES = 0.5


def describe_parade(table: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """The counts of sections 4.4 and 5.1, and the distributions of the overlap, also as a drawing."""
    pairs = _open("parade", place)
    labels, sizes, splits = describe_labels(pairs), measure_size(pairs), describe_splits(pairs)
    words, overlap = measure_lengths(pairs)["slots"], describe_overlap(pairs)
    called = {"are_yes": "paraphrases", "are_no": "no paraphrases"}
    file = place.work / f"{table.name}.svg"
    write_whole(file, as_file(draw_overlap(overlap, called)))
    say(f"drawn: {file}")
    found: dict[str, Figure] = {
        "pairs": labels["pairs"], "entities": sizes["entities"], "paraphrases": labels["paraphrase"],
        "no paraphrases": labels["non_paraphrase"], "paraphrases, %": 100 * labels["paraphrase_share"],
        "mean words": words["regex_w"]["mean"], "most words": words["whitespace"]["max"],
    }  # fmt: skip
    for name, split in splits.items():
        found |= {f"{name}: pairs": split["pairs"], f"{name}: entities": split["entities"]}
    for label, name in (("paraphrase", "paraphrases"), ("non_paraphrase", "no paraphrases")):
        one = overlap[label]
        found |= {f"overlap of {name}: mean": one["mean"], f"overlap of {name}: none at all": one["zero"]}
        found |= {
            f"overlap of {name}: below .1": one["deciles"][0],
            f"overlap of {name}: .5 and more": sum(one["deciles"][5:]),
        }
    return _ours(rows, found, "counted on the released files")


def find_example(_: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Of the entity that a row names: its pairs in the release, and its paraphrases."""
    pairs = _open("parade", place)
    named = entities.of_side(pairs.frame, "first").str.lower()
    found = {}
    for row in rows:
        labels = describe_labels(Dataset(pairs.frame[named == row.name]))
        found[row.name] = Ours(figures=(labels["pairs"], labels["paraphrase"]), what="counted on the released files")
    return found


def count_paws(_: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Table 5: pairs by split, and the share of paraphrases, of the files as they are."""
    found = {}
    for row in rows:
        (name,) = row.data
        path = find_set(name, place)
        assert path is not None
        counts, printed = count_pairs(name, path), SETS[name].pairs
        if "test" not in printed:
            counts = {**counts, "validation": counts["test"] or counts["validation"], "test": 0}
        splits = [counts[split] or None for split in ("train", "validation", "test")]
        share = 100 * float(read_set(name, path)["binary"].mean())
        short = [split for split in printed if not counts[split]]
        marks = (f"without {' and '.join(short)}, so the share is of the others",) if short else ()
        what = "counted on the files; identical texts outside train and repeated pairs are left out"
        found[row.name] = Ours(figures=(*splits, share), what=what, marks=marks)
    return found


def count_game(_: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Table 2: attempts and source sentences, by what became of them."""
    found = {}
    for row in rows:
        attempts = _attempts(row, place)
        by_source = attempts.groupby("source")[["apt", "mi", "other"]].max()
        sums = attempts[["apt", "mi", "other"]].sum()
        figures = (len(attempts), *map(int, sums), len(by_source), *map(int, by_source.sum()))
        if row.data == ("apt",):
            never = int((by_source["mi"] == 0).sum())
            figures = (*figures[:-1], never)
        found[row.name] = Ours(figures=figures, what="counted on the released files")
    return found


def _attempts(row: Row, place: Place) -> pd.DataFrame:
    """The attempts at the sentences: source, bleurt, mi, other (no MI) and apt, which are flags.

    People's passed where they were paid for, which goes up to a BLEURT of .515 (`paraphrase_game` has both rules).
    """
    (name,) = row.data
    path = find_set(name, place)
    assert path is not None
    if name == "apt":
        log = read_log(path)
        rows = log.rename(columns={"sentence": "source"}).assign(apt=log["dollar"] > 0)
    else:
        attempts = read_attempts(path)
        passed = (attempts["mi"] == 1) & (attempts["bleurt"] <= PASSES)
        rows = attempts.rename(columns={"first": "source"}).assign(apt=passed)
    return rows[["source", "bleurt"]].assign(
        apt=rows["apt"].astype("int64"), mi=(rows["mi"] == 1).astype("int64"), other=(rows["mi"] != 1).astype("int64")
    )


def draw_game(table: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Figure 2: the distributions of BLEURT by outcome, a drawing for each set, with mean and quartiles."""
    found = {}
    for row in rows:
        attempts = _attempts(row, place)
        passed = attempts["apt"] == 1
        parts = {
            "APT": attempts.loc[passed, "bleurt"],
            "MI": attempts.loc[(attempts["mi"] == 1) & ~passed, "bleurt"],
            "no MI": attempts.loc[attempts["other"] == 1, "bleurt"],
        }
        file = place.work / f"{table.name}-{row.data[0]}.svg"
        _draw(parts, file)
        say(f"drawn: {file}")
        means = tuple(float(values.mean()) for values in (attempts["bleurt"], *parts.values()))
        found[row.name] = Ours(figures=means, what="counted on the released files")
    return found


def _draw(parts: Mapping[str, "pd.Series[float]"], path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawing

    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "apt", "svg.fonttype": "none"}), whole_file(path) as unfinished:
        drawing = Drawing(figsize=(7, 3.5), layout="constrained")
        axes = drawing.subplots()
        everything = pd.concat(parts.values())
        limits = float(everything.min()), float(everything.max())
        for name, values in parts.items():
            axes.hist(values, bins=BINS, range=limits, histtype="step", label=f"{name} ({len(values):,})")
        axes.axvline(PASSES, color="0.6", linestyle=":")
        axes.set(xlabel="BLEURT", ylabel="attempts")
        axes.legend(frameon=False)
        drawing.savefig(unfinished, format="svg", metadata={"Date": None})


def count_labels(_: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    """Table 4: pairs and their labels, of the files as they are."""
    found = {}
    for row in rows:
        label = _labels(row, place)
        yes, n = int(label.sum()), len(label)
        shares = (100 * yes / n, 100 - 100 * yes / n)
        figures = (n, yes, shares[0], n - yes, shares[1])
        found[row.name] = Ours(figures=figures, what="counted on the released files")
    return found


def _labels(row: Row, place: Place) -> "pd.Series[int]":
    (name,) = row.data
    path = find_set(name, place)
    assert path is not None
    files = {"AP_H-train": (TRAIN,), "AP_H-test": (TEST,), "AP_H": (TRAIN, TEST)}
    if row.name in files:
        return pd.concat([read_split(path, file)["labels"] for file in files[row.name]], ignore_index=True)
    frame, _ = corpora.load(path)
    return frame.loc[frame["split"] == row.name.partition("-")[2], "binary"].astype("int64")


def guess_at_random(rows: Sequence[Row], place: Place, columns: int) -> Mapping[str, Ours]:
    """Table 5's right half: F1 of the answer that all pairs are paraphrases, whose MCC is 0."""
    found = {}
    for row in rows:
        label = _labels(row, place).to_numpy() == 1
        f1 = measure(label, label | True, pd.Series(range(len(label))).astype("str"), ScoringRule(resamples=100))["f1"]
        found[row.name] = Ours(figures=(*[None] * (columns - 2), 0.0, f1), what="the answer yes to all pairs")
    return found


def _open(name: str, place: Place) -> Dataset:
    path = find_set(name, place)
    assert path is not None
    return Dataset(corpora.load(path)[0])


def _ours(rows: Sequence[Row], found: Mapping[str, Any], what: str) -> Mapping[str, Ours]:
    return {row.name: Ours(figures=(found[row.name],), what=what) for row in rows}
