from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from sciverify.training import allocator

CODE = "from sciverify.training.allocator import keep_freed_memory; print(keep_freed_memory())"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="this platform has no glibc")
def test_glibc_keeps_freed_memory() -> None:
    # A process of its own: the thresholds can't be taken back.
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"


def test_elsewhere_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator.sys, "platform", "darwin")
    assert allocator.keep_freed_memory() is False


def test_a_c_library_without_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator.sys, "platform", "linux")
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda name: object())
    assert allocator.keep_freed_memory() is False
