"""Files that are not what the flag names: one clear line each, whatever their bytes."""

import gzip
import json
import re

import pytest

from data.console.errors import InputError
from generation.sources.reading import read_lines, read_papers

SENTENCES = ["The doctor gave the nurse a bag.", "The nurse thanked the doctor."]


def whole(texts):
    return [[text] for text in texts]


def read(path):
    return [text for frame in read_papers(path, None, whole) for text in frame["text"]]


def test_a_damaged_archive_is_refused_at_its_line(tmp_path):
    path = tmp_path / "torn.gz"
    packed = gzip.compress("\n".join(SENTENCES * 40).encode())
    path.write_bytes(packed[: len(packed) // 2] + b"\x00\xff" * 100)
    with pytest.raises(InputError, match=r"torn.gz, line \d+: expected a text file.* in UTF-8, found damaged gzip"):
        list(read_lines(path, None))


def test_json_is_no_sentence(tmp_path):
    path = tmp_path / "papers.jsonl"
    path.write_text(json.dumps({"id": 1, "abstract": SENTENCES[0]}) + "\n")
    with pytest.raises(InputError, match=r"line 1: expected a sentence, found JSON: .*; give papers .* by --papers"):
        list(read_lines(path, None))


@pytest.mark.parametrize(
    "paper", [{"id": None, "abstract": "a"}, {"id": [1], "abstract": "a"}, {"id": 1, "abstract": ["a", "b"]}]
)
def test_fields_of_another_type_are_refused_and_shown(tmp_path, paper):
    path = tmp_path / "papers.jsonl"
    path.write_text(json.dumps(paper) + "\n")
    found = f"found id {json.dumps(paper['id'])}, abstract {json.dumps(paper['abstract'])};"
    with pytest.raises(InputError, match=re.escape(found)):
        read(path)


def test_a_paper_without_an_abstract_has_no_sentence_and_half_a_character_is_marked_as_lost(tmp_path):
    path = tmp_path / "papers.jsonl"
    path.write_text('{"id": 1, "abstract": null}\n{"id": "b", "abstract": "half \\ud800 of it"}\n')
    assert read(path) == ["", "half \N{REPLACEMENT CHARACTER} of it"]
