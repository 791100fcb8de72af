"""Low annotators and unsure pairs: what is rated again, by whom, and what is refused."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from analysis.statistics.funnel import trace
from annotation.commands.after import reassign, verdict
from annotation.config import settings
from data.contract.stages import STAGES
from data.contract.tables.labels import Labels, Quality
from data.contract.tables.removals import Rejects
from data.guidance.look.figures import describe_campaign
from data.labelled.label_set import LabelSet
from data.recorded.plans import read_plans
from tests.annotation.support.frames import GOOD, at_random, planned, rate, six_good_two_bad

pytestmark = pytest.mark.sweep


def test_no_one_above_the_threshold_stops_with_the_reason(filled, command, tmp_path):
    command("plan", "--annotators", 6)
    command("collect", "--file", rate(filled, tmp_path / "r.csv", at_random))
    command("quality")
    code, out, err = command("reassign", "--low-kappa", 0.9, "--high-kappa", 0.95)
    assert code == 1
    assert "findings: no annotator's kappa is above 0.95" in err
    assert "fewer than 5 are good enough: 0 take the work" in out
    assert len(planned(filled)) == 120
    rejects = filled.read(Rejects, stage="annotation.reassign", part="main")
    assert set(rejects["reason"]) == {"none_qualifies"}
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
    command("collect", "--file", rate(filled, tmp_path / "again.csv", six_good_two_bad))
    found = command("quality")[1]
    (before,) = re.findall(r"Fleiss' kappa ([-0-9.]+) .*: before (\d+) of 120 answers \(\d+%\) were replaced", found)
    (after,) = re.findall(r"Fleiss' kappa ([-0-9.]+) .*: of the votes that count now", found)
    assert (float(before[0]) < float(after), int(before[1])) == (True, len(new))
    (line,) = [line for line in found.splitlines() if line.split()[:2] == ["all", "all"]]
    assert line.split()[6] == "–", "alpha is of the votes that count, the others of all votes"
    status = command("status", "--page", tmp_path / "status.html")[1]
    assert f"Fleiss' kappa before {len(new)} of 120 answers were replaced: {float(before[0]):.2f}" in status


def test_open_pairs_hold_reassignment_back_unless_told_otherwise(filled, command, tmp_path):
    command("plan", "--annotators", 8)
    first, path = planned(filled), rate(filled, tmp_path / "r.csv", six_good_two_bad)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-7]))
    command("collect", "--file", path)
    code, _, err = command("reassign")
    assert code == 2
    assert "found 7 of 120 open" in err
    assert command("adjudicate")[0] == 1
    code, out, _ = command("reassign", "--unfinished")
    assert (code, "7 open answers are void: the round is over" in out) == (0, True)
    assert (planned(filled)["round"] == 2).any()
    second = pd.read_csv(rate(filled, path, six_good_two_bad))
    second[~second["assignment_id"].isin(first["assignment_id"])].to_csv(path, index=False)
    command("collect", "--file", path)
    code, out, _ = command("quality")
    assert (code, "python -m annotation reassign" in out) == (0, False)
    code, out, _ = command("adjudicate")
    assert (code, "missing" in out) == (0, False), "what was open in the first round when it was closed is void"


def test_a_round_that_closes_those_before_waits_for_their_open_answers(filled, command, tmp_path):
    command("plan", "--annotators", 8, "--allocate", "majority-decided", "--random-share", 0.6)
    assert "get a further rater" in command("collect", "--file", rate(filled, tmp_path / "r.csv", six_good_two_bad))[1]
    n_open = len(planned(filled).query("round == 2"))
    code, _, err = command("reassign")
    assert (code, f"found {n_open} of {len(planned(filled))} open" in err) == (2, True)
    command("collect", "--file", rate(filled, tmp_path / "s.csv", six_good_two_bad))
    assert command("reassign")[0] == 0
    assert planned(filled)["supersedes"].notna().any()


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
    assert (code, "1 pair with one flag: 1 gets a further rater" in out) == (0, True)
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
    labels, rejects = filled.read(Labels), filled.read(Rejects, stage="annotation.adjudicate", part="main")
    assert labels.set_index("pair_id")["n_votes"].loc[by_pair.index[0]] == 3
    assert rejects.set_index("id")["reason"].to_dict() == {by_pair.index[1]: "unresolved_flagged"}
    assert command("adjudicate", "--method", "dawid-skene")[0] == 0
    both = filled.read(Rejects, ["id", "method"], stage="annotation.adjudicate", part="main")
    assert both["id"].to_list() == [by_pair.index[1]] * 2
    assert both["method"].to_list() == ["dawid-skene", "majority"]
    plans = read_plans(filled)
    for method in ("majority", "dawid-skene"):
        steps = trace(filled, LabelSet(method=method), plans, {})
        assert next(step for step in steps if step["step"] == "labelled")["rejects"] == {"unresolved_flagged": 1}
    assert {step["step"] for step in steps} <= {stage.name for stage in STAGES}
    assert describe_campaign(filled, plans, "main")["unlabelled"] == {"unresolved_flagged": 1}


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
    code, out, _ = command(*unsure, "--limit", 10)
    assert code == 0
    new = planned(filled).query("round == 2")
    assert (len(new), new["supersedes"].isna().all(), set(new["annotator"]) <= set(GOOD)) == (10, True, True)
    assert command(*unsure, "--limit", 10)[0] == 0
    assert len(planned(filled)) == 130
    command("collect", "--file", rate(filled, path, six_good_two_bad))
    assert command("adjudicate", "--method", "dawid-skene-scores")[0] == 0
    labels = filled.read(Labels, method="dawid-skene-scores")
    assert (labels["binary"] == [int(pair, 16) % 2 for pair in labels["pair_id"]]).all()


def test_where_all_are_below_the_threshold_no_one_is_replaced(filled, command, tmp_path, monkeypatch):
    command("plan", "--annotators", 6)
    command("collect", "--file", rate(filled, tmp_path / "r.csv", at_random))
    code, out, err = command("reassign", "--low-kappa", 0.99, "--high-kappa", 0.995)
    assert code == 1
    assert "120 none_qualifies" in out
    assert len(err.splitlines()) == 1
    assert "no annotator's kappa is above 0.995" in err
    for module in (reassign, verdict):
        monkeypatch.setattr(module, "settings", lambda *given: replace(settings(*given), careless_below=0.95))
    code, out, err = command("reassign", "--low-by", "verdict")
    assert (code, len(planned(filled))) == (1, 120)
    assert "no annotator is careful by the verdict" in err
    assert command("verdict")[0] == 1
