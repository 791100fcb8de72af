"""Pairs of two entities: splits, leaks, counts and ids know both names."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.publishing import contents
from analysis.splitting import leaks, neighbours
from analysis.statistics import contradictions, lexical, transitivity
from data.grouping import groups
from data.grouping.dealing import SplitRule, split
from data.grouping.entities import ENTITIES
from data.labelled import parade
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset, from_published
from data.texts.identity import definition_id, pair_id

DEFINITIONS = {
    "type 1 diabetes": ["the body makes no insulin", "an autoimmune disease of the pancreas in the young"],
    "type 2 diabetes": ["cells no longer answer to insulin", "high sugar that comes with age and weight"],
    "hash table": ["keys found quickly in buckets", "a mapping by a function of the key"],
}
ROWS = [
    ("type 1 diabetes", 0, "type 1 diabetes", 1, 1),
    ("type 2 diabetes", 0, "type 2 diabetes", 1, 1),
    ("hash table", 0, "hash table", 1, 1),
    ("type 1 diabetes", 0, "type 2 diabetes", 0, 0),
]


@pytest.fixture
def published() -> pd.DataFrame:
    """Four pairs as a release has them, the last one of two entities."""
    rows = [
        (one, None if one == other else other, DEFINITIONS[one][at], DEFINITIONS[other][place], 3 * label, label)
        for one, at, other, place, label in ROWS
    ]
    return pd.DataFrame(rows, columns=[*ENTITIES, "first", "second", "votes", "binary"]).assign(split="train")


@pytest.fixture
def frame(published: pd.DataFrame) -> pd.DataFrame:
    return from_published(published)


def test_the_ids_of_a_released_pair_match_each_definitions_own_entity(frame: pd.DataFrame) -> None:
    ids = [definition_id(name, DEFINITIONS[name][0]) for name in ("type 1 diabetes", "type 2 diabetes")]
    assert frame.loc[3, ["first_id", "second_id"]].tolist() == ids
    assert frame.loc[3, "pair_id"] == pair_id(*ids)
    known = Dataset(frame).definitions
    assert len(known) == 6
    assert known.groupby("entity").size().to_dict() == dict.fromkeys(DEFINITIONS, 2)


def test_the_published_files_give_both_entities_back(published: pd.DataFrame, tmp_path: Path) -> None:
    parade.write(published.assign(split=["train", "validation", "test", "test"]), tmp_path)
    found, written = (frame[ENTITIES].fillna("").to_numpy().tolist() for frame in (parade.read(tmp_path), published))
    assert found == written


def test_the_pair_joins_the_groups_of_both_entities_whatever_they_are_called(frame: pd.DataFrame) -> None:
    assert groups.group(frame).tolist() == ["type 1 diabetes", "type 1 diabetes", "hash table", "type 1 diabetes"]
    alone = frame.drop(index=3)
    assert groups.group(alone).nunique() == 3
    apart = frame.assign(second_entity=frame["second_entity"].mask(frame.index == 3, "map"))
    assert groups.group(apart, {"map": "hash table"}).nunique() == 1


def test_a_name_on_either_side_leaks(frame: pd.DataFrame) -> None:
    frame.loc[3, ["split", "first", "second"]] = ["test", "an illness of children", "an illness of the old"]
    audit = leaks.compare_splits(Dataset(frame))[0]
    assert (audit["entities"], audit["variants"], audit["pairs_by_variants"]) == (2, 2, 1)
    suspects = neighbours.audit(Dataset(frame))
    assert {"type 1 diabetes", "type 2 diabetes"} <= set(suspects.loc[suspects["kind"] == "entity", "text"])
    assert not leaks.is_clean(leaks.compare_splits(Dataset(frame)))
    assert leaks.compare_splits(Dataset(frame.drop(index=[0, 1])))[0]["entities"] == 0


def test_counts_are_of_entities(frame: pd.DataFrame) -> None:
    pairs = Dataset(frame)
    assert lexical.measure_size(pairs) == {
        "pairs": 4, "entities": 3, "canonical_entities": 3, "definitions": 6, "texts": 6,
    }  # fmt: skip
    assert transitivity.describe_graph(pairs)["pairs_per_entity"] == {"mean": 5 / 3, "median": 2.0, "max": 2}
    assert transitivity.count_shared_definitions(pairs) == 0
    terms = contents.write_lists(frame, pd.DataFrame({"source": [], "url": []}))[contents.FETCHED_TERMS]
    assert terms.splitlines() == sorted(DEFINITIONS)


def test_both_names_are_found_and_masked(frame: pd.DataFrame) -> None:
    frame.loc[3, ["first", "second"]] = ["unlike Type-1 diabetes", "type 2 diabetes, not the other"]
    frame.loc[0, "first"] = "type 2 diabetes is another disease"
    assert lexical.name_entity(Dataset(frame)).tolist() == [False, False, False, True]
    masked = lexical.mask_entity(Dataset(frame)).frame
    assert masked.loc[3, ["first", "second"]].tolist() == ["unlike [entity]", "[entity], not the other"]
    assert masked.loc[0, "first"] == "type 2 diabetes is another disease"


def test_equal_texts_of_the_same_two_entities_are_symmetric_in_any_order(frame: pd.DataFrame) -> None:
    first, second = frame.loc[3, ["first", "second"]]
    more = frame.loc[[3]].assign(
        pair_id="x", entity="type 2 diabetes", second_entity="type 1 diabetes", first=second, second=first, binary=1
    )
    rows = pd.concat([frame, more], ignore_index=True)[COLUMNS].astype(INTEGERS)
    assert contradictions.count_equal_texts(Dataset(rows))["symmetry"] == {"pairs": 2, "inconsistent": 2}


def test_splits_divide_what_neighbours_join(frame: pd.DataFrame) -> None:
    placed = split(frame, SplitRule())
    assert placed.groupby("group")["split"].nunique().max() == 1
