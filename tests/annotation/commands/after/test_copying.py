"""Two annotators who copy: named by every command, taken for one where the lead says so."""

import zlib

import pandas as pd
import pytest

from data.contract.tables.labels import Copying, Labels, Verdicts
from tests.annotation.support.frames import planned, rate

pytestmark = pytest.mark.sweep


def a05_copies_a04(annotator, pair):
    """Right in about four of five pairs; a04 guesses, and a05 repeats it."""
    truth, chance = 3 * (pair % 2), zlib.crc32(f"{annotator} {pair}".encode())
    if annotator in ("a04", "a05"):
        return zlib.crc32(f"a04 {pair}".encode()) % 4
    return truth if chance % 5 else 3 - truth


@pytest.fixture
def copied(filled, command, tmp_path):
    assert command("plan", "--annotators", 5, "--labels-per-pair", 5)[0] == 0
    assert command("collect", "--file", rate(filled, tmp_path / "r.csv", a05_copies_a04))[0] == 0
    return filled


def test_quality_verdict_and_status_name_both_with_the_figures(copied, command):
    for verb in ("quality", "verdict", "status"):
        lines = [line for line in command(verb)[1].splitlines() if "a04 and a05" in line]
        (line,) = lines
        assert "the same answer in 100% of 40 pairs, either with others in" in line
        assert "kappa 1.00, expected" in line
        assert line.endswith("did one copy? Ask, then --one-vote a04 a05")
    (row,) = copied.read(Copying, campaign="main").to_dict("records")
    assert (row["first"], row["second"], row["n"], row["is_clear"]) == ("a04", "a05", 40, True)
    version = copied.version(Copying)
    command("quality")
    assert copied.version(Copying) == version


def test_no_member_of_the_couple_replaces_anybody(copied, command):
    _, out, _ = command("reassign", "--low-by", "verdict", "--dry-run")
    assert "best (careful; skill): none" in out, "the verdict holds the couple for the best"
    assert "not among the best: a04 and a05: the same answer" in out
    _, out, _ = command("reassign", "--low-by", "verdict", "--one-vote", "a04", "a05", "--dry-run")
    low, best, *_ = out.splitlines()
    assert (low.count("a04"), low.count("a05"), low.count("a01")) == (1, 1, 0)
    assert (best.count("a01"), best.count("a04")) == (1, 0)


def test_one_vote_counts_once_in_verdict_and_labels(copied, command):
    _, out, _ = command("verdict", "--one-vote", "a04", "a05")
    assert "they have one vote" in out
    verdicts = copied.read(Verdicts).set_index("annotator")["verdict"]
    assert (verdicts[["a01", "a02", "a03"]] != "careless").all()
    command("adjudicate")
    assert copied.read(Labels)["n_votes"].eq(5).all()
    assert command("adjudicate", "--one-vote", "a04", "a05")[0] == 0
    labels = copied.read(Labels)
    assert labels["n_votes"].eq(4).all()
    assert copied.manifest(Labels, campaign="main", method="majority")["config"]["one_vote"] == [["a04", "a05"]]
    assert len(planned(copied)) == 200, "the ratings stay"


@pytest.mark.parametrize("couple", [("a04", "a09"), ("a04", "a04")])
def test_unknown_names_are_refused(copied, command, couple):
    for verb in ("adjudicate", "verdict", "reassign"):
        code, _, err = command(verb, "--one-vote", *couple)
        assert code == 2
        assert "--one-vote: expected two of the annotators a01, a02, a03, a04, a05" in err


def test_the_couple_gets_nothing_of_who_stops_or_flags(filled, command, tmp_path):
    assert command("plan", "--annotators", 6, "--labels-per-pair", 5)[0] == 0
    rows = planned(filled)
    flagged = rows[rows["annotator"] == "a01"].sort_values("pair_id").head(5)
    scored = rows[~rows["assignment_id"].isin(flagged["assignment_id"]) & (rows["annotator"] != "a06")]
    score = [str(a05_copies_a04(a, int(p, 16))) for a, p in zip(scored["annotator"], scored["pair_id"], strict=True)]
    answers = pd.concat([scored.assign(score=score, flags=""), flagged.assign(score="", flags="cannot_judge")])
    answers = answers.assign(submitted_at="2026-01-05T10:00:00Z", comment="")
    path = tmp_path / "r.csv"
    answers[["assignment_id", "submitted_at", "score", "flags", "comment"]].to_csv(path, index=False)
    assert command("collect", "--file", path)[0] == 0
    assert "a04 and a05" in command("quality")[1]
    code, out, _ = command("hand-over", "a06")
    assert code == 0
    assert "gets none of them: a04 and a05: the same answer" in out
    assert command("reassign", "--unfinished", "--low-kappa", "-1", "--high-kappa", "1")[0] in (0, 1)
    new = planned(filled).loc[lambda all_rows: ~all_rows["assignment_id"].isin(rows["assignment_id"]), "annotator"]
    assert new.value_counts().get("a02", 0) > 0
    assert not set(new) & {"a04", "a05", "a06"}
