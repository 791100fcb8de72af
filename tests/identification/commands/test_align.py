"""The command align: what networks align, what leaving out a word does, and which pairs are shown."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from data.labelled import corpora
from data.models import alignments
from data.models.scorers import read_run
from tests.identification.world import THINGS, VERBS, call

pytest.importorskip("torch", reason="torch is not installed: make models")

WEIGHT = {"oak": 0.3, "fir": -0.2}


def count_oaks(first: list[str], second: list[str]) -> NDArray[np.float64]:
    """A model whose score is the sum of its words' weights, beside a half."""
    only = [set(one.split()) - set(other.split()) for one, other in zip(first, second, strict=True)]
    return np.array([0.5 + sum(WEIGHT.get(word, 0) for word in words) for words in only])


@pytest.fixture(scope="module")
def decatt(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a network that has seen the training pairs once, and gets many wrong."""
    folder = tmp_path_factory.mktemp("decatt") / "run"
    call(
        "train", "decatt", "--dataset", pairs, "--out", folder, "--epochs", "1", "--vector-size", "12", "--threads", "1"
    )
    return folder


@pytest.mark.sweep
def test_a_network_shows_which_words_it_aligns_in_its_worst_errors(
    decatt: Path, pairs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in decatt.iterdir()}
    code = call("align", decatt, "--dataset", pairs, "--worst", "3", "--split", "train")
    assert code == 0, capfd.readouterr().err
    model, shown = alignments.read(decatt / f"alignments-{pairs.name}.json")
    assert model == str(decatt)
    frame = corpora.load(pairs)[0].drop_duplicates("pair_id").set_index("pair_id")
    threshold = read_run(decatt)["threshold"]
    assert [(pair.score >= threshold) != bool(frame.loc[pair.pair_id, "binary"]) for pair in shown] == [True] * 3
    for pair in shown:
        cells = np.array(pair.cells)
        assert cells.shape == (len(pair.first), len(pair.second))
        assert 0 <= cells.min() <= cells.max() <= 1
        assert set(pair.first) & {*VERBS, *(word for some in THINGS.values() for word in some)}
    assert {path: path.read_bytes() for path in before} == before
    assert call("predict", decatt, "--file", pairs / "test.tsv", "--out", decatt.parent / "scores.csv") == 0


def test_without_a_word_the_score_of_a_sum_is_lower_by_its_weight(tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "test.tsv").write_text("first\tsecond\tbinary\nan oak a fir\telm\t1\n")
    frame = corpora.load(tmp_path / "pairs")[0]
    spec, out = "tests.identification.commands.test_align:count_oaks", tmp_path / "out.json"
    assert call("align", spec, "--dataset", tmp_path / "pairs", "--ids", frame["pair_id"][0], "--out", out) == 0
    _, (pair,) = alignments.read(out)
    assert pair.score == pytest.approx(0.6)
    assert pair.effects == [[0.0, 0.3, 0.0, -0.2], [None]]


def test_ids_that_the_data_set_lacks_and_models_of_other_data_are_refused(
    decatt: Path, pairs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call("align", decatt, "--dataset", pairs, "--ids", "nothing") == 2
    assert "--ids: expected ids of pairs" in capfd.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "test.tsv").write_text("first\tsecond\tbinary\nan oak\telm\t1\n")
    assert call("align", decatt, "--dataset", tmp_path / "other") == 2
    assert "for a model that was not trained on this data set, found nothing" in capfd.readouterr().err
