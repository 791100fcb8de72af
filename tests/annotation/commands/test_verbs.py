"""The verbs of a campaign as a lead types them, without a server: ratings come from files."""

import re
import stat
import zlib

import numpy as np
import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import list_tasks
from data.console import run
from data.manifest import Manifest
from data.store import Store
from data.tables.campaign import Annotators, Assignments, Ratings
from data.tables.labels import Labels, Quality, Verdicts
from data.tables.pairs import Pairs
from data.tables.removals import Rejects
from tests.annotation.frames import pairs

GOOD = ("a01", "a02", "a03", "a04", "a05", "a06")


@pytest.fixture
def filled(store):
    store.replace(Pairs, pairs(40), Manifest(stage="clustering"), generator="recommended")
    return store


@pytest.fixture
def command(filled, capsys):
    """Runs a verb; returns exit code, standard output and standard error."""

    def call(verb, *args):
        code = run(
            main, prog="python -m annotation", args=[*verb.split(), "--store", str(filled.root), *map(str, args)]
        )
        return code, *capsys.readouterr()

    return call


def planned(store, campaign="main"):
    return store.read(Assignments, campaign=campaign)


def rate(store, path, answer, campaign="main"):
    """A file with what `answer(annotator, pair number)` says of every assignment that has no rating yet.

    A senior's second look comes with a reason.
    """
    rows = planned(store, campaign)
    rows = rows[~rows["assignment_id"].isin(store.read(Ratings)["assignment_id"])]
    scores = [answer(name, int(pair, 16)) for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True)]
    said = pd.DataFrame({"assignment_id": rows["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z"})
    reasons = rows["kind"].map({"review": "because"}).fillna("")
    said.assign(score=scores, comment=reasons.to_numpy(object)).to_csv(path, index=False)
    return path


def six_good_two_bad(annotator, pair):
    """Truth for the good; the others say the contrary of three pairs in four."""
    truth = 3 * (pair % 2)
    return truth if annotator in GOOD or (pair + int(annotator[1:])) % 4 == 0 else 3 - truth


def at_random(annotator, pair):
    """A score that has to do with nothing, but is the same in every run."""
    return zlib.crc32(f"{annotator} {pair}".encode()) % 4


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


def test_ids_follow_from_the_campaigns_secret_key_and_the_plan_from_the_seed(filled, command, tmp_path):
    command("plan", "--annotators", 3)
    elsewhere = Store(tmp_path / "elsewhere")
    elsewhere.replace(Pairs, pairs(40), Manifest(stage="clustering"), generator="recommended")
    run(main, prog="python -m annotation", args=["plan", "--store", str(elsewhere.root), "--annotators", "3"])
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
    people.write_text("email,role,quota\na@x.org,,10\nb@x.org,,\nc@x.org,,\nd@x.org,senior,\ne@x.org,non_expert,\n")
    code, out, _ = command("plan", "--annotators", people)
    assert code == 0
    assert "1 non-experts" in out
    assert planned(filled)["annotator"].value_counts().to_dict() == {"a01": 10, "a02": 37, "a03": 37, "a04": 36}
    assert filled.read(Annotators)["role"].tolist() == ["expert"] * 3 + ["senior", "non_expert"]


def test_a_whole_campaign_from_files(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    assert command("plan", "--annotators", 8, "--seed", 4)[0] == 0
    code, out, _ = command("collect", "--file", rate(filled, path, six_good_two_bad))
    assert (code, "120 new ratings" in out) == (0, True)
    code, out, _ = command("collect", "--file", path)
    assert (code, "no new rating" in out) == (0, True)

    code, out, _ = command("quality")
    assert code == 0
    quality = filled.read(Quality).set_index(["round", "annotator", "measure"])["value"]
    low = {name for name in quality.loc[1].index.get_level_values(0) if quality[1, name, "kappa"] < 0.4}
    assert low == {"a07", "a08"}
    assert [line.split()[1] for line in out.splitlines() if line.endswith("low") and line.split()[0] == "1"] == sorted(
        low
    )
    version = filled.version(Quality)
    assert "up to date" in command("quality")[1]
    assert filled.version(Quality) == version

    code, out, _ = command("verdict")
    verdicts = filled.read(Verdicts).set_index("annotator")
    assert set(verdicts.index[verdicts["verdict"] == "careless"]) == {"a07", "a08"}
    assert (code, "2 of 8 are careless" in out) == (0, True)
    assert "up to date" in command("verdict")[1]

    theirs = planned(filled)[planned(filled)["annotator"].isin(low)]
    code, out, _ = command("reassign", "--dry-run")
    assert (code, "dry run: nothing written" in out) == (0, True)
    assert len(planned(filled)) == 120
    code, out, _ = command("reassign")
    assert code == 0
    new = planned(filled).query("round == 2")
    kept = filled.read(Rejects, stage="annotation.reassign.main")
    assert sorted([*new["supersedes"], *kept["id"]]) == sorted(theirs["assignment_id"])
    assert set(new["annotator"]) <= set(GOOD)
    assert not planned(filled).duplicated(["pair_id", "annotator"]).any()
    assert command("reassign")[0] == 0
    assert len(planned(filled)) == 120 + len(new)

    code, out, _ = command("adjudicate")
    assert f"{new['pair_id'].nunique()} pairs without a label: unresolved_missing_ratings" in out
    command("collect", "--file", rate(filled, path, six_good_two_bad))
    code, out, _ = command("adjudicate")
    assert code == 0
    labels, rejects = filled.read(Labels), filled.read(Rejects, stage="annotation.adjudicate.main")
    assert len(labels) + len(rejects) == 40
    right = labels["binary"] == [int(pair, 16) % 2 for pair in labels["pair_id"]]
    replaced = ~labels["pair_id"].isin(kept["detail"].str.removeprefix("pair "))
    assert right[replaced].all()
    assert (labels["n_votes"] == 3).all()
    before = filled.version(Labels)
    assert "up to date" in command("adjudicate")[1]
    assert filled.version(Labels) == before
    assert "next: python -m annotation adjudicate" in command("status")[1]


def test_nobody_above_the_threshold_stops_with_the_reason(filled, command, tmp_path):
    command("plan", "--annotators", 6)
    command("collect", "--file", rate(filled, tmp_path / "r.csv", at_random))
    command("quality")
    code, out, err = command("reassign", "--low-kappa", 0.9, "--high-kappa", 0.95)
    assert code == 1
    assert "findings: nobody's kappa is above 0.95" in err
    assert "fewer than 5 are good enough: 0 take the work" in out
    assert len(planned(filled)) == 120
    rejects = filled.read(Rejects, stage="annotation.reassign.main")
    assert set(rejects["reason"]) == {"nobody_qualifies"}
    kappas = filled.read(Quality).query("measure == 'kappa' and round == 1").set_index("annotator")["value"]
    low = planned(filled)[planned(filled)["annotator"].map(kappas) < 0.9]
    assert sorted(rejects["id"]) == sorted(low["assignment_id"])
    assert len(low) >= 80


def test_fewer_than_asked_for_take_the_work_and_it_is_said(filled, command, tmp_path):
    command("plan", "--annotators", 8)
    command("collect", "--file", rate(filled, tmp_path / "r.csv", six_good_two_bad))
    code, out, _ = command("reassign", "--best", 2, "--dry-run")
    assert code == 0
    assert "fewer than" not in out
    code, out, _ = command("reassign", "--best", 7)
    new = planned(filled).query("round == 2")
    assert code == 0
    assert re.search(r"fewer than 7 are good enough: [3-6] take the work", out)
    assert set(new["annotator"]) <= set(GOOD)
    assert len(new)


def test_open_pairs_hold_reassignment_back_unless_told_otherwise(filled, command, tmp_path):
    command("plan", "--annotators", 8)
    path = rate(filled, tmp_path / "r.csv", six_good_two_bad)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-7]))
    command("collect", "--file", path)
    code, _, err = command("reassign")
    assert code == 2
    assert "found 7 of 120 open" in err
    assert command("reassign", "--unfinished")[0] == 0
    assert (planned(filled)["round"] == 2).any()


