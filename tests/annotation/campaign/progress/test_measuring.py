"""Measures and verdicts that keep up with the answers, as the commands would write them."""

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.measuring import find_due, record
from data.contract.tables.campaign import Ratings
from data.contract.tables.labels import Copying, Quality, Verdicts
from data.guidance.next_steps import next_steps
from tests.annotation.support.frames import planned, rate, six_good_two_bad


@pytest.fixture
def collect(filled, command, tmp_path):
    """Collects this many of the open answers; all if left out."""
    assert command("plan --annotators 8")[0] == 0

    def call(n=None):
        file = rate(filled, tmp_path / "ratings.csv", six_good_two_bad)
        rows = pd.read_csv(file)
        rows.head(len(rows) if n is None else n).to_csv(file, index=False)
        assert command(f"collect --file {file}")[0] == 0

    return call


@pytest.fixture
def keeps_up(filled, capsys):
    """Brings the measures up to date; returns what was printed and the versions of the tables."""

    def call(is_over=False):
        campaign = Campaign(OfCampaign(store=filled.root))
        with campaign.alone():
            due = find_due(campaign, is_over=is_over)
        if due:
            rows = due.compute()
            with campaign.alone():
                record(campaign, due, rows)
        return capsys.readouterr().out, [filled.version(table) for table in (Quality, Verdicts)]

    return call


@pytest.mark.sweep
def test_annotators_are_measured_again_once_the_answers_have_grown_by_a_tenth(filled, collect, keeps_up):
    assert keeps_up() == ("", [None, None])
    collect(50)
    out, versions = keeps_up()
    assert "annotators are measured by 50 ratings: " in out
    assert versions == [0, 0]
    collect(4)
    assert keeps_up() == ("", [0, 0])
    collect(1)
    assert "by 55 ratings" in keeps_up()[0]
    collect()
    out, versions = keeps_up()
    assert f"by {len(filled.read(Ratings))} ratings: 2 of 8 are careless (a07, a08), 0 undecided\n" in out
    assert versions == [2, 2]


@pytest.mark.sweep
def test_at_the_end_they_are_measured_by_all_and_the_next_step_goes_on_from_there(filled, collect, keeps_up):
    n = len(planned(filled))
    collect(n - 1)
    assert keeps_up()[1] == [0, 0]
    collect()
    assert keeps_up() == ("", [0, 0])
    assert keeps_up(is_over=True)[1] == [1, 1]
    assert keeps_up(is_over=True)[1] == [1, 1]
    assert "annotation reassign" in next_steps(filled, "main")[0]


@pytest.mark.sweep
def test_the_rules_are_those_that_the_lead_chose(filled, command, collect, keeps_up):
    collect(60)
    assert command("quality --low-kappa 0.2")[0] == 0
    assert command("verdict --one-vote a07 a08")[0] in (0, 1)  # which 60 decides whether more are careful than careless
    collect()
    assert keeps_up()[1] == [1, 1]
    assert filled.config(Quality, campaign="main")["low_kappa"] == 0.2
    assert filled.config(Verdicts, campaign="main")["one_vote"] == [["a07", "a08"]]
    before = filled.read(Quality), filled.read(Verdicts)
    assert "nothing to do" in command("quality --low-kappa 0.2")[1]
    assert "nothing to do" in command("verdict --one-vote a07 a08")[1]
    pd.testing.assert_frame_equal(filled.read(Quality), before[0])
    assert filled.exists(Copying)


@pytest.mark.sweep
def test_what_a_killed_run_did_not_write_is_written_next(filled, command, collect, keeps_up):
    collect(60)
    assert command("quality")[0] == 0
    assert keeps_up()[1] == [0, 0]
    assert len(filled.read(Verdicts)) == 8


@pytest.mark.sweep
@pytest.mark.parametrize("meanwhile", ["quality --low-kappa 0.2", "withdraw a01 --reason x"])
def test_what_others_did_meanwhile_is_not_overwritten(filled, command, collect, keeps_up, meanwhile):
    collect(60)
    campaign = Campaign(OfCampaign(store=filled.root))
    with campaign.alone():
        due = find_due(campaign, is_over=False)
    rows = due.compute()
    assert command(meanwhile)[0] == 0
    before = [filled.version(table) for table in (Quality, Verdicts)]
    with campaign.alone():
        record(campaign, due, rows)
    assert [filled.version(table) for table in (Quality, Verdicts)] == before
    assert "annotators are measured by" in keeps_up()[0]
