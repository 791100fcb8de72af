"""Memory that a command no longer needs."""

import ctypes

import pyarrow as pa


def return_memory() -> None:
    """Give freed memory back to the system.

    glibc keeps it between what is in use, more with every shape of batch; Arrow keeps some for what is read next.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
