"""Where nearly all answers are the same, kappa judges no one, and every command says so."""

import pytest

from data.contract.tables.labels import Quality, Verdicts
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs, planned, rate

pytestmark = pytest.mark.sweep


def a03_differs_twice(annotator, pair):
    return 3 if annotator == "a03" and pair in (7, 40) else 0


@pytest.fixture
def one_sided(store, command, tmp_path):
    store.replace(Pairs, pairs(75), Manifest(stage="clustering"), generator="recommended")
    assert command("plan", "--annotators", 5, "--labels-per-pair", 5)[0] == 0
    assert command("collect", "--file", rate(store, tmp_path / "r.csv", a03_differs_twice))[0] == 0
    return store


def test_quality_shows_the_agreement_and_judges_no_one(one_sided, command):
    lines = command("quality")[1].splitlines()
    assert "a03, round 1: too one-sided to judge: 73 of 75 are the same, 73 by chance" in lines
    assert "a01, round 1: too one-sided to judge: 75 of 75 are the same, 75 by chance" in lines
    assert not [line for line in lines if line.endswith("low")]
    kappas = one_sided.read(Quality).query("measure == 'kappa' and round == 1").set_index("annotator")["value"]
    assert kappas["a03"] == 0, "the paper's figure stays what it is"


def test_reassign_replaces_nothing(one_sided, command):
    for rule in ("kappa", "verdict"):
        code, out, _ = command("reassign", "--low-by", rule)
        assert code == 0
        assert "0 ratings of 0 pairs to replace" in out
        assert "neither low nor best: a03: too one-sided to judge" in out
    assert set(planned(one_sided)["round"]) == {1}


def test_the_verdict_is_undecided_for_that_reason(one_sided, command):
    assert command("verdict")[0] == 0
    verdicts = one_sided.read(Verdicts)
    assert set(verdicts["verdict"]) == {"undecided"}
    assert {tuple(reasons) for reasons in verdicts["reasons"]} == {("one_sided",)}


def test_status_and_its_page_say_so(one_sided, command, tmp_path):
    page = tmp_path / "status.html"
    assert "too one-sided to judge: a01 (75 of 75 are the same" in command("status", "--page", page)[1]
    assert "a03 (73 of 75 are the same" in page.read_text()


def test_who_guesses_where_all_others_agree_is_still_low(store, command, tmp_path):
    store.replace(Pairs, pairs(75), Manifest(stage="clustering"), generator="recommended")
    command("plan", "--annotators", 5, "--labels-per-pair", 5)
    guess = rate(store, tmp_path / "r.csv", lambda annotator, pair: 3 * (pair % 2) if annotator == "a03" else 0)
    command("collect", "--file", guess)
    out = command("reassign", "--dry-run")[1]
    assert "low (kappa < 0.4): a03 0.00" in out
