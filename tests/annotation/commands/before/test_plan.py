"""What a plan writes: assignments, accounts, plan and gold, once; and what it refuses."""

import stat

import pytest

from annotation.__main__ import main
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import list_tasks
from annotation.questions.declarations import shipped_question
from data.contract.questions import from_content
from data.contract.tables.campaign import Annotators, Assignments
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.guidance.next_steps import next_steps
from data.guidance.state import State
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs, planned, rate


@pytest.mark.sweep
def test_a_plan_is_written_once(filled, command):
    code, out, _ = command("plan", "--annotators", 8, "--pairs", 30)
    assert code == 0
    rows = planned(filled)
    assert len(rows) == 90
    assert rows["pair_id"].nunique() == 30
    assert set(rows["annotator"].value_counts()) == {11, 12}
    assert "next: python -m annotation open" in out
    assert len(filled.read(Annotators)) == 8
    code, out, _ = command("plan", "--annotators", 8, "--pairs", 30)
    assert code == 0
    assert "planned already" in out
    assert "nothing added" in out
    assert planned(filled).equals(rows)
    assert len(filled.read(Annotators)) == 8


@pytest.mark.sweep
def test_the_plan_and_its_gold_are_rows_and_other_scores_are_another_plan(filled, command, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text(f"pair_id,score\n{0:032x},3\n{1:032x},0\n")
    asked = ["plan", "--annotators", 8, "--pairs", 30, "--gold", gold, "--seed", 5]
    assert command(*asked)[0] == 0
    row = filled.read(Campaigns).to_dict("records")[0]
    del row["at"]
    assert from_content(row.pop("question_content")) == shipped_question()
    assert row == shipped_question().identity | {
        "campaign": "main", "study": "main", "arm": "main", "generator": "recommended",
        "scale": "0-3", "labels_per_pair": 3, "show_entity": True,
        "pairs": 30, "gold_share": 0.05, "repeat_share": 0.0, "trap_share": 0.0, "seed": 5, "items_from": None,
        "double_share": None, "allocate": "fixed", "rule": None, "target": None, "budget": None, "random_share": None,
    }  # fmt: skip
    assert filled.read(Gold)[["pair_id", "score", "source"]].to_numpy().tolist() == [
        [f"{0:032x}", 3, "file"],
        [f"{1:032x}", 0, "file"],
    ]
    for manifest in filled.history(Assignments):
        assert f"{0:032x}" not in str(manifest)
    assert "planned already" in command(*asked)[1]
    assert (filled.version(Campaigns), filled.version(Gold)) == (0, 0)
    gold.write_text(f"pair_id,score\n{0:032x},3\n{1:032x},1\n")
    code, _, err = command(*asked)
    assert (code, "found others (question, annotators, pairs, ratings, gold" in err) == (2, True)
    assert filled.read(Gold)["score"].to_list() == [3, 0]


@pytest.mark.sweep
def test_a_plan_that_was_stopped_before_its_assignments_can_still_be_changed(filled, command, monkeypatch):
    append = Store.append

    def stop(store, table, *rest):
        if table is Assignments:
            raise KeyboardInterrupt
        return append(store, table, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", stop)
        assert command("plan", "--annotators", 8, "--seed", 1)[0] == 130
    assert command("plan", "--annotators", 8, "--seed", 2, "--no-show-entity")[0] == 0
    campaign = Campaign(OfCampaign(store=filled.root))
    assert (campaign.plan["seed"], campaign.plan["show_entity"]) == (2, False)


@pytest.mark.sweep
def test_a_planned_campaign_takes_no_other_plan_and_another_campaign_does(filled, command):
    asked = ["plan", "--annotators", 8, "--pairs", 30]
    command(*asked)
    rows = planned(filled)
    for other in (
        ["--pairs", 31],
        ["--annotators", 7],
        ["--annotators", 9],
        ["--seed", 2],
        ["--labels-per-pair", 2],
        ["--no-show-entity"],
    ):
        code, _, err = command(*asked, *other)
        assert code == 2, other
        assert "error: campaign main: expected the arguments that it was planned with" in err
        assert "--campaign" in err
        assert planned(filled).equals(rows)
        assert len(filled.read(Annotators)) == 8
    assert command(*asked, "--seed", 2, "--campaign", "second")[0] == 0
    assert planned(filled).equals(rows)
    assert len(planned(filled, "second")) == 90


@pytest.mark.sweep
def test_ids_follow_from_the_campaigns_secret_key_and_the_plan_from_the_seed(filled, command, tmp_path):
    command("plan", "--annotators", 3)
    elsewhere = Store(tmp_path / "elsewhere")
    elsewhere.replace(Pairs, pairs(40), Manifest(stage="clustering"), generator="recommended")
    main(["plan", "--store", str(elsewhere.root), "--annotators", "3"])
    order = ["annotator", "position"]
    here, there = (planned(one).sort_values(order, ignore_index=True) for one in (filled, elsewhere))
    decided = ["pair_id", *order, "flipped"]
    assert here[decided].equals(there[decided])
    assert not set(here["assignment_id"]) & set(there["assignment_id"])


def test_secrets_are_in_no_table_or_manifest(filled, command, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("email,role,quota\nann@example.org,senior,40\nbob@example.org,,\neve@example.org,,\n")
    code, out, _ = command("plan", "--annotators", people)
    assert code == 0
    private = filled.root / "private" / "main-accounts.json"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert "ann@example.org" in private.read_text()
    assert "example.org" not in out
    for path in filled.root.rglob("*"):
        if path.is_file() and path.parent != private.parent:
            assert b"example.org" not in path.read_bytes()


def test_quotas_hold_and_non_experts_get_no_pairs(filled, command, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text(
        "email,role,quota\na@x.parade.invalid,,10\nb@x.parade.invalid,,\nc@x.parade.invalid,,\nd@x.parade.invalid,senior,\ne@x.parade.invalid,non_expert,\n"
    )
    code, out, _ = command("plan", "--annotators", people)
    assert code == 0
    assert "1 non-experts" in out
    assert planned(filled)["annotator"].value_counts().to_dict() == {"a01": 10, "a02": 37, "a03": 37, "a04": 36}
    assert filled.read(Annotators)["role"].tolist() == ["expert"] * 3 + ["senior", "non_expert"]


def test_a_store_without_pairs_says_what_to_run(tmp_path, capsys):
    args = ["plan", "--store", str(tmp_path / "empty"), "--annotators", "3"]
    assert main(args) == 2
    assert (
        "table pairs: expected pairs to label, found none; make some first: python -m clustering propose"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "empty").exists()


def test_two_generators_ask_which(filled, command):
    filled.replace(Pairs, pairs(10, "paper"), Manifest(stage="clustering"), generator="paper")
    code, _, err = command("plan", "--annotators", 3)
    assert (code, "error: --generator: expected paper or recommended, found nothing" in err) == (2, True)
    assert command("plan", "--annotators", 3, "--generator", "paper")[0] == 0
    assert len(planned(filled)) == 30


def test_a_campaign_in_use_is_left_alone(filled, command):
    with filled.lock("annotation-main"):
        code, _, err = command("plan", "--annotators", 3)
    assert (code, "expected no other run of annotation-main here" in err) == (2, True)
    assert not filled.exists(Assignments)
    assert command("plan", "--annotators", 3)[0] == 0


def test_the_page_of_a_pair_of_two_entities_shows_both_whichever_definition_is_first(store, command):
    rows = pairs(20).assign(entity="type 2 diabetes", second_entity="type 1 diabetes", cluster=None)
    store.replace(Pairs, rows, Manifest(stage="clustering"), generator="recommended")
    assert command("plan", "--annotators", 3)[0] == 0
    assert planned(store)["flipped"].nunique() == 2
    lists = list_tasks(Campaign(OfCampaign(store=store.root))).values()
    assert {task["entity"] for tasks in lists for task in tasks} == {"type 1 diabetes | type 2 diabetes"}


@pytest.mark.sweep
def test_any_legal_name_is_just_a_name(filled, command, tmp_path):
    for name, other in (("quality-control", "quality"), ("x-pilot", "x")):
        assert command("plan --annotators 3 --pairs 4 --campaign", other)[0] == 0
        assert command("plan --annotators 3 --pairs 5 --campaign", name)[0] == 0
        campaign, own = (Campaign(OfCampaign(store=filled.root, campaign=one)) for one in (name, other))
        assert (campaign.study, campaign.arm) == (name, "main")
        assert campaign.lock != own.lock
        assert set(campaign.emails().values()).isdisjoint(own.emails().values())
        ratings = rate(filled, tmp_path / "ratings.csv", lambda *_: 1, name)
        assert command("collect --file", ratings, "--campaign", name)[0] == 0
        assert State(filled).worked_on_last[-1] == name
        assert next_steps(filled)[0].startswith(f"python -m annotation quality --campaign {name} ")


@pytest.mark.sweep
def test_an_arm_gets_a_free_name_and_keeps_it(filled, command):
    assert command("plan --annotators 3 --pairs 4 --campaign x-pilot")[0] == 0
    assert "as campaign x-pilot-2" in command("pilot plan --annotators 3 --pairs 5 --campaign x")[1]
    rows = filled.read(Campaigns).set_index("campaign")
    assert rows.loc["x-pilot-2", ["study", "arm"]].to_list() == ["x", "pilot"]
    assert rows.loc["x-pilot", ["study", "arm"]].to_list() == ["x-pilot", "main"]
    code, _, err = command("plan --annotators 3 --pairs 4 --campaign x-pilot-2")
    assert (code, "--campaign: expected the name of no pilot and no control arm, found x-pilot-2" in err) == (2, True)
