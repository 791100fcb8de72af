"""What a release takes from a store: its own campaign's rows and the rows of the campaign's study."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis import splits
from analysis.publishing import refusals
from analysis.publishing.from_store import gather
from data.contract.tables.campaign import Annotators, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.tables.plans import Gold
from data.contract.tables.removals import Rejects, Tombstones
from data.labelled.label_set import LabelSet
from data.labelled.releases import Release
from data.labelled.sources import open_dataset, read_store
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import START, ask
from tests.plans import plan

pytestmark = pytest.mark.sweep

PREPARED = Manifest(stage="annotation.plan")


@pytest.fixture
def released(campaign: Store) -> Callable[[str], Release]:
    """Gathers the release of a campaign."""
    splits.main(splits.Arguments(store=campaign.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))

    def call(name: str) -> Release:
        label_set = LabelSet(campaigns=(name,))
        return gather(open_dataset(campaign.root, label_set), label_set)

    return call


def copy_campaign(store: Store, name: str) -> None:
    """Write the rows of `main` again under another name, without consent, guide or tombstones."""
    assignments = store.read(Assignments, campaign="main")
    ids = name + "-" + assignments["assignment_id"].astype(str)
    ratings = store.read(Ratings)
    ratings = ratings.assign(assignment_id=name + "-" + ratings["assignment_id"].astype(str))
    people = store.read(Annotators, campaign="main").assign(consent_version=pd.NA)
    store.append(Assignments, assignments.assign(campaign=name, assignment_id=ids), PREPARED)
    store.append(Ratings, ratings, PREPARED)
    store.append(Annotators, people.assign(campaign=name), PREPARED)
    labels = store.read(Labels, campaign="main").assign(campaign=name)
    store.replace(Labels, labels, PREPARED, campaign=name, method="majority")


def test_a_campaign_whose_name_begins_alike_shares_neither_consent_nor_guide_nor_withdrawals(
    campaign: Store, released: Callable[[str], Release]
) -> None:
    copy_campaign(campaign, "main-2")
    copy_campaign(campaign, "main-control")
    plan(campaign, "main-control", study="main", arm="control")
    withdrawal = {"kind": "annotator", "study": "main", "id": "a02", "reason": "asked for", "at": START}
    campaign.append(Tombstones, pd.DataFrame([withdrawal]), PREPARED)

    for name in ("main", "main-control"):
        release = released(name)
        reasons = _list_withdrawn(release, campaign, name)
        assert reasons
        assert all("(annotator a02)" in reason for reason in reasons)
        assert "documents" in release.tables
        people = release.tables["annotators"]
        assert people["annotator"].tolist() == ["a01", "a03"]
        assert people["consent_version"].fillna("").tolist() == ["2", ""]
    other = released("main-2")
    assert _list_withdrawn(other, campaign, "main-2") == []
    assert "documents" not in other.tables
    assert other.tables["annotators"]["annotator"].tolist() == ["a01", "a02", "a03"]
    assert other.tables["annotators"]["consent_version"].isna().all()


def _list_withdrawn(release: Release, store: Store, campaign: str) -> list[str]:
    labels = LabelSet(campaigns=(campaign,))
    reasons = refusals.find(release, read_store(store, labels), labels, without_text=True)
    return [reason for reason in reasons if "withdrawn or taken down" in reason]


def test_a_gold_pairs_known_score_comes_from_the_table_gold_of_its_campaign(
    campaign: Store, released: Callable[[str], Release]
) -> None:
    pair = str(campaign.read(Assignments)["pair_id"].iloc[0])
    check = campaign.read(Assignments).head(1).assign(assignment_id="check", pair_id=pair, kind="gold", position=99)
    campaign.append(Assignments, check, PREPARED)
    campaign.append(Ratings, campaign.read(Ratings).head(1).assign(assignment_id="check"), PREPARED)
    for name, score in (("main", 3), ("main-2", 0)):
        gold = pd.DataFrame({"campaign": [name], "pair_id": [pair], "score": [score], "source": ["file"]})
        campaign.replace(Gold, gold, PREPARED, campaign=name)
    ratings = released("main").tables["ratings"]
    assert ratings.groupby("kind")["known_score"].agg(lambda scores: sorted(scores.dropna())).to_dict() == {
        "gold": [3],
        "work": [],
    }


def test_a_pair_that_another_campaign_or_method_left_out_is_still_unresolved_in_this_one(
    campaign: Store, released: Callable[[str], Release]
) -> None:
    labels = campaign.read(Labels, campaign="main")
    campaign.replace(Labels, labels[1:], PREPARED, campaign="main", method="majority")
    out = pd.DataFrame({"id": [labels["pair_id"].iloc[0]], "reason": "unresolved_flagged", "method": "majority"})
    campaign.reject("annotation.adjudicate", out, PREPARED, part="other")
    assert _count_unresolved(released("main"), campaign) == 1
    campaign.reject("annotation.adjudicate", out.assign(method="mace"), PREPARED, part="main")
    assert _count_unresolved(released("main"), campaign) == 1
    campaign.reject("annotation.adjudicate", out, PREPARED, part="main")
    assert _count_unresolved(released("main"), campaign) == 0


def _count_unresolved(release: Release, store: Store) -> int:
    return refusals.count_unresolved(store, LabelSet(), release.tables["pairs"]["pair_id"], release.question)


@pytest.mark.parametrize(("asked", "n_open"), [("sentence-correction", 0), ("same-meaning", 1)])
def test_a_tie_between_keeping_and_dropping_an_item_leaves_it_out_and_a_tie_of_votes_leaves_it_open(
    campaign: Store, released: Callable[[str], Release], asked: str, n_open: int
) -> None:
    labels = campaign.read(Labels, campaign="main")
    campaign.replace(Labels, labels[1:], PREPARED, campaign="main", method="majority")
    tied = pd.DataFrame({"id": [labels["pair_id"].iloc[0]], "reason": "unresolved_tie", "detail": pd.NA})
    campaign.reject("annotation.adjudicate", tied, PREPARED, part="main")
    ask(campaign, asked)
    assert _count_unresolved(released("main"), campaign) == n_open


@pytest.mark.parametrize(("decided_by", "is_open"), [("too_few_agree", False), ("majority", True)])
def test_only_pairs_that_a_rule_left_without_a_label_may_be_published_so(campaign, released, decided_by, is_open):
    labels = campaign.read(Labels, campaign="main", method="majority")
    last = labels.index == labels.index[-1]
    labels = labels.assign(binary=labels["binary"].mask(last), decided_by=labels["decided_by"].mask(last, decided_by))
    campaign.replace(Labels, labels, PREPARED, campaign="main", method="majority")
    reasons = list(refusals.find(released("main"), read_store(campaign, LabelSet()), LabelSet(), without_text=True))
    assert any("without a label" in reason for reason in reasons) == is_open


def test_a_campaign_without_rejects_is_gathered(campaign, released):
    campaign.erase(Rejects, lambda rows: rows[:0], "test")
    assert len(released("main").tables["pairs"])
