from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from sciverify.training import allocator

SETTING = "from sciverify.training.allocator import keep_freed_memory; print(keep_freed_memory())"
RETURNING = """
import os
from pathlib import Path

from sciverify.training.allocator import give_back_memory, keep_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

keep_freed_memory()
blocks = [b"x" * 2_000_000 for _ in range(100)]
del blocks
before = resident()
given_back = give_back_memory()
print(given_back, before - resident() > 100_000_000)
"""
glibc_only = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="this platform has no glibc")


# Processes of their own: the thresholds can't be taken back.


@glibc_only
def test_glibc_keeps_freed_memory() -> None:
    assert run(SETTING) == "True\n"


@glibc_only
def test_pages_that_nothing_uses_are_given_back() -> None:
    assert run(RETURNING) == "True True\n"


def test_elsewhere_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert allocator.keep_freed_memory() is False
    assert allocator.give_back_memory() is False


def test_a_c_library_without_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert allocator.keep_freed_memory() is False
    assert allocator.give_back_memory() is False


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
