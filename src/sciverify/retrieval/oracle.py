"""Retrieval that is told the answer: the gold or cited documents of each claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sciverify.records import Claim, Filters, Ranking
from sciverify.retrieval.common import NO_MATCH, Found, Scored, check_count, rankings
from sciverify.stages import DocumentSource

__all__ = ["OracleRetriever"]

_NOT_GIVEN = "No documents are given for this claim."


class OracleRetriever:
    """The documents that a mapping gives for a claim's id, all with score 1, in order of document id.

    It measures what comes after retrieval (the "oracle abstract" setting of Wadden et al. 2020, SciFact §6), or runs a
    system on documents that were chosen elsewhere.

        >>> OracleRetriever(index, {"52": ["11", "15"]}).retrieve([Claim("52", "...")], k=10)

    Raises:
        InputError: the source has no document with one of the ids.
    """

    name = "oracle()"

    def __init__(self, source: DocumentSource, documents: Mapping[str, Sequence[str]]) -> None:
        self._source = source
        self._given = {claim: sorted(set(ids)) for claim, ids in documents.items()}
        wanted = sorted({id for ids in self._given.values() for id in ids})
        # Reading them at once names a wrong id now, not in the middle of a run; claims share few documents.
        self._metadata = {document.id: document.metadata for document in source.documents(wanted)} if wanted else {}

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """The first `k` of each claim's documents that the filters let through.

        Raises:
            SettingError: `k` is below 1.
        """
        check_count("k", k)
        return rankings(self._source, [self._find(claim.id, k, filters or Filters()) for claim in claims])

    def _find(self, claim_id: str, k: int, filters: Filters) -> Found:
        given = self._given.get(claim_id, [])
        hits = [Scored(id, 1.0, ("oracle",)) for id in given if filters.accept(self._metadata[id])][:k]
        return Found(hits, "" if hits else NO_MATCH if given else _NOT_GIVEN)
