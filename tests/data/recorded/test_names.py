"""People read an entity as its cards write it, everywhere; tables keep its key."""

import pandas as pd
import pytest

from analysis.publishing import card_numbers, from_store
from analysis.reporting import explorer
from analysis.statistics import examples
from analysis.statistics.wording import name_sides
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.texts import read_shown_texts
from data.contract.tables.campaign import Ratings
from data.contract.tables.definitions import Definitions
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.grouping.entities import name_pair
from data.guidance.look.copied_rows import read_rows
from data.guidance.look.joined import join_ratings
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.recorded.names import read_names_at
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import STAGES


def test_of_two_entities_each_has_its_name() -> None:
    names = {"mhc class i": "MHC class I"}
    assert name_pair("mhc class i", "t cell", names=names) == "MHC class I | t cell"
    assert name_pair("mhc class i", None, names=names) == "MHC class I"
    assert name_pair(None, None, names=names) is None


@pytest.mark.sweep
def test_annotators_the_browser_the_report_and_the_release_show_the_name(store: Store) -> None:
    for write in STAGES.values():
        write(store)
    keys = {*store.read(Pairs)["entity"]}
    definitions = store.read(Definitions)
    store.replace(Definitions, definitions.assign(written=definitions["entity"].str.upper()), Manifest(stage="test"))
    shown = {key.upper() for key in keys}
    assert {*read_shown_texts(Campaign(OfCampaign(store=store.root)))["entity"]} == shown
    ratings = join_ratings(store)
    for table in (Pairs, Ratings):
        assert {*read_rows(store, table, ratings)["entity"]} <= shown
    dropped = definitions[["definition_id"]].head(1).set_axis(["id"], axis="columns").assign(reason="alone", detail="")
    store.reject("clustering", dropped, Manifest(stage="clustering"))
    assert read_rows(store, Rejects, ratings)["text"].dropna().str.partition(": ")[0].isin(shown).all()
    pairs = read_store(store, LabelSet())
    assert {*explorer.collect(pairs)["entities"]} <= shown
    chosen = examples.choose(pairs, 2, 1, name_sides(pairs.question))
    assert {pair["entity"] for kind in chosen for pair in kind["pairs"]} <= shown
    release = from_store.gather(pairs, LabelSet(), "simulated")
    assert {*release.facts.names.values()} <= shown
    numbers = card_numbers.count(release.tables, release.facts)
    assert {pair["entity"] for pair in numbers["texts"]["examples"]} <= shown
    assert {*pairs.frame["entity"]} | {*release.tables["pairs"]["entity"]} <= keys


def test_a_campaign_keeps_the_names_that_it_was_planned_with(store: Store) -> None:
    for write in STAGES.values():
        write(store)
    rows = store.read(Definitions)

    def name(written: str) -> None:
        store.replace(Definitions, rows.assign(written=written), Manifest(stage="test"))

    name("Old form")
    name("New form")
    planned = pd.Timestamp(store.history(Definitions)[1]["at"], unit="ms", tz="UTC")
    assert {*read_names_at(store, planned).values()} == {"Old form"}
    store.erase(Definitions, lambda kept: kept, "test")
    assert {*read_names_at(store, planned).values()} == {"New form"}
