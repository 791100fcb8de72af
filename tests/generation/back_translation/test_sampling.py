"""Which back translations become pairs."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.back_translation.sampling import FAR, IN_ORDER, REASONS, SAME, SECOND_BEST, TWICE, UNTRANSLATED, choose
from generation.config import TRANSLATIONS, TranslateConfig

PAPER, OURS = TRANSLATIONS["paper"], TranslateConfig()


def results(*rows: tuple[str, str, float | None, float | None]) -> pd.DataFrame:
    """source_id, text, bow_cosine, inversion_rate; the source of `s` is the text `s`."""
    frame = pd.DataFrame(rows, columns=["source_id", "text", "bow_cosine", "inversion_rate"])
    numbers = {name: frame[name].astype("Float64") for name in ("bow_cosine", "inversion_rate")}
    return frame.assign(
        source=frame["source_id"], score=pd.NA, is_known=False, untranslated=[()] * len(frame), **numbers
    )


def test_each_reason() -> None:
    rows = results(
        ("s", "S ", 1.0, 0.0), ("s", "t", 0.9, 0.3), ("s", "T", 0.9, 0.3), ("s", "u", 0.89, 0.3), ("s", "v", 0.95, 0.0),
        ("s", "w", None, None),
    )  # fmt: skip
    assert choose(rows, OURS).fillna("").tolist() == [SAME, TWICE, "", FAR, SECOND_BEST, FAR]
    assert choose(rows, PAPER).fillna("").tolist() == [SAME, TWICE, "", FAR, "", FAR]
    assert set(REASONS) > {SAME, TWICE, FAR, SECOND_BEST, IN_ORDER}


def test_a_result_with_words_of_the_other_language_is_left_out_whatever_it_shares() -> None:
    rows = results(("s", "t", 1.0, 0.3), ("s", "u", 0.91, 0.3)).assign(untranslated=[("cual",), ()])
    assert choose(rows, OURS).fillna("").tolist() == [UNTRANSLATED, ""]
    assert choose(rows, PAPER).fillna("").tolist() == [UNTRANSLATED, ""]


def test_another_order_of_words_comes_before_a_closer_result() -> None:
    rows = results(("s", "close", 0.99, 0.0), ("s", "moved", 0.91, 0.03))
    assert choose(rows, OURS).fillna("").tolist() == [SECOND_BEST, ""]


RATES, COSINES = st.sampled_from([None, 0.0, 0.02, 0.021, 0.5]), st.sampled_from([0.8, 0.9, 1.0])
ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.text("xyz", min_size=2, max_size=3), COSINES, RATES),
    max_size=20,
)


@pytest.mark.sweep
@pytest.mark.parametrize("config", [PAPER, OURS])
@given(ROWS)
def test_at_least_half_are_inverted_and_each_text_is_kept_once(config: TranslateConfig, rows: list) -> None:  # type: ignore[type-arg]
    frame = results(*rows)
    reason = choose(frame, config)
    kept = frame[reason.isna()]
    assert 2 * int((kept["inversion_rate"] > 0.02).sum()) >= len(kept)
    assert (kept["bow_cosine"] >= 0.9).all()
    assert not kept["text"].duplicated().any()
    if config is OURS:
        assert not kept["source_id"].duplicated().any()
    pd.testing.assert_series_equal(choose(frame, config), reason)
