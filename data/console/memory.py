"""Memory that a command no longer needs."""

import ctypes

LARGE_BYTES = 2**20
MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD in glibc's malloc.h."""


def return_large_blocks() -> None:
    """Have glibc give a block of LARGE_BYTES or more back to the system once it is free; by itself it keeps many."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(MMAP_THRESHOLD, LARGE_BYTES)


def return_memory() -> None:
    """Give freed memory back to the system.

    glibc keeps it between what is in use, more with every shape of batch; Arrow keeps some for what is read next.
    """
    import pyarrow as pa  # not at the top: every command imports this module, also for `--help`

    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
