"""The training loop's own parts."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks import diin  # noqa: E402
from identification.architectures.words import WordModel  # noqa: E402
from identification.training.epochs.checkpoints import load_weights, save_weights  # noqa: E402
from identification.training.epochs.loop import OPTIMIZERS, TrainingWork  # noqa: E402
from identification.training.epochs.machine import Device  # noqa: E402
from identification.training.epochs.settings import Settings  # noqa: E402


def test_the_first_step_of_adagrad_follows_the_size_of_the_gradient() -> None:
    weights = torch.nn.Parameter(torch.zeros(2))
    weights.grad = torch.tensor([1e-4, 1e-2])
    OPTIMIZERS["adagrad"]([weights], lr=0.05).step()
    assert weights.detach().abs().max() < 0.005
    torch.testing.assert_close(weights[1] / weights[0], torch.tensor(100.0), rtol=1e-2, atol=0)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_the_gradient_is_the_same_however_many_pairs_are_computed_at_once(
    reduction: Literal["mean", "sum"], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"w{number}" for number in range(30)]
    vectors = np.random.default_rng(1).normal(size=(30, 6)).astype(np.float32)
    model = WordModel("diin", words, vectors, longest=10, characters="w0123456789", train_words=True)
    texts = [" ".join(words[number : number + 2 + number % 5]) for number in range(14)]
    settings = Settings(optimizer="adam", learning_rate=1, batch_size=7, epochs=1, patience=1, reduction=reduction)
    training = TrainingWork(
        model=model, reading=model.read(texts), examples=None, settings=settings, seed=0, watch=iter, report=print,
        place=Device(device=torch.device("cpu"), bfloat16=False),
    )  # fmt: skip
    gradients, losses = [], []
    for cells, n in ((diin.BATCH_CELLS, 7), (3 * 6 * 6, 3)):
        monkeypatch.setattr(diin, "BATCH_CELLS", cells)
        assert model.count_at_once(training.reading, np.arange(7), np.arange(7, 14)) == n
        model.zero_grad()
        losses.append(training.add_gradients(np.arange(7), np.arange(7, 14), np.linspace(0, 1, 7)))
        gradients.append({name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None})
    assert losses[0] == pytest.approx(losses[1])
    torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-5)
    assert max(float(gradient.abs().max()) for gradient in gradients[0].values()) > 1e-3


def test_weights_in_one_block_of_memory_are_saved_and_read_again(tmp_path: Path) -> None:
    """As cuDNN lays out the weights of a recurrent layer on a GPU."""
    words = [f"w{number}" for number in range(9)]
    vectors = np.random.default_rng(1).normal(size=(9, 6)).astype(np.float32)
    model, other = (WordModel("esim", words, vectors, longest=10, characters="w", train_words=True) for _ in range(2))
    for layer in (one for one in [*model.modules(), *other.modules()] if isinstance(one, torch.nn.LSTM)):
        weights = list(layer.parameters())
        block = torch.cat([weight.detach().flatten() for weight in weights])
        for weight, part in zip(weights, block.split([weight.numel() for weight in weights]), strict=True):
            weight.data = part.view_as(weight)
    for weight in other.parameters():
        weight.data.zero_()
    save_weights(model, tmp_path / "weights")
    load_weights(other, tmp_path / "weights")
    torch.testing.assert_close(dict(other.named_parameters()), dict(model.named_parameters()), rtol=0, atol=0)
    assert (tmp_path / "weights").stat().st_size < 4.1 * sum(weight.numel() for weight in model.parameters())
