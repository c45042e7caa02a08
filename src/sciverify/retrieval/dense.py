"""Retrieval by meaning: cosine of sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sciverify.errors import SettingError
from sciverify.records import Claim, Filters, Ranking
from sciverify.retrieval.common import EMPTY_CORPUS, NO_LETTER, NO_MATCH, Found, check_count, rankings, scored
from sciverify.stages import TextEncoder
from sciverify.text.clean import searchable

if TYPE_CHECKING:
    from sciverify.index import Index

__all__ = ["DenseRetriever"]


class DenseRetriever:
    """The documents whose vectors are nearest to the claim's, whatever words they use; scores are cosines.

    Every document has some distance to every claim, so this search always fills its `k` places.

        >>> retriever = DenseRetriever(Index.open("my.index"), load_encoder())
        >>> retriever.retrieve([Claim("1", "Aspirin lowers cancer risk")], k=10)

    Raises:
        SettingError: the index holds no vectors, or another encoder made them.
    """

    name = "dense()"

    def __init__(self, index: Index, encoder: TextEncoder) -> None:
        if index.encoder_name is None:
            raise SettingError(
                "the index holds no vectors, so it cannot be searched by meaning",
                remedy="Build it again with vectors, or search by words (bm25)",
            )
        if index.encoder_name != encoder.name:
            raise SettingError(
                f"the index's vectors were made by {index.encoder_name}, not by {encoder.name}",
                remedy="Use that encoder, or build the index again",
            )
        self._index = index
        self._encoder = encoder

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """The `k` nearest documents per claim (see `sciverify.stages.Retriever`).

        A claim without a letter or a digit gets an empty ranking and a notice: its vector would mean nothing.

        Raises:
            SettingError: `k` is below 1.
        """
        return rankings(self._index, self.find(claims, k, filters))

    def find(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Found]:
        """The same without fetching the documents: ids and scores."""
        k = min(check_count("k", k), len(self._index))
        texts = [searchable(claim.text) for claim in claims]
        meant = [place for place, text in enumerate(texts) if any(character.isalnum() for character in text)]
        results = [Found(notice=NO_LETTER)] * len(texts)
        if not meant:
            return results
        if k == 0:
            found = [Found(notice=EMPTY_CORPUS)] * len(meant)
        else:
            vectors = self._encoder.encode([texts[place] for place in meant])
            found = [
                Found(scored(hits, "dense")) if hits else Found(notice=NO_MATCH)
                for hits in self._index.search_vectors(vectors, k, filters)
            ]
        for place, result in zip(meant, found, strict=True):
            results[place] = result
        return results
