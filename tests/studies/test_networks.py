"""A network as a function from rows to scores, for loops that train again and again."""

import numpy as np
import pandas as pd
import pytest

from data.labelled import corpora
from tests.identification.world import write_pairs

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from studies.pairs import networks  # noqa: E402


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return corpora.load(write_pairs(tmp_path_factory.mktemp("pairs")))[0]


@pytest.mark.sweep
def test_a_bag_of_words_scores_all_rows_and_learns_from_the_training_rows_alone(frame: pd.DataFrame) -> None:
    scores = networks.bow(frame, 1)
    assert scores.shape == (len(frame),)
    assert ((scores >= 0) & (scores <= 1)).all()
    train = (frame["split"] == "train").to_numpy()
    label = frame["binary"].to_numpy("int64")
    assert scores[train & (label == 1)].mean() > scores[train & (label == 0)].mean() + 0.1
    other = frame.assign(binary=frame["binary"].where(frame["split"] != "test", 1 - frame["binary"]))
    np.testing.assert_array_equal(networks.bow(other, 1), scores)
    assert not np.array_equal(networks.bow(frame, 2), scores)
