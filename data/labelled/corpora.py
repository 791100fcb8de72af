"""Labelled pairs of texts as other data sets publish them, plain or gzip.

MRPC, QQP (as published, and in the split of Wang et al. 2017), PAWS and GLUE, Twitter-URL, PIT-2015, APT, Le-Wi-Di,
PARADE, and any table (delimited text, JSON, Excel, Parquet) with two columns of texts and one of labels.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError, TableError
from data.console.messages import quantity, say
from data.contract.vocabulary import SPLITS
from data.files.sheets import name_unread, read_exact, read_table, separator_of, split_cells, whole_numbers
from data.grouping.entities import ENTITIES, of_side
from data.labelled import parade, paws
from data.labelled.frame import COLUMNS, INTEGERS, from_published
from data.texts.identity import pair_id, text_id

TEXTS = (
    ("#1 String", "#2 String"),
    ("text_a", "text_b"),
    ("sentence", "paraphrase"),
    ("question1", "question2"),
    ("sentence1", "sentence2"),
    ("Definition1", "Definition2"),
    ("first", "second"),
    ("original", "paraphrase"),
)
"""The columns of the two texts: in MRPC, APT (two forms), QQP, PAWS and GLUE, PARADE, ours, and others. Their case and
the marks between words do not matter. Elsewhere, the texts are in the only two columns whose names end in 1 and 2, or a
and b, or differ in `first` and `second` alone."""

LABEL = (
    "binary", "Binary labels", "Quality", "is_duplicate", "mi", "labels", "label", "is_paraphrase", "gold_label",
    "gold", "paraphrase", paws.NOISY,
)  # fmt: skip
"""The names of the label's column (0, 1), of which the first counts: in ours, PARADE, MRPC, QQP, APT (two forms), PAWS
and GLUE, others, and PAWS without judgements."""

SPLIT = "split"
"""The column of the splits' names, as files' names have them."""

_MARKS = re.compile(r"[\s_.?:-]+")
KNOWN = {
    _MARKS.sub("", name.lower()): name
    for names in (*TEXTS, LABEL, paws.INDEXED, ("id", "pair_id", SPLIT), ENTITIES)
    for name in names
}
"""The columns by their names in lower case, without marks."""
NUMBERS = ("id", "idx", "index", "#1 ID", "#2 ID", "qid1", "qid2")
"""Columns that count the rows or the texts."""

LABELS = ("0", "1")
WORDS = {"false": "0", "true": "1", "no": "0", "yes": "1", "f": "0", "t": "1", "n": "0", "y": "1"}
"""Labels that are written as words."""
NO_LABEL = ("", "-1", "nan", "null", "none", "na", "n/a", "<na>", "-", "?")
"""What fills the place of a label, in lower case: nothing, or what GLUE's test sets, programs and people write."""

HEADLESS = ["binary", "first", "second", "last"]
JUDGED = ["first", "second", "binary", "votes", "n_votes"]

SPLIT_OF = {
    "train": "train", "dev": "validation", "val": "validation", "valid": "validation", "validation": "validation",
    "test": "test",
}  # fmt: skip
ENDINGS = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".xlsx", ".xls", ".parquet", ".data")

QUOTED = "question1"
"""The column by which QQP's files are known: they quote texts, which may hold line breaks, even between tabs."""

TWITTER_VOTES = re.compile(r"\((\d+),\s*(\d+)\)")
TWITTER_UNDECIDED = 3
"""Of six votes, 4 or more make a paraphrase and 2 or fewer do not; 3 are debatable (Lan et al. 2017, section 4)."""

PIT_COLUMNS = 7
PIT_UNDECIDED = 2
"""Of five votes for train and dev, 3 or more make a paraphrase and 1 or fewer do not (Xu et al. 2015, README)."""
PIT_UNDECIDED_GRADE = 3
"""On the test set's scale from 0 to 5, 4 or more make a paraphrase and 2 or fewer do not: so says the published
`test.label`; the README has the last two the wrong way round."""


