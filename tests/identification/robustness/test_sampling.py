"""The originals of an attack."""

import pandas as pd
import pytest

from data.console.errors import InputError, TableError
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset, no_parents
from data.texts.identity import pair_id
from identification.robustness.sampling import sample
from tests.identification.world import sentences


def labelled(n: int = 90) -> Dataset:
    """Pairs of 30 entities in three splits."""
    rows = sentences(n, 3)
    number = pd.Series(range(n))
    rows["entity"] = "entity " + (number // 3).map("{:02d}".format)
    rows["split"] = (number // 3 % 3).map({0: "train", 1: "validation", 2: "test"})
    rows["first_id"], rows["second_id"] = "a" + number.astype(str), "b" + number.astype(str)
    rows["pair_id"] = [pair_id(*ids) for ids in zip(rows["first_id"], rows["second_id"], strict=True)]
    rows = rows.assign(second_entity=None, votes=0, n_votes=0, parents=no_parents(n))
    return Dataset(rows[COLUMNS].astype(INTEGERS))


def test_negative_pairs_come_from_two_groups_of_one_split() -> None:
    pairs = labelled()
    originals = sample(pairs, "test", 10, 1)
    split = pairs.frame.set_index("pair_id")["split"]
    group = pairs.groups.set_axis(pairs.frame["pair_id"])
    negative = originals[originals["label"] == 0]
    assert len(negative) == 10
    for parents in negative["parents"]:
        assert set(split[parents]) == {"test"}
        assert group[parents[0]] != group[parents[1]]
    firsts = pairs.frame.set_index("first_id")["first"]
    assert (negative["first"].to_numpy() == firsts[negative["first_id"]].to_numpy()).all()
    positive = originals[originals["label"] == 1]
    assert set(split[positive["pair_id"]]) == {"test"}
    assert not originals["pair_id"].duplicated().any()
    assert not set(negative["pair_id"]) & set(pairs.frame["pair_id"])


def test_any_two_texts_make_a_negative_pair_where_they_need_not_be_alike() -> None:
    frame = labelled().frame
    pairs = Dataset(frame.assign(second=frame["second"].str.cat([frame["second"]] * 3, sep=" ")))
    with pytest.raises(TableError, match="alike in length"):
        sample(pairs, "test", 10, 1)
    assert (sample(pairs, "test", 10, 1, alike=False)["label"] == 0).sum() == 10


def test_the_same_seed_draws_the_same_pairs() -> None:
    pd.testing.assert_frame_equal(sample(labelled(), "test", 8, 5), sample(labelled(), "test", 8, 5))
    assert sample(labelled(), "test", 8, 5)["pair_id"].tolist() != sample(labelled(), "test", 8, 6)["pair_id"].tolist()


def test_there_are_as_many_originals_of_either_label() -> None:
    pairs = labelled()
    few = pairs.frame["binary"].mask(pairs.frame.index > 30, 0)
    originals = sample(Dataset(pairs.frame.assign(binary=few)), "test", 10, 1)
    assert originals["label"].value_counts().to_dict() == {1: 5, 0: 5}


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(InputError, match=r"--split: expected one of test, train, validation, found 'dev'"):
        sample(labelled(), "dev", 5, 1)
    pairs = labelled()
    unsplit = Dataset(pairs.frame.assign(split=None))
    with pytest.raises(InputError, match=r"--split: expected one of train, validation, test, found 'dev'"):
        sample(unsplit, "dev", 5, 1)
    assert len(sample(unsplit, "train", 5, 1)) == 10
    none = Dataset(pairs.frame.assign(binary=0).astype(INTEGERS))
    with pytest.raises(TableError, match="expected paraphrases, found none"):
        sample(none, "test", 5, 1)
