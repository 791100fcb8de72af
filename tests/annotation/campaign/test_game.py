"""A game's players: what they are sent, and that nobody is paid twice for what was noted when they withdrew."""

from types import SimpleNamespace

import pandas as pd

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.game import GameRules, earned, enrol
from data.console import run
from data.manifest import Manifest
from data.tables.campaign import Worked
from data.tables.game import Attempts
from tests.apt.game.test_pairing import START, attempt


def test_a_withdrawal_that_was_killed_half_way_pays_once(store):
    rows = [attempt(1, "what a player wrote", submitted=True), attempt(2, "what another wrote", submitted=True)]
    store.append(Attempts, pd.DataFrame(rows), Manifest(stage="annotation.game-collect"))
    noted = {"campaign": "game", "annotator": "a01", "ratings": 1, "seconds": 5.0, "cents": 34, "at": START}
    store.append(Worked, pd.DataFrame([noted]), Manifest(stage="annotation.withdraw"))
    table = earned(SimpleNamespace(store=store, name="game"))
    assert dict(zip(table["annotator"], table["cents"], strict=True)) == {"a00": 34, "a01": 34}
    assert table["annotator"].is_unique


def test_without_attempts_nobody_has_earned_anything(store):
    assert earned(SimpleNamespace(store=store, name="game")).empty


def test_players_are_sent_how_to_play(store, tmp_path, capsys):
    campaign = Campaign(OfCampaign(store=store.root, campaign="game"))
    enrol(campaign, accounts.unnamed_people(2, "game"), GameRules())
    flags = ["--campaign", "game", "--store", str(store.root), "--url", "https://play.x.example", "--pay", "20 cents"]
    code = run(main, prog="python -m annotation", args=["letters", "--out", str(tmp_path / "letters"), *flags])
    assert (code, "2 letters with a password each" in capsys.readouterr().out) == (0, True)
    texts = {path.name: path.read_text() for path in (tmp_path / "letters").rglob("*.*")}
    assert set(texts) == {"invitation.txt", "guide.md", "a01.txt", "a02.txt"}
    assert "Pay: 20 cents." in texts["invitation.txt"]
    assert "Use your own words" in texts["guide.md"]
    assert "Ctrl+Enter submits" in texts["a01.txt"]
    assert "a01@game" in texts["a01.txt"]
    for words in ("pairs of definitions", "flag", "0 to 3"):
        assert words not in "".join(texts.values())
