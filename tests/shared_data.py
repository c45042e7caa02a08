"""Where the public data sets lie, for the tests that read them."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path:
    """A path inside ../shared/data; the calling test is skipped where the data set is absent."""
    path = ROOT.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs the public data set {'/'.join(parts)} in ../shared/data")
    return path
