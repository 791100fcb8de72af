"""Device, precision and threads."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from data.console.errors import InputError, ParadeError
from identification.architectures.model import Numbers, PairModel
from identification.config import Machine

MIN_SPEEDUP = 1.2
"""bfloat16 is taken where it is this many times faster, so that two processes of one machine find the same."""
N_TRIALS = 20
BATCH_PAIRS = {"cpu": 64, "cuda": 1024}
"""Pairs or texts that are scored together: a GPU waits for the processor with few."""


@dataclass(kw_only=True)
class Device:
    """Where and in which numbers a model is computed."""

    device: torch.device
    bfloat16: bool
    most: int = sys.maxsize
    """Rows that fit into its memory together, learned where more did not."""

    @property
    def batch_pairs(self) -> int:
        """Pairs that are scored together."""
        return BATCH_PAIRS[self.device.type]

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        """Compute in bfloat16 where that was chosen; weights and losses stay float32."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bfloat16):
            yield

    def in_parts(
        self, rows: Numbers, at_once: int, compute: Callable[[Numbers], None], undo: Callable[[], None] = lambda: None
    ) -> None:
        """Compute all rows, at most `at_once` together; where the memory of a GPU is too small, half of that.

        `undo` drops what was computed before that. Raises ParadeError where one row does not fit.
        """
        at_once = max(1, min(at_once, self.most))
        while True:
            try:
                for part in np.split(rows, range(at_once, len(rows), at_once)):
                    compute(part)
            except torch.OutOfMemoryError as fault:
                undo()
                if at_once == 1:
                    found = " ".join(str(fault).split())[:200]
                    remedy = "give --device cpu, or a smaller --longest"
                    raise ParadeError("--device", expected="memory for a pair", found=found, remedy=remedy) from fault
                at_once = self.most = min(at_once, len(rows)) // 2 or 1
            else:
                return


def place_model(machine: Machine, model: PairModel) -> Device:
    """Move the model to the device and set the threads; raises InputError where there is no such device."""
    place = choose_device(machine, pays=model.computes_in_bfloat16)
    model.to(place.device)
    return place


def choose_device(machine: Machine, *, pays: bool) -> Device:
    """The device that is asked for, its threads set; raises InputError where there is no such device.

    `pays`: take bfloat16 by default, where the device is faster in it.
    """
    if machine.device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device", expected="auto or cpu", found="cuda, without a CUDA device", remedy="leave it out")
    device = torch.device("cuda" if machine.device != "cpu" and torch.cuda.is_available() else "cpu")
    torch.set_num_threads(machine.threads or os.cpu_count() or 1)
    torch.backends.cudnn.allow_tf32 = machine.precision != "float32"  # 19 bits; torch's products have 32 by default
    wanted = machine.precision == "bfloat16" or (machine.precision == "auto" and pays)
    return Device(device=device, bfloat16=wanted and (machine.precision == "bfloat16" or has_bfloat16(device)))


@cache
def has_bfloat16(device: torch.device) -> bool:
    """Whether the device computes in bfloat16, and a processor faster than in float32.

    That is measured: Intel's processors with AVX512-BF16 whose AMX a virtual machine hides take nearly twice as long.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    capabilities = torch.cpu.get_capabilities()
    if not (capabilities.get("avx512_bf16") or capabilities.get("amx_bf16")):
        return False
    return MIN_SPEEDUP * _seconds(torch.bfloat16) < _seconds(torch.float32)


def _seconds(dtype: torch.dtype) -> float:
    """What a product of an ordinary transformer's linear layer takes at best, on one thread."""
    weights, rows = torch.zeros(768, 768, dtype=dtype), torch.zeros(512, 768, dtype=dtype)
    threads, times = torch.get_num_threads(), []
    torch.set_num_threads(1)
    with torch.inference_mode():
        for _ in range(N_TRIALS):
            started = time.perf_counter()
            torch.nn.functional.linear(rows, weights)
            times.append(time.perf_counter() - started)
    torch.set_num_threads(threads)
    return min(times)
