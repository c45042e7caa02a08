"""Files and verdicts that the tests of the evaluation share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

WriteLines = Callable[..., Path]


@pytest.fixture
def write_lines(tmp_path: Path) -> WriteLines:
    """Write objects (as JSON) or raw strings, one a line, to a named file and return its path."""

    def write(name: str, *lines: object) -> Path:
        path = tmp_path / name
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    return write
