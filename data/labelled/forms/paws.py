"""What PAWS publishes beside plain pairs: what they were made from, and texts as places in Quora's questions.

Source: Zhang et al. 2019, and the README files of the repository google-research-datasets/paws.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError, TableError
from data.files.sheets import read_delimited, read_lines
from data.texts.identity import pair_id, text_id

SPLIT_FILES = {"train": "train.tsv", "validation": "dev.tsv", "test": "test.tsv"}
PAIRED = ["id", "sentence1", "sentence2", "label"]
NOISY = "noisy_label"
"""The last of these columns in a file whose labels were not judged."""
INDEXED = ["id", "qid1", "sentence1", "qid2", "sentence2", "label"]
RAW = ["id", "sentence1", "sentence2"]
SWAP_ID = "swap_id"
"""The column of raw back translations that names the sentence each was made from."""
MAPPED = ["id", "mapping1", "mapping2"]
MAPPING = "labeled_final_mapping"
SWAPS, BACKS = "input_swap.tsv", "input_backtransl_with_swap_id.tsv"

_PLACE = re.compile(r"\((\d+), ?(\d+)\)")


class Questions:
    """Quora's questions by their ids, in the tokens that an index counts."""

    def __init__(self, path: Path) -> None:
        """Read a file with the columns qid1, qid2, question1, question2; raise TableError where it is none."""
        what = "Quora's question pairs: tab-separated id, qid1, qid2, question1, question2, is_duplicate,"
        columns = ["qid1", "question1", "qid2", "question2"]
        again = "fetch quora_duplicate_questions.tsv again"
        rows = read_delimited(path, what, again, sep="\t", usecols=columns)
        self.path = path
        sides = [rows[[f"qid{n}", f"question{n}"]].set_axis(["id", "text"], axis="columns") for n in (1, 2)]
        once = pd.concat(sides).drop_duplicates("id")
        self.texts: dict[str, str] = dict(zip(once["id"], once["text"], strict=True))
        self._tokens: dict[str, list[str]] = {}

    def tokens(self, question: str) -> list[str]:
        """The tokens of a question, given by its id; raise KeyError for an unknown one."""
        if question not in self._tokens:
            self._tokens[question] = tokenize(self.texts[question])
        return self._tokens[question]


def tokenize(text: str) -> list[str]:
    """NLTK's tokens of an English text, as PAWS' index counts them; raise InputError where their model is missing."""
    from nltk.tokenize import word_tokenize  # NLTK imports all of SciPy: wait for it only where needed

    try:
        tokens: list[str] = word_tokenize(text)
    except LookupError as fault:
        raise InputError(
            "PAWS' index",
            expected="NLTK's model of English sentences, by which the tokens are counted",
            found="none",
            remedy="python -m nltk.downloader punkt_tab",
        ) from fault
    return tokens


