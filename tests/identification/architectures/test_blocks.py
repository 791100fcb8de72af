"""The parts against plain computations, one text at a time."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks.blocks import (  # noqa: E402
    BiLSTM,
    last,
    masked_max,
    masked_mean,
    reverse,
    runs,
    shorten,
)

MASK = torch.tensor([[True, True, True, False], [True, False, False, False], [True, True, True, True]])
VALUES = torch.arange(24.0).view(3, 4, 2) - 9


def test_reversing_turns_the_words_and_leaves_the_padding() -> None:
    assert reverse(VALUES, MASK)[0, :, 0].tolist() == [-5, -7, -9, -3]
    assert torch.equal(reverse(reverse(VALUES, MASK), MASK), VALUES)


def test_pools_see_words_only() -> None:
    for place, length in enumerate([3, 1, 4]):
        words = VALUES[place, :length]
        torch.testing.assert_close(masked_mean(VALUES, MASK)[place], words.mean(dim=0))
        torch.testing.assert_close(masked_max(VALUES, MASK)[place], words.amax(dim=0))
        torch.testing.assert_close(last(VALUES, MASK)[place], words[-1])


def test_both_directions_match_torchs_own_bidirectional_lstm() -> None:
    ours, theirs = BiLSTM(2, 3), torch.nn.LSTM(2, 3, batch_first=True, bidirectional=True)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    with torch.no_grad():
        for lstm, suffix in ((ours.forwards, ""), (ours.backwards, "_reverse")):
            for name in names:
                getattr(theirs, name + suffix).copy_(getattr(lstm, name))
        states = ours.states(VALUES, MASK)
        for place, length in enumerate([3, 1, 4]):
            expected = theirs(VALUES[place : place + 1, :length])[0][0]
            torch.testing.assert_close(states[place, :length], expected)
            assert states[place, length:].abs().sum() == 0
            torch.testing.assert_close(ours.ends(VALUES, MASK)[place], torch.cat([expected[-1, :3], expected[0, 3:]]))


@pytest.mark.parametrize("length", [1, 3, 4, 5, 7, 8, 9, 100])
def test_long_texts_become_runs_of_neighbours_of_nearly_equal_length(length: int) -> None:
    mask = torch.arange(100).unsqueeze(0) < length
    values = torch.arange(100.0).view(1, 100, 1)
    short, words = shorten(values, mask, 4)
    assert words.sum() == min(length, 4)
    numbers = runs(mask, 4)[0, :length].tolist()
    sizes = [numbers.count(number) for number in sorted(set(numbers))]
    assert numbers == sorted(numbers)
    assert max(sizes) - min(sizes) <= 1
    expected = [
        values[0, [n == run for n in numbers] + [False] * (100 - length)].mean() for run in sorted(set(numbers))
    ]
    torch.testing.assert_close(short[0, : len(sizes), 0], torch.stack(expected))
