"""Content-derived ids."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from data.texts import identity


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_have_different_digests(one: list[str], other: list[str]) -> None:
    assert (identity.digest(*one) == identity.digest(*other)) == (one == other)


@given(st.text(), st.text())
def test_a_pair_has_no_order(one: str, other: str) -> None:
    assert identity.pair_id(one, other) == identity.pair_id(other, one)


def test_ids_stay_the_same_over_versions() -> None:
    assert identity.digest("a", 1) == "1f0a1bb2ce4aea3b80ca0e8fa2c48bd2"
    assert identity.definition_id("hash table", "maps keys") == "537cb604e5e0043a373693465345d368"
    assert identity.pair_id("b", "a") == "16797e4319e25fa8b64a5d850832a88a"


def test_a_key_changes_the_digest() -> None:
    assert identity.digest("a", key=b"k") != identity.digest("a")


def test_a_repeated_card_has_an_id_of_its_own() -> None:
    assert identity.card_id("s", "1", "f", "b", 0) != identity.card_id("s", "1", "f", "b", 1)


def test_file_digest_is_of_the_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"x" * 100_000)
    other.write_bytes(b"x" * 100_000)
    assert identity.file_digest(one) == identity.file_digest(other)
    other.write_bytes(b"x" * 100_001)
    assert identity.file_digest(one) != identity.file_digest(other)
