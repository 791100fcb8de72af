"""Plans and gold pairs: read from their tables, into which those of an old store are brought over once."""

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from data.console.errors import InputError
from data.contract.tables.campaign import Assignments
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.provenance import takedown
from data.provenance.removal import Removal
from data.recorded.plans import read_gold, read_plan
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import assignments, pairs

FIRST, SECOND, FALLEN = (f"{number:032x}" for number in range(3))


def plan_as_before(store: Store, campaign: str = "main", **changes: object) -> None:
    """Write a plan in the old form: in the commit of its assignments alone."""
    config = {
        "labels_per_pair": 2, "show_entity": False, "gold_share": 0.2, "repeat_share": 0.1, "trap_share": 0.0,
        "campaign": campaign, "pairs": None, "generator": "recommended", "gold": {FIRST: 3, FALLEN: 0},
    }  # fmt: skip
    rows = assignments([(1, FIRST, "a01"), (1, SECOND, "a01")]).assign(campaign=campaign)
    rows["assignment_id"] = campaign + rows["assignment_id"].astype(str)
    manifest = Manifest(stage=f"annotation.plan.{campaign}", config=config | changes, seed=7)
    store.append(Assignments, rows, manifest)


@pytest.fixture
def old(store: Store) -> Store:
    """A store with two planned campaigns from before the tables, one of whose gold pairs was taken down since."""
    store.replace(Pairs, pairs(2), Manifest(stage="clustering"), generator="recommended")
    plan_as_before(store)
    plan_as_before(store, "main-2", show_entity=True, gold={})
    return store


def test_an_old_plan_is_brought_over_once_by_whoever_reads_it_first(old: Store) -> None:
    plan = read_plan(old, "main")
    expected = {
        "generator": "recommended", "scale": "0-3", "labels_per_pair": 2, "show_entity": False,
        "gold_share": 0.2, "repeat_share": 0.1, "trap_share": 0.0, "seed": 7,
    }  # fmt: skip
    assert {name: plan[name] for name in expected} == expected
    assert pd.isna(plan["pairs"])
    assert read_gold(old, "main") == {FIRST: 3}
    assert old.read(Gold)["source"].to_list() == ["unknown"]
    other = Campaign(OfCampaign(store=old.root, campaign="main-2"))
    assert (other.plan["show_entity"], other.gold) == (True, {})
    assert old.read(Campaigns)["campaign"].to_list() == ["main", "main-2"]
    versions = old.version(Campaigns), old.version(Gold)
    assert read_plan(old, "main") == plan
    assert (old.version(Campaigns), old.version(Gold)) == versions == (1, 0)


def test_a_plan_that_nobody_knows_is_one_line_that_says_how_to_give_it(store: Store) -> None:
    store.append(Assignments, assignments([(1, FIRST, "a01")]), Manifest(stage="annotation.plan.main"))
    assert read_gold(store, "main") == {}
    with pytest.raises(InputError, match=r"its plan in the table campaigns.*run `python -m annotation plan` again"):
        read_plan(store, "main")
    assert not store.exists(Campaigns)


def test_gold_of_a_pair_that_is_taken_down_leaves_the_table_and_its_past(old: Store) -> None:
    assert read_gold(old, "main") == {FIRST: 3}
    fallen = pd.DataFrame({"pair_id": [FIRST], "entity": ["entity 0"]})
    removal = Removal(
        texts=frozenset(),
        cards=frozenset(),
        definitions=frozenset(),
        pairs=fallen,
        pair_ids=frozenset([FIRST]),
        assignments=frozenset(),
    )
    removed = dict(takedown.take_down(old, removal, "asked for"))
    assert removed["gold"] == 1
    assert old.read(Gold).empty
    assert len(list(old.path(Gold).glob("*.parquet"))) == 0
    assert len(old.read(Campaigns)) == 1


def test_a_pack_without_ratings_has_the_plan_and_no_known_score(
    old: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    read_gold(old, "main")
    folder = tmp_path_factory.mktemp("pack")
    for ratings in (True, False):
        pack.pack(old, folder / f"{ratings}.tar.gz", ratings=ratings)
        pack.unpack(folder / f"{ratings}.tar.gz", folder / str(ratings))
        arrived = Store(folder / str(ratings))
        assert arrived.read(Campaigns).equals(old.read(Campaigns))
        assert arrived.exists(Gold) is ratings
