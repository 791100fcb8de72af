"""Every network can learn: 32 pairs of which one half are copies."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks.registry import NETWORKS, build  # noqa: E402
from tests.identification.architectures.batches import LETTERS, WIDTH, batch, text  # noqa: E402

SIZES: dict[str, dict[str, int]] = {
    "bow": {"hidden": 16},
    "bilstm": {"hidden": 16},
    "decatt": {"hidden": 32},
    "decatt-bilstm": {"hidden": 32},
    "esim": {"hidden": 32},
    "pwim": {"hidden": 16},
    "sse": {"hidden": 8, "classifier": 32},
    "sse-small": {"hidden": 8, "classifier": 32},
    "bimpm": {"n_characters": LETTERS, "hidden": 16},
    "diin": {"n_characters": LETTERS},
}
RATES = {"pwim": 1e-3, "diin": 1e-3}
MOST_STEPS = 150


@pytest.mark.sweep
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_learns_32_pairs_by_heart(name: str) -> None:
    torch.manual_seed(0)
    network = build(name, WIDTH, seed=1, **SIZES[name]).train()
    lengths = [3 + place % 4 for place in range(32)]
    firsts = [text(length, place) for place, length in enumerate(lengths)]
    seconds = [text(length, place + 1000 * (place % 2)) for place, length in enumerate(lengths)]
    first, second, labels = batch(firsts), batch(seconds), 1 - torch.arange(32) % 2
    optimizer = torch.optim.Adam(network.parameters(), lr=RATES.get(name, 1e-2))
    for step in range(MOST_STEPS):
        network.train()
        torch.nn.functional.cross_entropy(network(first, second), labels).backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 9:
            with torch.no_grad():
                if torch.equal(network.eval()(first, second).argmax(dim=1), labels):
                    return
    pytest.fail(f"{MOST_STEPS} steps did not teach {name} 32 pairs")
