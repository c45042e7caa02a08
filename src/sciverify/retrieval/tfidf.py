"""Retrieval by TF-IDF cosine over words and word pairs, as VeriSci does it (Wadden et al. 2020, SciFact §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sciverify.records import Claim, Filters, Metadata, Ranking
from sciverify.retrieval.common import EMPTY_CORPUS, NO_MATCH, NO_WORD, Found, Scored, check_count, rankings
from sciverify.retrieval.terms import TermSpace, words_of
from sciverify.stages import DocumentSource

__all__ = ["TfidfRetriever"]


class TfidfRetriever:
    """Cosine of TF-IDF vectors of claim and document (title and elements); scores lie in 0 to 1.

    The source is read once, when the retriever is made, and weighed in memory: after the source has changed, make
    another one (documents that have left it are left out of rankings). A document that shares no word with the claim
    is never returned.

        >>> retriever = TfidfRetriever(index)
        >>> retriever.retrieve([Claim("1", "Aspirin lowers the risk of colorectal cancer")], k=3)
    """

    name = "tfidf()"

    def __init__(self, source: DocumentSource) -> None:
        self._source = source
        self._ids: list[str] = []
        self._kinds: dict[Metadata, int] = {}
        self._kind_of: list[int] = []
        self._space = TermSpace(self._read())
        self._kind_numbers = np.array(self._kind_of, dtype=np.int32)
        del self._kind_of
        by_id = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        self._id_order = np.empty(len(by_id), dtype=np.int32)  # where each document stands when sorted by id
        self._id_order[by_id] = np.arange(len(by_id), dtype=np.int32)

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """The `k` most similar documents per claim (see `sciverify.stages.Retriever`).

        Raises:
            SettingError: `k` is below 1.
        """
        check_count("k", k)
        allowed = self._allowed(filters) if filters else None
        return rankings(self._source, [self._find(claim.text, k, allowed) for claim in claims])

    @property
    def nbytes(self) -> int:
        """Bytes in the arrays; the ids and the dictionary of single words come on top."""
        return self._space.nbytes + self._kind_numbers.nbytes + self._id_order.nbytes

    def _find(self, text: str, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        words = words_of(text)
        if not words:
            return Found(notice=NO_WORD)
        if not self._ids:
            return Found(notice=EMPTY_CORPUS)
        scores = self._space.scores(words)
        found = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
        if not len(found):
            return Found(notice=NO_MATCH)
        if len(found) > k:
            least = np.partition(scores[found], -k)[-k]
            found = found[scores[found] >= least]
        order = found[np.lexsort((self._id_order[found], -scores[found]))][:k]
        return Found([Scored(self._ids[n], float(scores[n]), ("tfidf",)) for n in order.tolist()])

    def _read(self) -> Iterator[str]:
        """The texts, while ids and what filters look at are noted down."""
        for document in self._source.documents():
            self._ids.append(document.id)
            known = document.metadata
            kind = Metadata(
                year=known.year,
                journal=known.journal,
                publication_types=known.publication_types,
                retracted=known.retracted,
            )
            self._kind_of.append(self._kinds.setdefault(kind, len(self._kinds)))
            yield document.text

    def _allowed(self, filters: Filters) -> NDArray[np.bool_]:
        """Which documents the filters let through, shape ``(documents,)``; each distinct kind is asked for once."""
        accepted = np.fromiter((filters.accept(kind) for kind in self._kinds), dtype=bool, count=len(self._kinds))
        return accepted[self._kind_numbers]
