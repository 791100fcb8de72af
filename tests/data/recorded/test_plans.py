"""Plans and gold pairs: read from their tables."""

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from data.console.errors import InputError, TableError
from data.contract.questions import PUBLISHED_QUESTION
from data.contract.tables.campaign import Assignments
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.provenance import takedown
from data.provenance.removal import Removal
from data.recorded.plans import read_gold, read_plans
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import assignments, pairs
from tests.plans import plan

FIRST, SECOND = (f"{number:032x}" for number in range(2))


@pytest.fixture
def planned(store: Store) -> Store:
    """A store with a planned campaign, which has a gold pair."""
    store.replace(Pairs, pairs(2), Manifest(stage="clustering"), generator="recommended")
    plan(store, seed=7)
    gold = pd.DataFrame({"campaign": ["main"], "pair_id": [FIRST], "score": [3], "source": ["file"]})
    store.replace(Gold, gold, Manifest(stage="test"), campaign="main")
    store.append(Assignments, assignments([(1, FIRST, "a01"), (1, SECOND, "a01")]), Manifest(stage="test"))
    return store


def test_the_latest_row_is_the_plan(planned: Store) -> None:
    plan(planned, seed=8, at=pd.Timestamp("2026-01-02", tz="UTC"))
    plans = read_plans(planned)
    assert plans.latest.keys() == {"main"}
    assert plans.latest["main"]["seed"] == 8
    assert read_gold(planned, "main") == {FIRST: 3}
    asked, answered = plans.question("main"), plans.question("other")
    assert (asked.name, answered) == ("parade", PUBLISHED_QUESTION)


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "question_content): expected Invalid JSON"), ('{"name": "parade"}', "question_content, version): expected")],
)
def test_a_question_of_another_form_is_one_line(planned: Store, content: str, words: str) -> None:
    plan(planned, at=pd.Timestamp("2026-01-02", tz="UTC"), question_content=content)
    with pytest.raises(TableError) as raised:
        read_plans(planned).question("main")
    assert str(raised.value).startswith(f"campaigns (campaign main, {words}")
    assert str(raised.value).endswith("another release of this project wrote it; read the store with that release")


def test_reading_a_plan_writes_nothing(store: Store) -> None:
    store.append(Assignments, assignments([(1, FIRST, "a01")]), Manifest(stage="annotation.plan", part="main"))
    assert read_gold(store, "main") == {}
    with pytest.raises(InputError, match=r"its plan in the table campaigns, found none; plan it first"):
        _ = Campaign(OfCampaign(store=store.root)).plan
    assert not store.exists(Campaigns)


def test_gold_of_a_pair_that_is_taken_down_leaves_the_table_and_its_past(planned: Store) -> None:
    fallen = pd.DataFrame({"pair_id": [FIRST], "entity": ["entity 0"], "second_entity": [None]})
    removal = Removal(
        texts=frozenset(),
        cards=frozenset(),
        definitions=frozenset(),
        pairs=fallen,
        pair_ids=frozenset([FIRST]),
        assignments=frozenset(),
    )
    removed = dict(takedown.take_down(planned, removal, "asked for"))
    assert removed["gold"] == 1
    assert planned.read(Gold).empty
    assert len(list(planned.path(Gold).glob("*.parquet"))) == 0
    assert len(planned.read(Campaigns)) == 1


def test_a_pack_without_ratings_has_the_plan_and_no_known_score(
    planned: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pack")
    for ratings in (True, False):
        pack.pack(planned, folder / f"{ratings}.tar.gz", ratings=ratings)
        pack.unpack(folder / f"{ratings}.tar.gz", folder / str(ratings))
        arrived = Store(folder / str(ratings))
        assert arrived.read(Campaigns).equals(planned.read(Campaigns))
        assert arrived.exists(Gold) is ratings
