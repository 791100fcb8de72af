"""Laws that every network keeps: its scores depend on the pair alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks.base import PairNetwork  # noqa: E402
from identification.architectures.networks.registry import NETWORKS, build  # noqa: E402
from tests.identification.architectures.batches import LETTERS, WIDTH, batch, rows, text  # noqa: E402

SMALL: dict[str, dict[str, int]] = {
    "bow": {"hidden": 6},
    "bilstm": {"hidden": 5},
    "decatt": {"hidden": 8},
    "decatt-bilstm": {"hidden": 8},
    "esim": {"hidden": 6},
    "pwim": {"hidden": 6},
    "sse": {"hidden": 3, "classifier": 8},
    "sse-small": {"hidden": 4, "classifier": 6},
    "bimpm": {"n_characters": LETTERS, "hidden": 5},
    "diin": {"n_characters": LETTERS},
}
"""Sizes at which a law takes milliseconds."""

LENGTHS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=5)

every_network = pytest.mark.parametrize("name", NETWORKS)


def test_every_network_has_small_sizes() -> None:
    assert list(SMALL) == list(NETWORKS)


@cache
def network(name: str) -> PairNetwork:
    return build(name, WIDTH, seed=1, **SMALL[name]).eval()


def pairs(lengths: Sequence[tuple[int, int]], seed: int = 0) -> tuple[list, list]:
    return (
        [text(length, seed + 2 * place) for place, (length, _) in enumerate(lengths)],
        [text(length, seed + 2 * place + 1) for place, (_, length) in enumerate(lengths)],
    )


def score(name: str, first, second) -> torch.Tensor:
    with torch.no_grad():
        return network(name)(first, second)


@pytest.mark.sweep
@every_network
@settings(max_examples=15)
@given(LENGTHS, st.integers(0, 3), st.integers(0, 1000))
@example([(1, 1), (12, 12)], 0, 0)
@example([(1, 60), (60, 2)], 1, 0)
def test_a_pair_scores_alone_as_in_any_padded_batch(
    name: str, lengths: list[tuple[int, int]], longer: int, seed: int
) -> None:
    firsts, seconds = pairs(lengths, seed)
    together = score(name, batch(firsts, longer), batch(seconds, 3 - longer))
    alone = torch.cat([score(name, *pair) for pair in zip(firsts, seconds, strict=True)])
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=0)


@every_network
def test_what_is_in_the_padding_is_not_read(name: str) -> None:
    firsts, seconds = pairs([(3, 5), (6, 2)])
    first, second = batch(firsts, 2), batch(seconds, 1)
    clean = score(name, first, second)
    for side in (first, second):
        side.vectors[~side.mask] = 7.0
    torch.testing.assert_close(score(name, first, second), clean, atol=1e-4, rtol=0)


@every_network
@settings(max_examples=10)
@given(st.permutations(range(5)))
def test_pairs_in_another_order_get_their_scores_in_that_order(name: str, order: list[int]) -> None:
    firsts, seconds = pairs([(3, 5), (6, 2), (1, 1), (9, 9), (4, 12)])
    first, second = batch(firsts), batch(seconds)
    moved = score(name, rows(first, order), rows(second, order))
    torch.testing.assert_close(moved, score(name, first, second)[order], atol=1e-5, rtol=0)


@every_network
def test_both_orders_of_a_pair_score_alike_only_where_the_network_says_so(name: str) -> None:
    firsts, seconds = pairs([(3, 5), (6, 2), (1, 4), (9, 9), (4, 12)])
    first, second = batch(firsts), batch(seconds)
    apart = (score(name, first, second) - score(name, second, first)).abs().max()
    assert (apart <= 1e-5) == NETWORKS[name].symmetric


@every_network
def test_a_loss_reaches_every_parameter_but_those_that_the_network_names(name: str) -> None:
    fresh = build(name, WIDTH, seed=3, **SMALL[name]).eval()
    firsts, seconds = pairs([(length, 14 - length) for length in range(1, 14)])
    logits = fresh(batch(firsts), batch(seconds))
    torch.nn.functional.cross_entropy(logits, torch.arange(13) % 2).backward()
    still = [key for key, value in fresh.named_parameters() if value.grad is None or value.grad.abs().max() < 1e-12]
    assert still == [key for key, _ in fresh.named_parameters() if key in NETWORKS[name].without_gradient]


@every_network
def test_the_same_seed_gives_the_same_weights_and_leaves_the_random_state_alone(name: str) -> None:
    before = torch.get_rng_state()
    networks = [build(name, WIDTH, seed=seed, **SMALL[name]) for seed in (5, 5, 6)]
    assert torch.equal(before, torch.get_rng_state())
    weights, same, different = (torch.cat([v.flatten() for v in n.parameters()]) for n in networks)
    assert torch.equal(weights, same)
    assert not torch.equal(weights, different)


@every_network
@pytest.mark.parametrize("lengths", [(1, 1), (1, 300), (300, 2), (300, 300)])
def test_texts_of_one_word_and_of_three_hundred_have_finite_scores(name: str, lengths: tuple[int, int]) -> None:
    logits = score(name, text(lengths[0], 1), text(lengths[1], 2))
    assert logits.shape == (1, 2)
    assert logits.dtype == torch.float32
    assert logits.isfinite().all()


@every_network
def test_unknown_words_and_equal_texts_have_finite_scores_and_gradients(name: str) -> None:
    fresh = build(name, WIDTH, seed=3, **SMALL[name]).train()
    unknown, other = text(4, 1), text(6, 2)
    unknown.vectors.zero_()
    for first, second in ((unknown, unknown), (unknown, other), (other, other)):
        logits = fresh(first, second)
        logits[:, 1].sum().backward()
        assert logits.isfinite().all()
    assert all(value.grad is None or value.grad.isfinite().all() for value in fresh.parameters())


@every_network
def test_evaluation_has_no_chance_in_it(name: str) -> None:
    firsts, seconds = pairs([(3, 5), (6, 2)])
    first, second = batch(firsts), batch(seconds)
    assert torch.equal(score(name, first, second), score(name, first, second))


@every_network
def test_half_the_precision_gives_nearly_the_same_scores(name: str) -> None:
    sides = text(5, 1), text(7, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = score(name, *sides)
    torch.testing.assert_close(half.float(), score(name, *sides), atol=0.05, rtol=0)


@every_network
def test_each_network_names_its_paper_and_its_readings(name: str) -> None:
    assert NETWORKS[name].paper
    assert NETWORKS[name].deviations
    assert NETWORKS[name].recipe.batch_size > 0


@pytest.mark.parametrize("name", [name for name, network in NETWORKS.items() if network.needs_characters])
def test_the_room_for_characters_does_not_move_a_score(name: str) -> None:
    sides = [text(5, 1), text(3, 2)]
    wide = [replace(side, characters=torch.nn.functional.pad(side.characters, (0, 9))) for side in sides]
    torch.testing.assert_close(score(name, *wide), score(name, *sides), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", [name for name, network in NETWORKS.items() if network.needs_characters])
def test_words_without_characters_have_finite_scores(name: str) -> None:
    sides = [replace(side, characters=torch.zeros_like(side.characters)) for side in (text(5, 1), text(3, 2))]
    assert score(name, *sides).isfinite().all()


def test_diin_takes_missing_parts_of_speech_as_unknown_ones() -> None:
    sides = [text(5, 1), text(3, 2)]
    without = [replace(side, tags=None) for side in sides]
    unknown = [replace(side, tags=torch.zeros_like(side.tags)) for side in sides]
    assert torch.equal(score("diin", *without), score("diin", *unknown))
    assert not torch.equal(score("diin", *without), score("diin", *sides))


def test_letters_of_the_test_texts_fit_the_small_sizes() -> None:
    assert int(text(30, 0).characters.max()) <= LETTERS
