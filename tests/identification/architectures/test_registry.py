"""Networks by name, and how many parameters each has."""

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from data.console.errors import InputError  # noqa: E402
from identification.architectures.networks.registry import NETWORKS, build  # noqa: E402

COUNTS: dict[str, tuple[dict[str, int], int]] = {
    "bow": ({}, 180_001),
    "bilstm": ({}, 1_444_801),
    "decatt": ({}, 381_602),
    "decatt-bilstm": ({}, 643_202),
    "esim": ({}, 4_330_802),
    "pwim": ({}, 2_161_830),
    "sse": ({}, 140_200_194),
    "sse-small": ({}, 10_387_266),
    "bimpm": ({"n_characters": 100}, 1_388_630 + 20 * 100),
    "diin": ({"n_characters": 100}, 4_363_935 + 8 * 100),
}


def test_the_document_lists_the_networks_with_their_parameters() -> None:
    document = (Path(__file__).parents[3] / "docs" / "networks.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \|[^|]*\| ([^|]*) \|", document, re.MULTILINE))
    assert list(rows) == list(NETWORKS) == list(COUNTS)
    for name, (sizes, count) in COUNTS.items():
        numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", rows[name])]
        assert numbers[0] + sum(n * sizes["n_characters"] for n in numbers[1:]) == count


@pytest.mark.parametrize("name", COUNTS)
def test_a_network_has_as_many_parameters_as_its_paper_says(name: str) -> None:
    sizes, count = COUNTS[name]
    with torch.device("meta"):
        network = build(name, 300, **sizes)
    assert sum(parameter.numel() for parameter in network.parameters()) == count


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="choose one of: bow, bilstm"):
        build("bert", 300)