def load(path: Path) -> tuple[pd.DataFrame, list[Path]]:
    """The data set at `path`, in the form of `data.labelled.frame`, and its files: PARADE's folder, or as found by
    `find`."""
    if path.is_dir() and any(path.glob("PARADE_*.txt*")):
        return from_published(parade.read(path)), [parade.find(path, name) for name in SPLITS]
    files = find(path)
    return read(files), files


def find(path: Path) -> list[Path]:
    """The files of pairs at `path`: the file itself, those in the folder, or those whose names begin with it.

    If some of their names contain the name of a split, only those count, and a line names the others. Raises InputError
    if there is none.
    """
    if path.is_file():
        return [path]
    folder, start = (path, "") if path.is_dir() else (path.parent, path.name)
    named = [file for file in sorted(folder.glob("*")) if file.name.startswith(start)]
    files = [file for file in named if file.name.removesuffix(".gz").endswith(ENDINGS)]
    if not files:
        raise InputError(
            path,
            expected=f"a store, a release, or files of pairs ({', '.join(ENDINGS)}, plain or .gz)",
            found="none of these" if path.is_dir() else "no such file or folder",
            remedy="check the path",
        )
    chosen = [file for file in files if _split_of(file.name)] or files
    if unread := name_unread(file.name for file in files if file not in chosen):
        say(f"{path}: {unread}")
    return chosen


def read(paths: list[Path]) -> pd.DataFrame:
    """The pairs of all files as a data set of `data.labelled.frame`, split by their column `split` or the files' names.

    Rows without two texts, with the same text twice outside the training split (as in PAWS, Zhang et al. 2019, section
    4, footnote 6), and repeated rows are left out, with a line per file that says how many. Raises TableError if a file
    has no known form or a label is unknown.
    """
    parts = {path: _read_file(path) for path in paths}
    frame = pd.concat(parts.values(), ignore_index=True)
    frame = with_ids(frame.reindex(columns=[*dict.fromkeys([*frame.columns, *ENTITIES])]))
    empty = (frame[["first", "second"]] == "").any(axis="columns")
    alike = ~empty & (frame["first"] == frame["second"]) & (frame["split"] != "train").fillna(True)
    repeated = ~(empty | alike) & frame.duplicated(["pair_id", "split", "binary"])
    left_out = {"without two texts": empty, "with one text twice": alike, "repeated": repeated}
    end = 0
    for path, part in parts.items():
        start, end = end, end + len(part)
        say_left_out(path, {kind: rows[start:end] for kind, rows in left_out.items()})
    frame = frame[~(empty | alike | repeated)]
    return frame.reindex(columns=COLUMNS).astype(INTEGERS).reset_index(drop=True)


def say_left_out(path: Path, left_out: Mapping[str, "pd.Series[bool]"]) -> None:
    """Say how many of the file's rows are left out, if any are: which ones, by the reason."""
    rows = pd.DataFrame(left_out)
    counts = rows.sum()
    if counts.any():
        why = ", ".join(f"{count:,} {kind}" for kind, count in counts[counts > 0].items())
        say(f"{path}: {counts.sum():,} of {quantity(len(rows), 'row')} left out: {why}")


def _split_of(name: str) -> str | None:
    """The split that a name such as `dev.tsv` or `Test` says; None for none."""
    parts = re.split(r"[^a-z]+", name.lower())
    return next((SPLIT_OF[part] for part in parts if part in SPLIT_OF), None)


def _read_file(path: Path) -> pd.DataFrame:
    if judged := _find_judged(path):
        rows = _read_judged(judged, path)
    else:
        text = read_table(path, "pairs of texts")
        rows = _reader(text)(text, path)
    if rows.empty:
        raise TableError(path, expected="at least one pair", found="none", remedy="remove the file from the folder")
    return _checked(_with_split(rows, path).assign(parents=paws.trace_parents(rows, path)), path)


