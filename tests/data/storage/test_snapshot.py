"""A store as it was at one moment reads like the store, whatever is written later."""

from datetime import UTC, datetime, timedelta

import pytest

from data.console.errors import InputError
from data.contract.questions import PUBLISHED_QUESTION
from data.contract.tables.definitions import Terms
from data.contract.tables.plans import Campaigns
from data.recorded.plans import read_plans
from data.storage.snapshot import Snapshot
from data.storage.store import Store
from tests.data.storage.test_store import MANIFEST, terms
from tests.plans import plan


def test_what_is_written_later_is_not_there(store: Store) -> None:
    store.replace(Terms, terms("hash table"), MANIFEST)
    then = Snapshot(store.root)
    store.replace(Terms, terms("hash table", "file system"), MANIFEST)
    plan(store, question="grammar")
    assert then.read(Terms)["term"].tolist() == ["hash table"]
    assert (then.version(Terms), len(then.history(Terms)), then.config(Terms)) == (0, 1, {"above": 20})
    assert then.inputs(Terms, Campaigns) == {"terms": 0, "campaigns": None}
    assert then.read(Campaigns).empty
    assert read_plans(then).question("main") == PUBLISHED_QUESTION
    assert read_plans(Snapshot(store.root)).question("main").name == "grammar"
    assert len(then.read(Terms, version=1)) == 2


def test_a_moment_before_every_table_is_refused(store: Store) -> None:
    store.replace(Terms, terms("hash table"), MANIFEST)
    with pytest.raises(InputError, match="at least one table at"):
        Snapshot(store.root, datetime.now(UTC) - timedelta(days=1))
