"""Labels that contradict each other: by triangles, by order, by entity; stored once."""

from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import consistency
from analysis.statistics import contradictions, order_effect, transitivity
from data.console.commands import run
from data.contract.tables.labels import Inconsistencies, Labels
from data.labelled import parade
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset, from_published, no_parents
from data.storage.store import Store
from tests.analysis.conftest import ask


def labelled(rows: list[tuple[str, str, str, int]]) -> Dataset:
    """(entity, first, second, label) as a data set whose ids are `entity:first-second`."""
    frame = pd.DataFrame(rows, columns=["entity", "first", "second", "binary"])
    frame["pair_id"] = frame["entity"] + ":" + frame["first"] + "-" + frame["second"]
    ids = {f"{side}_id": frame["entity"] + "/" + frame[side] for side in ("first", "second")}
    frame = frame.assign(
        second_entity=None, **ids, votes=frame["binary"] * 3, n_votes=3, split=None, parents=no_parents(len(rows))
    )
    return Dataset(frame[COLUMNS].astype(INTEGERS))


def test_each_kind_names_its_evidence() -> None:
    pairs = labelled(
        [
            ("x", "a", "b", 1),
            ("x", "b", "c", 1),
            ("x", "a", "c", 0),
            ("x", "B", "A", 0),
            ("y", "a", "b", 0),
            ("y", "d", "e", 1),
        ]
    )
    found = contradictions.find(pairs).set_index(["pair_id", "kind"])["evidence"].to_dict()
    assert found == {
        ("x:a-b", "transitivity"): [{"pair_ids": ["x:b-c", "x:a-c"], "labels": [1, 0]}],
        ("x:b-c", "transitivity"): [{"pair_ids": ["x:a-b", "x:a-c"], "labels": [1, 0]}],
        ("x:a-c", "transitivity"): [{"pair_ids": ["x:a-b", "x:b-c"], "labels": [1, 1]}],
        ("x:a-b", "symmetry"): [{"pair_ids": ["x:B-A"], "labels": [0]}],
        ("x:B-A", "symmetry"): [{"pair_ids": ["x:a-b"], "labels": [1]}],
        ("x:a-b", "other_entity"): [{"pair_ids": ["y:a-b"], "labels": [0]}],
        ("y:a-b", "other_entity"): [{"pair_ids": ["x:a-b"], "labels": [1]}],
    }


def test_equal_texts_are_counted_whether_their_labels_differ_or_not() -> None:
    pairs = labelled([("x", "a", "b", 1), ("x", "B", "A", 1), ("y", "a", "b", 0), ("y", "c", "d", 1)])
    counted = contradictions.count_equal_texts(pairs)
    assert counted == {"symmetry": {"pairs": 2, "inconsistent": 0}, "other_entity": {"pairs": 3, "inconsistent": 3}}


BALLOTS = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 1)), min_size=1, max_size=30)


@given(BALLOTS)
def test_orders_are_compared_vote_by_vote_and_couple_by_couple(rows: list[tuple[int, bool, int]]) -> None:
    found = order_effect.compare(pd.DataFrame(rows, columns=["pair_id", "flipped", "vote"]))
    assert found is not None
    for name, side in (("straight", False), ("flipped", True)):
        votes = [vote for _, flipped, vote in rows if flipped == side]
        assert found[name] == {"n": len(votes), "share": sum(votes) / len(votes) if votes else None}
    couples = [(one, other) for one, other in combinations(rows, 2) if one[0] == other[0]]
    for name, same in (("same_side", True), ("other_side", False)):
        agree = [one[2] == other[2] for one, other in couples if (one[1] == other[1]) == same]
        assert found[name] == {"n": len(agree), "share": sum(agree) / len(agree) if agree else None}
    if found["difference"] is not None:
        assert found["low"] - 1e-9 <= found["difference"] <= found["high"] + 1e-9


@pytest.mark.sweep
@given(st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1]), st.booleans()))
def test_the_broken_triangles_listed_are_those_counted(edges: dict[tuple[int, int], bool]) -> None:
    pairs = labelled([("x", str(a), str(b), int(label)) for (a, b), label in edges.items()])
    assert len(transitivity.list_broken(pairs)) == transitivity.count_triangles(pairs)["broken"]


EDGES = st.tuples(st.integers(0, 4), st.integers(0, 4))


@pytest.mark.sweep
@given(st.lists(st.tuples(EDGES, st.booleans())), st.data())
def test_a_repeated_pair_counts_once_and_a_text_with_itself_never(
    edges: list[tuple[tuple[int, int], bool]], data: st.DataObject
) -> None:
    once = [("x", str(a), str(b), int(label)) for (a, b), label in edges]
    drawn = data.draw(st.lists(st.sampled_from(once))) if once else []
    pairs, repeated = labelled(once), labelled(once + [(name, b, a, label) for name, a, b, label in drawn])
    assert transitivity.describe_graph(repeated) | {"pairs_per_entity": None} == (
        transitivity.describe_graph(pairs) | {"pairs_per_entity": None}
    )
    triangles = transitivity.count_triangles(repeated)
    assert triangles == transitivity.count_triangles(labelled([row for row in once if row[1] != row[2]]))
    assert len(transitivity.list_broken(repeated)) == triangles["broken"]


@pytest.mark.sweep
def test_the_published_labels_break_1132_of_2086_triangles(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(consistency.main, prog="consistency", args=["--dataset", str(shared_data / "parade")]) == 0
    output = capsys.readouterr().out
    assert "1,132 of 2,086 triangles with at least two paraphrases violate transitivity (54.3 %)" in output
    pairs = Dataset(from_published(parade.read(shared_data / "parade")))
    assert len(transitivity.list_broken(pairs)) == 1132


def test_a_store_keeps_them_once(campaign: Store, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run(consistency.main, prog="consistency", args=["--dataset", str(campaign.root)]) == 0
    output = capsys.readouterr().out
    assert "the contradictions are up to date: nothing to do" in output
    assert "33 votes on the two texts in the order of the pair: " in output
    rows = campaign.read(Inconsistencies)
    labels = campaign.read(Labels)
    assert set(rows["pair_id"]) <= set(labels["pair_id"])
    assert campaign.version(Inconsistencies) == 0


@pytest.mark.parametrize(("name", "why"), [("grammar", "shows one text"), ("phenomena", "has no vote")])
def test_what_is_no_pair_of_voted_texts_has_no_contradictions(
    campaign: Store, capsys: pytest.CaptureFixture[str], name: str, why: str
) -> None:
    ask(campaign, name)
    assert run(consistency.main, prog="python -m analysis.consistency", args=["--dataset", str(campaign.root)]) == 0
    output = capsys.readouterr().out
    assert f"not defined: the question {name} {why}" in output
    assert "triangles" not in output
    assert campaign.read(Inconsistencies).empty
