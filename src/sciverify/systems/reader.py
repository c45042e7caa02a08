"""The model that a system reads with, and how the system's name tells of it."""

from __future__ import annotations

from pathlib import Path

from sciverify.verification import open_model
from sciverify.verification.reading import PassageModel

__all__ = ["open_reader"]


def open_reader(model: str | Path | None) -> tuple[PassageModel | None, str]:
    """The model in a folder, and ``model=NAME, `` for the system's name; None and nothing for the one that ships.

    Raises:
        ModelError: see `sciverify.verification.open_model`.
    """
    if model is None:
        return None, ""
    reader = open_model(model)
    return reader, f"model={reader.name}, "
