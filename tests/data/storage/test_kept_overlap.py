"""What splits compared is known to later commands, for the same texts and for some of them."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from data.storage import kept_overlap
from data.storage.store import Store
from data.texts import near_copies, similarity
from data.texts.languages.en import ENGLISH

TEXTS = [
    "a hash table maps keys to values in an array of buckets",
    "a hash table maps its keys to values in an array of many buckets",
    "an ordered list of nodes that each point to the next node",
    "of the",
]


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """Nothing is known before a test, nor after it."""
    forget()
    yield
    forget()


def forget() -> None:
    near_copies._last.clear()
    similarity._recalled.clear()


def near(texts: list[str]) -> list[list[tuple[object, ...]]]:
    found = near_copies.find_near_copies(texts)
    return [list(rows.itertuples(index=False, name=None)) for rows in found.values()]


def known(texts: list[str]) -> tuple[list[list[tuple[object, ...]]], list[object]]:
    return near(texts), similarity.jaccard(texts[:-1], texts[1:]).astype(object).tolist()


def keep(store: Store) -> None:
    near_copies.find_near_copies(TEXTS)
    pairs = pd.DataFrame({"first": TEXTS[1:], "second": TEXTS[:-1]})
    kept_overlap.keep(store, pairs, ENGLISH)
    forget()


def test_what_is_kept_is_not_compared_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [TEXTS[1], TEXTS[0], TEXTS[3]]
    whole, part = known(TEXTS), near(some)
    keep(store)
    kept_overlap.recall(store)
    monkeypatch.setattr(near_copies, "bag_stems", None)
    monkeypatch.setattr(similarity, "bag_stems", None)
    assert known(TEXTS) == whole
    assert [
        list(rows.itertuples(index=False, name=None)) for rows in near_copies.find_near_copies(some).values()
    ] == part
    assert whole[0][0], "a near copy is among the texts"


def test_a_text_that_was_not_compared_is_compared(store: Store) -> None:
    more = [*TEXTS, "an ordered list of nodes that each point to the next one node"]
    expected = known(more)
    keep(store)
    kept_overlap.recall(store)
    assert known(more) == expected
    assert known([TEXTS[0], TEXTS[0]]) == ([[(0, 1, 1.0)], [(0, 1, 1.0)]], [1.0]), "a text that occurs twice"


@pytest.mark.parametrize("damage", ["cut off", "another version", "none"])
def test_a_file_that_cannot_be_used_is_left_alone(store: Store, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store)
    path = store.root / kept_overlap.FILE
    if damage == "cut off":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "none":
        path.unlink()
    else:
        monkeypatch.setattr(kept_overlap, "_version", lambda: ["other"])
    kept_overlap.recall(store)
    assert near_copies.last_found() is None


def test_the_file_has_no_texts(store: Store) -> None:
    keep(store)
    content = Path(store.root / kept_overlap.FILE).read_bytes()
    assert b"hash" not in content.replace(b"hashes", b"")
    assert b"buckets" not in content
