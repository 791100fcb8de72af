"""Fixtures of the tests of commands."""

from pathlib import Path

import pytest

from tests.identification.world import call, sentences, write_bert, write_pairs


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small data set's files."""
    return write_pairs(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def mlm(tmp_path_factory: pytest.TempPathFactory, pairs: Path) -> Path:
    """A masked language model of the small world."""
    pytest.importorskip("torch", reason="torch is not installed: make models")
    folder = tmp_path_factory.mktemp("mlm")
    encoder = write_bert(folder / "encoder")
    texts = folder / "texts.txt"
    texts.write_text("\n".join(sentences(200, 5)["first"]))
    words = ("--steps", "5", "--batch-size", "4", "--window", "8", "--threads", "1")
    assert call("mlm", "--encoder", encoder, "--texts", texts, "--dataset", pairs, "--out", folder / "mlm", *words) == 0
    return folder / "mlm"