def test_status_of_a_campaign_whose_server_does_not_run(filled, command):
    command("plan", "--annotators", 8)
    code, out, _ = command("status")
    assert code == 0
    assert "as last collected" in out
    assert "next: python -m annotation open" in out
    assert [line.split() for line in out.splitlines() if " all " in line] == [["1", "all", "0", "120"]]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["plan", "--annotators", "nobody.csv"], "error: nobody.csv: expected a number or a CSV file of annotators"),
        (["plan", "--annotators", "2"], "error: annotators: expected at least 3 of them"),
        (["plan", "--annotators", "0"], "error: --annotators: expected at least 1, found 0"),
        (["plan", "--annotators", "4", "--pairs", "41"], "error: --pairs: expected a number from 1 to 40"),
        (
            ["plan", "--annotators", "4", "--generator", "magic"],
            "error: --generator: expected recommended, found 'magic'",
        ),
        (["plan", "--annotators", "4", "--campaign", "../x"], "error: --campaign: expected small letters"),
        (["open"], "error: --campaign: expected a planned campaign (none is planned yet), found 'main'"),
        (["quality", "--campaign", "other"], "error: --campaign: expected a planned campaign"),
        (["collect"], "error: --campaign: expected a planned campaign"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(filled, command, args, message):
    before = {path for path in filled.root.rglob("*") if "locks" not in path.parts}
    code, _, err = command(*args)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert {path for path in filled.root.rglob("*") if "locks" not in path.parts} == before


def test_a_store_without_pairs_says_what_to_run(tmp_path, capsys):
    args = ["plan", "--store", str(tmp_path / "empty"), "--annotators", "3"]
    assert run(main, prog="python -m annotation", args=args) == 2
    assert (
        "table pairs: expected pairs to label, found none; make some first: python -m clustering"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "empty").exists()


def test_two_generators_ask_which(filled, command):
    filled.replace(Pairs, pairs(10, "paper"), Manifest(stage="clustering"), generator="paper")
    code, _, err = command("plan", "--annotators", 3)
    assert (code, "error: --generator: expected paper or recommended, found nothing" in err) == (2, True)
    assert command("plan", "--annotators", 3, "--generator", "paper")[0] == 0
    assert len(planned(filled)) == 30


def test_before_any_rating_the_judging_verbs_say_what_to_run(filled, command):
    command("plan", "--annotators", 3)
    for verb in ("quality", "reassign", "adjudicate"):
        code, _, err = command(verb)
        assert code == 2
        assert "expected ratings of campaign main, found no score; collect them first" in err


def test_a_score_of_five_is_refused_whole(filled, command, tmp_path):
    command("plan", "--annotators", 3)
    path = rate(filled, tmp_path / "r.csv", lambda name, pair: 5 if (name, pair) == ("a02", 3) else 1)
    code, _, err = command("collect", "--file", path)
    assert code == 2
    assert "expected a score of 0, 1, 2 or 3, found 5 (assignment " in err
    assert "annotator a02)" in err
    assert not filled.exists(Ratings)


def test_a_campaign_in_use_is_left_alone(filled, command):
    with filled.lock("annotation-main"):
        code, _, err = command("plan", "--annotators", 3)
    assert (code, "expected nobody else to run annotation-main" in err) == (2, True)
    assert not filled.exists(Assignments)
    assert command("plan", "--annotators", 3)[0] == 0


def test_an_address_without_a_key_or_without_a_server_is_one_line(filled, command, monkeypatch):
    command("plan", "--annotators", 3)
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    code, _, err = command("open", "--url", "http://127.0.0.1:9")
    assert (code, "API key in the environment variable LABEL_STUDIO_API_KEY" in err) == (2, True)
    code, _, err = command("open")
    assert (code, "expected the store's own Label Studio to run" in err) == (2, True)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "0" * 40)
    code, _, err = command("open", "--url", "http://127.0.0.1:9")
    assert (code, "http://127.0.0.1:9: expected Label Studio to answer" in err) == (2, True)


