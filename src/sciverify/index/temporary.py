"""A folder for an index that is gone when it is closed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["temporary_folder"]

_MEMORY = Path("/dev/shm")  # a file system in memory, where the system has one
_ENGINE = 256 * 1024 * 1024  # what an engine reserves, whatever it holds


@contextmanager
def temporary_folder(corpus_bytes: int = 0, memory: Path = _MEMORY) -> Iterator[Path]:
    """A new folder, removed at the end: in memory if an index of so large a corpus fits there several times.

    Making an index waits for the disk again and again, so that it survives a crash; this one need not.
    """
    with tempfile.TemporaryDirectory(prefix="sciverify-", dir=_place(20 * corpus_bytes + _ENGINE, memory)) as folder:
        yield Path(folder)


def _place(needed: int, memory: Path) -> Path | None:
    try:
        fits = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 * needed
    except OSError:
        return None
    return memory if fits else None
