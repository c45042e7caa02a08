"""SciFact's corpus, and the sets in its shape (HealthVer, COVID-Fact, CitInt).

One JSON object a line: ``doc_id``, ``title`` (some sets leave it out), ``abstract`` as a list of sentences. The
sentences stay exactly as given, since annotations refer to them by number.
"""

from __future__ import annotations

from typing import Any

from sciverify.corpora.fields import document_id, given_sentences, title_from
from sciverify.corpora.reader import JsonLinesReader
from sciverify.errors import CorpusError
from sciverify.records import Document

__all__ = ["ScifactReader"]


class ScifactReader(JsonLinesReader):
    """Reads ``{"doc_id": 1, "title": "...", "abstract": ["...", "..."]}``."""

    def _from_object(self, record: dict[str, Any]) -> Document:
        for key in ("doc_id", "abstract"):
            if key not in record:
                raise CorpusError(f"there is no {key!r}", remedy="Name the format if this is not SciFact's")
        abstract = record["abstract"]
        if not isinstance(abstract, list):
            raise CorpusError("the abstract is no list of sentences", remedy="Name the format jsonl to have it split")
        return Document.from_sentences(
            document_id(record["doc_id"]), title_from(record.get("title")), given_sentences(abstract)
        )
