"""The index of a corpus: a directory, opened by path, searched by words and by meaning."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import IndexingError, InputError, SettingError
from sciverify.index import checking
from sciverify.index.building import fill_from_corpus, require_unfinished, vectors_by
from sciverify.index.codec import decode_id, encode_id
from sciverify.index.core import FORMAT, Core
from sciverify.index.engine import Scored
from sciverify.index.results import Hit, IndexInfo
from sciverify.index.store import Row, Store
from sciverify.index.sync import document_of
from sciverify.index.words import query_terms
from sciverify.index.writing import Spool, VectorSource, chunks, duplicate, new_rows
from sciverify.records import Document, Filters, Problem
from sciverify.stages import TextEncoder

__all__ = ["Index"]

_CHUNK = 512


class Index:
    """An open index; `build` or `open` makes one, ``with`` closes it.

    Threads may share it, one process at a time may have it open. A change that returned survives a crash at any later
    moment; one that raised changed nothing. `stages.DocumentSource` is satisfied.

    Raises:
        IndexDamagedError: from searches and changes, when the search engine needs `rebuild`; from anything, when the
            records cannot be read.
        IndexingError: from anything, once it is closed.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._writing = threading.RLock()
        self.encoder_name: str | None = core.store.setting("encoder")

    @classmethod
    def build(
        cls,
        path: str | Path,
        documents: Iterable[Document],
        *,
        encoder: TextEncoder | None = None,
        replace: bool = False,
        vectors: NDArray[np.float32] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Index:
        """Make an index of a corpus. An interrupted build goes on where it stopped when it is called again.

        Args:
            path: a folder that is new, empty, or holds an unfinished build with the same encoder.
            documents: read once, in order, a chunk at a time.
            encoder: makes the vectors; without one the index is searched by words only.
            replace: of documents with one id keep the last, instead of raising.
            vectors: shape ``(documents, dimensions)``: what `encoder` would answer, computed before.
            progress: called with the number of documents newly done.

        Raises:
            IndexingError: a finished index or something else is at this path, or the encoder has changed.
            IndexLockedError: another process has the index open.
            DuplicateDocumentError: two documents share an id.
            SettingError: the vectors don't fit the encoder or the documents.
        """
        directory = Path(path)
        source = VectorSource(encoder, vectors)
        core = Core.open(directory) if Store.exists(directory) else Core.create(directory, encoder)
        try:
            require_unfinished(core, encoder)
            core.start()
            fill_from_corpus(core, documents, encoder, source, replace=replace, progress=progress)
        except BaseException:
            core.close()
            raise
        return cls(core)

    @classmethod
    def open(cls, path: str | Path) -> Index:
        """Open a finished index; what a crash left undone in the search engine is done first.

        Raises:
            IndexMissingError: there is no index at this path.
            IndexLockedError: another process has it open.
            IndexDamagedError: its records cannot be read.
            IndexingError: its build was interrupted, or another version of the format made it.
        """
        core = Core.open(Path(path))
        try:
            if not core.store.setting("complete"):
                raise IndexingError(
                    "the build of this index was interrupted",
                    where=str(path),
                    remedy="Give the same build command again: it goes on where it stopped",
                )
            core.start()
        except BaseException:
            core.close()
            raise
        return cls(core)

    def add(
        self,
        documents: Iterable[Document],
        *,
        encoder: TextEncoder | None = None,
        replace: bool = False,
        vectors: NDArray[np.float32] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add documents, all or none, and return their number. Arguments as for `build`.

        Raises:
            DuplicateDocumentError: an id is there already or comes twice, and `replace` is false.
            SettingError: the encoder is not the one that made the index's vectors, or the vectors don't fit.
        """
        self._require_encoder(encoder)
        source = VectorSource(encoder, vectors)
        with self._writing:
            self._core.require_engine()
            spool = Spool(replace=replace)
            try:
                taken = 0
                for chunk in chunks(documents, _CHUNK):
                    if not replace:
                        self._require_new(chunk)
                    spool.put(new_rows(chunk, range(taken, taken + len(chunk)), source))
                    taken += len(chunk)
                    if progress:
                        progress(len(chunk))
                source.all_used(taken)
                added = len(spool)
                if added:
                    self._core.commit(spool)
            finally:
                spool.close()
            if added:
                self._core.apply()
                self._core.optimize()
        return added

    def remove(self, ids: Iterable[str]) -> int:
        """Remove documents by id, all or none, and return their number.

        Raises:
            InputError: some ids are not in the index.
        """
        with self._writing:
            self._core.require_engine()
            numbers = self._numbers(dict.fromkeys(ids))
            if numbers:
                self._core.remove(numbers)
                self._core.apply()
                self._core.optimize()
        return len(numbers)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> None:
        """Make the search engine anew from the records; nothing is read or encoded again."""
        with self._writing:
            self._core.rebuild(progress)

    def check(self) -> list[Problem]:
        """Compare records, words and vectors of every document; an empty list means that they agree."""
        with self._writing:
            return checking.check(self._core)

    def info(self) -> IndexInfo:
        """The index's settings and size."""
        setting = self._core.store.setting
        return IndexInfo(
            path=str(self._core.directory),
            documents=len(self),
            revision=self._core.store.revision,
            encoder=self.encoder_name,
            dimensions=setting("dimensions"),
            analyser=setting("analyser"),
            k1=setting("k1"),
            b=setting("b"),
            average_length=setting("average_length") or 0.0,
            format=FORMAT,
            size=sum(file.stat().st_size for file in self._core.directory.rglob("*") if file.is_file()),
        )

    def close(self) -> None:
        """Close the index and let other processes open it; calling it twice is fine."""
        with self._writing:
            self._core.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._core.store)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """All documents in the order in which they first came, or those with these ids in the order asked for.

        Raises:
            InputError: some ids are not in the index.
            IndexDamagedError: a record cannot be read.
        """
        if ids is None:
            return (document_of(row) for rows in self._core.store.rows_in_order() for row in rows)
        self._numbers(ids)
        return (self._document(id) for id in ids)

    def search_words(self, queries: Sequence[str], k: int, filters: Filters | None = None) -> list[list[Hit]]:
        """For each query the `k` documents with the highest BM25 scores, ties by document id.

        Only documents that share a word with the query are found; a query without a searchable word finds none. Any
        string is fine, and `k` may be larger than the index.

        Raises:
            SettingError: `k` is negative.
        """
        _require_k(k)
        found = self._core.engine.search_words([query_terms(query) for query in queries], k, filters)
        return [self._hits(scored, k) for scored in found]

    def search_vectors(self, vectors: NDArray[np.float32], k: int, filters: Filters | None = None) -> list[list[Hit]]:
        """For each row of shape ``(queries, dimensions)`` the `k` documents with the largest dot product, ties by id.

        Raises:
            SettingError: the index has no vectors, `k` is negative, or the array's shape or values are unusable.
        """
        _require_k(k)
        dimensions = self._core.store.setting("dimensions")
        if dimensions is None:
            raise SettingError("this index has no vectors", remedy="Build it with an encoder to search by meaning")
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.ndim != 2 or vectors.shape[1] != dimensions or not np.isfinite(vectors).all():
            raise SettingError(f"the queries must be finite vectors of {dimensions} dimensions, not {vectors.shape}")
        return [self._hits(scored, k) for scored in self._core.engine.search_vectors(vectors, k, filters)]

    def _hits(self, scored: list[Scored], k: int) -> list[Hit]:
        ids = self._core.store.ids(hit.number for hit in scored)
        # A document that another thread removed a moment ago has no id any more.
        hits = [Hit(decode_id(id), hit.score) for id, hit in zip(ids, scored, strict=True) if id is not None]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]

    def _document(self, id: str) -> Document:
        key = encode_id(id)
        found = self._core.store.find(key)
        if found is None:
            raise _unknown([id])
        return document_of(Row(found[0], key, found[2], None))

    def _numbers(self, ids: Iterable[str]) -> list[int]:
        found = {id: self._core.store.find(encode_id(id)) for id in ids}
        unknown = [id for id, row in found.items() if row is None]
        if unknown:
            raise _unknown(unknown)
        return [row[0] for row in found.values() if row is not None]

    def _require_new(self, documents: Iterable[Document]) -> None:
        for document in documents:
            key = encode_id(document.id)
            if self._core.store.find(key):
                raise duplicate(key, "is in the index already")

    def _require_encoder(self, encoder: TextEncoder | None) -> None:
        given = encoder.name if encoder else None
        if given != self.encoder_name:
            raise SettingError(
                f"the index holds {vectors_by(self.encoder_name)}, not {vectors_by(given)}",
                where=str(self._core.directory),
                remedy="Use the encoder that the index was built with, or build a new index",
            )


def _require_k(k: int) -> None:
    if k < 0:
        raise SettingError(f"k is {k}", remedy="Ask for no or more results")


def _unknown(ids: Sequence[str]) -> InputError:
    named = ", ".join(map(repr, ids[:5])) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    return InputError(f"the index has no document {named}", remedy="Check the ids: nothing was changed")
