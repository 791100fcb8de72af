"""A study is a campaign with its arms, and no campaign whose name merely begins the same."""

import pytest

from data.recorded.studies import governed_by, study_of, withdrawal_id, withdrawn_from


@pytest.mark.parametrize(
    ("campaign", "study"),
    [
        ("main", "main"),
        ("main-pilot", "main"),
        ("main-control", "main"),
        ("main-2", "main-2"),
        ("main-2-pilot", "main-2"),
        ("main-pilots", "main-pilots"),
        ("pilot", "pilot"),
    ],
)
def test_only_an_arm_belongs_to_another_campaign(campaign: str, study: str) -> None:
    assert study_of(campaign) == study
    assert governed_by(campaign) == ((study,) if study == campaign else (study, campaign))


def test_who_withdraws_from_an_arm_withdraws_from_the_whole_study_and_from_no_other() -> None:
    tombstones = [withdrawal_id("main-pilot", "a01"), withdrawal_id("main-2", "a02")]
    assert withdrawn_from("main", tombstones) == withdrawn_from("main-control", tombstones) == {"a01"}
    assert withdrawn_from("main-2", tombstones) == {"a02"}
    assert withdrawn_from("ma", tombstones) == frozenset()
