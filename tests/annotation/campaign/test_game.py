"""A game's players: what they are sent, and that no player is paid twice for what was noted when they withdrew."""

from types import SimpleNamespace

import pandas as pd

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.game import GameRules, blank_withheld, earned, enrol
from data.contract.tables.campaign import Worked
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import Sentences
from data.provenance.removal import find_named
from data.provenance.takedown import take_down
from data.storage.manifest import Manifest
from data.texts.identity import text_id
from tests.paraphrase_game.game.test_pairing import SENTENCE, START, attempt


def test_a_withdrawal_that_was_killed_half_way_pays_once(store):
    rows = [attempt(1, "what a player wrote", submitted=True), attempt(2, "what another wrote", submitted=True)]
    store.append(Attempts, pd.DataFrame(rows), Manifest(stage="annotation.game-collect"))
    noted = {"campaign": "game", "annotator": "a01", "ratings": 1, "seconds": 5.0, "cents": 34, "at": START}
    store.append(Worked, pd.DataFrame([noted]), Manifest(stage="annotation.withdraw"))
    table = earned(SimpleNamespace(store=store, name="game"))
    assert dict(zip(table["annotator"], table["cents"], strict=True)) == {"a00": 34, "a01": 34}
    assert table["annotator"].is_unique


def test_a_sentence_that_is_taken_down_takes_what_was_written_for_it_and_no_pay(store):
    rows = {"text_id": text_id(SENTENCE), "text": SENTENCE}
    prompt = {"source": "ours", "prompt_id": rows["text_id"], "text": SENTENCE, "entity": None, "source_id": "1"}
    store.replace(
        Prompts,
        pd.DataFrame([prompt]).assign(n_words=8),
        Manifest(stage="paraphrase_game.prompts", part="ours"),
        source="ours",
    )
    sentence = {"source": "ours", "sentence_id": rows["text_id"], "source_id": "1", "position": 0, "text": SENTENCE}
    sentence |= {"entity": None, "n_words": 8, "licence": None}
    store.replace(Sentences, pd.DataFrame([sentence]), Manifest(stage="generation.sentences"), source="ours")
    checks = pd.DataFrame([
        attempt(1, "what a player wrote", submitted=True),
        attempt(2, "what another wrote", submitted=True),
        attempt(3, "what is at another sentence", prompt="other", submitted=True),
    ])  # fmt: skip
    store.append(Attempts, checks, Manifest(stage="annotation.game-collect"))
    game = SimpleNamespace(store=store, name="game")
    before = earned(game)
    removed = dict(take_down(store, find_named(store, [], [rows["text_id"]]), "asked for"))
    assert (removed["attempts"], removed["prompts"]) == (2, 1)
    pd.testing.assert_frame_equal(earned(game), before)
    texts = store.read(Attempts).set_index("attempt_id")["text"]
    assert sorted(texts) == ["(taken down)", "(taken down)", "what is at another sentence"]
    assert not any(b"player wrote" in path.read_bytes() for path in store.path(Attempts).rglob("*") if path.is_file())
    assert dict(take_down(store, find_named(store, [], [rows["text_id"]]), "asked for"))["attempts"] == 0
    late = blank_withheld(game, pd.concat([checks, pd.DataFrame([attempt(4, "a late one", submitted=True)])]))
    store.append(Attempts, late, Manifest(stage="annotation.game-collect"))
    assert not set(store.read(Attempts)["text"]) & {"what a player wrote", "what another wrote", "a late one"}
    assert earned(game)["cents"].sum() == before["cents"].sum() + 34


def test_without_attempts_no_one_has_earned_anything(store):
    assert earned(SimpleNamespace(store=store, name="game")).empty


def test_players_are_sent_how_to_play(store, tmp_path, capsys):
    campaign = Campaign(OfCampaign(store=store.root, campaign="game"))
    enrol(campaign, accounts.unnamed_people(2, "game"), GameRules())
    flags = ["--campaign", "game", "--store", str(store.root), "--url", "https://play.x.example", "--pay", "20 cents"]
    code = main(["letters", "--out", str(tmp_path / "letters"), *flags])
    out = capsys.readouterr().out
    assert (code, "2 letters with a password each" in out) == (0, True)
    assert "next: python -m annotation game collect --campaign game" in out
    texts = {path.name: path.read_text() for path in (tmp_path / "letters").rglob("*.*")}
    assert set(texts) == {"invitation.txt", "guide.md", "a01.txt", "a02.txt"}
    assert "Pay: 20 cents." in texts["invitation.txt"]
    assert "Use your own words" in texts["guide.md"]
    assert "Ctrl+Enter submits" in texts["a01.txt"]
    assert "a01@game" in texts["a01.txt"]
    for words in ("pairs of definitions", "flag", "0 to 3"):
        assert words not in "".join(texts.values())
