"""The networks in batches against plain computations of one pair at a time, in the style of the released code."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from benchmarks import pair_by_pair  # noqa: E402
from identification.architectures.networks.registry import build  # noqa: E402
from tests.identification.architectures.batches import LETTERS, WIDTH, batch, text  # noqa: E402

REFERENCES = {
    "decatt": (pair_by_pair.decatt, {"hidden": 8}),
    "esim": (pair_by_pair.esim, {"hidden": 6}),
    "pwim": (pair_by_pair.pwim_pair, {"hidden": 6}),
    "bimpm": (pair_by_pair.bimpm_pair, {"n_characters": LETTERS, "hidden": 5}),
    "diin": (pair_by_pair.diin_pair, {"n_characters": LETTERS}),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", REFERENCES)
def test_a_batch_has_the_logits_and_gradients_of_its_pairs_one_by_one(name: str) -> None:
    reference, sizes = REFERENCES[name]
    network = build(name, WIDTH, seed=4, **sizes).eval()
    firsts, seconds = (
        [replace(text(length, seed + place), tags=None) for place, length in enumerate(lengths)]
        for seed, lengths in ((10, [5, 1, 9, 16]), (20, [7, 3, 1, 11]))
    )
    together = network(batch(firsts), batch(seconds))
    alone = torch.cat([reference(network, *pair) for pair in zip(firsts, seconds, strict=True)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)
    labels = torch.tensor([0, 1, 1, 0])
    weights = {key: value for key, value in network.named_parameters() if key not in network.without_gradient}
    gradients = [
        torch.autograd.grad(torch.nn.functional.cross_entropy(logits, labels), list(weights.values()))
        for logits in (together, alone)
    ]
    for key, *both in zip(weights, *gradients, strict=True):
        torch.testing.assert_close(*both, atol=1e-5, rtol=1e-3, msg=lambda text, key=key: f"{key}: {text}")