def _with_split(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The rows with the name of their split; raises TableError for one that is none."""
    if SPLIT not in rows:
        return rows.assign(split=_split_of(path.name))
    names = rows[SPLIT].str.strip()
    splits = names.map({name: _split_of(name) for name in names.unique()}).astype(object)
    if (wrong := names[splits.isna() & (names != "")]).any():
        where, expected = f"{path}, row {wrong.index[0] + 1}", "train, validation (dev, valid) or test as the split"
        raise TableError(where, expected=expected, found=repr(wrong.iloc[0]), remedy="correct or remove the column")
    return rows.assign(split=splits.where(splits.notna(), None))


def _reader(text: str) -> Callable[[str, Path], pd.DataFrame]:
    cells = text.partition("\n")[0].split("\t")
    if len(cells) == PIT_COLUMNS and _pit_label(cells[4]):
        return _read_pit
    if len(cells) > 2 and TWITTER_VOTES.search(cells[2]):
        return _read_twitter
    if len(cells) == len(HEADLESS) and any(_as_labels([cells[0], cells[3]]).isin([*LABELS, "-1"])):
        return _read_headless
    return _read_table


def _split(text: str, path: Path, **options: Any) -> pd.DataFrame:
    return split_cells(text, path, "a table of pairs", "correct the file", **options)


def _require_whole(labels: "pd.Series[str]", text: str, path: Path, **options: Any) -> None:
    """Raise TableError where a line without a label is too short for one: a cell may be missing anywhere in it.

    `options`: delimiter and quoting.
    """
    if not (labels == "").any():
        return
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), **options) if row]
    except csv.Error as fault:
        raise TableError(path, expected="lines of cells", found=str(fault), remedy="correct the line") from fault
    for number, row in enumerate(rows[len(rows) - len(labels) :], start=1):
        if len(row) < len(rows[0]):
            where, found = f"{path}, row {number}", "'' in a line that is too short"
            raise TableError(where, expected="a label of 0 or 1", found=found, remedy="correct the row")


def _read_table(text: str, path: Path) -> pd.DataFrame:
    """A table with a header that names the columns of the texts and of the label, anywhere among others."""
    cells = split_named(text, path)
    texts = find_texts(path, cells)
    label = next((name for name in LABEL if name in cells.columns and name not in texts), None)
    if label is None:
        raise TableError(
            path,
            expected="a column of labels (0, 1) called " + ", ".join(LABEL[:-1]),
            found=" ".join(map(str, cells.columns))[:200],
            remedy="rename that column to label",
        )
    _require_whole(cells[label], text, path, **_layout(text))
    if unread := name_unread(
        str(name) for name in cells.columns if name not in {*texts, label, SPLIT, *NUMBERS, *ENTITIES}
    ):
        say(f"{path}: {unread}")
    frame = paws.spell_out(cells, path)
    rows = frame[[*texts, label]].set_axis(["first", "second", "binary"], axis="columns")
    return rows.assign(
        votes=0, n_votes=0, **find_entities(frame), **{name: frame[name] for name in ("id", SPLIT) if name in frame}
    )


def find_entities(cells: pd.DataFrame) -> dict[str, "pd.Series[str]"]:
    """The columns `entity` and `second_entity` as far as a table has them; an empty cell is null."""
    own = {name: cells[name].str.strip() for name in ENTITIES if name in cells}
    return {name: column.mask(column == "") for name, column in own.items()}


def with_ids(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs (first, second, entity, second_entity) with first_id, second_id and pair_id, made of their content."""
    pairs = pairs.astype(dict.fromkeys(ENTITIES, "str"))
    ids = {
        side: [text_id(text, entity) for text, entity in zip(pairs[side], of_side(pairs, side).fillna(""), strict=True)]
        for side in ("first", "second")
    }
    return pairs.assign(
        first_id=ids["first"], second_id=ids["second"], pair_id=list(map(pair_id, ids["first"], ids["second"]))
    )


def split_named(text: str, path: Path) -> pd.DataFrame:
    """The cells of delimited text with a header; its known columns are named as in TEXTS and LABEL."""
    layout = _layout(text)
    cells = _split(text, path, sep=layout["delimiter"], quoting=layout["quoting"])
    known = [KNOWN.get(_MARKS.sub("", str(name).lower()), name) for name in cells.columns]
    names = [name if known.count(name) == 1 else old for old, name in zip(cells.columns, known, strict=True)]
    return cells.set_axis(names, axis="columns")


def _layout(text: str) -> dict[str, Any]:
    """What separates cells, and whether they are quoted: between tabs, quotes are text, but for QQP."""
    header = text.partition("\n")[0]
    plain = "\t" in header and QUOTED not in header.lower()
    separator = "\t" if "\t" in header else separator_of(header)
    return {"delimiter": separator, "quoting": csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL}


def find_texts(path: Path, cells: pd.DataFrame) -> tuple[str, str]:
    """The columns of the two texts, see TEXTS; raises TableError where there are none, or more than two may be."""
    columns = [str(name) for name in cells.columns]
    couples = [names for names in TEXTS if set(names) <= set(columns)][:1] or _find_couples(columns)
    if len(couples) != 1:
        raise TableError(
            path,
            expected="two columns of texts, such as first and second, text1 and text2, or sentence_a and sentence_b",
            found=" ".join(columns)[:200],
            remedy="name them first and second",
        )
    return couples[0]


def _find_couples(columns: Sequence[str]) -> list[tuple[str, str]]:
    """The columns whose names differ in their end, or in `first` and `second`, alone, but for ids."""
    keys = {_MARKS.sub("", name.lower()): name for name in columns}
    ends = (("1", "2"), ("a", "b"))
    couples = [(key, key[: -len(one)] + other) for key in keys for one, other in ends if key.endswith(one)]
    numbered = [(keys[one], keys[other]) for one, other in couples if other in keys and not one[:-1].endswith("id")]
    spelled = [(key, key.replace("first", "second")) for key in keys if "first" in key and not key.endswith("id")]
    return numbered or [(keys[one], keys[other]) for one, other in spelled if other in keys]


def _read_headless(text: str, path: Path) -> pd.DataFrame:
    """Four columns without a header: id, text, text, label (PAWS), or label, text, text, id (QQP by Wang et al.)."""
    frame = _split(text, path, sep="\t", quoting=csv.QUOTE_NONE, header=None, names=HEADLESS)
    known = {name: _as_labels(frame[name]).isin([*LABELS, *NO_LABEL]).all() for name in ("binary", "last")}
    first_is_label = known["binary"] and not known["last"]
    label = frame["binary"] if first_is_label else frame["last"]
    _require_whole(label, text, path, delimiter="\t", quoting=csv.QUOTE_NONE)
    number = frame["last"] if first_is_label else frame["binary"]
    return frame[["first", "second"]].assign(binary=label, votes=0, n_votes=0, id=number)


def _read_twitter(text: str, path: Path) -> pd.DataFrame:
    """The Twitter-URL corpus: text, text, (votes, annotators), address; without a header."""
    rows: list[tuple[str, str, str | None, int, int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split("\t")
        votes = TWITTER_VOTES.search(cells[2]) if len(cells) > 2 else None
        if votes:
            yes, n = int(votes[1]), int(votes[2])
            rows.append((cells[0], cells[1], _decide(yes, TWITTER_UNDECIDED), yes, n))
        elif line.strip():
            raise _malformed(path, number, "text, text, (votes, annotators)", line)
    return pd.DataFrame(rows, columns=JUDGED)


def _read_pit(text: str, path: Path) -> pd.DataFrame:
    """PIT-2015: topic, its name, text, text, label, tags, tags; without a header.

    The label is "(votes for, votes against)" in train and dev, an expert's grade from 0 to 5 in test.
    """
    rows: list[tuple[str, str, str | None, int, int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split("\t")
        label = _pit_label(cells[4]) if len(cells) == PIT_COLUMNS else None
        if label:
            rows.append((cells[2], cells[3], *label))
        elif line.strip():
            raise _malformed(path, number, "topic, name, text, text, (votes, votes) or a grade, tags, tags", line)
    return pd.DataFrame(rows, columns=JUDGED)


def _pit_label(cell: str) -> tuple[str | None, int, int] | None:
    """Label, votes and number of votes; None for a cell that is no label."""
    votes = TWITTER_VOTES.fullmatch(cell.strip())
    if votes:
        yes, no = int(votes[1]), int(votes[2])
        return _decide(yes, PIT_UNDECIDED), yes, yes + no
    return (_decide(int(cell), PIT_UNDECIDED_GRADE), 0, 0) if cell.strip() in list("012345") else None


def _decide(votes: int, undecided: int) -> str | None:
    return None if votes == undecided else str(int(votes > undecided))


def _malformed(path: Path, number: int, expected: str, line: str) -> TableError:
    return TableError(f"{path}, line {number}", expected=expected, found=line[:80], remedy="correct it")


def _find_judged(path: Path) -> list[dict[str, Any]]:
    """The items of the JSON of Le-Wi-Di, which have annotations; none where the file is something else."""
    if not path.name.removesuffix(".gz").endswith(".json"):
        return []
    try:
        items = [*json.loads(read_exact(path, "pairs of texts")).values()]
    except (ValueError, AttributeError, RecursionError):
        return []
    return items if items and all(isinstance(item, dict) and "annotations" in item for item in items) else []


def _read_judged(items: list[dict[str, Any]], path: Path) -> pd.DataFrame:
    """Two questions and each annotator's score from -5 to 5; above 0 votes "paraphrase"."""
    try:
        rows = [_judge(item) for item in items]
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError) as fault:
        raise TableError(
            path,
            expected="objects with text.Question1, text.Question2 and annotations",
            found=f"{type(fault).__name__}: {fault}",
            remedy="remove the file from the folder",
        ) from fault
    return pd.DataFrame(rows, columns=JUDGED)


def _judge(item: dict[str, Any]) -> tuple[str, str, str | None, int, int]:
    votes = [int(score) > 0 for score in item["annotations"].values()]
    yes, n = sum(votes), len(votes)
    label = None if 2 * yes == n else str(int(2 * yes > n))
    return item["text"]["Question1"], item["text"]["Question2"], label, yes, n


def _checked(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    labels = _as_labels(rows["binary"])
    missing = labels.isin(NO_LABEL)
    labels = labels.mask(missing)
    wrong = rows["binary"][labels.notna() & ~labels.isin(LABELS)]
    if len(wrong):
        all_wrong = len(wrong) == labels.notna().sum()
        raise TableError(
            f"{path}, row {wrong.index[0] + 1}",
            expected="a label of 0 or 1",
            found=repr(wrong.iloc[0]),
            remedy="write 1 for a paraphrase and 0 for none" if all_wrong else "correct the row",
        )
    if missing.any():
        say(f"{missing.sum():,} of {quantity(len(rows), 'row')} of {path} have no label (nothing, or -1)")
    stripped = {side: rows[side].str.strip() for side in ("first", "second")}
    return rows.assign(**stripped, binary=pd.to_numeric(labels).astype("Int64"))


def _as_labels(cells: "pd.Series[str] | list[str]") -> "pd.Series[str]":
    """The cells as they are compared with labels."""
    return whole_numbers(pd.Series(cells, dtype="str")).str.lower().replace(WORDS)
