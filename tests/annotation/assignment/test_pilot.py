"""A pilot from the plan to gold and examples, without a server: ratings come from files."""

import pandas as pd
import pytest

from annotation.campaign.documents import default_guide
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels, Verdicts
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest


@pytest.fixture
def rated(store, command, tmp_path):
    """A pilot of four on ten pairs: they split on pairs 0 and 1 of the plan's order, and agree on the others."""
    assert command("pilot", "plan", "--annotators", 4, "--pairs", 10)[0] == 0
    rows = store.read(Assignments)
    order = sorted(rows["pair_id"].unique())
    scores = []
    for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True):
        place = order.index(pair)
        scores.append(
            3 * (int(name[1:]) % 2) if place == 0 else (0 if name == "a04" else 2) if place == 1 else place % 4
        )
    rated = pd.DataFrame(
        {"assignment_id": rows["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z", "score": scores}
    )
    rated["seconds"] = rows["annotator"].str[1:].astype(float)
    rated["comment"] = ["=SUM(A1)" if one == order[0] else "" for one in rows["pair_id"]]
    rated.to_csv(tmp_path / "ratings.csv", index=False)
    assert command("collect", "--file", tmp_path / "ratings.csv", "--campaign", "main-pilot")[0] == 0
    return order


@pytest.mark.sweep
def test_everybody_gets_the_same_pairs_each_in_another_order(store, command):
    code, out, _ = command("pilot", "plan", "--annotators", 4, "--pairs", 10)
    assert (code, "4 annotators label the same 10 pairs" in out) == (0, True)
    rows = store.read(Assignments)
    assert (set(rows["campaign"]), set(rows["kind"]), len(rows)) == ({"main-pilot"}, {"pilot"}, 40)
    assert rows.groupby("annotator")["pair_id"].nunique().to_list() == [10] * 4
    orders = {tuple(part.sort_values("position")["pair_id"]) for _, part in rows.groupby("annotator")}
    assert len(orders) == 4
    assert command("pilot", "plan", "--annotators", 4, "--pairs", 10)[0] == 0
    assert len(store.read(Assignments)) == 40


@pytest.mark.sweep
def test_the_sheet_shows_the_most_disputed_pairs_first(command, rated, tmp_path):
    code, out, _ = command("pilot", "report", "--out", tmp_path)
    assert code == 0
    assert "2 of 10 pairs have split votes" in out
    sheet = pd.read_csv(tmp_path / "discussion.csv", dtype=str, keep_default_na=False)
    assert sheet["pair_id"].to_list()[:2] == rated[:2]
    assert sheet["scores"][0] == "a01: 3, a02: 0, a03: 3, a04: 0"
    assert sheet["score"].to_list()[:2] == ["", ""]
    assert (sheet["score"][2:] == [str(rated.index(pair) % 4) for pair in sheet["pair_id"][2:]]).all()
    assert sheet["comments"][0].startswith("'=SUM(A1)")
    page = (tmp_path / "discussion.html").read_text()
    assert page.count("<article>") == 2
    assert "the first &lt;b&gt;wording&lt;/b&gt;" in page
    assert "<b>wording" not in page


@pytest.mark.sweep
def test_settled_pairs_become_gold_and_examples_and_leave_work(store, command, rated, tmp_path):
    command("pilot", "report", "--out", tmp_path)
    sheet = pd.read_csv(tmp_path / "discussion.csv", dtype=str, keep_default_na=False)
    sheet.loc[0, ["score", "reason"]] = ["1", "a part is missing"]
    sheet.to_csv(tmp_path / "discussion.csv", index=False)
    guide = tmp_path / "guide.md"
    code, out, _ = command("pilot", "settle", tmp_path / "discussion.csv", "--examples", 4, "--guide", guide)
    assert code == 0
    assert "9 pairs are settled: 4 examples for the guide, 5 gold" in out
    assert "1: entity" in guide.read_text()
    assert "a part is missing" in guide.read_text()
    guide.write_text("edited by hand")
    again = ("pilot", "settle", tmp_path / "discussion.csv", "--examples", 4, "--guide", guide)
    assert f"another {guide} was there: it is kept as {tmp_path / 'guide.1.md'}" in command(*again)[1]
    assert (tmp_path / "guide.1.md").read_text() == "edited by hand"
    sheet.assign(score=["1"] + [""] * (len(sheet) - 1)).to_csv(tmp_path / "discussion.csv", index=False)
    assert "1 pair with split votes still without a score: fill in, and settle again" in command(*again)[1]
    sheet.to_csv(tmp_path / "discussion.csv", index=False)
    assert ["kept as" in command(*again)[1] for _ in range(2)] == [True, False]  # the same guide is no other one
    assert {line[2] for line in guide.read_text().partition("## Examples")[2].splitlines() if line} == set("0123")
    assert f"Version {default_guide().version}.examples" in guide.read_text()
    labels = store.read(Labels)
    assert set(labels["campaign"]) == {"main-pilot"}
    gold = set(labels.loc[labels["decided_by"] == "gold", "pair_id"])
    code, out, _ = command("plan", "--annotators", 4, "--gold-share", 0.1)
    assert code == 0
    work = store.read(Assignments, campaign="main")
    assert not set(work.loc[work["kind"] == "work", "pair_id"]) & set(rated)
    assert work.loc[work["kind"] == "work", "pair_id"].nunique() == 50
    assert set(work.loc[work["kind"] == "gold", "pair_id"]) <= gold
    assert "gold" in set(work["kind"])
    people = [store.root / "private" / "main-accounts.json"]
    assert sorted((store.root / "private").glob("*.json")) == people


@pytest.mark.sweep
def test_ratings_of_the_pilot_count_for_the_verdict(store, command, rated, tmp_path):
    command("plan", "--annotators", 5, "--pairs", 30)
    work = store.read(Assignments, campaign="main")
    rated = work[["assignment_id"]].assign(submitted_at="2026-01-06T10:00:00Z", score=1)
    rated.to_csv(tmp_path / "work.csv", index=False)
    assert command("collect", "--file", tmp_path / "work.csv")[0] == 0
    command("verdict")
    verdicts = store.read(Verdicts, campaign="main").set_index("annotator")
    own = work["annotator"].value_counts()
    assert (verdicts["n"] - own.reindex(verdicts.index)).to_list() == [10, 10, 10, 10, 0]


def test_a_pilot_of_few_pairs_leaves_half_of_them(store, command):
    store.replace(Pairs, store.read(Pairs).head(9), Manifest(stage="clustering"), generator="recommended")
    assert "4 annotators label the same 4 pairs" in command("pilot", "plan", "--annotators", 4)[1]


@pytest.mark.parametrize("n", [1, 2])
def test_a_pilot_of_two_is_one_line(store, command, n):
    code, _, err = command("pilot", "plan", "--annotators", n)
    assert code == 2
    assert err.startswith("error: --annotators: expected at least 3 experts")
    assert err.count("\n") == 1
    assert store.read(Assignments).empty


@pytest.mark.sweep
@pytest.mark.parametrize(("score", "found"), [("5", "line 2"), ("", "no score at all")])
def test_a_sheet_with_a_score_off_the_scale_or_none_is_one_line(command, rated, tmp_path, score, found):
    command("pilot", "report", "--out", tmp_path)
    sheet = pd.read_csv(tmp_path / "discussion.csv", dtype=str, keep_default_na=False).head(1).assign(score=score)
    sheet.to_csv(tmp_path / "filled.csv", index=False)
    code, _, err = command("pilot", "settle", tmp_path / "filled.csv")
    assert (code, found in err, err.count("\n")) == (2, True, 1)


def test_a_pilot_without_ratings_is_one_line(command, tmp_path):
    command("pilot", "plan", "--annotators", 4, "--pairs", 5)
    code, _, err = command("pilot", "report", "--out", tmp_path)
    assert (code, "no score" in err) == (2, True)
