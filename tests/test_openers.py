"""Every function that opens a file of a stranger answers in values or in one line, whatever the file holds."""

import gzip
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from analysis import splits
from analysis.datasets.predictions import read_predictions
from annotation.campaign import accounts
from annotation.commands.during import game
from annotation.label_studio.server import folder as server_folder
from data.console.errors import InputError, ParadeError
from data.files.papers.reader import Summary
from data.files.sheets import read_sheet, read_text
from data.files.values import read_json, read_toml
from data.labelled import corpora, parade, releases, unlabelled
from data.labelled.forms import paws
from data.models import scorers
from data.texts.languages.en import ENGLISH
from generation.sources import reading
from identification.endpoints import asking
from identification.endpoints.prompt import read_prompt
from identification.training import vectors
from paraphrase_game.judges import released


def _resume_generator(folder: Path) -> object:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    from paraphrase_game.generator import training

    assert training.STATE == "training.json"
    return training._resume(folder, {"epochs": 3})


DEEP = b"[" * 100_000 + b"]" * 100_000
PACKED = gzip.compress(b"pair_id,score\nx,0.5\n" * 99)
CONTENTS = {
    "nothing": b"",
    "a byte": b"\xff",
    "another encoding": "pair_id,score\nMüller,1\n".encode("latin-1"),
    "UTF-16": "pair_id,score\nx,1\n".encode("utf-16"),
    "NUL": b"a\0b\n\0\n",
    "NULs alone": bytes(1000),
    "half a surrogate": b"\xed\xa0\x80,a\n",
    "gzip cut off": PACKED[:-9],
    "gzip spoiled": PACKED[:20] + b"\xff\x00\xff" + PACKED[23:],
    "gzip by name alone": b"\x1f\x8b",
    "a quote that never ends": b'a,b\n"x,y\n',
    "more cells than the header": b"a,b\n1,2,3,4\n5\n",
    "one column": b"a\n1\n",
    "names that repeat": b"pair_id,pair_id\nx,y\n",
    "a score that is none": b"pair_id,score\nx,high\n",
    "null": b"null",
    "list": b"[3]",
    "object": b"{}",
    "other values": b'{"a01": 3, "settings": 1, "history": 2, "email": [], "password": 1, "api_key": {}}',
    "deep": DEEP,
    "deep inside": b'{"a01": ' + DEEP + b"}",
    "a huge number": b"9" * 5_000,
    "a long line": b"x" * 2**20,
    "damaged Parquet": b"PAR1" + b"\0" * 99 + b"PAR1",
    "a damaged workbook": b"PK\x03\x04 xl/workbook.xml",
    "lines of JSON": b'{"first": "a", "second": [1]}\n{"first": null}\n\n',
    "a table within tables": b'{"data": {"train": [{"first": "\\ud800"}], "test": [{}]}}',
}
SCORED = pd.DataFrame({"pair_id": ["x"], "score": [0.5]})
GIVEN: dict[str, tuple[str, Callable[[Path], object]]] = {
    "accounts": ("private/main-accounts.json", lambda path: accounts.read_accounts(path.parents[1], "main")),
    "credentials": ("credentials.json", lambda path: server_folder.credentials(path.parent)),
    "answers of a simulated player": ("known.csv", game._known),
    "people": ("people.csv", accounts.read_people),
    "log of the game": (released.CHECKS, lambda path: released.read_log(path.parent)),
    "pairs of the game": (released.TEST, lambda path: released.read_split(path.parent, released.TEST)),
    "its attempts": ("msrp1-nmi0", lambda path: released.read_attempts(path.parent)),
    "training of a generator": ("training.json", lambda path: _resume_generator(path.parent)),
    "run": (scorers.RUN, lambda path: scorers.read_run(path.parent)),
    "scores of a run": (scorers.PREDICTIONS, scorers.read_scores),
    "outcomes of an endpoint": (
        "outcomes.csv",
        lambda path: asking._add_known(SCORED, path),
    ),
    "scores of a user": ("scores.csv", lambda path: read_predictions(path, SCORED["pair_id"])),
    "synonyms": ("synonyms.txt", lambda path: splits._read_synonyms(path, ENGLISH)),
    "JSON of a release": ("numbers.json", releases.read_json),
    "checksums": (releases.CHECKSUMS, lambda path: releases.read_checksums(path.parent)),
    "the published data set": ("PARADE_train.txt", lambda path: parade._read_split(path.parent, "train")),
    "the published data set, packed": ("PARADE_train.txt.gz", lambda path: parade._read_split(path.parent, "train")),
    "labelled pairs": ("train.tsv", corpora._read_file),
    "labelled pairs, packed": ("train.csv.gz", corpora._read_file),
    "judged pairs": ("train.json", corpora._read_file),
    "pairs": ("pairs.csv", unlabelled.read),
    "pairs, packed": ("pairs.tsv.gz", unlabelled.read),
    "questions of Quora": ("qqp.tsv", paws.Questions),
    "raw pairs of PAWS": ("input_swap.tsv", lambda path: paws._read(path, ["id"])),
    "sentences": ("lines.txt", lambda path: list(reading.read_lines(path, None))),
    "papers": (
        "papers.jsonl",
        lambda path: list(
            reading.read_papers([path], reading.parse_columns([]), None, partial(map, str.splitlines), Summary())
        ),
    ),
    "word vectors": ("vectors.txt", lambda path: vectors.read(path, {"a"})),
    "word vectors, packed": ("vectors.txt.gz", lambda path: vectors.read(path, {"a"})),
    "prompt of a language model": ("prompt.txt", read_prompt),
    "sheet": ("sheet.csv", lambda path: read_sheet(path, "a table", "correct it")),
    "text": ("text.txt", lambda path: read_text(path, "a text")),
    "JSON": ("value.json", lambda path: read_json(path, "a value", "correct it")),
    "TOML": ("value.toml", lambda path: read_toml(path, "a value", "correct it")),
}


@pytest.mark.parametrize("name", GIVEN)
def test_any_content_gives_values_or_one_line(name: str, tmp_path: Path) -> None:
    place, open_it = GIVEN[name]
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    faults = []
    for kind, content in CONTENTS.items():
        path.write_bytes(content)
        try:
            open_it(path)
        except ParadeError as fault:
            if "\n" in str(fault) or len(str(fault)) > 1_000 or "; " not in str(fault):
                faults.append(f"{kind}: {fault}"[:200])
        except Exception as fault:  # noqa: BLE001 - every kind is named
            faults.append(f"{kind}: {type(fault).__name__}: {fault}"[:200])
    assert faults == []


@pytest.mark.parametrize("name", ["people", "scores of a run", "pairs", "JSON", "TOML", "text"])
def test_a_pipe_or_a_folder_is_not_opened(name: str, tmp_path: Path) -> None:
    place, open_it = GIVEN[name]
    os.mkfifo(tmp_path / place)
    with pytest.raises(InputError, match="found a pipe or a device"):
        open_it(tmp_path / place)
    (tmp_path / place).unlink()
    (tmp_path / place).mkdir()
    with pytest.raises(InputError, match="found a folder"):
        open_it(tmp_path / place)
