"""Which words a network aligns."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks.base import AligningNetwork  # noqa: E402
from identification.architectures.networks.pwim import choose  # noqa: E402
from identification.architectures.networks.registry import NETWORKS, build  # noqa: E402
from tests.identification.architectures.batches import WIDTH, batch, text  # noqa: E402

aligning = pytest.mark.parametrize(
    "name", [name for name, network in NETWORKS.items() if issubclass(network, AligningNetwork)]
)


def test_the_networks_that_align() -> None:
    names = {name for name, network in NETWORKS.items() if issubclass(network, AligningNetwork)}
    assert names == {"decatt", "decatt-bilstm", "esim", "pwim"}


@aligning
@pytest.mark.parametrize("longer", [0, 60])
def test_an_alignment_has_a_cell_per_pair_of_words_whatever_the_padding(name: str, longer: int) -> None:
    network = build(name, WIDTH, hidden=6, seed=2).eval()
    firsts, seconds = [text(3, 1), text(5, 2)], [text(4, 3), text(2, 4)]
    with torch.no_grad():
        cells = network.alignment(batch(firsts, longer), batch(seconds))
        alone = network.alignment(firsts[1], seconds[1])
    assert cells.shape == (2, 5 + longer, 4)
    assert cells.min() >= 0
    assert cells.max() <= 1
    assert cells[0, 3:].abs().max() == 0
    assert cells[1, :, 2:].abs().max() == 0
    torch.testing.assert_close(cells[1, :5, :2], alone[0], atol=1e-5, rtol=0)


@aligning
def test_texts_too_long_for_the_maps_are_aligned_word_by_word(name: str) -> None:
    network = build(name, WIDTH, hidden=6, seed=2).eval()
    with torch.no_grad():
        cells = network.alignment(text(130, 1), text(50, 2))
    assert cells.shape == (1, 130, 50)
    assert (cells.sum(dim=2) > 0).all()


def test_equal_texts_align_on_the_diagonal_in_pwim() -> None:
    network = build("pwim", WIDTH, hidden=6, seed=2).eval()
    side = text(7, 1)
    with torch.no_grad():
        cells = network.alignment(side, side)[0]
    assert (cells.argmax(dim=1) == torch.arange(7)).all()
    torch.testing.assert_close(cells.diagonal(), torch.ones(7), atol=1e-5, rtol=0)


def greedy(similarities: list[list[float]]) -> set[tuple[int, int]]:
    """The search as the paper describes it: all cells from the best down, each row and column once."""
    cells = [(-value, i, j) for i, row in enumerate(similarities) for j, value in enumerate(row)]
    rows, columns, chosen = set(), set(), set()
    for _, i, j in sorted(cells):
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            chosen.add((i, j))
    return chosen


@pytest.mark.parametrize("seed", range(20))
def test_the_batched_search_chooses_as_the_search_cell_by_cell_does(seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    similarities = torch.randint(8, (3, 6, 9), generator=random).float() - 4
    sizes = [(6, 9), (1, 4), (5, 2)]
    cells = torch.stack([(torch.arange(6).view(-1, 1) < n) & (torch.arange(9) < m) for n, m in sizes])
    chosen = choose(similarities, cells)
    for place, (n, m) in enumerate(sizes):
        expected = greedy(similarities[place, :n, :m].tolist())
        assert {tuple(cell) for cell in chosen[place].nonzero().tolist()} == expected
