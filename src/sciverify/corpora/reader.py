"""What all readers share: one document a record, bad records named by file and line, ids that must differ."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sciverify.corpora.lines import decode, numbered_lines
from sciverify.corpora.metadata import shown
from sciverify.errors import CorpusError, DuplicateDocumentError, RecordError, place
from sciverify.records import Document, Problem

__all__ = ["CorpusReader", "JsonLinesReader", "json_object", "unique"]

_ONE_A_LINE = "Write one JSON object a line"


class CorpusReader(ABC):
    """A corpus file as a stream of documents, in file order; it can be gone through again and again.

    Args:
        path: the file, plain or gzip.
        skip_bad: list a bad record in `problems` and go on, where otherwise it raises.

    Attributes:
        problems: the records that were skipped since the last start.
        line: where the record that was read last begins.

    Iterating raises `CorpusError`: the file can't be read (`skip_bad` doesn't help then), or a record is bad.
    """

    def __init__(self, path: str | Path, *, skip_bad: bool = False) -> None:
        self.path = Path(path)
        self.skip_bad = skip_bad
        self.problems: list[Problem] = []
        self.line = 0

    def __iter__(self) -> Iterator[Document]:
        self.problems.clear()
        for line, record in self._records():
            self.line = line
            try:
                if isinstance(record, CorpusError):
                    raise record
                document = self._document(record)
            except (CorpusError, RecordError) as error:
                self._report(error)
            else:
                yield document

    @abstractmethod
    def _records(self) -> Iterator[tuple[int, Any]]:
        """Yield the line at which each record begins, and the record or the `CorpusError` that stands for it."""

    @abstractmethod
    def _document(self, record: Any) -> Document:
        """Make a document of a record; a `CorpusError` or `RecordError` is given its place by the caller."""

    def _report(self, error: CorpusError | RecordError) -> None:
        where = place(self.path, self.line)
        if self.skip_bad:
            self.problems.append(Problem(where, error.problem))
            return
        remedy = f"{error.remedy}, mend" if error.remedy else "Mend"
        raise CorpusError(error.problem, where=where, remedy=f"{remedy} the line, or skip bad ones (--skip-bad)")


class JsonLinesReader(CorpusReader):
    """A file with one JSON object a line."""

    def _records(self) -> Iterator[tuple[int, bytes]]:
        return numbered_lines(self.path)

    def _document(self, record: bytes) -> Document:
        return self._from_object(json_object(record))

    @abstractmethod
    def _from_object(self, record: dict[str, Any]) -> Document:
        """Make a document of one line's object."""


def json_object(line: bytes) -> dict[str, Any]:
    """The JSON object on one line.

    Raises:
        CorpusError: the line is not UTF-8, not JSON, or not an object.
    """
    text = decode(line)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise CorpusError(f"not JSON: {error.msg} at character {error.pos + 1}", remedy=_ONE_A_LINE) from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise CorpusError(f"not usable JSON: {error}") from None
    if not isinstance(value, dict):
        raise CorpusError(f"{shown(value)} is JSON, but not an object", remedy=_ONE_A_LINE)
    return value


def unique(documents: Iterable[Document], *, replace: bool = False) -> Iterator[Document]:
    """Pass documents on while their ids differ; only the ids are kept in memory.

    With `replace` all pass: whoever stores them keeps the last of each id.

    Raises:
        DuplicateDocumentError: an id comes again; the message names both lines (or both positions, from 1, where the
            documents don't come from a `CorpusReader`).
    """
    if replace:
        yield from documents
        return
    reader = documents if isinstance(documents, CorpusReader) else None
    seen: dict[str, int] = {}
    for position, document in enumerate(documents, start=1):
        spot = reader.line if reader else position
        if (first := seen.setdefault(document.id, spot)) != spot:
            raise DuplicateDocumentError(
                f"the id {document.id!r} was used before, at {'line' if reader else 'document'} {first}",
                where=place(reader.path, spot) if reader else f"document {spot}",
                remedy="Give every document its own id, or let the last one count (--replace)",
            )
        yield document
