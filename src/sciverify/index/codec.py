"""A document as bytes and back, exactly.

JSON text in UTF-8 that lets lone surrogates through: JSON's own ``\\u`` escapes would join a pair of them into one
character, and SQLite's text type would refuse them.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from sciverify.errors import RecordError, SciverifyError
from sciverify.records import Document, Element, ElementKind, Metadata

__all__ = ["LATEST_YEAR", "decode", "decode_id", "digest", "encode", "encode_id"]

LATEST_YEAR = 10**15
"""Years (of either sign) up to here are compared without loss as 64-bit floats, which the engine uses."""

_KINDS = {kind.value: kind for kind in ElementKind}


def encode(document: Document) -> bytes:
    """The record's bytes; equal documents give equal bytes.

    Raises:
        RecordError: a field that is not what `Document` declares, or a year beyond `LATEST_YEAR`.
    """
    metadata = document.metadata
    if metadata.year is not None and not -LATEST_YEAR <= metadata.year <= LATEST_YEAR:
        raise RecordError(f"the year {metadata.year} is out of range", where=f"document {document.id!r}")
    record = {
        "id": document.id,
        "title": document.title,
        "elements": [(element.id, element.kind, element.text) for element in document.elements],
        "year": metadata.year,
        "journal": metadata.journal,
        "authors": metadata.authors,
        "doi": metadata.doi,
        "pmid": metadata.pmid,
        "publication_types": metadata.publication_types,
        "retracted": metadata.retracted,
    }
    try:
        return _JSON.encode(record).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError) as error:
        raise RecordError(f"the record cannot be written ({error})", where=f"document {document.id!r}") from error


def decode(record: bytes) -> Document:
    """The document that `encode` was given.

    Raises:
        ValueError: the bytes are no such record.
    """
    try:
        fields: dict[str, Any] = json.loads(record.decode("utf-8", "surrogatepass"))
        metadata = Metadata(
            year=fields["year"],
            journal=fields["journal"],
            authors=tuple(fields["authors"]),
            doi=fields["doi"],
            pmid=fields["pmid"],
            publication_types=tuple(fields["publication_types"]),
            retracted=fields["retracted"],
        )
        elements = tuple(Element(id, _KINDS[kind], text) for id, kind, text in fields["elements"])
        return Document(fields["id"], fields["title"], elements, metadata)
    except (KeyError, TypeError, AttributeError, SciverifyError) as error:
        raise ValueError(f"not a record: {error}") from error


def encode_id(id: str) -> bytes:
    """A document id as the key of its row."""
    return id.encode("utf-8", "surrogatepass")


def decode_id(key: bytes) -> str:
    """The document id behind a key."""
    return key.decode("utf-8", "surrogatepass")


def digest(record: bytes, vector: bytes | None) -> bytes:
    """16 bytes that change when a stored record or vector does (SQLite itself has no checksums)."""
    return blake2b(record + (vector or b""), digest_size=16).digest()


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
