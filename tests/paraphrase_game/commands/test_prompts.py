"""`prompts`: definitions and files become sentences to play; everything else is a reject with its reason."""

import gzip

import pandas as pd
import pytest

from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Prompts
from data.contract.tables.removals import Rejects
from data.storage.manifest import Manifest
from data.texts.identity import definition_id, text_id
from paraphrase_game.__main__ import main

GOOD = "a small fast memory between the processor and main memory"
BAD = {
    "too_few_words": "a small memory",
    "too_many_words": "word " * 61,
    "markup": "a <b>small</b> fast memory between the processor and main memory",
    "control_marks": "a small \u202efast memory between the processor and main memory",
    "too_long": "x" * 10_000,
    "no_words": "... --- ... --- ... ---",
    "repeated": "A small, fast memory between the processor and main memory.",
}


def call(*args):
    return main([*map(str, args)])


def test_lines_of_a_file(store, tmp_path, capsys):
    file = tmp_path / "sentences.txt.gz"
    file.write_bytes(gzip.compress("\n".join(["\ufeff" + GOOD, *BAD.values(), "", GOOD]).encode()))
    assert call("prompts", file, "--store", store.root) == 0
    rows = store.read(Prompts)
    assert rows[["source", "prompt_id", "text", "source_id", "n_words"]].to_numpy().tolist() == [
        ["sentences.txt.gz", text_id(GOOD), GOOD, "1", 10]
    ]
    rejects = store.read(Rejects, stage="paraphrase_game.prompts", part="sentences.txt.gz")
    assert sorted(rejects["reason"]) == sorted([*BAD, "repeated"])
    out = capsys.readouterr().out
    assert "1 sentence of `sentences.txt.gz` written to" in out
    assert "  1 dropped: markup\n" in out


def test_definitions_keep_their_ids_and_entities(store, capsys):
    texts = [GOOD, "too short", "a set of rules by which two machines talk to each other"]
    rows = pd.DataFrame({"entity": ["cache", "cache", "protocol"], "text": texts})
    rows["definition_id"] = [definition_id(*row) for row in rows.itertuples(index=False)]
    rows = rows.assign(n_words=9, n_cards=1, n_sources=1, verbatim=None)
    store.replace(Definitions, rows, Manifest(stage="crawler.definitions", language="en"))
    assert call("prompts", "definitions", "--limit", 1, "--store", store.root) == 0
    prompts = store.read(Prompts)
    assert len(prompts) == 1
    assert prompts["prompt_id"].isin(rows["definition_id"]).all()
    assert prompts["source_id"].tolist() == prompts["prompt_id"].tolist()
    assert sorted(store.read(Rejects)["reason"]) == ["not_drawn", "too_few_words"]


@pytest.mark.parametrize(
    ("args", "words"),
    [(["nothing.txt"], "nothing there"), (["definitions"], "none"), (["{bad}"], "UTF-8"),
     (["{short}"], "1 too_few_words"), (["{short}", "--min-words", "0"], "--min-words"),
     (["{short}", "--name", "definitions"], "another name"), (["{empty}"], "no text")],
)  # fmt: skip
def test_bad_input_is_one_line(store, tmp_path, capsys, args, words):
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xfa")
    (tmp_path / "short.txt").write_text("two words")
    (tmp_path / "empty.txt").write_text("\n \n")
    args = [arg.format(**{name: tmp_path / f"{name}.txt" for name in ("bad", "short", "empty")}) for arg in args]
    assert call("prompts", *args, "--store", store.root) == 2
    assert words in capsys.readouterr().err
    assert not store.root.exists()


def test_first_texts_of_released_pairs(store, shared_data):
    assert call("prompts", shared_data / "paraphrase" / "mrpc", "--pairs", "--name", "mrpc", "--store", store.root) == 0
    rows = store.read(Prompts, source="mrpc")
    assert len(rows) > 4_000
    assert rows["n_words"].min() >= 6
