"""BEIR's corpora: one JSON object a line with ``_id``, ``title``, ``text`` and an optional ``metadata`` object.

The text is raw and gets split into sentences. Of the metadata the recognised names are taken (docs/corpora.md).
"""

from __future__ import annotations

from typing import Any

from sciverify.corpora.fields import clean_sentences, document_id, match_metadata, title_from
from sciverify.corpora.metadata import metadata_from
from sciverify.corpora.reader import JsonLinesReader
from sciverify.errors import CorpusError
from sciverify.records import Document

__all__ = ["BeirReader"]


class BeirReader(JsonLinesReader):
    """Reads ``{"_id": "MED-10", "title": "...", "text": "...", "metadata": {...}}``."""

    def _from_object(self, record: dict[str, Any]) -> Document:
        for key in ("_id", "text"):
            if key not in record:
                raise CorpusError(f"there is no {key!r}", remedy="Name the format if this is not BEIR's")
        metadata = record.get("metadata") or {}
        if not isinstance(metadata, dict):
            raise CorpusError("the metadata are not a JSON object")
        return Document.from_sentences(
            document_id(record["_id"]),
            title_from(record.get("title")),
            clean_sentences(record["text"]),
            metadata_from(metadata, match_metadata(tuple(metadata))),
        )
