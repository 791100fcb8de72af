"""What players have earned: nobody is paid twice for what was noted when they withdrew."""

from types import SimpleNamespace

import pandas as pd

from annotation.campaign.game import earned
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
