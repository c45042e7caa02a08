"""The formats that are read, by name, and how a file's own format is told from its first lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sciverify.corpora.beir import BeirReader
from sciverify.corpora.fields import Columns
from sciverify.corpora.jsonl import JsonlReader
from sciverify.corpora.lines import numbered_lines
from sciverify.corpora.reader import CorpusReader, json_object
from sciverify.corpora.scifact import ScifactReader
from sciverify.corpora.tabular import CsvReader, TsvReader, open_table
from sciverify.errors import CorpusError, SettingError, place

__all__ = ["FORMATS", "CorpusFormat", "detect_format", "open_corpus"]

_LOOKED_AT = 20  # lines; the first may be bad, and it is not detection's task to say so


class CorpusFormat(NamedTuple):
    """A format: what it is, who reads it, and whether a mapping of columns makes sense for it."""

    summary: str
    reader: Callable[..., CorpusReader]
    has_columns: bool


FORMATS: dict[str, CorpusFormat] = {
    "scifact": CorpusFormat("SciFact's corpus: doc_id, title, abstract as a list of sentences", ScifactReader, False),
    "beir": CorpusFormat("BEIR's corpora: _id, title, text, metadata", BeirReader, False),
    "jsonl": CorpusFormat("one JSON object a line, with any keys", JsonlReader, True),
    "csv": CorpusFormat("a table with a header, between commas or semicolons", CsvReader, True),
    "tsv": CorpusFormat("a table with a header, between tabs", TsvReader, True),
}


def open_corpus(
    path: str | Path, *, format: str = "auto", columns: Mapping[str, str] | None = None, skip_bad: bool = False
) -> CorpusReader:
    """Open a corpus file, plain or gzip; iterating the result gives its documents one at a time.

    Args:
        path: the file.
        format: a name in `FORMATS`, or ``auto`` to tell it from the content.
        columns: field -> column or key, for example ``{"id": "PMID", "text": "Abstract"}`` (docs/corpora.md).
        skip_bad: list bad records in the reader's `problems` instead of raising.

    Raises:
        CorpusError: the file can't be read, or its format can't be told.
        SettingError: the format or a field is unknown, or the format has fixed columns.
    """
    if format != "auto" and format not in FORMATS:
        raise SettingError(f"there is no corpus format {format!r}", remedy=f"Choose auto or {', '.join(FORMATS)}")
    lines = _first_lines(path)
    name = _detected(path, lines, columns) if format == "auto" else format
    kind = FORMATS[name]
    if kind.has_columns:
        return kind.reader(path, columns=columns, skip_bad=skip_bad)
    if columns:
        raise SettingError(f"the columns of the format {name} are fixed", remedy="Name the format jsonl to choose them")
    return kind.reader(path, skip_bad=skip_bad)


def detect_format(path: str | Path, columns: Mapping[str, str] | None = None) -> str:
    """The name of a file's format, told from its first lines; with `columns` only formats that have them count.

    Raises:
        CorpusError: the file can't be read, or its format can't be told.
        SettingError: a field in `columns` is unknown.
    """
    return _detected(path, _first_lines(path), columns)


def _first_lines(path: str | Path) -> list[tuple[int, bytes]]:
    lines = list(islice(numbered_lines(path), _LOOKED_AT))
    if not lines:
        raise CorpusError("the file holds only blank lines", where=str(path))
    return lines


def _detected(path: str | Path, lines: list[tuple[int, bytes]], columns: Mapping[str, str] | None) -> str:
    number, first = lines[0]
    try:
        if first.startswith(b"{"):
            return _detected_json(lines, columns)
        if first.startswith(b"["):
            raise CorpusError("this is a JSON list, not one object a line", remedy="Write each object on its own line")
        table = open_table(path, "\t,;")
        Columns(columns, all_there=True).find(table.columns)
    except CorpusError as error:
        if error.where:
            raise
        raise CorpusError(
            f"the format can't be told: {error.problem}", where=place(path, number), remedy=error.remedy
        ) from None
    return "tsv" if table.delimiter == "\t" else "csv"


def _detected_json(lines: list[tuple[int, bytes]], columns: Mapping[str, str] | None) -> str:
    record = _first_object([line for _, line in lines])
    if not columns:
        if "doc_id" in record and isinstance(record.get("abstract"), list):
            return "scifact"
        if "_id" in record and "text" in record:
            return "beir"
    Columns(columns).find(tuple(record))
    return "jsonl"


def _first_object(lines: list[bytes]) -> dict[str, Any]:
    errors = []
    for line in lines:
        try:
            return json_object(line)
        except CorpusError as error:
            errors.append(error)
    raise errors[0]
