"""Where each text of a set is from, as PAWS' mapping names it."""

import pandas as pd

from data.contract.vocabulary import BACK_TRANSLATION, CORRECTION, WORD_SWAP
from generation.balancing.published import descent, list_raw

ROWS = pd.DataFrame(
    [(WORD_SWAP, "swap 1", "s"), (WORD_SWAP, "swap 2", "s"),
     (CORRECTION, "fixed", "swap 2"), (CORRECTION, "s", "swap 1"),
     (BACK_TRANSLATION, "back", "fixed"), (BACK_TRANSLATION, "of s", "s"), (BACK_TRANSLATION, "of none", "alone")],
    columns=["method", "text_id", "source_id"],
).assign(generator="g")  # fmt: skip


def test_each_text_is_named_by_the_raw_pair_that_it_is_from() -> None:
    ways = descent(ROWS)
    assert ways.map_sides("s", "swap 1") == ["swap_00001_1", "swap_00001_2"]
    assert ways.map_sides("s", "fixed") == ["swap_00002_1", "swap_00002_2"]
    assert ways.map_sides("back", "fixed") == ["backtransl_00001_2", "swap_00002_2"]
    assert ways.map_sides("s", "back") == ["swap_00002_1", "backtransl_00001_2"]
    assert ways.map_sides("s", "s") == ["swap_00001_1", "swap_00001_1"]
    assert ways.map_sides("alone", "of none") == ["", "backtransl_00002_2"]
    assert [*ways.chain("back")] == ["back", "swap 2", "s"]


def test_raw_pairs_have_the_texts_before_correction() -> None:
    texts = {name: f"text of {name}" for name in {*ROWS["text_id"], *ROWS["source_id"]}}
    files = list_raw(descent(ROWS), texts)
    assert files["input_swap.tsv"].to_numpy().tolist()[1] == ["swap_00002", "text of s", "text of swap 2"]
    backs = files["input_backtransl_with_swap_id.tsv"].set_index("sentence2")["swap_id"]
    assert backs.to_dict() == {"text of back": "swap_00002_2", "text of of s": "swap_00001_1", "text of of none": ""}
