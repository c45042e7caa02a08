"""Any file with one JSON object a line whose keys are recognised or named by the caller."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sciverify.corpora.fields import Columns
from sciverify.corpora.reader import JsonLinesReader
from sciverify.records import Document

__all__ = ["JsonlReader"]


class JsonlReader(JsonLinesReader):
    """Reads objects with an id, a text (raw, or a list of sentences), and what else is known.

    Args:
        path: the file, plain or gzip.
        columns: field -> key, for keys that aren't recognised (docs/corpora.md).
        skip_bad: list bad lines in `problems` instead of raising.
    """

    def __init__(self, path: str | Path, *, columns: Mapping[str, str] | None = None, skip_bad: bool = False) -> None:
        super().__init__(path, skip_bad=skip_bad)
        self._columns = Columns(columns)

    def _from_object(self, record: dict[str, Any]) -> Document:
        return self._columns.document(record)
