"""Seniors decide what annotators dispute: the queue, what seniors are shown, and what adjudication makes of it."""

import secrets
from functools import partial
from typing import get_args

import pandas as pd
import pytest
from crowdkit.aggregation import MACE

from annotation.aggregation.adjudication import adjudicate
from annotation.assignment import senior_review
from annotation.campaign.accounts import NOBODYS_ADDRESS
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.config import LabelRule
from annotation.label_studio.projects import closed, list_projects, list_tasks
from annotation.label_studio.server import environment
from data.contract.tables.labels import Inconsistencies, Labels
from data.contract.vocabulary import Method
from data.measures import ballots as votes
from data.storage.manifest import Manifest
from tests.annotation.support import probes
from tests.annotation.support.frames import assignments, named, planned, rate, ratings

RULE = LabelRule()
SCORES = {"tie": (3, 0), "split": (3, 3, 0), "broken": (3, 2, 3), "clear": (0, 0, 1)}
GIVEN = [(1, pair, f"a{n}") for pair, scores in SCORES.items() for n in range(len(scores))]
SAID = [(named(1, pair, f"a{n}"), score) for pair, scores in SCORES.items() for n, score in enumerate(scores)]


def test_the_queue_holds_each_disputed_pair_once_in_the_order_of_its_reasons():
    ballots = votes.with_latest_rating(assignments(GIVEN), ratings(SAID))
    found = senior_review.queue(
        ballots, RULE, pd.Series(["broken", "split", "of another campaign"]), pd.Series(["gold"])
    )
    assert found.to_numpy().tolist() == [
        ["tie", "tie"], ["gold", "gold_missed"], ["split", "broken_transitivity"], ["broken", "broken_transitivity"],
    ]  # fmt: skip
    nothing = pd.Series(dtype="object")
    assert senior_review.queue(ballots, RULE, nothing, nothing)["pair_id"].to_list() == ["tie", "split"]


def test_gold_that_half_of_its_raters_got_wrong():
    rows = assignments([(1, "g1", "a0"), (1, "g1", "a1"), (1, "g2", "a0"), (1, "g2", "a1"), (1, "g2", "a2")])
    rows["kind"] = "gold"
    said = ratings([(one, score) for one, score in zip(rows["assignment_id"], [0, 3, 3, 2, 0], strict=True)])
    assert senior_review.missed_gold(rows, said, {"g1": 3, "g2": 2}, RULE).to_list() == ["g1"]


@pytest.fixture
def looked():
    """The tie after both looks of a senior, who calls it a 2 blind and a 1 when told; "split" is flagged."""
    looks = assignments([(2, "tie", "s"), (2, "split", "s"), (3, "tie", "s", "x"), (3, "split", "s", "x")])
    looks["kind"] = ["senior", "senior", "review", "review"]
    looks["supersedes"] = [None, None, named(2, "tie", "s"), named(2, "split", "s")]
    rows = pd.concat([assignments(GIVEN), looks], ignore_index=True)
    seconds = [(named(2, "tie", "s"), 2), (named(2, "split", "s"), 3)]
    thirds = [(named(3, "tie", "s"), 1), (named(3, "split", "s"), "cannot_judge")]
    said = ratings([*SAID, *seconds, *thirds])
    said["comment"] = said["comment"].astype("object")
    said.loc[said["assignment_id"] == named(1, "tie", "a0"), "comment"] = "same <b>thing</b>"
    return rows, said


def test_the_second_look_shows_scores_and_comments_but_no_ones_name(looked):
    told = senior_review.summarise(*looked)
    assert set(told.index) == {named(3, "tie", "s"), named(3, "split", "s")}
    assert told[named(3, "tie", "s")] == "The others: 0 · 3 “same <b>thing</b>”. You, the first time: 2."
    assert told[named(3, "split", "s")] == "The others: 0 · 3 · 3. You, the first time: 3."


@pytest.mark.parametrize("method", ["majority", "dawid-skene"])
def test_the_senior_s_decision_is_final_and_both_ratings_are_kept(looked, method):
    rows, said = looked
    decided = senior_review.decisions(rows, said).set_index("pair_id")
    assert decided.loc["tie", ["score", "blind", "annotator"]].to_list() == [1, 2, "s"]
    assert pd.isna(decided.loc["split", "score"])
    labels, rejects = adjudicate(votes.with_latest_rating(rows, said), RULE, method, decided.reset_index())
    labels = labels.set_index("pair_id")
    assert labels.loc["tie", ["binary", "decided_by", "votes", "n_votes"]].to_list() == [0, "senior", 1, 2]
    assert labels.loc["clear", "decided_by"] == method
    assert rejects[["id", "reason"]].to_numpy().tolist() == [["split", "flagged_by_senior"]]


