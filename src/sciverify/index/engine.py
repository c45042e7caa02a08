"""The search engine of an index: a Qdrant Edge shard that can always be made again from the store.

Points carry the store's document numbers. The shard keeps no write-ahead log of its own: the store is the log, and
whatever came after the last `flush` is sent again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import qdrant_edge as qdrant
from numpy.typing import NDArray

from sciverify.errors import IndexDamagedError
from sciverify.index.filters import FIELDS, condition, payload
from sciverify.index.words import WordSettings, document_weights
from sciverify.records import Document, Filters

__all__ = ["Engine", "Point", "Scored"]

WORDS = "words"
MEANING = "meaning"
_BATCH = 32  # queries planned together
_SPARE = 16  # hits asked for beyond k, so that ties at the edge seldom need a second search
_WORTH_FIELD_INDEXES = 5_000  # documents; a small index is filtered by reading, and made in a fraction of the time

REMEDY = "Run `sciverify index rebuild` on it (or Index.rebuild): the records are intact"


class Scored(NamedTuple):
    """A document number and its score, higher is better."""

    number: int
    score: float


class Point(NamedTuple):
    """What the engine stores of one document; `meaning` is None in an index without vectors."""

    number: int
    terms: list[int]
    weights: list[float]
    meaning: list[float] | None
    payload: dict[str, Any]

    @classmethod
    def of(cls, number: int, document: Document, vector: bytes | None, settings: WordSettings) -> Point:
        """Derive it from a record: everything here can be computed again."""
        terms, weights = document_weights(document.text, settings)
        meaning = None if vector is None else np.frombuffer(vector, dtype="<f4").tolist()
        return cls(number, terms, weights, meaning, payload(document.metadata))


class Engine:
    """An open shard. Searches may run in several threads.

    Raises:
        IndexDamagedError: from any method, when the shard fails; `Index.rebuild` makes a new one.
    """

    def __init__(self, directory: Path, *, dimensions: int | None, create: bool = False) -> None:
        self._directory = directory
        self._count: int | None = None  # counting reads every segment: too slow for each search
        with self._guarded():
            if create:
                shutil.rmtree(directory, ignore_errors=True)
                directory.mkdir()
                self._shard = qdrant.EdgeShard.create(str(directory), _config(dimensions))
            else:
                self._shard = qdrant.EdgeShard.load(str(directory), _config(dimensions))

    def close(self) -> None:
        """Release the shard."""
        with self._guarded():
            self._shard.close()

    def put(self, points: Iterable[Point]) -> None:
        """Insert or replace points."""
        made = [_made(point) for point in points]
        self._count = None
        with self._guarded():
            self._shard.update(qdrant.UpdateOperation.upsert_points(made))

    def remove(self, numbers: list[int]) -> None:
        """Delete points; unknown numbers are fine."""
        self._count = None
        with self._guarded():
            self._shard.update(qdrant.UpdateOperation.delete_points(list(numbers)))

    def flush(self) -> None:
        """Make everything so far survive the process."""
        with self._guarded():
            self._shard.flush()

    def optimize(self) -> None:
        """Merge, compress and index what was written: searches are faster and need less memory afterwards."""
        large = len(self) >= _WORTH_FIELD_INDEXES
        with self._guarded():
            if large and not self._shard.info().payload_schema:
                for field, schema in FIELDS.items():
                    self._shard.update(qdrant.UpdateOperation.create_field_index(field, schema))
            self._shard.optimize()
            self._shard.flush()

    def __len__(self) -> int:
        count = self._count
        if count is None:
            with self._guarded():
                count = self._count = int(self._shard.count(qdrant.CountRequest(exact=True)))
        return count

    def search_words(self, queries: Sequence[list[int]], k: int, filters: Filters | None) -> list[list[Scored]]:
        """The `k` documents with the highest BM25 scores for each list of term ids, and all that tie with the last."""
        asked = [
            qdrant.Query.Nearest(qdrant.SparseVector(terms, [1.0] * len(terms)), WORDS) if terms else None
            for terms in queries
        ]
        return self._search(asked, k, filters)

    def search_vectors(self, queries: NDArray[np.float32], k: int, filters: Filters | None) -> list[list[Scored]]:
        """The `k` documents with the largest dot products for each row (exact), and all that tie with the last."""
        return self._search([qdrant.Query.Nearest(query.tolist(), MEANING) for query in queries], k, filters)

    def finds(self, point: Point) -> bool:
        """Whether searches by the point's own words and vector lead to it."""
        asked = [qdrant.Query.Nearest(qdrant.SparseVector(point.terms, point.weights), WORDS)]
        if point.meaning is not None:
            asked.append(qdrant.Query.Nearest(point.meaning, MEANING))
        only = qdrant.Filter(must=[qdrant.HasIdCondition({point.number})])
        return all(hits for hits in self._ask(asked, 1, only))

    def points(self, numbers: list[int]) -> dict[int, Point]:
        """The stored points of these numbers, those that exist."""
        with self._guarded():
            records = self._shard.retrieve(list(numbers), True, True)
        return {int(record.id): _read(record) for record in records}

    def numbers(self) -> Iterator[int]:
        """The numbers of all points."""
        offset: Any = None
        while True:
            with self._guarded():
                request = qdrant.ScrollRequest(offset=offset, limit=10_000, with_payload=False, with_vector=False)
                page, offset = self._shard.scroll(request)
            yield from (int(record.id) for record in page)
            if offset is None:
                return

    def _search(self, queries: Sequence[Any], k: int, filters: Filters | None) -> list[list[Scored]]:
        found: list[list[Scored]] = [[] for _ in queries]
        total = len(self)
        k = min(k, total)
        open_queries = [place for place, query in enumerate(queries) if query is not None and k > 0]
        limit = k + _SPARE
        while open_queries:
            for start in range(0, len(open_queries), _BATCH):
                batch = open_queries[start : start + _BATCH]
                answers = self._ask([queries[place] for place in batch], limit, condition(filters))
                for place, hits in zip(batch, answers, strict=True):
                    found[place] = hits
            # A run of equal scores that reaches the end of the list may go on behind it.
            open_queries = [i for i in open_queries if limit < total and len(found[i]) == limit and _tied(found[i], k)]
            limit *= 8
        return [hits[:k] + [hit for hit in hits[k:] if hit.score == hits[k - 1].score] for hits in found]

    def _ask(self, queries: list[Any], limit: int, only: qdrant.Filter | None) -> list[list[Scored]]:
        exact = qdrant.SearchParams(exact=True)
        requests = [qdrant.QueryRequest(limit=limit, query=query, filter=only, params=exact) for query in queries]
        with self._guarded():
            answers = self._shard.query_batch(qdrant.QueryBatchRequest(requests))
        return [[Scored(int(point.id), float(point.score)) for point in answer] for answer in answers]

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """The binding raises plain exceptions, and panics of its Rust side derive from BaseException alone."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise IndexDamagedError(
                    f"the search engine failed ({error})", where=str(self._directory), remedy=REMEDY
                ) from error
            raise


def _config(dimensions: int | None) -> qdrant.EdgeConfig:
    meaning = {MEANING: qdrant.EdgeVectorParams(size=dimensions, distance=qdrant.Distance.Dot)} if dimensions else {}
    return qdrant.EdgeConfig(
        vectors=meaning,
        sparse_vectors={WORDS: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        hnsw_config=qdrant.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000),  # m=0: exact search
        wal_enabled=False,
    )


def _made(point: Point) -> qdrant.Point:
    vectors: dict[str, Any] = {WORDS: qdrant.SparseVector(point.terms, point.weights)}
    if point.meaning is not None:
        vectors[MEANING] = point.meaning
    return qdrant.Point(point.number, vectors, point.payload)


def _read(record: Any) -> Point:
    vectors = record.vector or {}
    words = vectors.get(WORDS)
    terms, weights = (list(words.indices), list(words.values)) if words is not None else ([], [])
    return Point(int(record.id), terms, weights, vectors.get(MEANING), record.payload or {})


def _tied(hits: list[Scored], k: int) -> bool:
    return hits[k - 1].score == hits[-1].score
