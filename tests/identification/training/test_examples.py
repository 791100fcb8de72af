"""What a data set gives to learn from: targets, splits, and what is missing."""

import numpy as np
import pandas as pd
import pytest

from data.console.errors import TableError
from data.labelled import corpora
from data.labelled.dataset import data_digest
from identification.config import TrainingConfig
from tests.identification.world import write_pairs

pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training.epochs import examples

PLAIN = TrainingConfig()


@pytest.fixture
def frame(tmp_path) -> pd.DataFrame:
    return corpora.load(write_pairs(tmp_path))[0]


def test_each_distinct_text_is_there_once_and_pairs_are_their_numbers(frame: pd.DataFrame) -> None:
    found = examples.prepare(frame, PLAIN, soft=True)
    assert len(found.texts) == len(set(found.texts)) == pd.concat([frame["first"], frame["second"]]).nunique()
    assert [found.texts[n] for n in found.all.first] == frame["first"].tolist()
    assert [found.texts[n] for n in found.all.second] == frame["second"].tolist()
    assert (len(found.train), len(found.validation)) == (120, 60)


def test_soft_targets_are_shares_of_votes_and_labels_where_there_are_none(frame: pd.DataFrame) -> None:
    frame.loc[:2, ["votes", "n_votes"]] = [[2, 3], [0, 3], [3, 3]]
    soft, hard = (examples.prepare(frame, PLAIN, soft=soft).all.target for soft in (True, False))
    np.testing.assert_allclose(soft[:3], [2 / 3, 0, 1])
    np.testing.assert_array_equal(soft[3:], hard[3:])
    np.testing.assert_array_equal(hard, frame["binary"].to_numpy("float64"))


def test_undecided_pairs_are_scored_but_teach_nothing(frame: pd.DataFrame) -> None:
    frame.loc[frame.index[:7], "binary"] = pd.NA
    found = examples.prepare(frame, PLAIN, soft=True)
    assert len(found.all) == len(frame)
    assert len(found.train) + len(found.validation) == int((frame["binary"].notna() & (frame["split"] != "test")).sum())


def test_without_validation_whole_groups_of_the_training_pairs_take_its_place(tmp_path) -> None:
    frame = corpora.load(write_pairs(tmp_path, {"train": 120, "test": 20}))[0]
    with pytest.raises(TableError, match=r"validation split, found 0 decided pairs; give --validation-share 0.1"):
        examples.prepare(frame, PLAIN, soft=True)
    found = examples.prepare(frame, TrainingConfig(validation_share=0.25), soft=True)
    assert 10 <= len(found.validation) <= 30
    assert len(found.train) + len(found.validation) == 120
    assert not set(found.train.first) & set(found.validation.first)


def test_a_share_of_the_training_pairs_is_whole_groups_and_grows(frame: pd.DataFrame) -> None:
    frame["entity"] = [f"thing {number // 2 % 10}" for number in range(len(frame))]
    whole = frame[frame["split"] == "train"]
    drawn = []
    for share in (0.2, 0.5, 1.0):
        found = examples.prepare(frame, TrainingConfig(share=share), soft=True)
        drawn.append(set(frame.loc[found.in_train, "pair_id"]))
        entities = frame.loc[found.in_train, "entity"]
        assert len(drawn[-1]) == whole["entity"].isin(entities).sum()
        assert len(found.validation) == 60
    assert drawn[0] < drawn[1] < drawn[2]


def test_one_label_alone_is_refused(frame: pd.DataFrame) -> None:
    frame.loc[frame["split"] == "train", "binary"] = 1
    with pytest.raises(TableError, match="in its train split, found 120 decided pairs with one label"):
        examples.prepare(frame, PLAIN, soft=True)


def test_the_digest_follows_texts_labels_and_splits(frame: pd.DataFrame) -> None:
    digest = data_digest(frame)
    assert digest == data_digest(frame.copy())
    for column, value in (("first", "another"), ("binary", 0), ("split", "train"), ("votes", 2)):
        changed = frame.copy()
        changed.loc[0, column] = value
        assert data_digest(changed) != digest, column
