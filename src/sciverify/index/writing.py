"""From documents to rows: encoding, vectors, and a place for rows until all of them are known to be good."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import DuplicateDocumentError, ModelError, SettingError
from sciverify.index.codec import decode_id, encode, encode_id
from sciverify.records import Document
from sciverify.stages import TextEncoder

__all__ = ["NewRow", "Spool", "VectorSource", "chunks", "duplicate", "new_rows"]

T = TypeVar("T")


class NewRow(NamedTuple):
    """A document on its way into the store."""

    id: bytes
    record: bytes
    vector: bytes | None


class VectorSource:
    """Where the vectors of new documents come from: an encoder, or rows that the caller computed with it before.

    Args:
        encoder: encodes the documents; with `vectors` it only says what made them.
        vectors: shape ``(documents, dimensions)``, one row per document in order.

    Raises:
        SettingError: vectors without an encoder, or of the wrong shape, or not of length 1.
    """

    def __init__(self, encoder: TextEncoder | None, vectors: NDArray[np.float32] | None) -> None:
        if vectors is not None:
            if encoder is None:
                raise SettingError("vectors need their encoder", remedy="Pass encoder= beside vectors=")
            vectors = _checked(vectors, encoder.dimensions)
        self._encoder = encoder
        self._vectors = vectors

    def of(self, documents: Sequence[Document], places: Sequence[int]) -> list[bytes | None]:
        """Vectors as little-endian 32-bit floats; `places` are the documents' positions in the whole input.

        Raises:
            SettingError: there are more documents than vectors.
            ModelError: the encoder answered with something that is not one unit vector per text.
        """
        if self._encoder is None:
            return [None] * len(documents)
        if self._vectors is not None:
            if places and max(places) >= len(self._vectors):
                raise SettingError(f"there are {len(self._vectors)} vectors for more documents than that")
            rows = self._vectors[list(places)]
        else:
            rows = _encoded(self._encoder, [document.text for document in documents])
        return [row.tobytes() for row in rows.astype("<f4")]

    def all_used(self, documents: int) -> None:
        """Complain when there were fewer documents than vectors."""
        if self._vectors is not None and documents != len(self._vectors):
            raise SettingError(f"there are {len(self._vectors)} vectors for {documents} documents")


class Spool:
    """Holds the rows of one addition outside the index, on disk when they are many, until it is certain to succeed."""

    def __init__(self, *, replace: bool) -> None:
        self._replace = replace
        self._db = sqlite3.connect("", check_same_thread=False)
        self._db.execute("CREATE TABLE rows (id BLOB PRIMARY KEY, record BLOB, vector BLOB)")

    def put(self, rows: Iterable[NewRow]) -> None:
        """Take rows; a second one with the same id replaces the first or raises `DuplicateDocumentError`."""
        for row in rows:
            known = self._db.execute("SELECT 1 FROM rows WHERE id = ?", (row.id,)).fetchone()
            if known and not self._replace:
                raise duplicate(row.id, "comes twice")
            self._db.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", row)

    def __iter__(self) -> Iterator[NewRow]:
        for row in self._db.execute("SELECT id, record, vector FROM rows ORDER BY rowid"):
            yield NewRow(*row)

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM rows").fetchone()[0])

    def close(self) -> None:
        """Forget the rows."""
        self._db.close()


def new_rows(documents: Sequence[Document], places: Sequence[int], vectors: VectorSource) -> list[NewRow]:
    """Rows for documents; `places` are their positions in the whole input."""
    records = [encode(document) for document in documents]  # first: a bad record must not cost an encoding
    return [
        NewRow(encode_id(document.id), record, vector)
        for document, record, vector in zip(documents, records, vectors.of(documents, places), strict=True)
    ]


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of up to `size` items, in order."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def duplicate(id: bytes, problem: str) -> DuplicateDocumentError:
    """The error for an id that is taken."""
    return DuplicateDocumentError(
        f"this id {problem}",
        where=f"document {decode_id(id)!r}",
        remedy="Make ids unique, or ask for replacement (replace=True, --replace) to keep the later document",
    )


def _encoded(encoder: TextEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Encode texts sorted by length, so that those of one batch need little padding."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    rows = np.empty((len(texts), encoder.dimensions), dtype=np.float32)
    answer = np.asarray(encoder.encode([texts[i] for i in order]))
    if answer.shape != rows.shape or not _unit(answer):
        raise ModelError(
            f"{encoder.name} gave {answer.shape} instead of {len(texts)} unit vectors of {encoder.dimensions}"
        )
    rows[order] = answer
    return rows


def _checked(vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or not _unit(vectors):
        raise SettingError(f"vectors of shape {vectors.shape} are not unit vectors of {dimensions} dimensions")
    return vectors


def _unit(vectors: NDArray[np.float32]) -> bool:
    return bool(np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-2))
