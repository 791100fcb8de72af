"""A person who withdraws: nothing of what was said is left, anywhere, and others label it again."""

import sqlite3
from contextlib import closing

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import title
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from data.console.errors import ServerError
from data.contract import register
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Quality
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.removals import Rejects, Tombstones
from data.storage.manifest import Manifest
from tests.annotation.support import probes
from tests.annotation.support.frames import pairs
from tests.annotation.support.probes import labelled

MARK = "the words of one who withdrew"


@pytest.fixture
def command(store, capsys):
    """Runs a verb on the campaign `leaving`; returns exit code, standard output and standard error."""
    store.replace(Pairs, pairs(12), Manifest(stage="clustering"), generator="recommended")

    def call(*args):
        where = ["--store", str(store.root), "--campaign", "leaving"]
        code = main([*map(str, args), *where])
        return code, *capsys.readouterr()

    return call


def rate(store, path, score=lambda name, pair: pair % 4):
    rows = store.read(Assignments)
    rows = rows[~rows["assignment_id"].isin(store.read(Ratings)["assignment_id"])]
    scores = [score(name, int(pair, 16)) for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True)]
    said = pd.DataFrame(
        {"assignment_id": rows["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z", "score": scores}
    )
    said = said.assign(comment=[MARK if one == "a02" else "" for one in rows["annotator"]], seconds=400)
    said.to_csv(path, index=False)
    return path


def held(store):
    """Whether the mark is in any file of the store; Parquet is compressed, so tables are read too."""
    tables = any(MARK in store.read(table).to_string() for table in register.TABLES if store.exists(table))
    return tables or any(MARK.encode() in path.read_bytes() for path in store.root.rglob("*") if path.is_file())


def test_answers_of_a_round_that_is_over_are_given_again_too(store, command, tmp_path):
    assert command("plan", "--annotators", 5)[0] == 0
    said = pd.read_csv(rate(store, tmp_path / "ratings.csv"))
    asked = store.read(Assignments).set_index("assignment_id")["annotator"]
    by = said["assignment_id"].map(asked)
    said[(by == "a02") | (said.groupby(by).cumcount() < 2)].to_csv(tmp_path / "ratings.csv", index=False)
    assert command("collect", "--file", tmp_path / "ratings.csv")[0] == 0
    (tmp_path / "guide.md").write_text("# Another\n\nVersion 2\n\nScore.\n")
    assert "go to a new round" in command("guide", tmp_path / "guide.md")[1]
    code, out, err = command("withdraw", "a02")
    assert code == 0, err
    assert f"{(asked == 'a02').sum()} pairs have to be labelled again" in out


@pytest.mark.sweep
def test_nothing_that_was_said_is_left_and_others_say_it_again(store, command, tmp_path):
    assert command("plan", "--annotators", 5)[0] == 0
    path = rate(store, tmp_path / "ratings.csv")
    for verb in (["collect", "--file", path], ["quality"], ["verdict"], ["adjudicate"]):
        assert command(*verb)[0] in (0, 1), verb
    before, plan = store.read(Assignments), store.read(Campaigns)
    own = set(before.loc[before["annotator"] == "a02", "assignment_id"])
    refused = before.groupby("annotator").head(1).loc[:, ["assignment_id", "annotator"]]
    rejects = pd.DataFrame({"id": refused["assignment_id"], "at": pd.Timestamp("2026-01-05", tz="UTC")})
    rejects = rejects.assign(reason="empty", detail=[MARK if one == "a02" else "" for one in refused["annotator"]])
    store.reject("annotation.collect", rejects, Manifest(stage="annotation.collect"), part="leaving")
    assert held(store)
    n_files = len(list((store.root / "ratings").glob("*.parquet")))
    code, out, err = command("withdraw", "a02")
    assert code == 0, err
    assert f"{len(own)} collected ratings" in out
    assert f"{len(own)} pairs have to be labelled again" in out
    assert f"{len(own)} ratings and {len(own) * 300 / 3600:.2f} hours stay in the pay list" in out
    assert not held(store)
    assert len(list((store.root / "ratings").glob("*.parquet"))) <= n_files
    assert not set(store.read(Ratings)["assignment_id"]) & own
    assert set(store.read(Rejects, stage="annotation.collect")["id"]) == set(refused["assignment_id"]) - own
    assert store.read(Labels).empty
    assert store.read(Quality).empty
    assert store.read(Campaigns).equals(plan)
    after = store.read(Assignments)
    new = after[~after["assignment_id"].isin(before["assignment_id"])]
    assert set(new["supersedes"]) == own
    assert "a02" not in set(new["annotator"])
    assert not after.duplicated(["pair_id", "annotator"]).any()
    assert store.read(Tombstones)[["kind", "study", "id"]].to_numpy().tolist() == [["annotator", "leaving", "a02"]]

    code, out, _ = command("collect", "--file", path)
    assert (code, "people who withdrew are skipped" in out, "no new rating" in out) == (0, True, True)
    code, out, _ = command("withdraw", "a02")
    assert (code, f"{len(own)} ratings and {len(own) * 300 / 3600:.2f} hours stay in the pay list" in out) == (0, True)
    assert len(store.read(Assignments)) == len(after)
    rate(store, tmp_path / "again.csv")
    assert command("collect", "--file", tmp_path / "again.csv")[0] == 0
    assert command("adjudicate")[0] == 0
    labels = store.read(Labels)
    assert len(labels) == 12
    assert set(labels["n_votes"]) == {3}
    status = command("status")[1]
    assert "a02" not in status
    assert command("pay", "--out", tmp_path / "pay.csv", "--per-hour", 12)[0] == 0
    paid = pd.read_csv(tmp_path / "pay.csv").set_index("annotator")
    assert paid.loc["a02", ["ratings", "hours", "amount"]].to_list() == [len(own), round(len(own) / 12, 3), len(own)]
    assert MARK not in (tmp_path / "pay.csv").read_text()


@pytest.mark.sweep
def test_a_senior_who_withdraws_takes_the_decisions_along_and_the_pairs_go_to_another(store, command, tmp_path):
    people, path = tmp_path / "people.csv", tmp_path / "r.csv"
    people.write_text(
        "email,role\n" + "".join(f"p{n}@x.parade.invalid,\n" for n in range(3)) + "s1@x.parade.invalid,senior\n"
    )
    assert command("plan", "--annotators", people, "--labels-per-pair", 2)[0] == 0
    disputing = lambda name, pair: 3 * (name in ("a01", "a03"))  # noqa: E731
    assert command("collect", "--file", rate(store, path, disputing))[0] == 0
    assert command("review", "blind")[0] == 0
    assert command("collect", "--file", rate(store, path))[0] == 0
    n = len(store.read(Assignments).query("kind == 'senior'"))
    assert n > 0
    assert command("review", "informed")[0] == 0
    said = pd.read_csv(rate(store, path)).assign(comment="because")
    said.to_csv(path, index=False)
    assert command("collect", "--file", path)[0] == 0
    code, out, err = command("withdraw", "a04")
    assert (code, f"{n} pairs lose a senior's decision" in out) == (0, True), err
    code, _, err = command("review", "blind")
    assert (code, "active annotators with the role senior" in err) == (2, True)
    assert "none planned" in command("review", "informed")[2]


@pytest.mark.parametrize("name", ["a09", "", "../a01"])
def test_an_unknown_annotator_is_one_line(command, name):
    command("plan", "--annotators", 4)
    code, _, err = command("withdraw", name)
    assert (code, "expected one of the annotators a01, a02, a03, a04" in err, err.count("\n")) == (2, True, 1)


@pytest.mark.sweep
def test_the_server_forgets_too(store, command, label_studio, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    there, database = ("--url", label_studio.running.url), label_studio.folder / "data" / environment.DATABASE
    assert command("plan", "--annotators", 4, "--pairs", 4)[0] == 0
    assert command("open", *there)[0] == 0
    campaign = Campaign(OfCampaign(store=store.root, campaign="leaving"))
    leaver, other = accounts.read_accounts(store.root, "leaving")[1:3]
    say_it(label_studio, leaver, MARK)
    say_it(label_studio, other, "the words of somebody else")
    assert command("collect", *there)[0] == 0
    assert held(store)
    assert any(MARK in str(row) for row in probes.rows(database).values())
    code, out, err = command("withdraw", leaver.annotator, *there)
    assert code == 0, err
    assert "1 collected ratings and 1 answers on the server are deleted" in out
    assert not held(store)
    assert not any(MARK in str(row) for row in probes.rows(database).values())
    assert any("the words of somebody else" in str(row) for row in probes.rows(database).values())
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert MARK.encode() not in database.read_bytes()
    with Sitting(label_studio.running.url, leaver) as sitting, pytest.raises(ServerError):
        sitting.sign_in()
    assert leaver.email not in (store.root / "private" / "leaving-accounts.json").read_text()
    assert command("open", *there)[0] == 0
    assert title(campaign, 1, leaver.annotator) not in label_studio.client.projects()
    assert command("collect", *there)[0] == 0
    assert not held(store)


def test_no_ones_projects_are_deleted_in_another_s_name(label_studio):
    owner, other = label_studio.account(), label_studio.account()
    task = {"assignment": "x", "definition1": "a", "definition2": "b", "entity": "c"}
    project = label_studio.project([task], owner)
    with pytest.raises(ServerError, match="projects of this person alone"):
        label_studio.client.withdraw([project], other.email, close=True)
    assert project in label_studio.client.projects().values()
    for account in (owner, other):
        with Sitting(label_studio.running.url, account) as sitting:
            sitting.sign_in()
            body = {"projects": [project], "email": owner.email, "close": True}
            assert sitting._browser.post("/parade/withdraw", json=body).status_code == 403


@pytest.mark.sweep
def test_who_is_forgotten_is_deleted_again_after_a_restored_backup(label_studio):
    """The address is not known any more; the projects are one person's."""
    owner, other, forgotten = label_studio.account(), label_studio.account(), "a02@withdrawn.parade.invalid"
    task = {"assignment": "x", "definition1": "a", "definition2": "b", "entity": "c"}
    project, foreign = (label_studio.project([task], one) for one in (owner, other))
    with pytest.raises(ServerError, match="projects of this person alone"):
        label_studio.client.withdraw([project, foreign], forgotten, close=True)
    say_it(label_studio, owner, MARK)
    assert label_studio.client.withdraw([project], forgotten, close=True) == 1
    assert project not in label_studio.client.projects().values()
    assert foreign in label_studio.client.projects().values()
    with Sitting(label_studio.running.url, owner) as sitting, pytest.raises(ServerError):
        sitting.sign_in()


def say_it(label_studio, account: Account, words: str) -> None:
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in()
        ((number, _),) = sitting.projects().values()
        task = sitting.next_task(number)["id"]
        sitting._json("POST", f"/api/tasks/{task}/annotations?project={number}", labelled(words))
