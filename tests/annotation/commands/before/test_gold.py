"""Pairs that check annotators: mixed into the work, never told apart from it, never a vote."""

import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import list_tasks
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels, Quality
from tests.annotation.support.frames import planned, rate


@pytest.mark.sweep
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
    out = command("adjudicate")[1]
    assert "right on the 4 gold pairs, with as many votes as other pairs have:" in out
    assert "  majority             50% (15%–85%)\n" in out
    assert "difference from the majority within chance (p = 1.00)" in out
    labels = filled.read(Labels)
    assert set(labels["pair_id"]) == set(work["pair_id"])
    assert (labels["n_votes"] == 3).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_id,score\nff,3\n", "line 2: expected a pair_id of this generator, found ff"),
        (f"pair_id,score\n{0:032x},7\n", "line 2: expected a score of 0, 1, 2 or 3, found 7"),
        (f"pair_id,score\n{0:032x},1\n{0:032x},3\n", "line 3: expected each pair_id once"),
        ("", "gold.csv: expected a sheet of gold pairs"),
        ("a\n1\n", "expected the columns pair_id, score, found a"),
    ],
)
def test_gold_that_cannot_be_is_refused(filled, command, tmp_path, text, message):
    (tmp_path / "gold.csv").write_text(text)
    code, _, err = command("plan", "--annotators", 8, "--gold", tmp_path / "gold.csv")
    assert code == 2
    assert message in err
    assert not filled.exists(Assignments)


def test_a_small_share_mixes_at_least_one_gold_pair_into_everybodys_work(filled, command, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("Pair_ID,Score\n" + "".join(f"{number:032x},3.0\n" for number in range(3)))
    code, out, _ = command("plan", "--annotators", 10, "--pairs", 25, "--gold", gold)
    assert code == 0
    assert "mixed in, not voting: 10 gold" in out
    rows = planned(filled)
    assert rows[rows["kind"] == "gold"]["annotator"].value_counts().to_list() == [1] * 10
