"""Files of strangers that native code reads: what would crash it, or fill the memory, is one line."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from data.console.errors import InputError
from data.models.model_folders import check_files

WORDS = {"<unk>": 0, "the": 1}


def charsmap(content: bytes) -> dict[str, Any]:
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(content).decode()}


def padding(n: int) -> dict[str, Any]:
    same = {"direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"}
    return same | {"strategy": {"Fixed": n}}


TOKENIZERS: dict[str, dict[str, Any]] = {
    "a padding that ends the process": {"padding": padding(2**40)},
    "a padding of a million tokens": {"padding": padding(2**21)},
    "a padding without end": {"padding": padding(2**62)},
    "a stride beyond the length": {
        "truncation": {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 5}
    },
    "pieces of no length": {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
    "a map of characters cut short": {"normalizer": charsmap(b"")},
    "a map of characters that leads outside": {"normalizer": charsmap((8).to_bytes(4, "little") + b"\xff" * 8 + b"a")},
    "no word for unknown words": {"model": {"type": "WordLevel", "vocab": {"the": 0}, "unk_token": "<unk>"}},
    "a search without end": {
        "normalizer": {"type": "Replace", "pattern": {"Regex": "(([a-z ]+)+)+$%"}, "content": "x"}
    },
}


def write_tokenizer(folder: Path, **changes: Any) -> None:
    content = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": WORDS, "unk_token": "<unk>"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(content | changes), encoding="utf-8")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_that_harms_is_refused(tmp_path: Path, name: str) -> None:
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: make models")
    write_tokenizer(tmp_path, **TOKENIZERS[name])
    with pytest.raises(InputError, match=r"tokenizer\.json: expected a model as its maker saved it, found .*; fetch"):
        check_files(tmp_path)


def test_a_whole_tokenizer_and_pieces_of_another_kind_pass(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: make models")
    pytest.importorskip("sentencepiece", reason="sentencepiece is not installed: make generation")
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer.model").write_text("IQ== 0\n")
    assert check_files(tmp_path) == {}


def write_gguf(path: Path, **numbers: int) -> None:
    from gguf import GGUFWriter

    writer = GGUFWriter(path, "llama")
    for name, value in numbers.items():
        writer.add_uint64(f"llama.{name}", value)
    writer.add_array("marks", [7] * 23)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.sweep
@pytest.mark.parametrize("n", [2**40, 2**62])
def test_a_list_longer_than_its_file_is_refused(tmp_path: Path, n: int) -> None:
    pytest.importorskip("gguf", reason="gguf is not installed: make models")
    path = tmp_path / "a.gguf"
    write_gguf(path, block_count=2)
    assert check_files(tmp_path) == {}
    length = (23).to_bytes(8, "little")
    assert path.read_bytes().count(length) == 1
    path.write_bytes(path.read_bytes().replace(length, n.to_bytes(8, "little")))
    with pytest.raises(InputError, match=r"a\.gguf: expected a model as its maker saved it, found"):
        check_files(tmp_path)


def test_sizes_that_a_file_has_not_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="gguf is not installed: make models")
    write_gguf(tmp_path / "a.gguf", block_count=10**9)
    with pytest.raises(InputError, match=r"llama\.block_count 1000000000 beside weights of other sizes"):
        check_files(tmp_path)