def test_a_pair_with_one_flag_gets_a_further_rater_and_with_two_none(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    command("plan", "--annotators", 8)
    rows = planned(filled)
    by_pair = rows.groupby("pair_id")["assignment_id"].agg(list)
    once, twice = by_pair.iloc[0][:1], by_pair.iloc[1][:2]
    rate(filled, path, lambda name, pair: 3 * (pair % 2))
    said = pd.read_csv(path)
    said["flags"] = ""
    flagged = said["assignment_id"].isin([*once, *twice])
    said["score"] = said["score"].astype("Int64").mask(flagged)
    said.loc[flagged, "flags"] = "ill_formed"
    said.to_csv(path, index=False)
    assert command("collect", "--file", path)[0] == 0
    code, out, _ = command("reassign")
    assert (code, "1 pairs with one flag: 1 get a further rater" in out) == (0, True)
    new = planned(filled).query("round == 2")
    assert new["pair_id"].to_list() == [by_pair.index[0]]
    assert new["supersedes"].isna().all()
    assert not planned(filled).duplicated(["pair_id", "annotator"]).any()
    assert command("reassign")[0] == 0
    assert len(planned(filled)) == 121
    command("collect", "--file", rate(filled, path, lambda name, pair: 3 * (pair % 2)))
    assert command("reassign")[0] == 0
    assert len(planned(filled)) == 121
    command("adjudicate")
    labels, rejects = filled.read(Labels), filled.read(Rejects, stage="annotation.adjudicate.main")
    assert labels.set_index("pair_id")["n_votes"].loc[by_pair.index[0]] == 3
    assert rejects.set_index("id")["reason"].to_dict() == {by_pair.index[1]: "unresolved_flagged"}


def test_who_leaves_gives_the_open_pairs_to_others_and_what_was_said_stays(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    command("plan", "--annotators", 8)
    mine = planned(filled).query("annotator == 'a03'").sort_values("position")["assignment_id"].to_list()
    rate(filled, path, lambda name, pair: 2)
    said = pd.read_csv(path)
    said[said["assignment_id"].isin(mine[:4])].to_csv(path, index=False)
    command("collect", "--file", path)
    assert command("pause", "a05")[0] == 0
    code, out, _ = command("release", "a03")
    assert code == 0
    assert f"{len(mine) - 4} of {len(mine) - 4} open pairs of a03 go to 6 others" in out
    rows = planned(filled)
    new = rows[rows["supersedes"].notna()]
    assert sorted(new["supersedes"]) == sorted(mine[4:])
    assert set(new["round"]) == {1}
    assert not {"a03", "a05"} & set(new["annotator"])
    assert new["annotator"].value_counts().max() <= 2
    assert not rows.duplicated(["pair_id", "annotator"]).any()
    assert not rows.duplicated(["annotator", "round", "position"]).any()
    code, out, _ = command("release", "a03")
    assert (code, "0 of 0 open pairs" in out) == (0, True)
    assert len(planned(filled)) == len(rows)
    assert "planned already" in command("plan", "--annotators", 8)[1]
    assert command("resume", "a05")[0] == 0
    states = filled.read(Annotators).sort_values("at").groupby("annotator")["state"].last()
    assert states[["a03", "a05", "a01"]].to_list() == ["left", "active", "active"]
    assert command("resume", "a03")[0] == 2
    code, _, err = command("release", "a77")
    assert code == 2
    assert "expected one of the annotators a01, a02" in err
    command("collect", "--file", rate(filled, path, lambda name, pair: 2))
    command("adjudicate")
    assert (filled.read(Labels)["n_votes"] == 3).all()


def test_checks_are_mixed_in_cannot_be_told_from_work_and_never_vote(filled, command, tmp_path):
    gold, path = tmp_path / "gold.csv", tmp_path / "ratings.csv"
    gold.write_text("pair_id,score\n" + "".join(f"{number:032x},{3 * (number % 2)}\n" for number in range(4)))
    shares = ["--gold-share", 0.2, "--repeat-share", 0.2, "--trap-share", 0.1]
    code, out, _ = command("plan", "--annotators", 8, "--gold", gold, *shares)
    assert code == 0
    assert "mixed in, not voting: 24 gold, 24 repeat, 8 trap" in out
    rows = planned(filled)
    work, checks = rows[rows["kind"] == "work"], rows[rows["kind"] != "work"]
    assert work["pair_id"].nunique() == 36
    assert not set(work["pair_id"]) & {f"{number:032x}" for number in range(4)}
    assert set(checks["kind"]) == {"gold", "repeat", "trap"}
    assert not work.duplicated(["annotator", "pair_id"]).any()
    assert sorted(rows.query("annotator == 'a01'")["position"]) == list(range(sum(rows["annotator"] == "a01")))
    first = work.set_index(["annotator", "pair_id"])["position"]
    repeats = checks[checks["kind"] == "repeat"].set_index(["annotator", "pair_id"])["position"]
    assert (repeats > first.reindex(repeats.index)).all()
    traps = checks[checks["kind"] == "trap"]
    assert len(traps)
    assert not len(traps.merge(work, on=["annotator", "pair_id"]))

    tasks = [task for part in list_tasks(Campaign(OfCampaign(store=filled.root))).values() for task in part]
    assert {frozenset(task) for task in tasks} == {frozenset(["assignment", "definition1", "definition2", "entity"])}
    by_id = {task["assignment"]: task for task in tasks}
    assert len(by_id) == len(rows)
    for one in traps.itertuples():
        task = by_id[one.assignment_id]
        number = int(one.pair_id, 16)
        shown = {task["definition1"], task["definition2"]}
        assert f"the first <b>wording</b> of number {number}" in shown
        assert f"another wording of number {number}" not in shown

    assert "planned already" in command("plan", "--annotators", 8, "--gold", gold, *shares)[1]
    command("collect", "--file", rate(filled, path, lambda name, pair: 3 if name != "a01" else 3 * (pair % 2)))
    out = command("quality")[1]
    quality = filled.read(Quality).query("round == 1").set_index(["annotator", "measure"])["value"]
    assert quality["a01", "gold_accuracy"] == quality["a01", "self_agreement"] == 1
    assert quality["a02", "trap_accuracy"] == 0
    scores = checks[(checks["kind"] == "gold") & (checks["annotator"] != "a01")]["pair_id"]
    assert quality["all", "gold_accuracy"] < 1
    assert quality["a02", "gold_accuracy"] in {n / 3 for n in range(4)}
    assert len(scores) == 21
    assert "trap_accuracy: " in out
    command("adjudicate")
    labels = filled.read(Labels)
    assert set(labels["pair_id"]) == set(work["pair_id"])
    assert (labels["n_votes"] == 3).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_id,score\nff,3\n", "line 2: expected a pair_id of this generator, found ff"),
        (f"pair_id,score\n{0:032x},7\n", "line 2: expected a score of 0, 1, 2 or 3, found 7"),
        (f"pair_id,score\n{0:032x},1\n{0:032x},3\n", "line 3: expected each pair_id once"),
        ("", "gold.csv: expected a CSV file of gold pairs"),
        ("a\n1\n", "expected the columns pair_id, score, found a"),
    ],
)
def test_gold_that_cannot_be_is_refused(filled, command, tmp_path, text, message):
    (tmp_path / "gold.csv").write_text(text)
    code, _, err = command("plan", "--annotators", 8, "--gold", tmp_path / "gold.csv")
    assert code == 2
    assert message in err
    assert not filled.exists(Assignments)


