"""Simulated annotators at a real server: who is let in, what they leave behind, that they can be stopped."""

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign.campaign import Campaign
from annotation.campaign.people.simulated import script
from annotation.commands.during.simulate import Arguments as Simulate
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.projects import list_projects
from annotation.label_studio.simulated import simulating
from annotation.label_studio.simulated.sitting import Sitting
from annotation.simulation.behaviour import match_profiles, read_profiles
from data.console.errors import ServerError
from data.contract.tables.campaign import Assignments, Ratings, SimulatedTruth
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs

PROFILES = ["--profiles", "good:3,guessing:1"]
N_PAIRS = 5


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A store with a planned campaign of four annotators."""
    store = Store(tmp_path_factory.mktemp("simulation") / "store")
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    assert annotate(store, "plan", "--annotators", 4) == 0
    return store


@pytest.fixture
def key(monkeypatch, label_studio):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    return ["--url", label_studio.running.url]


@pytest.fixture
def another(tmp_path):
    """A store with a planned campaign of its own."""
    store = Store(tmp_path / "store")
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    assert annotate(store, "plan", "--annotators", 4, "--campaign", "lost") == 0
    return store


def annotate(store, verb, *args):
    return main([verb, "--store", str(store.root), *map(str, args)])


@pytest.mark.sweep
def test_it_labels_what_is_open_once_and_says_that_it_is_simulated_and_refuses_another(
    planned, key, capsys, monkeypatch
):
    assert annotate(planned, "simulate", *PROFILES, *key) == 2
    assert "create the accounts first: python -m annotation open" in capsys.readouterr().err
    assert annotate(planned, "open", *key) == 0

    stopped_after, submit, done = 4, Sitting.submit, []

    def submit_or_break(sitting, project, task, *said):
        if len(done) == stopped_after:
            raise ServerError("here", expected="an answer", found="a cut line", remedy="run again")
        done.append(task)
        submit(sitting, project, task, *said)

    with monkeypatch.context() as patch:
        patch.setattr(Sitting, "submit", submit_or_break)
        patch.setattr(simulating, "AT_ONCE", 1)
        assert annotate(planned, "simulate", *PROFILES, *key) == 2
    assert "found a cut line" in capsys.readouterr().err
    assert annotate(planned, "simulate", *PROFILES, *key) == 0
    assert f"{3 * N_PAIRS - stopped_after} assignments labelled" in capsys.readouterr().out
    assert annotate(planned, "simulate", *PROFILES, *key) == 0
    assert "\n0 assignments labelled" in "\n" + capsys.readouterr().out

    assert annotate(planned, "collect", *key) == 0
    asked, post = [], LabelStudio._post
    with monkeypatch.context() as patch:
        patch.setattr(LabelStudio, "_post", lambda client, path, body: asked.append(path) or post(client, path, body))
        assert annotate(planned, "collect", *key) == 0
    assert ("parade/answers" in asked, "no new rating" in capsys.readouterr().out) == (False, True)
    ratings = planned.read(Ratings)
    assignments = planned.read(Assignments)
    assert sorted(ratings["assignment_id"]) == sorted(assignments["assignment_id"])
    campaign = Campaign(Simulate(store=planned.root))
    truth = planned.read(SimulatedTruth).set_index("pair_id")["score"]
    record = planned.manifest(SimulatedTruth, campaign="main")
    profiles = {name: one["profile"] for name, one in record["config"]["annotators"].items()}
    assert profiles == {"a01": "good", "a02": "good", "a03": "good", "a04": "guessing"}
    profiles_by_name = match_profiles(read_profiles(PROFILES[1]), assignments["annotator"].unique())
    given = dict(zip(ratings["assignment_id"], zip(ratings["score"], ratings["seconds"], strict=True), strict=True))
    assert given == script(campaign, profiles_by_name, truth, seed=1)
    assert set(campaign.annotators["role"]) == {"simulated"}

    assert annotate(planned, "reassign", "--low-kappa", 1.1, "--high-kappa", -1.1) in (0, 1)
    second = planned.read(Assignments).query("round == 2")
    assert len(second)
    capsys.readouterr()
    assert annotate(planned, "open", *key) == 0
    assert "4 projects are closed" in capsys.readouterr().out
    assert annotate(planned, "simulate", *PROFILES, *key) == 0
    assert f"{len(second)} assignments labelled" in capsys.readouterr().out
    assert annotate(planned, "collect", *key) == 0
    assert planned.read(Ratings)["assignment_id"].nunique() == 3 * N_PAIRS + len(second)

    assert annotate(planned, "simulate", "--profiles", "good:2,guessing:2", *key) == 2
    assert (
        "expected the profiles, truth, --unequal and seed that it was simulated with before" in capsys.readouterr().err
    )
    assert annotate(planned, "simulate", *PROFILES, "--seed", 2, *key) == 2
    assert annotate(planned, "simulate", *PROFILES, "--unequal", 0.1, *key) == 2


def test_votes_on_unequal_pairs_are_right_as_often_and_more_often_unanimous(store, capsys):
    store.replace(Pairs, pairs(600), Manifest(stage="clustering"), generator="recommended")
    assert annotate(store, "plan", "--annotators", 7, "--labels-per-pair", 5) == 0
    campaign, truth = Campaign(Simulate(store=store.root)), pd.Series(range(600), [f"{n:032x}" for n in range(600)]) % 4
    profiles = match_profiles(read_profiles("good:7", "parade"), campaign.assignments["annotator"].unique())
    found = {}
    for unequal in (0.0, 0.5):
        answers = script(campaign, profiles, truth, 1, unequal)
        rows = campaign.assignments[["assignment_id", "pair_id"]].astype("object")
        votes = rows["assignment_id"].map({name: place >= 2 for name, (place, _) in answers.items()})
        right = (votes == (rows["pair_id"].map(truth) >= 2)).groupby(rows["pair_id"]).mean()
        found[unequal] = right.mean(), right.isin([0, 1]).mean()
        assert answers == script(campaign, profiles, truth, 1, unequal)
    assert found[0.5][0] == pytest.approx(found[0.0][0], abs=0.02)
    assert found[0.5][1] > found[0.0][1] + 0.15
    assert annotate(store, "simulate", "--profiles", "good:7", "--unequal", 0.6) == 2
    assert "--unequal: expected 0 to 0.5, found 0.6" in capsys.readouterr().err


def test_people_are_never_impersonated(store, tmp_path, capsys):
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    people = tmp_path / "people.csv"
    people.write_text("email\nada@example.org\nbob@example.org\ncyd@example.org\n")
    assert annotate(store, "plan", "--annotators", people) == 0
    assert annotate(store, "simulate", "--profiles", "good:3", "--url", "http://127.0.0.1:1") == 2
    assert "found people: a01, a02, a03" in capsys.readouterr().err
    assert not store.exists(SimulatedTruth)


def test_a_campaign_with_ratings_of_its_own_is_not_simulated(store, tmp_path, capsys):
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    assert annotate(store, "plan", "--annotators", 4) == 0
    first = store.read(Assignments)["assignment_id"][0]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(f"assignment_id,submitted_at,score\n{first},2026-01-05T10:00:00Z,2\n")
    assert annotate(store, "collect", "--file", ratings) == 0
    assert annotate(store, "simulate", *PROFILES, "--url", "http://127.0.0.1:1") == 2
    assert "without ratings of their own, found people: a01" in capsys.readouterr().err


def test_a_server_that_does_not_answer_is_one_line(store, capsys):
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    assert annotate(store, "plan", "--annotators", 4) == 0
    assert annotate(store, "simulate", *PROFILES) == 2
    assert "python -m annotation server start" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_server_that_lost_everything_gets_the_open_pairs(another, key, capsys, monkeypatch, label_studio):
    lost = ["--campaign", "lost"]
    assert annotate(another, "open", *lost, *key) == 0
    done, submit = [], Sitting.submit

    def submit_four(sitting, project, task, *said):
        if len(done) == 4:
            raise ServerError("here", expected="an answer", found="a cut line", remedy="run again")
        done.append(task)
        submit(sitting, project, task, *said)

    with monkeypatch.context() as patch:
        patch.setattr(Sitting, "submit", submit_four)
        patch.setattr(simulating, "AT_ONCE", 1)
        assert annotate(another, "simulate", *PROFILES, *lost, *key) == 2
    assert annotate(another, "collect", *lost, *key) == 0
    titles = {one.title for one in list_projects(Campaign(Simulate(store=another.root, campaign="lost")))}
    for title, number in label_studio.client.projects().items():
        if title in titles:
            label_studio.client._sdk.projects.delete(number)
    capsys.readouterr()
    assert annotate(another, "open", *lost, *key) == 0
    assert f"0 accounts and {3 * N_PAIRS - 4} tasks are new" in capsys.readouterr().out
    assert annotate(another, "status", *lost, *key) == 0
    assert f"    1  all            4     {3 * N_PAIRS}" in capsys.readouterr().out
    assert annotate(another, "simulate", *PROFILES, *lost, *key) == 0
    assert annotate(another, "collect", *lost, *key) == 0
    assert len(another.read(Ratings)) == 3 * N_PAIRS
