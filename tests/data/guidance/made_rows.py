"""Rows of a game, a model, an attack and generated texts, for a store that has the pairs of `tests.analysis`."""

from typing import Any

import pandas as pd

from data.contract.base import Table
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Annotators, Openings
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import ACTIVE, PLAYER
from data.models.runs import record
from data.storage.manifest import Manifest
from data.storage.store import Store

AT = pd.Timestamp("2026-11-03T10:00", tz="UTC")
SENTENCE = "a map from keys to buckets"


def fill(table: type[Table], **values: Any) -> dict[str, Any]:
    """A row with these values, null elsewhere."""
    return dict.fromkeys(table.columns()) | values


def add_game(store: Store) -> None:
    """A sentence, and four attempts of two players: one submitted, one wrong, one refused, one not judged.

    A second game is open, and nothing of it has been collected.
    """
    for name, at in (("game", AT), ("later", AT + pd.Timedelta(days=1))):
        joined = {"campaign": name, "at": at - pd.Timedelta(hours=1), "role": PLAYER, "state": ACTIVE}
        people = pd.DataFrame([fill(Annotators, **joined, annotator=player) for player in ("a01", "a02")])
        store.append(Annotators, people, Manifest(stage="annotation.game", part=name))
        store.append(
            Openings, pd.DataFrame([{"campaign": name, "at": at}]), Manifest(stage="annotation.game", part=name)
        )
    prompt = fill(Prompts, source="file", prompt_id="p1", text=SENTENCE, source_id="1", n_words=6)
    store.replace(Prompts, pd.DataFrame([prompt]), Manifest(stage="paraphrase_game.prompts"), source="file")
    rows = [
        {"player": "a01", "text": "sends each key to a bucket", "implied": True, "reward": 60, "base": 20, "bonus": 60},
        {"player": "a01", "text": "a map from keys", "implied": False, "reward": 0},
        {"player": "a02", "text": SENTENCE, "refused": "copy"},
        {"player": "a02", "text": "keys belong to buckets"},
    ]
    head = {"campaign": "game", "round": 1, "prompt_id": "p1", "asked_at": AT, "seconds": 12.0, "practice": False}
    attempts = [
        fill(Attempts, **{"base": 0, "bonus": 0} | head | row, attempt_id=f"t{place}", changed_at=AT)
        for place, row in enumerate(rows)
    ]
    unsent = pd.DataFrame(attempts)
    store.append(Attempts, unsent.assign(base=0, bonus=0), Manifest(stage="annotation.game", part="game"))
    sent = unsent.head(1).assign(changed_at=AT + pd.Timedelta(minutes=1), submitted_at=AT)
    store.append(Attempts, sent, Manifest(stage="annotation.game", part="game"))


def add_model(store: Store) -> None:
    """A run that has every labelled pair of the test split right."""
    pairs = store.read(Pairs)
    places = ["train"] * 4 + ["validation"] * 4 + ["test"] * (len(pairs) - 8)
    splits = pairs[["pair_id"]].assign(scheme="by-entity", split=places, group=pairs["entity"])
    store.replace(Splits, splits, Manifest(stage="analysis.splits"), scheme="by-entity")
    run = {"model": "frozen:small", "seed": 1, "campaigns": ["main"], "method": "majority", "scheme": "by-entity"}
    scores = pd.Series([0.9, 0.1] * len(pairs), dtype="float64")[: len(pairs)].set_axis(pairs["pair_id"])
    record(store, run | {"threshold": 0.5, "n_train": 4}, scores, "identification.train")


def add_attack(store: Store) -> None:
    """One pair that misled the model and one that did not."""
    first, second = store.read(Pairs).head(2).to_dict("records")
    head = {"attack": "shared-words", "threshold": 0.5, "queries": 9, "seconds": 1.0, "target": "frozen:small"}
    head |= {"target_sha256": "1", "mlm": "small", "mlm_sha256": "2", "label": 1, "score_before": 0.9}
    old, new = first["first"].split(" ")[0], "<b>"
    edit = {"first": [0], "second": [0], "old_first": old, "old_second": old, "word": new}
    rows = [
        head | {"original_id": first["pair_id"], "parents": [first["pair_id"]], "outcome": "fooled", "n_steps": 1}
        | {"first": first["first"], "new_first": first["first"].replace(old, new, 1), "second": first["second"]}
        | {"new_second": first["second"], "score_after": 0.2, "edits": [edit]},
        head | {"original_id": second["pair_id"], "parents": [second["pair_id"]], "outcome": "stuck", "n_steps": 0}
        | {"first": second["first"], "new_first": second["first"], "second": second["second"]}
        | {"new_second": second["second"], "score_after": 0.9, "edits": []},
    ]  # fmt: skip
    table = pd.DataFrame([fill(Attacks, **row) for row in rows])
    store.replace(Attacks, table, Manifest(stage="identification.attack"), attack="shared-words")


def add_generated(store: Store) -> None:
    """A sentence, a text that was made of it, and one that was left out."""
    sentence = fill(Sentences, source="file", sentence_id="s1", source_id="1", position=0, text=SENTENCE, n_words=6)
    store.replace(Sentences, pd.DataFrame([sentence]), Manifest(stage="generation.sentences"), source="file")
    text = fill(GeneratedTexts, generator="swaps", text_id="g1", text="a map from buckets to keys", n_words=6)
    text |= {"source_id": "s1", "method": "word-swap", "steps": []}
    store.replace(GeneratedTexts, pd.DataFrame([text]), Manifest(stage="generation.swap"), generator="swaps")
    dropped = pd.DataFrame({"id": ["s1"], "reason": "too_likely", "detail": None})
    store.reject("generation.swap", dropped, Manifest(stage="generation.swap"), part="swaps")


def add_all(store: Store) -> None:
    """All of these."""
    for add in (add_game, add_model, add_attack, add_generated):
        add(store)
