"""Keeps glibc from giving memory back between training steps."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["give_back_memory", "keep_freed_memory"]

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_LARGEST = 2**31 - 1


def keep_freed_memory() -> bool:
    """Raise glibc's mmap and trim thresholds for this process; True when that worked (Linux with glibc).

    By default each large tensor is mapped afresh and unmapped when freed, so that every training step faults in all
    its pages again: 5 to 7 times slower on the machines measured.
    """
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return False  # musl has no mallopt
    return all(
        mallopt(option, value)
        for option, value in (
            (_M_MMAP_THRESHOLD, _LARGEST),
            (_M_TRIM_THRESHOLD, _LARGEST),
            (_M_TOP_PAD, 256 * 1024 * 1024),
        )
    )


def give_back_memory() -> bool:
    """Return the pages that nothing uses; True when glibc did.

    Batches differ in shape, so that the kept heap slowly fills with holes: a long stage grew past 20 GB. Once every
    so many steps this costs nothing that matters.
    """
    if sys.platform != "linux":
        return False
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except AttributeError:
        return False
    return bool(trim(0))