def test_low_by_the_verdict_and_further_raters_where_the_labels_are_least_sure(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    command("plan", "--annotators", 8, "--seed", 4)
    command("collect", "--file", rate(filled, path, six_good_two_bad))
    code, out, _ = command("reassign", "--low-by", "verdict", "--dry-run")
    assert code == 0
    assert "low (careless; skill): a07" in out
    assert re.search(r"30 ratings of \d+ pairs to replace: 30 new assignments", out)
    assert "cost: 30 labels" in out
    unsure = ("reassign", "--low-by", "verdict", "--relabel", "uncertain")
    assert "budget: 6 further ratings of the pairs least sure by dawid-skene-pooled" in command(*unsure, "--dry-run")[1]
    code, out, _ = command(*unsure, "--budget", 10)
    assert code == 0
    new = planned(filled).query("round == 2")
    assert (len(new), new["supersedes"].isna().all(), set(new["annotator"]) <= set(GOOD)) == (10, True, True)
    assert command(*unsure, "--budget", 10)[0] == 0
    assert len(planned(filled)) == 130
    command("collect", "--file", rate(filled, path, six_good_two_bad))
    assert command("adjudicate", "--method", "dawid-skene-scores")[0] == 0
    labels = filled.read(Labels, method="dawid-skene-scores")
    assert (labels["binary"] == [int(pair, 16) % 2 for pair in labels["pair_id"]]).all()


def test_where_everybody_is_below_the_threshold_nobody_replaces_anybody(filled, command, tmp_path):
    command("plan", "--annotators", 6)
    random = np.random.default_rng(3)
    command("collect", "--file", rate(filled, tmp_path / "r.csv", lambda *_: int(random.integers(4))))
    code, out, err = command("reassign", "--low-kappa", 0.99, "--high-kappa", 0.995)
    assert code == 1
    assert "120 nobody_qualifies" in out
    assert len(err.splitlines()) == 1
    assert "nobody's kappa is above 0.995" in err
    code, out, err = command("reassign", "--low-by", "verdict", "--careless-below", 0.95)
    assert (code, len(planned(filled))) == (1, 120)
    assert "nobody is careful by the verdict" in err
    assert command("verdict", "--careless-below", 0.95)[0] == 1
