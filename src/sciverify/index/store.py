"""The truth of an index: records, vectors and settings in one SQLite file.

Every change raises the revision number and stamps the rows it touches; removed rows leave their number and revision
behind. So whatever a search engine has seen up to some revision, the store can tell it what is new and what is gone.
The write-ahead log makes each transaction all or nothing, a power cut included.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sciverify.errors import IndexDamagedError, IndexingError
from sciverify.index.codec import digest

__all__ = ["NAME", "Row", "Store"]

NAME = "records.sqlite"
_PAGE = 500  # rows fetched at a time, so that no reader holds the whole corpus or the lock for long

_SCHEMA = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: it names the document to the engine
    id BLOB NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    digest BLOB NOT NULL,
    record BLOB NOT NULL,
    vector BLOB
);
CREATE INDEX documents_by_revision ON documents (revision, number);
CREATE TABLE removed (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL);
"""


class Row(NamedTuple):
    """One stored document: its number, id key, record bytes, and vector bytes (None without vectors)."""

    number: int
    id: bytes
    record: bytes
    vector: bytes | None


class Store:
    """An open file of records. Threads may share it; processes may not (the index holds a lock).

    Args:
        directory: where the file lies.
        settings: makes a new file with these settings; None opens one.

    Raises:
        IndexDamagedError: from any method, when the file cannot be read as what it should be.
        IndexingError: from any method, when it cannot be written (disk full, read-only).
    """

    def __init__(self, directory: Path, settings: Mapping[str, Any] | None = None) -> None:
        self._path = directory / NAME
        self._settings: dict[str, Any] = {}
        self._revision = self._count = 0
        self._lock = threading.RLock()
        with self._guarded():
            self._db = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute("PRAGMA cache_size = -65536")
                if settings is not None:
                    self._create(settings)
                self._read_state()
            except BaseException:
                self._db.close()
                raise

    @staticmethod
    def exists(directory: Path) -> bool:
        """Whether there is a store, however damaged; one whose creation was cut short does not count."""
        path = directory / NAME
        if not path.is_file():
            return False
        try:
            db = sqlite3.connect(path)
            try:
                return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'settings'").fetchone() is not None
            finally:
                db.close()
        except sqlite3.DatabaseError:
            return True

    def close(self) -> None:
        """Close the file; calling it twice is fine."""
        with self._lock:
            self._db.close()

    # Settings and state

    def setting(self, key: str) -> Any:
        """A setting, or None where it was never set."""
        return self._settings.get(key)

    def set(self, **settings: Any) -> None:
        """Store settings (anything that JSON holds), all or none of them."""
        with self._guarded():
            self._save_settings(settings)
            self._settings.update(settings)

    @property
    def revision(self) -> int:
        """The number of the last committed change."""
        return self._revision

    def __len__(self) -> int:
        return self._count

    # Changes

    @contextmanager
    def change(self) -> Iterator[int]:
        """A transaction for `put`, `remove` and `set`; yields its revision. An exception undoes all of it."""
        with self._lock:
            settings = dict(self._settings)
            with self._guarded():
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._revision + 1
                with self._guarded():
                    self._save_settings({"revision": self._revision + 1})
                    self._db.execute("COMMIT")
            except BaseException:
                self._settings = settings
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            with self._guarded():
                self._read_state()

    def put(self, revision: int, rows: Iterable[tuple[bytes, bytes, bytes | None]]) -> None:
        """Insert or replace (id, record, vector); a replaced document keeps its number."""
        with self._guarded():
            self._db.executemany(
                "INSERT INTO documents (id, revision, digest, record, vector) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, digest = excluded.digest,"
                " record = excluded.record, vector = excluded.vector",
                ((id, revision, digest(record, vector), record, vector) for id, record, vector in rows),
            )

    def remove(self, revision: int, numbers: Iterable[int]) -> None:
        """Delete documents, remembering that they are gone until the engine knows (`forget_removed`)."""
        with self._guarded():
            for number in numbers:
                self._db.execute("DELETE FROM documents WHERE number = ?", (number,))
                self._db.execute("INSERT INTO removed (number, revision) VALUES (?, ?)", (number, revision))

    def forget_removed(self, revision: int) -> None:
        """Drop what was remembered of documents removed up to this revision."""
        with self._guarded():
            self._db.execute("DELETE FROM removed WHERE revision <= ?", (revision,))

    # Reading

    def find(self, id: bytes) -> tuple[int, int, bytes] | None:
        """Number, revision and record of the document with this id."""
        rows = self._fetch("SELECT number, revision, record FROM documents WHERE id = ?", (id,))
        return rows[0] if rows else None

    def find_all(self, ids: Sequence[bytes]) -> dict[bytes, tuple[int, int, bytes]]:
        """Number, revision and record of those of the ids that are there; a page at a time is faster than `find`."""
        found: dict[bytes, tuple[int, int, bytes]] = {}
        for start in range(0, len(ids), _PAGE):
            page = tuple(ids[start : start + _PAGE])
            marks = ",".join("?" * len(page))  # the ids themselves are bound, not written into the query
            query = f"SELECT id, number, revision, record FROM documents WHERE id IN ({marks})"  # noqa: S608
            found |= {id: (number, revision, record) for id, number, revision, record in self._fetch(query, page)}
        return found

    def ids(self, numbers: Iterable[int]) -> list[bytes | None]:
        """The id keys of these numbers, None for those that are gone."""
        found = (self._fetch("SELECT id FROM documents WHERE number = ?", (number,)) for number in numbers)
        return [rows[0][0] if rows else None for rows in found]

    def rows(self, since: int, up_to: int) -> Iterator[list[Row]]:
        """Pages of the documents last changed after revision `since`, up to `up_to`, oldest change first."""
        place = (since, 2**62)
        while page := self._fetch(
            "SELECT revision, number, id, record, vector FROM documents"
            " WHERE (revision, number) > (?, ?) AND revision <= ? ORDER BY revision, number LIMIT ?",
            (*place, up_to, _PAGE),
        ):
            yield [Row(*columns[1:]) for columns in page]
            place = page[-1][:2]

    def rows_in_order(self) -> Iterator[list[Row]]:
        """Pages of all documents in the order in which they first came."""
        last = 0
        while page := self._fetch(
            "SELECT number, id, record, vector FROM documents WHERE number > ? ORDER BY number LIMIT ?", (last, _PAGE)
        ):
            yield [Row(*columns) for columns in page]
            last = page[-1][0]

    def removed(self, since: int) -> list[int]:
        """The numbers of documents removed after revision `since`."""
        return [row[0] for row in self._fetch("SELECT number FROM removed WHERE revision > ?", (since,))]

    def unchanged(self, since: int) -> list[int]:
        """The numbers of documents last changed at revision `since` or before."""
        return [row[0] for row in self._fetch("SELECT number FROM documents WHERE revision <= ?", (since,))]

    def damage(self) -> list[str]:
        """What is wrong with the file, in SQLite's words; empty when it is sound."""
        return [str(row[0]) for row in self._fetch("PRAGMA integrity_check(5)", ()) if row[0] != "ok"]

    def altered(self, rows: Iterable[Row]) -> list[Row]:
        """Those of the rows whose bytes no longer match their digest."""
        return [
            row
            for row in rows
            if self._fetch("SELECT digest FROM documents WHERE number = ?", (row.number,))
            != [(digest(row.record, row.vector),)]
        ]

    def size(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        return sum(path.stat().st_size for path in self._path.parent.glob(f"{NAME}*"))

    # Inside

    def _create(self, settings: Mapping[str, Any]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA.split(";\n"):
            self._db.execute(statement)
        self._save_settings({**settings, "revision": 0})
        self._db.execute("COMMIT")

    def _read_state(self) -> None:
        try:
            rows = self._db.execute("SELECT key, value FROM settings").fetchall()
            self._settings = {key: json.loads(value) for key, value in rows}
            self._revision = int(self._settings["revision"])
        except (KeyError, ValueError, TypeError) as error:
            raise sqlite3.DatabaseError(f"unreadable settings: {error!r}") from error
        self._count = int(self._db.execute("SELECT count(*) FROM documents").fetchone()[0])

    def _save_settings(self, settings: Mapping[str, Any]) -> None:
        self._db.executemany(
            "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [(key, json.dumps(value)) for key, value in settings.items()],
        )

    def _fetch(self, query: str, parameters: tuple[Any, ...]) -> list[Any]:
        with self._guarded():
            return self._db.execute(query, parameters).fetchall()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One thread at a time, and SQLite's exceptions told as ours."""
        with self._lock:
            try:
                yield
            except sqlite3.ProgrammingError as error:  # the file has been closed
                raise IndexingError("the index is closed", where=str(self._path.parent)) from error
            except sqlite3.DatabaseError as error:
                raise _explained(error, self._path) from error


def _explained(error: sqlite3.DatabaseError, path: Path) -> IndexingError:
    if isinstance(error, sqlite3.OperationalError) and any(
        word in str(error) for word in ("full", "readonly", "unable to open", "locked")
    ):
        return IndexingError(
            f"the records cannot be written ({error})",
            where=str(path),
            remedy="Check the free space and your rights on the folder, then try again: what was saved is still there",
        )
    return IndexDamagedError(
        f"the records cannot be read ({error})",
        where=str(path),
        remedy="Restore the file from a copy, or delete the index and build it again from its corpus",
    )