def spell_out(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The rows of a file with texts in place of its index into Quora's questions; other rows unchanged.

    The file of questions lies in the same folder. Raises TableError where it does not, or an index leads nowhere.
    """
    if not set(INDEXED[1:]) <= set(rows.columns):
        return rows
    questions = _open_questions(path.parent)
    texts = {}
    for side in (1, 2):
        cells = zip(rows.index, rows[f"qid{side}"], rows[f"sentence{side}"], strict=True)
        texts[f"sentence{side}"] = [_spell(cell, question, questions, f"{path}, line {n + 2}")
                                    for n, question, cell in cells]  # fmt: skip
    return rows.assign(**texts)


def index(tokens: Sequence[str], question: str, places: dict[str, tuple[str, int]], questions: Questions) -> str | None:
    """The tokens as places in the question and, where it lacks one, in `places`; None where these lack one, too.

    The inverse of what `spell_out` does to a cell.
    """
    own: dict[str, int] = {}
    for at, token in enumerate(questions.tokens(question)):
        own.setdefault(token, at)
    cells = [str(own[token]) if token in own else _piece_together(token, places) for token in tokens]
    return None if None in cells else "/".join(map(str, cells))


def _piece_together(token: str, places: dict[str, tuple[str, int]]) -> str | None:
    """The token as the fewest tokens of other questions, `(question, place)` joined by `:`."""
    best: list[list[str] | None] = [[]] + [None] * len(token)
    for end in range(1, len(token) + 1):
        found = [(best[start], token[start:end]) for start in range(end) if token[start:end] in places]
        ways = [[*before, "({}, {})".format(*places[piece])] for before, piece in found if before is not None]
        best[end] = min(ways, key=len, default=None)
    last = best[-1]
    return ":".join(last) if last else None


def _spell(cell: str, question: str, questions: Questions, where: str) -> str:
    """The text of a cell: places in the question joined by `/`, or `(question, place)` joined by `:`."""
    return " ".join(
        "".join(_word(piece, question, questions, where) for piece in part.split(":")) for part in cell.split("/")
    )


def _word(piece: str, question: str, questions: Questions, where: str) -> str:
    elsewhere = _PLACE.fullmatch(piece)
    if not elsewhere and not piece.isdecimal():
        raise TableError(where, expected="places such as 0/3/(17, 2):(8, 1)", found=repr(piece), remedy="correct it")
    question, place = elsewhere.groups() if elsewhere else (question, piece)
    try:
        return questions.tokens(question)[int(place)]
    except KeyError as fault:
        raise TableError(
            where,
            expected=f"the id of a question in {questions.path.name}",
            found=repr(question),
            remedy="use Quora's file of 2017, or remove the line",
        ) from fault
    except IndexError as fault:
        raise TableError(
            where,
            expected=f"a place among the {len(questions.tokens(question))} tokens of question {question}, from 0",
            found=place,
            remedy="use Quora's file of 2017, or remove the line",
        ) from fault


def _open_questions(folder: Path) -> Questions:
    for path in sorted([*folder.glob("*.tsv"), *folder.glob("*.tsv.gz")]):
        if {"qid1", "question1"} <= _columns(path):
            return _read_questions(path)
    raise InputError(
        folder,
        expected="Quora's question pairs beside PAWS' index of them (header id qid1 qid2 question1 question2)",
        found="no such file",
        remedy="copy your quora_duplicate_questions.tsv into the folder",
    )


@lru_cache(maxsize=1)
def _read_questions(path: Path) -> Questions:
    """The questions, read once for all files of an index."""
    return Questions(path)


def _columns(path: Path) -> set[str]:
    try:
        return {*next(read_lines(path, "a table"), "").split("\t")}
    except InputError:
        return set()


def trace_parents(rows: pd.DataFrame, path: Path) -> "pd.Series[Any]":
    """The ids of the raw pairs that each pair was made from, if PAWS' mapping lies beside the file; else empty lists.

    `rows`: the file's, with its column `id`. The raw swaps and back translations lie beside it, too.
    Raises TableError where a file, a row or a raw pair is missing.
    """
    folders = sorted(path.parent.glob("labeled_*_mapping"))
    if not folders or "id" not in rows:
        return pd.Series([[] for _ in range(len(rows))], rows.index, dtype="object")
    if len(folders) > 1:
        names = " and ".join(folder.name for folder in folders)
        raise InputError(path.parent, expected="the mapping of these pairs alone", found=names, remedy="keep one")
    file = folders[0] / path.name.removesuffix(".gz")
    mapping = _read(file, MAPPED).drop_duplicates("id").set_index("id").reindex(rows["id"])
    if mapping["mapping1"].isna().any():
        missing = mapping.index[mapping["mapping1"].isna()][0]
        raise TableError(file, expected=f"a row for each pair of {path.name}", found=f"none for the id {missing!r}",
                         remedy="fetch the file again")  # fmt: skip
    raw = _read_raw(path.parent)
    sides = zip(mapping["mapping1"], mapping["mapping2"], strict=True)
    parents = [sorted({parent for side in both for parent in _ancestors(side, raw, file)}) for both in sides]
    return pd.Series(parents, rows.index, dtype="object")


def _ancestors(mapped: str, raw: dict[str, tuple[str, str]], file: Path) -> Iterator[str]:
    """The ids of the raw pair that a text is from and of the one that this is from; `mapped`: its raw id, _1 or _2."""
    seen = set[str]()
    while mapped:
        name, _, side = mapped.rpartition("_")
        if name not in raw or side not in ("1", "2") or name in seen:
            raise TableError(file, expected=f"the id of a raw pair in {file.parent.parent}/input_*.tsv, and _1 or _2",
                             found=repr(mapped), remedy="put the raw files there")  # fmt: skip
        seen.add(name)
        pair, mapped = raw[name]
        yield pair


def _read_raw(folder: Path) -> dict[str, tuple[str, str]]:
    """By raw id the pair's id, and what its first text is from (empty for a source sentence)."""
    raw = {}
    for path in sorted(folder.glob("input_*.tsv")):
        rows = _read(path, RAW)
        sources = rows.get(SWAP_ID, pd.Series("", rows.index))
        for name, first, second, source in zip(*(rows[column] for column in RAW), sources, strict=True):
            raw[name] = pair_id(text_id(first.strip()), text_id(second.strip())), source
    return raw


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    what, again = f"tab-separated columns {' '.join(columns)}", "fetch the file again"
    rows = read_delimited(path, what, again, sep="\t", quoting=csv.QUOTE_NONE)
    if not set(columns) <= set(rows):
        raise InputError(path, expected=what, found=" ".join(map(str, rows))[:120], remedy=again)
    return rows
