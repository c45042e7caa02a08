"""`Filters` in the engine's terms: the fields stored with each document, and the condition over them.

`Filters.accept` is the meaning; a property test holds the engine to it.
"""

from __future__ import annotations

from typing import Any

import qdrant_edge as qdrant

from sciverify.index.codec import LATEST_YEAR
from sciverify.records import Filters, Metadata

__all__ = ["FIELDS", "condition", "payload"]

FIELDS = {
    "year": qdrant.PayloadSchemaType.Integer,
    "journal": qdrant.PayloadSchemaType.Keyword,
    "types": qdrant.PayloadSchemaType.Keyword,
    "retracted": qdrant.PayloadSchemaType.Integer,  # 0 or 1: the engine's boolean match finds nothing
}


def payload(metadata: Metadata) -> dict[str, Any]:
    """What the engine stores to filter by; an unknown year is left out, so no range includes it."""
    fields: dict[str, Any] = {
        "journal": _keyword(metadata.journal),
        "types": [_keyword(name) for name in metadata.publication_types],
        "retracted": int(metadata.retracted),
    }
    if metadata.year is not None:
        fields["year"] = metadata.year
    return fields


def condition(filters: Filters | None) -> qdrant.Filter | None:
    """The engine's filter, or None where everything is accepted."""
    if not filters:
        return None
    must: list[Any] = []
    if filters.first_year is not None or filters.last_year is not None:
        years = qdrant.RangeFloat(gte=_bound(filters.first_year), lte=_bound(filters.last_year))
        must.append(qdrant.FieldCondition("year", range=years))
    if filters.journals:
        must.append(_any_of("journal", filters.journals))
    if filters.publication_types:
        must.append(_any_of("types", filters.publication_types))
    if filters.retracted is not None:
        must.append(qdrant.FieldCondition("retracted", match=qdrant.MatchValue(int(filters.retracted))))
    return qdrant.Filter(must=must)


def _any_of(field: str, names: tuple[str, ...]) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(field, match=qdrant.MatchAny(sorted({_keyword(name) for name in names})))


def _keyword(name: str) -> str:
    """A string that the engine takes: it refuses lone surrogates, so every byte becomes a character of its own."""
    return name.encode("utf-8", "surrogatepass").decode("latin-1")


def _bound(year: int | None) -> float | None:
    """A year as a float; beyond any stored year the exact value no longer matters."""
    return None if year is None else float(max(-2 * LATEST_YEAR, min(2 * LATEST_YEAR, year)))
