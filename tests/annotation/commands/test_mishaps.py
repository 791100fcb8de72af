"""What goes wrong in a campaign, and its limits: one pair, one annotator, full quotas, commands that meet."""

import pandas as pd
import pytest

from annotation.commands.during import collect as collect_command
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels, Quality
from data.storage.manifest import Manifest
from data.texts.identity import file_digest
from tests.annotation.support.frames import at_random, planned, rate, six_good_two_bad

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("name", ["a", "a-name-of-thirty-one-characters"])
def test_a_campaign_may_have_any_name_that_is_allowed(store, command, tmp_path, name):
    where = ("--campaign", name)
    assert command("plan", "--annotators", 3, "--pairs", 4, *where)[0] == 0
    command("collect", "--file", rate(store, tmp_path / "r.csv", at_random, name), *where)
    for verb in ("status", "quality", "verdict", "adjudicate"):
        code, _, err = command(verb, *where)
        assert code in (0, 1), err
    assert command("pilot", "plan", "--annotators", 3, "--pairs", 4, *where)[0] == 0


@pytest.mark.parametrize("n", [1, 2])
def test_one_pair_and_one_annotator_are_a_campaign(store, command, tmp_path, n):
    assert command("plan", "--annotators", n, "--pairs", 1, "--labels-per-pair", n)[0] == 0
    command("collect", "--file", rate(store, tmp_path / "r.csv", lambda *_: 3))
    for verb in ("status", "quality", "verdict", "reassign", "adjudicate --method all"):
        code, _, err = command(*verb.split())
        assert code in (0, 1), err
    assert (store.read(Labels)["binary"] == 1).all()


def test_who_takes_open_pairs_of_two_rounds_stays_within_the_quota(store, command, tmp_path):
    people, path = tmp_path / "people.csv", tmp_path / "r.csv"
    people.write_text(
        "email,quota\na@x.parade.invalid,\nb@x.parade.invalid,\nc@x.parade.invalid,\nd@x.parade.invalid,12\n"
    )
    assert command("plan", "--annotators", people, "--pairs", 12, "--labels-per-pair", 2)[0] == 0
    command("collect", "--file", rate(store, path, lambda name, pair: 3 * (pair % 2)))
    n = planned(store)["annotator"].value_counts()["a04"]
    rows = planned(store).query("annotator == 'a01'")
    later = rows.assign(assignment_id=rows["assignment_id"] + "x", round=2, supersedes=rows["assignment_id"])
    more = later.assign(
        assignment_id=rows["assignment_id"] + "y", round=3, pair_id=[f"{n:032x}" for n in range(20, 26)]
    )
    store.append(Assignments, pd.concat([later, more.assign(supersedes=None)]), Manifest(stage="test"))
    for name in ("a02", "a03"):
        assert command("pause", name)[0] == 0
    code, out, _ = command("hand-over", "a01")
    assert (code, f"{12 - n} of 12 open pairs" in out, "quotas_used_up" in out) == (0, True, True)
    assert planned(store)["annotator"].value_counts()["a04"] == 12


def test_further_raters_of_flagged_pairs_stay_within_what_replacing_leaves_of_the_quotas(store, command, tmp_path):
    people, path = tmp_path / "people.csv", tmp_path / "r.csv"
    people.write_text("email,quota\n" + "".join(f"{one}@x.parade.invalid,17\n" for one in "abcdefgh"))
    assert command("plan", "--annotators", people, "--seed", 4, "--pairs", 40)[0] == 0
    rate(store, path, six_good_two_bad)
    said = pd.read_csv(path, dtype=str, keep_default_na=False).assign(flags="")
    rows = planned(store).set_index("assignment_id").loc[said["assignment_id"]].reset_index()
    by_good = rows[rows.groupby("pair_id")["annotator"].transform("max") <= "a06"].drop_duplicates("pair_id").index
    said.loc[by_good, ["score", "flags"]] = ["", "ill_formed"]
    said.to_csv(path, index=False)
    assert command("collect", "--file", path)[0] == 0
    code, out, _ = command("reassign")
    assert (code, "get a further rater" in out) == (0, True), out
    assert planned(store)["annotator"].value_counts().max() == 17


def test_a_withdrawal_while_answers_are_on_the_way_keeps_them_out(store, command, tmp_path, monkeypatch):
    command("plan", "--annotators", 5, "--pairs", 6)
    path = rate(store, tmp_path / "r.csv", at_random)

    def digest_slowly(file):  # what comes after the ratings are read
        assert command("withdraw", "a02")[0] == 0
        return file_digest(file)

    monkeypatch.setattr(collect_command, "file_digest", digest_slowly)
    code, out, _ = command("collect", "--file", path)
    assert (code, "people who withdrew are skipped" in out) == (0, True)
    said = store.read(Ratings).merge(planned(store), on="assignment_id")
    assert set(said["annotator"]) == {"a01", "a03", "a04", "a05"}


def test_who_withdrew_is_in_no_measure_and_who_had_nothing_to_do_changes_none(store, command, tmp_path):
    people, path = tmp_path / "people.csv", tmp_path / "r.csv"
    people.write_text(
        "email,role\n" + "".join(f"{one}@x.parade.invalid,\n" for one in "abcde") + "f@x.parade.invalid,non_expert\n"
    )
    command("plan", "--annotators", people, "--trap-share", 0.2)
    command("collect", "--file", rate(store, path, at_random))
    command("quality")
    before = store.read(Quality)
    assert command("withdraw", "a06")[0] == 0
    code, out, err = command("quality")
    assert (code, "mean kappa" in out) == (0, True), err
    assert store.read(Quality).equals(before)
    assert command("withdraw", "a02")[0] == 0
    code, out, _ = command("quality")
    assert (code, "a01" in out, "a02" in out) == (0, True, False)
    assert "a02" not in set(store.read(Quality)["annotator"])
    assert command("status", "--page", tmp_path / "status.html")[0] == 0
    assert "a02" not in (tmp_path / "status.html").read_text()


def test_pilot_and_campaign_wait_for_each_other_since_they_share_their_people(store, command):
    with store.lock("annotation-main"):
        code, _, err = command("pilot", "plan", "--annotators", 3, "--pairs", 4)
    assert (code, "expected no other run of annotation-main here" in err) == (2, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["forecast", "--kinds", "good:1", "--pairs", 10, "--pace", 9], "--annotators: expected at least 2"),
        (["simulate", "--pairs-each", 0], "--pairs-each: expected at least 1, found 0"),
        (["review", "blind", "--pairs", 0], "--pairs: expected at least 1, found 0"),
        (["plan", "--annotators", 4, "--gold", "all.csv"], "pairs: expected some that are in no plan"),
        (["pilot", "settle", "none.csv"], "none.csv: expected the completed discussion.csv, found nothing there"),
        (["status", "--page", "."], "expected to read or write there, found Is a directory"),
    ],
)
def test_what_cannot_be_done_is_one_line(command, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text("pair_id,score\n" + "".join(f"{number:032x},1\n" for number in range(60)))
    if args[0] != "plan":
        command("pilot", "plan", "--annotators", 3, "--pairs", 4)
        command("plan", "--annotators", 3)
    code, _, err = command(*args)
    assert (code, message in err, err.count("\n")) == (2, True, 1), err
