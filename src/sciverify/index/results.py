"""What an index answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Hit", "IndexInfo"]


class Hit(NamedTuple):
    """A document found by a search; a higher score is better."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index is. `average_length` (0 before the first document) counts analysed words, `size` bytes on disk."""

    path: str
    documents: int
    revision: int
    encoder: str | None
    dimensions: int | None
    analyser: str
    k1: float
    b: float
    average_length: float
    format: int
    size: int
