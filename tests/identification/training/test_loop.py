"""The training loop's own parts."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training.loop import OPTIMIZERS  # noqa: E402


def test_the_first_step_of_adagrad_follows_the_size_of_the_gradient() -> None:
    weights = torch.nn.Parameter(torch.zeros(2))
    weights.grad = torch.tensor([1e-4, 1e-2])
    OPTIMIZERS["adagrad"]([weights], lr=0.05).step()
    assert weights.detach().abs().max() < 0.005
    torch.testing.assert_close(weights[1] / weights[0], torch.tensor(100.0), rtol=1e-2, atol=0)
