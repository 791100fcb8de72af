"""Labels of several campaigns count together, each pair as the campaign that labelled it chose it."""

import pandas as pd
import pytest

from analysis import consistency
from analysis.splits import Arguments, read_labelled
from data.console.commands import run
from data.console.errors import InputError, TableError
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset, read_store
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.plans import AT, plan

MADE = Manifest(stage="test")
BOTH = ["--campaign", "main", "second"]


def write(store: Store, generator: str, pair_ids: str, selection: str) -> None:
    rows = pd.DataFrame({"pair_id": list(pair_ids), "rank": range(len(pair_ids))}).assign(
        generator=generator, entity="term", first_id="a", second_id="b", first="one", second="two", cluster=0,
        similarity=0.5, overlap=0.1, selection=selection, parents=[[]] * len(pair_ids),
    )  # fmt: skip
    store.replace(Pairs, rows, MADE, generator=generator)


def label(store: Store, campaign: str, pair_ids: str, binary: int, generator: str) -> None:
    rows = pd.DataFrame({"pair_id": list(pair_ids)}).assign(
        campaign=campaign, method="majority", binary=binary, votes=3 * binary, n_votes=3, posterior=pd.NA,
        scores=[[0, 0, 0, 3]] * len(pair_ids), stratum="unanimous", decided_by="majority",
    )  # fmt: skip
    store.replace(Labels, rows, MADE, campaign=campaign, method="majority")
    plan(store, campaign, generator)


@pytest.fixture
def two(store: Store) -> Store:
    """A campaign on pairs a to d, and a second one on d, e and f, which a model chose among all."""
    write(store, "recommended", "abcdef", "every-pair")
    write(store, "disagreement", "def", "disagreement")
    label(store, "main", "abcd", 1, "recommended")
    label(store, "second", "def", 0, "disagreement")
    return store


def test_labels_of_both_campaigns_count_and_the_last_one_decides(two: Store) -> None:
    frame = open_dataset(two.root, LabelSet(campaigns=("main", "second"))).frame
    assert dict(zip(frame["pair_id"], frame["binary"], strict=True)) == {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0, "f": 0}
    assert len(open_dataset(two.root, LabelSet(campaigns=("second",))).frame) == 3


def test_a_pair_is_of_the_selection_of_its_campaign(two: Store) -> None:
    pairs = read_store(two, LabelSet(campaigns=("main", "second")))
    found = {name: sorted(part.frame["pair_id"]) for name, part in pairs.by_selection.items()}
    assert found == {"every-pair": ["a", "b", "c"], "disagreement": ["d", "e", "f"]}


def test_a_campaign_without_labels_by_the_method_is_told_by_which_it_has_some(two: Store) -> None:
    with pytest.raises(TableError, match="by the method 'mace', found labels by majority; give --method majority"):
        open_dataset(two.root, LabelSet(campaigns=("main",), method="mace"))


def test_a_campaign_without_labels_is_named(two: Store) -> None:
    with pytest.raises(TableError, match="labels of the campaign 'third' by the method 'majority', found none"):
        open_dataset(two.root, LabelSet(campaigns=("main", "third")))


def test_one_campaign_is_asked_for_where_several_or_none_are_named() -> None:
    assert LabelSet(campaigns=("second",)).campaign == "second"
    with pytest.raises(InputError, match="--campaign: expected one campaign, found main second"):
        _ = LabelSet(campaigns=("main", "second")).campaign
    with pytest.raises(InputError, match="--campaign: expected a campaign, found none"):
        LabelSet(campaigns=())


def test_a_split_names_a_campaign_without_labels(two: Store) -> None:
    arguments = Arguments(store=two.root, campaigns=("main", "third"))
    with pytest.raises(TableError, match="labels of the campaign 'third' by the method 'majority', found none"):
        read_labelled(two, arguments)


def test_contradictions_follow_the_question_of_the_last_campaign(
    two: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(two, "second", "disagreement", question="phenomena", at=AT + pd.Timedelta(days=1))
    assert run(consistency.main, prog="consistency", args=["--store", str(two.root), *BOTH]) == 0
    assert "not defined: the question phenomena has no vote" in capsys.readouterr().out
