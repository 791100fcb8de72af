"""Which numbers a model is computed in."""

from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training.epochs import machine  # noqa: E402
from identification.training.epochs.machine import has_bfloat16  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def measured_again() -> Iterator[None]:
    has_bfloat16.cache_clear()
    yield
    has_bfloat16.cache_clear()


@pytest.mark.parametrize(
    ("capability", "bfloat16", "float32", "expected"),
    [
        ("avx512_bf16", 1.0, 2.6, True),
        ("amx_bf16", 1.0, 6.0, True),
        ("avx512_bf16", 7.2, 3.9, False),  # as measured on an Intel processor whose AMX is hidden
        ("avx512_bf16", 1.0, 1.1, False),  # too close to tell
        ("avx512_f", 1.0, 9.0, False),
    ],
)
def test_bfloat16_is_taken_where_it_is_faster(
    capability: str, bfloat16: float, float32: float, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {torch.bfloat16: bfloat16, torch.float32: float32}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {capability: True})
    monkeypatch.setattr(machine, "_seconds", seconds.__getitem__)
    assert has_bfloat16(CPU) is expected


def test_measuring_leaves_threads_and_random_state_as_they_were() -> None:
    before, state = torch.get_num_threads(), torch.get_rng_state()
    try:
        torch.set_num_threads(2)
        assert 0 < machine._seconds(torch.float32) < 60
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_num_threads(before)
