"""New pairs from judged ones."""

from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.contract.vocabulary import BACK_TRANSLATION as BACK
from data.contract.vocabulary import CORRECTION
from data.contract.vocabulary import WORD_SWAP as SWAP
from data.texts.identity import pair_id
from generation.balancing.recombination import BOTH, LABELLED, SAME, UNKNOWN, recombine, trace_methods
from tests.generation.balancing.test_rules import TABLE


def judged(*rows: tuple[str, str, int, str]) -> pd.DataFrame:
    """Pairs of texts that are their own ids: first, second, binary, made."""
    frame = pd.DataFrame(rows, columns=["first", "second", "binary", "made"]).assign(entity=None, second_entity=None)
    ids = [pair_id(*texts) for texts in zip(frame["first"], frame["second"], strict=True)]
    return frame.assign(pair_id=ids, first_id=frame["first"], second_id=frame["second"]).astype({"binary": "Int64"})


def labels(made: pd.DataFrame) -> dict[str, int]:
    return dict(zip(made["first"] + " " + made["second"], made["binary"], strict=True))


@pytest.mark.parametrize("steps", list(product((0, 1), repeat=3)))
def test_the_three_new_pairs_of_a_swap_with_both_back_translations(steps: tuple[int, int, int]) -> None:
    swap, first, second = steps
    pairs = judged(("s1", "s2", swap, SWAP), ("s1", "b1", first, BACK), ("s2", "b2", second, BACK))
    made, rejects = recombine(pairs)
    expected = dict(zip(("s2 b1", "s1 b2", "b1 b2"), TABLE[steps], strict=True))
    assert labels(made) == {ends: label for ends, label in expected.items() if label is not None}
    assert set(rejects["reason"]) <= {UNKNOWN}
    assert len(made) + len(rejects) == 3
    by_ends = dict(zip(made["ends"], made["parents"], strict=True))
    ids = dict(zip(("swap", "first", "second"), pairs["pair_id"], strict=True))
    if "back of source and back of swapped" in by_ends:
        assert by_ends["back of source and back of swapped"] == list(ids.values())
    if "swapped and back of source" in by_ends:
        assert by_ends["swapped and back of source"] == [ids["swap"], ids["first"]]


def test_what_is_the_same_text_known_or_contradicted_is_left_out() -> None:
    pairs = judged(
        ("s1", "s2", 0, SWAP), ("s1", "s2", 0, BACK), ("s1", "b", 1, BACK), ("s2", "b", 0, BACK),
        ("t1", "t2", 1, SWAP), ("t1", "c", 0, BACK), ("u1", "t2", 1, SWAP), ("u1", "c", 1, BACK),
    )  # fmt: skip
    made, rejects = recombine(pairs)
    reasons = dict(zip(rejects["id"], rejects["reason"], strict=True))
    assert reasons[pair_id("s2", "s2")] == SAME
    assert reasons[pair_id("s2", "b")] == reasons[pair_id("s1", "b")] == LABELLED
    assert reasons[pair_id("t2", "c")] == BOTH
    assert not set(made["pair_id"]) & (set(rejects["id"]) | set(pairs["pair_id"]))


TEXTS = st.sampled_from("abcdef")
ROWS = st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 1), st.sampled_from([SWAP, BACK])), max_size=12)


@pytest.mark.sweep
@given(ROWS)
def test_no_pair_is_made_twice_and_each_has_a_swap_and_a_back_translation(rows: list) -> None:  # type: ignore[type-arg]
    pairs = judged(*rows).drop_duplicates("pair_id")
    made, rejects = recombine(pairs)
    assert made["pair_id"].is_unique
    assert not set(made["pair_id"]) & set(rejects["id"])
    known = pairs.set_index("pair_id")
    for row in made.itertuples():
        methods = known.loc[row.parents, "made"].tolist()
        assert methods in ([SWAP, BACK], [SWAP, BACK, BACK])
        assert row.binary == (1 if known.loc[row.parents, "binary"].all() else 0)


def test_the_way_from_the_first_text_to_the_second() -> None:
    generated = pd.DataFrame(
        [("swap", "s", SWAP), ("fixed", "swap", CORRECTION), ("back", "fixed", BACK), ("loop", "loop", BACK),
         ("tidied", "s", CORRECTION), ("back fixed", "back", CORRECTION)],
        columns=["text_id", "source_id", "method"],
    )  # fmt: skip
    rows = [("s", "swap"), ("s", "fixed"), ("fixed", "back"), ("fixed", "back fixed"), ("s", "tidied"), ("s", "loop"),
            ("swap", "s"), ("s", "back")]  # fmt: skip
    made = trace_methods(pd.DataFrame(rows, columns=["first_id", "second_id"]), generated)
    assert made.fillna("").tolist() == [SWAP, SWAP, BACK, BACK, CORRECTION, "", "", BACK]
