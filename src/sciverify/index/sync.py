"""Bringing the search engine up to the store: after a change, after a crash, and from nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sciverify.errors import IndexDamagedError
from sciverify.index.codec import decode, decode_id
from sciverify.index.engine import Engine, Point
from sciverify.index.store import Row, Store
from sciverify.index.words import WordSettings
from sciverify.records import Document

__all__ = ["Progress", "catch_up", "document_of", "fill", "points_of", "word_settings"]

Progress = Callable[[int], None]


def catch_up(store: Store, engine: Engine, at_hand: Mapping[bytes, Document] | None = None) -> int:
    """Send the engine what it lacks, take from it what is gone, and note how far it is; returns the points changed.

    Safe to repeat from any earlier revision: points are named by numbers that are never given twice. `at_hand` may
    hold documents by their record's bytes: the store decides what is sent, reading a record takes its time.
    """
    since, target = int(store.setting("applied")), store.revision
    if since == target:
        return 0
    removed = store.removed(since)
    if removed:
        engine.remove(removed)
    changed = len(removed)
    settings = word_settings(store)
    for rows in store.rows(since, target):
        engine.put(points_of(rows, settings, at_hand or {}))
        changed += len(rows)
    engine.flush()  # before the note: what is noted must survive
    store.set(applied=target)
    store.forget_removed(target)
    return changed


def fill(store: Store, engine: Engine, settings: WordSettings, progress: Progress | None) -> None:
    """Send a new engine everything."""
    for rows in store.rows_in_order():
        engine.put(points_of(rows, settings, {}))
        if progress:
            progress(len(rows))
    engine.flush()
    engine.optimize()


def points_of(rows: Iterable[Row], settings: WordSettings, at_hand: Mapping[bytes, Document]) -> Iterator[Point]:
    """What the engine should hold of these rows."""
    for row in rows:
        yield Point.of(row.number, at_hand.get(row.record) or document_of(row), row.vector, settings)


def document_of(row: Row) -> Document:
    """The document of a row.

    Raises:
        IndexDamagedError: its record is not readable.
    """
    try:
        return decode(row.record)
    except ValueError as error:
        raise IndexDamagedError(
            f"the record cannot be read ({error})",
            where=f"document {decode_id(row.id)!r}",
            remedy="Remove the document by its id and add it again",
        ) from error


def word_settings(store: Store) -> WordSettings:
    """BM25's parameters as this index fixed them."""
    return WordSettings(store.setting("average_length"), store.setting("k1"), store.setting("b"))
