"""How many processors this process may really use."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["available_cpus"]

_CGROUP = Path("/sys/fs/cgroup")


def available_cpus(cgroup: Path = _CGROUP) -> int:
    """Processors by affinity and by container quota, at least 1.

    `os.cpu_count` counts the machine's; a container or a batch job often has fewer, and threads beyond them only
    fight each other.
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota_v2(cgroup) or _quota_v1(cgroup)
    return max(1, min(count, quota) if quota else count)


def _quota_v2(cgroup: Path) -> int | None:
    words = _words(cgroup / "cpu.max")
    return _ceil_quota(words[0], words[1]) if len(words) == 2 else None


def _quota_v1(cgroup: Path) -> int | None:
    quota, period = _words(cgroup / "cpu/cpu.cfs_quota_us"), _words(cgroup / "cpu/cpu.cfs_period_us")
    return _ceil_quota(quota[0], period[0]) if quota and period else None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def _ceil_quota(quota: str, period: str) -> int | None:
    if not quota.isdigit() or not period.isdigit() or int(period) == 0:
        return None  # "max", "-1": no limit
    return -(-int(quota) // int(period))
