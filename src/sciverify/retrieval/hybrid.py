"""Retrieval by words and by meaning at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sciverify.errors import SettingError
from sciverify.records import Claim, Filters, Ranking
from sciverify.retrieval.bm25 import Bm25Retriever
from sciverify.retrieval.common import NO_WORD, Found, check_count, rankings
from sciverify.retrieval.dense import DenseRetriever
from sciverify.retrieval.fusion import FUSIONS
from sciverify.stages import TextEncoder
from sciverify.text.analysis import analyse
from sciverify.text.clean import searchable

if TYPE_CHECKING:
    from sciverify.index import Index

__all__ = ["HybridRetriever"]


class HybridRetriever:
    """BM25 and dense search fused; `found_by` says which of the two found a document.

        >>> retriever = HybridRetriever(Index.open("my.index"), load_encoder())
        >>> retriever.retrieve([Claim("1", "Aspirin lowers cancer risk")], k=10)

    Args:
        index: an index with vectors.
        encoder: the encoder that made them.
        fusion: ``"sum"`` (weighted sum of min-max normalised scores) or ``"rrf"`` (reciprocal ranks).
        depth: how many documents each of the two searches contributes (more when `k` is larger).
        weight: the share of the dense search, 0 to 1; BM25 has the rest.

    The defaults are those that did best on SciFact's training claims: docs/retrieval.md has the figures.

    Raises:
        SettingError: an option is out of range, the index holds no vectors, or another encoder made them.
    """

    def __init__(
        self, index: Index, encoder: TextEncoder, *, fusion: str = "sum", depth: int = 200, weight: float = 0.5
    ) -> None:
        if fusion not in FUSIONS:
            raise SettingError(f"there is no fusion {fusion!r}", remedy=f"Choose one of {', '.join(FUSIONS)}")
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            raise SettingError(f"the weight {weight!r} is not between 0 and 1", remedy="Give the share of dense search")
        self._depth = check_count("depth", depth)
        self._weights = (1 - weight, weight)
        self._fuse = FUSIONS[fusion]
        self._index = index
        self._bm25 = Bm25Retriever(index)
        self._dense = DenseRetriever(index, encoder)
        self.name = f"hybrid(fusion={fusion!r}, depth={depth}, weight={weight})"

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """The `k` best documents per claim (see `sciverify.stages.Retriever`).

        A claim of stop words only gets an empty ranking and a notice: its vector alone would find noise.

        Raises:
            SettingError: `k` is below 1.
        """
        depth = max(check_count("k", k), self._depth)
        by_words = self._bm25.find(claims, depth, filters)
        by_meaning = self._dense.find(claims, depth, filters)
        results = []
        for claim, words, meaning in zip(claims, by_words, by_meaning, strict=True):
            if not analyse(searchable(claim.text)):
                results.append(Found(notice=NO_WORD))
                continue
            hits = self._fuse((words.hits, meaning.hits), self._weights)[:k]
            results.append(Found(hits, "" if hits else words.notice))
        return rankings(self._index, results)
