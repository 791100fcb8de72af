"""The reward: the paper's equation in cents, at known values, by its laws, and on every check of the released game."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from paraphrase_game.config import RewardRule
from paraphrase_game.judges.released import CHECKS, SUBMITS, read_log, read_split
from paraphrase_game.judges.reward import cents, passed, rewards

RULE, CODE = RewardRule(), RewardRule(recipe="code")
similarities = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("bleurt", "reward", "paid"),
    [(-2.2, 0.999967, 100), (-1.0, 0.986659, 99), (-0.5, 0.854038, 85), (-0.1, 0.387456, 39), (0.0, 0.25, 25),
     (0.1, 0.142537, 14), (0.25, 0.049595, 5), (0.4, 0.014209, 1), (0.5, 0.005754, 1), (0.515, 0.005008, 1),
     (0.52, 0.004780, 0)],
)  # fmt: skip
def test_known_values(bleurt: float, reward: float, paid: int) -> None:
    assert rewards([1, 0], [bleurt, bleurt], RULE) == pytest.approx([reward, 0], abs=1e-6)
    assert cents([1, 0], [bleurt, bleurt], RULE).tolist() == [paid, 0]


def test_extreme_similarities_do_not_overflow() -> None:
    with np.errstate(all="raise"):
        assert rewards([1, 1], [1e6, -1e6], RULE).tolist() == [0, 1]


@given(similarities, similarities, st.booleans())
def test_the_reward_is_a_share_and_falls_with_similarity(left: float, right: float, implied: bool) -> None:
    low, high = rewards([implied, implied], sorted([left, right]), RULE)
    assert 0 <= high <= low <= implied


@pytest.mark.parametrize(
    ("implied", "bleurt", "expected", "by_code"),
    [(1, 0.5, True, True), (1, 0.5001, False, True), (1, 0.52, False, False), (0, -1, False, False)],
)
def test_an_attempt_passes_up_to_a_similarity_of_a_half(
    implied: int, bleurt: float, expected: bool, by_code: bool
) -> None:
    assert passed([implied], [bleurt], RULE).tolist() == [expected]
    assert passed([implied], [bleurt], CODE).tolist() == [by_code]


def test_constants_are_settings() -> None:
    assert cents([1], [0.0], RewardRule(steepness=1, power=1, highest=200)).tolist() == [100]
    with pytest.raises(InputError, match="--highest"):
        RewardRule(highest=0)


def test_the_released_game_paid_by_this_equation(shared_data) -> None:
    log = read_log(shared_data / "paraphrase" / "apt", CHECKS)
    paid = (log["dollar"] * 100).round().astype(int)
    ours = cents(log["mi"], log["bleurt"], RULE)
    assert (len(log), int((ours == paid).sum())) == (5007, 4981)
    half = np.round(50 * rewards(log["mi"], log["bleurt"], RULE))[ours != paid]
    assert half.tolist() == paid[ours != paid].tolist()
    assert len(half) == 26
    assert int((log["dollar"] > 0).sum()) == 2659
    assert int(passed(log["mi"], log["bleurt"], RULE).sum()) == 2611
    assert int(passed(log["mi"], log["bleurt"], CODE).sum()) == 2659 + 3  # three of those paid half rounded to nothing


def test_the_released_submissions_were_paid_by_it_too(shared_data) -> None:
    log = read_log(shared_data / "paraphrase" / "apt", SUBMITS)
    known = log.dropna(subset=["bleurt"])
    ours = cents(known["mi"], known["bleurt"], RULE)
    assert (len(log), len(known)) == (1450, 1449)
    assert int((ours == (known["dollar"] * 100).round()).sum()) == 1437


def test_the_released_split_shares_no_source(shared_data) -> None:
    folder = shared_data / "paraphrase" / "apt"
    train, test = (read_split(folder, f"ap_h_{name}.tsv.gz") for name in ("train", "test"))
    assert (len(train), train["text_a"].nunique(), len(test), test["text_a"].nunique()) == (3746, 1236, 1261, 395)
    assert not set(train["text_a"]) & set(test["text_a"])
    log = read_log(folder)
    assert set(log["sentence"]) == set(train["text_a"]) | set(test["text_a"])


def test_a_missing_file_is_one_line(tmp_path) -> None:
    with pytest.raises(InputError, match="ap_h_"):
        read_log(tmp_path)
