"""What every command refuses in one line: mistyped names, missing ratings, servers and keys."""

import pytest

from data.contract.tables.campaign import Ratings
from tests.annotation.support.frames import rate


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
        (["plan", "--annotators", "missing.csv"], "error: missing.csv: expected a number or a sheet of annotators"),
        (["plan", "--annotators", "2"], "error: annotators: expected at least 3 of them"),
        (["plan", "--annotators", "0"], "error: --annotators: expected at least 1, found 0"),
        (["plan", "--annotators", "4", "--pairs", "41"], "error: --pairs: expected a number from 1 to 40"),
        (
            ["plan", "--annotators", "4", "--generator", "magic"],
            "error: --generator: expected recommended, found 'magic'",
        ),
        (
            ["plan", "--annotators", "4", "--campaign", "../x"],
            "--campaign: expected at most 31 lower-case letters",
        ),
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


@pytest.mark.sweep
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
