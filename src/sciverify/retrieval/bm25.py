"""Retrieval by words: BM25 over stems, in the index's search engine (Robertson and Zaragoza 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sciverify.records import Claim, Filters, Ranking
from sciverify.retrieval.common import EMPTY_CORPUS, NO_MATCH, NO_WORD, Found, check_count, rankings, scored
from sciverify.text.analysis import analyse
from sciverify.text.clean import searchable

if TYPE_CHECKING:
    from sciverify.index import Index

__all__ = ["Bm25Retriever"]


class Bm25Retriever:
    """The documents whose words fit the claim best; a document that shares no stem with it is never returned.

    The constants of BM25 belong to the index, which fixed them when it was built.

        >>> Bm25Retriever(Index.open("my.index")).retrieve([Claim("1", "Aspirin lowers cancer risk")], k=10)
    """

    name = "bm25()"

    def __init__(self, index: Index) -> None:
        self._index = index

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """The `k` best documents per claim (see `sciverify.stages.Retriever`).

        Raises:
            SettingError: `k` is below 1.
        """
        return rankings(self._index, self.find(claims, k, filters))

    def find(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Found]:
        """The same without fetching the documents: ids and scores."""
        k = min(check_count("k", k), len(self._index))
        texts = [searchable(claim.text) for claim in claims]
        if k == 0:
            return [Found(notice=EMPTY_CORPUS if analyse(text) else NO_WORD) for text in texts]
        return [
            Found(scored(hits, "bm25")) if hits else Found(notice=NO_MATCH if analyse(text) else NO_WORD)
            for text, hits in zip(texts, self._index.search_words(texts, k, filters), strict=True)
        ]
