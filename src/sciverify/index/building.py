"""Filling an index from a corpus, so that it can be interrupted at any moment and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from sciverify.errors import IndexingError
from sciverify.index.codec import encode, encode_id
from sciverify.index.core import Core
from sciverify.index.sync import Progress
from sciverify.index.writing import NewRow, VectorSource, chunks, duplicate, new_rows
from sciverify.records import Document
from sciverify.stages import TextEncoder

__all__ = ["fill_from_corpus", "require_unfinished", "vectors_by"]

_WORDS_CHUNK = 2_000  # documents per transaction
_VECTORS_CHUNK = 512  # fewer where encoding makes each of them dear: an interruption loses at most two chunks


def fill_from_corpus(
    core: Core,
    documents: Iterable[Document],
    encoder: TextEncoder | None,
    vectors: VectorSource,
    *,
    replace: bool,
    progress: Progress | None,
) -> None:
    """Make the index hold exactly these documents.

    Reading and encoding happen here, storing and the engine's work in a second thread, one chunk behind. What an
    earlier, interrupted run stored stays where it equals the corpus, and is replaced or removed where it doesn't.

    Raises:
        DuplicateDocumentError: two documents of the corpus share an id, and `replace` is false.
    """
    corpus = _Corpus(core, replace=replace)
    with ThreadPoolExecutor(1, thread_name_prefix="sciverify-index") as writer:
        pending: Future[None] | None = None
        done = 0
        for chunk in chunks(documents, _WORDS_CHUNK if encoder is None else _VECTORS_CHUNK):
            places = corpus.missing(chunk)
            start = corpus.taken - len(chunk)
            new = [chunk[place] for place in places]
            rows = new_rows(new, [start + place for place in places], vectors)
            if pending:
                pending.result()
                if progress:
                    progress(done)
            pending, done = writer.submit(_write, core, rows, new), len(chunk)
        if pending:
            pending.result()
            if progress:
                progress(done)
    vectors.all_used(corpus.taken)
    leftovers = corpus.leftovers()
    if leftovers:
        core.remove(leftovers)
        core.apply()
    core.optimize(always=True)
    core.store.set(complete=True)


def _write(core: Core, rows: list[NewRow], documents: list[Document]) -> None:
    if rows:
        core.commit(rows)
        core.apply({row.record: document for row, document in zip(rows, documents, strict=True)})


def require_unfinished(core: Core, encoder: TextEncoder | None) -> None:
    """Check that the index may be filled with the vectors of this encoder.

    Raises:
        IndexingError: it is finished, or was begun with another encoder.
    """
    directory = str(core.directory)
    if core.store.setting("complete"):
        raise IndexingError(
            f"there is an index of {len(core.store)} documents here already",
            where=directory,
            remedy="Add to it, choose another folder, or delete this one first",
        )
    begun, given = core.store.setting("encoder"), encoder.name if encoder else None
    if begun != given:
        raise IndexingError(
            f"an unfinished build with {vectors_by(begun)} is here, and this one is with {vectors_by(given)}",
            where=directory,
            remedy="Go on with the settings it was begun with, or delete the folder first",
        )


def vectors_by(encoder: str | None) -> str:
    """An encoder's name in a sentence."""
    return f"vectors by {encoder}" if encoder else "no vectors"


class _Corpus:
    """Tells the documents that are stored already from those that are not, and both from duplicates."""

    def __init__(self, core: Core, *, replace: bool) -> None:
        self._store = core.store
        self._start = core.store.revision  # rows of a later revision are from this run
        self._kept: set[int] = set()  # numbers of rows from an earlier run that this run met again
        self._in_flight: set[bytes] = set()  # the previous chunk, which may not be stored yet
        self._replace = replace
        self.taken = 0

    def missing(self, chunk: list[Document]) -> list[int]:
        """Positions in the chunk of the documents that have to be stored."""
        fresh: dict[bytes, int] = {}
        keys = [encode_id(document.id) for document in chunk]
        stored = self._store.find_all(keys)
        for place, (key, document) in enumerate(zip(keys, chunk, strict=True)):
            known = stored.get(key)
            met = key in fresh or key in self._in_flight or (known is not None and self._from_this_run(known))
            if met and not self._replace:
                raise duplicate(key, "comes twice in the corpus")
            if known and not met and known[2] == encode(document):
                self._kept.add(known[0])
            else:
                fresh.pop(key, None)
                fresh[key] = place
        self._in_flight = set(fresh)
        self.taken += len(chunk)
        return list(fresh.values())

    def leftovers(self) -> list[int]:
        """Numbers of the rows from an earlier run whose documents are not in the corpus any more."""
        return [number for number in self._store.unchanged(self._start) if number not in self._kept]

    def _from_this_run(self, known: tuple[int, int, bytes]) -> bool:
        number, revision, _ = known
        return revision > self._start or number in self._kept
