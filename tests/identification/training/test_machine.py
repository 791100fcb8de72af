"""Which numbers a model is computed in."""

from collections.abc import Iterator

import numpy as np
import pytest

from data.console.errors import ParadeError

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training.epochs import machine  # noqa: E402
from identification.training.epochs.machine import Device, has_bfloat16  # noqa: E402

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


@pytest.mark.parametrize("fits", [1, 3, 16, 100])
def test_where_memory_is_too_small_fewer_rows_are_computed_at_once(fits: int) -> None:
    place, done, tried = Device(device=CPU, bfloat16=False), list[int](), list[int]()

    def compute(rows: np.ndarray) -> None:
        tried.append(len(rows))
        if len(rows) > fits:
            raise torch.OutOfMemoryError("CUDA out of memory")
        done.extend(rows.tolist())

    for _ in range(2):
        done.clear()
        place.in_parts(np.arange(10), 8, compute, done.clear)
        assert done == list(range(10))
    assert place.most >= min(fits, 8) / 2
    assert sum(n > fits for n in tried) <= 3, "what did not fit once was tried again"


def test_a_row_that_does_not_fit_is_said_in_one_line() -> None:
    def compute(_: np.ndarray) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    with pytest.raises(ParadeError, match="--device: expected memory for a pair, found CUDA out of memory"):
        Device(device=CPU, bfloat16=False).in_parts(np.arange(10), 8, compute)
