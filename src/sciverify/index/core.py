"""The parts of an open index directory and the order in which they change.

    lock              who may use the directory
    records.sqlite    the truth (`Store`)
    engine-N          the search engine (`Engine`); N is named in the store, so a rebuilt one is swapped in at once

A change is committed to the store first and counts as done from then on; the engine follows.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sciverify.errors import IndexDamagedError, IndexingError, IndexMissingError
from sciverify.index import store as records
from sciverify.index.codec import decode
from sciverify.index.engine import REMEDY, Engine
from sciverify.index.lock import DirectoryLock
from sciverify.index.store import Store
from sciverify.index.sync import Progress, catch_up, document_of, fill, word_settings
from sciverify.index.words import WordSettings, average_length
from sciverify.index.writing import NewRow
from sciverify.records import Document
from sciverify.stages import TextEncoder
from sciverify.text.analysis import ANALYSER

__all__ = ["FORMAT", "Core"]

FORMAT = 1
_SAMPLE = 2_000  # the first so many documents of an index fix its average length
_WORTH_OPTIMIZING = 1_000  # changed documents
_REMAINS = frozenset({"lock", "engine-1", *(records.NAME + end for end in ("", "-wal", "-shm", "-journal"))})


class Core:
    """Lock, store and engine of one directory.

    A store that cannot be read is an `IndexDamagedError` at once. A broken engine is one only when it is needed, so
    that `rebuild` can be called: `damage` says what is wrong with it.
    """

    def __init__(self, directory: Path, *, settings: Mapping[str, Any] | None = None) -> None:
        self.directory = directory
        self.damage: IndexDamagedError | None = None
        self._engine: Engine | None = None
        self._changed = 0
        self._lock = DirectoryLock(directory)
        try:
            if settings is not None:
                Engine(self._path_of(1), dimensions=settings["dimensions"], create=True).close()
            self.store = Store(directory, settings)
            if self.store.setting("format") != FORMAT:
                raise IndexingError(
                    f"the index has format {self.store.setting('format')}, this version reads format {FORMAT}",
                    where=str(directory),
                    remedy="Use the version of sciverify that made it, or build it again from its corpus",
                )
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, directory: Path) -> Core:
        """Open what is there; `start` comes next.

        Raises:
            IndexMissingError: there is no index at this path.
        """
        if not Store.exists(directory):
            raise IndexMissingError(
                "there is no index here", where=str(directory), remedy="Make one with `sciverify index build`"
            )
        return cls(directory)

    @classmethod
    def create(cls, directory: Path, encoder: TextEncoder | None) -> Core:
        """Begin a new index in a folder that is empty or not there yet.

        Raises:
            IndexingError: something else is at this path, or the folder cannot be made.
        """
        try:
            directory.mkdir(parents=True, exist_ok=True)
            others = {path.name for path in directory.iterdir()} - _REMAINS
        except OSError as error:
            raise IndexingError(
                f"an index needs a folder ({error.strerror})", where=str(directory), remedy="Choose another path"
            ) from error
        if others:
            raise IndexingError(
                f"the folder holds something that is not an index ({min(others)})",
                where=str(directory),
                remedy="Choose an empty folder or a new one",
            )
        defaults = WordSettings(average_length=1.0)
        settings = {
            "format": FORMAT,
            "complete": False,
            "generation": 1,
            "applied": 0,
            "encoder": encoder.name if encoder else None,
            "dimensions": encoder.dimensions if encoder else None,
            "analyser": ANALYSER,
            "k1": defaults.k1,
            "b": defaults.b,
            "average_length": None,
        }
        return cls(directory, settings=settings)

    def start(self) -> None:
        """Load the engine and send it what it missed."""
        self._sweep()
        try:
            if self.store.setting("analyser") != ANALYSER:
                raise self._broken(f"its words were made by the analyser {self.store.setting('analyser')}")
            self._engine = Engine(self._engine_path, dimensions=self.store.setting("dimensions"))
            catch_up(self.store, self._engine)
            if len(self._engine) != len(self.store):
                raise self._broken(f"it holds {len(self._engine)} of {len(self.store)} documents")
        except IndexDamagedError as error:
            self.damage = error

    @property
    def engine(self) -> Engine:
        """The working engine.

        Raises:
            IndexDamagedError: it does not work.
        """
        if self.damage is not None:
            raise self.damage
        if self._engine is None:
            raise IndexingError("the index is closed", where=str(self.directory))
        return self._engine

    def require_engine(self) -> None:
        """Raise now what `engine` would raise, before a change is begun."""
        _ = self.engine

    def commit(self, rows: Iterable[NewRow]) -> None:
        """Store the rows, all or none; they are safe when this returns."""
        rows = iter(rows)
        with self.store.change() as revision:
            if self.store.setting("average_length") is None:
                first = list(islice(rows, _SAMPLE))
                self.store.set(average_length=average_length(decode(row.record).text for row in first))
                rows = chain(first, rows)
            self.store.put(revision, rows)

    def remove(self, numbers: Iterable[int]) -> None:
        """Delete documents by number, all or none."""
        with self.store.change() as revision:
            self.store.remove(revision, numbers)

    def apply(self, at_hand: Mapping[bytes, Document] | None = None) -> None:
        """Let the engine follow the store; `at_hand` spares reading the records of these documents again."""
        self._changed += catch_up(self.store, self.engine, at_hand)

    def optimize(self, *, always: bool = False) -> None:
        """Tidy the engine when enough has changed."""
        if always or self._changed >= _WORTH_OPTIMIZING:
            self.engine.optimize()
            self._changed = 0

    def rebuild(self, progress: Progress | None) -> None:
        """Make a new engine from the store; the old one serves until the new one is complete."""
        generation = self.store.setting("generation") + 1
        settings = word_settings(self.store)
        if self.store.setting("analyser") != ANALYSER:
            rows = islice(chain.from_iterable(self.store.rows_in_order()), _SAMPLE)
            settings = replace(settings, average_length=average_length(document_of(row).text for row in rows))
        fresh = Engine(self._path_of(generation), dimensions=self.store.setting("dimensions"), create=True)
        try:
            fill(self.store, fresh, settings, progress)
        except BaseException:
            fresh.close()
            raise
        self.store.set(
            generation=generation,
            applied=self.store.revision,
            analyser=ANALYSER,
            average_length=settings.average_length,
        )
        self.store.forget_removed(self.store.revision)
        old, self._engine, self.damage = self._engine, fresh, None
        if old is not None:
            old.close()
        self._sweep()

    def close(self) -> None:
        """Close everything and let others in; calling it twice is fine."""
        if self._engine is not None:
            engine, self._engine = self._engine, None
            engine.close()
        if hasattr(self, "store"):
            self.store.close()
        self._lock.release()

    @property
    def _engine_path(self) -> Path:
        return self._path_of(self.store.setting("generation"))

    def _path_of(self, generation: int) -> Path:
        return self.directory / f"engine-{generation}"

    def _sweep(self) -> None:
        """Drop engines that an interrupted rebuild left behind."""
        for path in self.directory.glob("engine-*"):
            if path != self._engine_path:
                shutil.rmtree(path, ignore_errors=True)

    def _broken(self, problem: str) -> IndexDamagedError:
        return IndexDamagedError(
            f"the search engine needs rebuilding: {problem}", where=str(self.directory), remedy=REMEDY
        )
