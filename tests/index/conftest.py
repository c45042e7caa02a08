"""Where the tests of the index write: memory, where there is a file system in it, because an index syncs its files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        with tempfile.TemporaryDirectory(dir=MEMORY, prefix="sciverify-test-") as folder:
            yield Path(folder)
    else:
        yield tmp_path_factory.mktemp("index")
