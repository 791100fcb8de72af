"""The machine's schedule and losses at known values."""

import pytest

from paraphrase_game.game.schedule import play, rounds


def test_the_rounds_are_the_papers():
    assert [(one.top_k, one.top_p) for one in rounds(6)] == [
        (120, 0.95), (140, 0.9), (160, 0.85), (180, 0.8), (200, 0.75), (220, 0.7)
    ]  # fmt: skip
    assert len(rounds()) == 5


def writer(sentence, sampling):
    return [f"text {sampling.number} {number}" for number in range(10)]


def passing_in(number):
    return lambda _, texts: [{"passed": text.startswith(f"text {number} ")} for text in texts]


def test_play_stops_after_the_first_round_that_passes_and_keeps_all():
    attempts = play("a sentence", writer, passing_in(3), rounds())
    assert len(attempts) == 30
    assert sum(one.judgement["passed"] for one in attempts) == 10
    assert len(play("a sentence", writer, passing_in(9), rounds())) == 50


def test_copies_and_repetitions_are_recorded_unjudged():
    attempts = play("A sentence", lambda *_: ["a Sentence ", "new", "NEW", "", "other"], passing_in(9), rounds(2))
    assert [one.judgement is None for one in attempts] == [True, False, True, True, False] + [True] * 5


@pytest.mark.parametrize(("total", "expected"), [(0, 4.82), (0.99, 4.82), (1.0, 4.82), (2.0, 2.41)])
def test_the_papers_loss_divides_by_the_total_reward(total, expected):
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from paraphrase_game.generator.training import weigh

    rewards = torch.tensor([total, 0.0], dtype=torch.float64)
    losses = torch.tensor([4.82, 4.82], dtype=torch.float64)
    assert float(weigh(losses, rewards, "paper")) == pytest.approx(expected)


def test_our_loss_learns_from_what_pays_better_than_usual():
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from paraphrase_game.generator.training import weigh

    losses, rewards = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0.0, 0.9, 0.0])
    assert float(weigh(losses, rewards, "weighted")) == pytest.approx(2.0)
    assert float(weigh(losses, torch.zeros(3), "weighted")) == 0.0
