"""Attempts become pairs with their judges' word; what was tried twice is one pair, and refusals are none."""

import pandas as pd
import pytest

from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import MUTUAL_ENTAILMENT
from data.storage.manifest import Manifest
from data.texts.identity import definition_id, pair_id, text_id
from paraphrase_game.__main__ import main
from paraphrase_game.game.agreement import compare
from paraphrase_game.game.pairing import GENERATOR
from tests.paraphrase_game.campaigns import plan

SENTENCE, DEFINITION = "the sentence that everybody rewrites in this game", "a small fast memory near the processor"
START = pd.Timestamp("2027-01-01T10:00:00Z")


def attempt(
    number, text, *, prompt=None, refused=None, implied=True, bleurt=0.1, judged=True, submitted=False, after=0
):
    judged = judged and refused is None
    odds = {f"{way}_{name}": 0.5 if judged else None for way in ("forward", "backward")
            for name in ("entailment", "neutral", "contradiction", "bleurt")}  # fmt: skip
    at = START + pd.Timedelta(minutes=number)
    return odds | {
        "attempt_id": f"{number:032x}", "changed_at": at + pd.Timedelta(seconds=after), "campaign": "game", "round": 1,
        "player": f"a{number % 2:02d}", "prompt_id": prompt or text_id(SENTENCE), "text": text, "asked_at": at,
        "seconds": 5.0, "refused": refused, "bleurt": bleurt if judged else None,
        "implied": implied if judged else None, "reward": 14 if judged and implied else 0 if judged else None,
        "base": 20 if submitted else 0, "bonus": 14 if submitted else 0, "submitted_at": at if submitted else None,
        "practice": False, "judges": "digest" if judged else None,
    }  # fmt: skip


@pytest.fixture
def played(store):
    of_definition = definition_id("cache", DEFINITION)
    prompts = pd.DataFrame({"prompt_id": [text_id(SENTENCE), of_definition], "text": [SENTENCE, DEFINITION]})
    prompts = prompts.assign(entity=[None, "cache"], source_id=["1", of_definition], n_words=8, source="ours")
    store.replace(Prompts, prompts, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    rows = [
        attempt(1, "what all of the players say anew"),
        attempt(2, "what all of the players say anew"),
        attempt(3, SENTENCE, refused="copy"),
        attempt(4, "nothing alike at all", implied=False),
        attempt(5, "too much like the sentence that everybody rewrites", bleurt=0.7),
        attempt(6, "nobody has judged it", judged=False),
        attempt(7, "tiny quick store by the CPU", prompt=of_definition),
        attempt(7, "tiny quick store by the CPU", prompt=of_definition, submitted=True, after=9),
    ]
    store.append(Attempts, pd.DataFrame(rows), Manifest(stage="annotation.game-collect"))
    return store


def call(*args):
    return main([*map(str, args)])


@pytest.mark.sweep
@pytest.mark.parametrize(("which", "n"), [("passed", 2), ("submitted", 1), ("judged", 4)])
def test_attempts_become_pairs(played, capsys, which, n):
    assert call("collect", "--which", which, "--store", played.root) == 0
    out = capsys.readouterr().out
    assert f"{n} pairs of 7 attempts" in out
    assert "1 refused by guards" in out
    assert "1 not judged yet" in out
    pairs, texts = played.read(Pairs, generator=GENERATOR), played.read(GeneratedTexts, generator=GENERATOR)
    assert len(pairs) == len(texts) == n
    for row in pairs.to_dict("records"):
        entity = row["entity"] if isinstance(row["entity"], str) else None
        assert row["second_id"] == text_id(row["second"], entity)
        assert row["pair_id"] == pair_id(row["first_id"], row["second_id"])
        assert row["first"] == (DEFINITION if entity else SENTENCE)
    assert set(texts["source_id"]) == set(pairs["first_id"])
    measures = played.read(PairMeasures, generator=GENERATOR)
    assert measures.groupby("measure").size().to_dict() == dict.fromkeys(
        ("apt_reward", "bleurt", "mi", "nli_backward", "nli_forward"), n
    )
    labels = played.read(Labels, method=MUTUAL_ENTAILMENT)
    assert labels["n_votes"].sum() == 0
    assert labels["binary"].sum() == {"passed": 2, "submitted": 1, "judged": 3}[which]
    assert call("status", "--store", played.root) == 0
    assert "7 checks, 1 submitted, 4 mean the same by the judges, 1 refused, 1 not judged; 0.34 paid" in (
        capsys.readouterr().out
    )


@pytest.mark.sweep
def test_nothing_stays_of_pairs_that_no_longer_qualify(played, capsys):
    assert call("collect", "--which", "judged", "--store", played.root) == 0
    assert len(played.read(PairMeasures)) == 20
    assert call("collect", "--pass-at=-5", "--store", played.root) == 0
    assert "0 pairs of 7 attempts" in capsys.readouterr().out
    for table in (Pairs, GeneratedTexts, PairMeasures, Labels):
        assert played.read(table).empty


@pytest.mark.sweep
def test_pairs_that_a_campaign_labels_stay(played, capsys):
    assert call("collect", "--which", "judged", "--store", played.root) == 0
    plan(played, GENERATOR)
    for which, code in (("passed", 2), ("judged", 0)):
        assert call("collect", "--which", which, "--store", played.root) == code
        assert len(played.read(Pairs)) == 4
    assert "found 2 of main that would be gone; collect them, too: --which judged" in capsys.readouterr().err


def test_each_campaign_is_compared_with_the_judges(played, capsys):
    assert call("collect", "--which", "judged", "--store", played.root) == 0
    rows = played.read(Labels).assign(method="majority", binary=1)
    for campaign, n in (("one", 4), ("two", 3)):
        labels = rows.head(n).assign(campaign=campaign)
        played.replace(Labels, labels, Manifest(stage="test"), campaign=campaign, method="majority")
    capsys.readouterr()
    assert call("status", "--store", played.root) == 0
    out = capsys.readouterr().out
    assert "people of one and judges on 4 pairs" in out
    assert "people of two and judges on 3 pairs" in out


def test_attempts_at_sentences_that_are_gone_are_counted(played, capsys):
    rest = played.read(Prompts, source="ours").query("entity.isna()")
    played.replace(Prompts, rest, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    assert call("collect", "--which", "judged", "--store", played.root) == 0
    out = capsys.readouterr().out
    assert "3 pairs of 7 attempts" in out
    assert "1 at sentences that the table prompts no longer has" in out


def test_without_attempts_there_is_one_line(store, capsys):
    assert call("collect", "--store", store.root) == 2
    assert "annotation game collect" in capsys.readouterr().err
    assert call("status", "--store", store.root) == 0


def test_people_are_compared_with_the_judges():
    judged = pd.DataFrame({"pair_id": list("abcdef"), "value": [1.0, 1, 1, 0, 0, None]})
    labels = pd.DataFrame({"pair_id": list("abcdexf"), "binary": [1, 1, 0, 0, 1, 1, 1]})
    found = compare(judged, labels)
    assert (found.n, found.agree, found.precision) == (5, 0.6, pytest.approx(2 / 3))
    assert found.mcc == pytest.approx(1 / 6)
    assert compare(judged[:2], labels).mcc is None
    assert compare(judged[:0], labels).n == 0