@pytest.mark.sweep
def test_the_commands_lead_from_the_queue_to_the_label(filled, command, tmp_path, monkeypatch):
    monkeypatch.setattr("crowdkit.aggregation.MACE", partial(MACE, n_restarts=1))  # its ten starts take seconds
    people, path = tmp_path / "people.csv", tmp_path / "r.csv"
    people.write_text(
        "email,role\n"
        + "".join(f"p{n}@x.parade.invalid,\n" for n in range(4))
        + "s1@x.parade.invalid,senior\ns2@x.parade.invalid,senior\n"
    )
    assert command("plan", "--annotators", people, "--labels-per-pair", 2)[0] == 0
    assert "every pair answered" not in command("review blind")[2]
    truth = lambda name, pair: 3 * (pair % 2) if name != "a01" else 3 - 3 * (pair % 2)  # noqa: E731
    command("collect", "--file", rate(filled, path, truth))
    broken = pd.DataFrame({"pair_id": [f"{1:032x}"], "kind": "transitivity", "evidence": [[]]})
    filled.replace(Inconsistencies, broken, Manifest(stage="analysis.consistency"))
    theirs = set(planned(filled).query("annotator == 'a01'")["pair_id"])
    code, out, _ = command("review blind", "--dry-run")
    assert (code, f"{len(theirs)} tie" in out, "dry run" in out) == (0, True, True)
    code, _, err = command("review informed")
    assert (code, "none planned" in err, len(err.splitlines())) == (2, True, 1)
    code, out, _ = command("review blind", "--pairs", 5)
    assert code == 0
    blind = planned(filled).query("kind == 'senior'")
    assert (len(blind), set(blind["annotator"]) <= {"a05", "a06"}, set(blind["pair_id"]) <= theirs) == (5, True, True)
    assert not planned(filled).duplicated(["pair_id", "annotator"]).any()
    assert command("review blind", "--pairs", 5)[0] == 0
    assert len(planned(filled).query("kind == 'senior'")) == 5
    assert "5 of 5 open" in command("review informed")[2]
    command("collect", "--file", rate(filled, path, truth))
    assert command("review informed")[0] == 0
    again = planned(filled).query("kind == 'review'")
    assert sorted(again["supersedes"]) == sorted(blind["assignment_id"])
    tasks = list_tasks(Campaign(OfCampaign(store=filled.root)))
    told = {task["votes"] for (number, _), many in tasks.items() if number == 3 for task in many}
    assert told <= {"The others: 0 · 3. You, the first time: 0.", "The others: 0 · 3. You, the first time: 3."}
    assert not any("votes" in task for (number, _), many in tasks.items() if number < 3 for task in many)
    silent = pd.read_csv(rate(filled, path, lambda *_: 1)).assign(comment="")
    silent.to_csv(tmp_path / "silent.csv", index=False)
    code, _, err = command("collect", "--file", tmp_path / "silent.csv")
    assert (code, "a reason (in the comment) for a senior's second look" in err, err.count("\n")) == (2, True, 1)
    command("collect", "--file", path)
    code, out, _ = command("adjudicate")
    assert code == 0
    assert "5 pairs decided by seniors" in out
    labels = filled.read(Labels).query("decided_by == 'senior'")
    assert (len(labels), labels["binary"].sum()) == (5, 0)
    campaign = Campaign(OfCampaign(store=filled.root))
    assert {one.title for one in list_projects(campaign) if one.round < 3} == closed(campaign)
    code, out, _ = command("adjudicate", "--method", "all")
    assert (code, set(filled.read(Labels)["method"])) == (0, set(get_args(Method)))


@pytest.mark.sweep
@pytest.mark.server
def test_seniors_are_shown_nothing_of_an_annotator_who_withdrew(filled, command, tmp_path, label_studio, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    at, path = f" --url {label_studio.running.url}", tmp_path / "r.csv"
    token = secrets.token_hex(4)
    people = tmp_path / "people.csv"
    rows = "".join(f"p{n}-{token}@x{NOBODYS_ADDRESS},\n" for n in range(4)) + f"s-{token}@x{NOBODYS_ADDRESS},senior\n"
    people.write_text("email,role\n" + rows)
    of = f" --campaign seen-{token}"
    assert command("plan --labels-per-pair 2 --pairs 12" + of + " --annotators", people)[0] == 0
    name = of.split()[1]

    def collect(comment):
        said = planned(filled, name).assign(submitted_at="2026-01-05T10:00:00Z", flags="")
        said["score"] = [3 * (who == "a01") for who in said["annotator"]]
        said["comment"] = [f"{comment} by {who}" for who in said["annotator"]]
        said[["assignment_id", "submitted_at", "score", "flags", "comment"]].to_csv(path, index=False)
        code, _, err = command("collect" + of + " --file", path)
        assert code == 0, err

    collect("why")
    assert command("review blind" + of)[0] == 0
    collect("why")
    assert command("review informed" + of)[0] == 0
    code, _, err = command("open" + of + at)
    assert code == 0, err
    database = label_studio.folder / "data" / environment.DATABASE

    def on_server(text):
        return any(text in str(row) for row in probes.rows(database).values())

    assert on_server("why by a01")
    code, _, err = command("withdraw a01" + of + at)
    assert code == 0, err
    assert not on_server("why by a01")
    assert on_server("why by a02")
