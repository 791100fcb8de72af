"""The command `forecast` where a pilot was settled: its pairs and people in place of PARADE's."""

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from data.contract.tables.pairs import Pairs
from data.storage.engine import HERE
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs, planned, rate

WORDS = "forecast --annotators 5 --pace 10 --simulations 2 --allocate certain"


@pytest.fixture
def settle(store, command, tmp_path, monkeypatch):
    """Settle a pilot of this many of 90 pairs; every third pair deserves a 3 and shares more words, a04 and a05 err."""
    # two campaigns are not worth new processes
    monkeypatch.setattr("annotation.commands.before.forecast.PROCESSES", HERE)
    rows = pairs(90)
    rows["overlap"] = [0.6 if n % 3 == 0 else 0.1 + 0.6 * (n % 7 == 0) for n in range(90)]
    store.replace(Pairs, rows, Manifest(stage="clustering"), generator="recommended")

    def truth(pair: int) -> int:
        return 3 * (pair % 3 == 0)

    def answer(name: str, pair: int) -> int:
        wrong = pair % 10 == int(name[1:]) if name < "a05" else pair % 2 == 0
        return 3 - truth(pair) if wrong else truth(pair)

    def call(n: int) -> None:
        assert command(f"pilot plan --annotators 5 --pairs {n}")[0] == 0
        answers = rate(store, tmp_path / "pilot.csv", answer, "main-pilot")
        assert command("collect --campaign main-pilot --file", answers)[0] == 0
        assert command("pilot report --out", tmp_path)[0] == 0
        sheet = pd.read_csv(tmp_path / "discussion.csv", dtype=str, keep_default_na=False)
        sheet.assign(score=[str(truth(int(pair, 16))) for pair in sheet["pair_id"]]).to_csv(
            tmp_path / "discussion.csv", index=False
        )
        assert command(f"pilot settle --guide {tmp_path}/guide.md", tmp_path / "discussion.csv")[0] == 0

    return call


@pytest.mark.sweep
def test_a_settled_pilot_says_what_is_assumed(store, command, settle):
    assert "90 pairs, 5 annotators: 4 good, 1 guessing; at PARADE's noise\n" in command(WORDS)[1]
    settle(40)
    out = command(WORDS)[1]
    numbers = [int(pair, 16) for pair in planned(store, "main-pilot")["pair_id"].unique()]
    share = sum(n % 3 == 0 for n in numbers) / 40
    assert f"  positive labels: {share:.0%} [" in out
    assert "  AUC of shared words: 0.9" in out
    assert out.count("] (40 pairs)\n") == 2
    assert "  right votes: 77% [51%, 100%] (5 annotators)\n" in out
    assert "PARADE" not in out
    assert "5 annotators: 4 good, 1 guessing; as in main-pilot\n" in out
    assert "5 annotators: 3 good, 2 careless" in command(WORDS, "--kinds", "good:3,careless:2")[1]
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith(("fixed", "certain"))}
    assert float(lines["certain"][5]) > 0.85
    assert Campaign(OfCampaign(store=store.root)).arm_of_study("pilot").name == "main-pilot"


@pytest.mark.sweep
def test_a_pilot_of_a_few_pairs_tells_nothing(command, settle):
    settle(12)
    assert "; at PARADE's noise: main-pilot has 12 settled pairs, fewer than 20\n" in command(WORDS)[1]
