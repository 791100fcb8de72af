"""Device, precision and threads."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from data.errors import InputError
from identification.architectures.model import PairModel
from identification.config import Machine


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where and in which numbers a model is computed."""

    device: torch.device
    bfloat16: bool

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        """Compute in bfloat16 where that was chosen; weights and losses stay float32."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bfloat16):
            yield


def take(machine: Machine, model: PairModel) -> Place:
    """Move the model to the device and set the threads; raises InputError where there is no such device."""
    if machine.device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device", expected="auto or cpu", found="cuda, without a CUDA device", remedy="leave it out")
    device = torch.device("cuda" if machine.device != "cpu" and torch.cuda.is_available() else "cpu")
    torch.set_num_threads(machine.threads or os.cpu_count() or 1)
    model.to(device)
    wanted = machine.precision == "bfloat16" or (machine.precision == "auto" and model.computes_in_bfloat16)
    return Place(device=device, bfloat16=wanted and (machine.precision == "bfloat16" or has_bfloat16(device)))


def has_bfloat16(device: torch.device) -> bool:
    """Whether the processor or device computes in bfloat16 faster than in float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
