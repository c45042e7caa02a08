"""Tables with a header line: CSV (with commas or semicolons) and TSV, quoted as spreadsheets quote them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import ClassVar, NamedTuple

from sciverify.corpora.fields import Columns
from sciverify.corpora.lines import Source, name_of, numbered_lines
from sciverify.corpora.reader import CorpusReader
from sciverify.errors import CorpusError, InputError, place
from sciverify.records import Document

__all__ = ["CsvReader", "Row", "Table", "TsvReader", "open_table"]

_LARGEST_FIELD = 1 << 26  # characters; the csv module's own limit, 131,072, is less than a paper's
Row = dict[str, str]


class Table(NamedTuple):
    """A table that is being read: where its header stands (``file:line``), its delimiter, its columns, its other rows.

    A row that can't be read is given as the `CorpusError` that says why.
    """

    where: str
    delimiter: str
    columns: tuple[str, ...]
    rows: Iterator[tuple[int, Row | CorpusError]]


class _TableReader(CorpusReader):
    """Reads rows with an id, a text, and what else is known.

    Args:
        path: the file, plain or gzip.
        columns: field -> column, for columns that aren't recognised (docs/corpora.md).
        skip_bad: list bad rows in `problems` instead of raising.
    """

    delimiters: ClassVar[str]

    def __init__(self, path: str | Path, *, columns: Mapping[str, str] | None = None, skip_bad: bool = False) -> None:
        super().__init__(path, skip_bad=skip_bad)
        self._columns = Columns(columns, all_there=True)

    def _records(self) -> Iterator[tuple[int, Row | CorpusError]]:
        table = open_table(self.path, self.delimiters)
        try:
            self._columns.find(table.columns)
        except CorpusError as error:  # every row would be bad: skipping doesn't help
            raise CorpusError(error.problem, where=table.where, remedy=error.remedy) from None
        return table.rows

    def _document(self, record: Row) -> Document:
        return self._columns.document(record)


class CsvReader(_TableReader):
    """Reads rows between commas, or between semicolons where the header has more of them."""

    delimiters = ",;"


class TsvReader(_TableReader):
    """Reads rows between tabs."""

    delimiters = "\t"


def open_table(source: Source, delimiters: str, error: type[InputError] = CorpusError) -> Table:
    """Read the header of a table; the delimiter is the one of `delimiters` that it holds most often.

    Raises:
        InputError: of the class `error`: the file can't be read, has no header, or two columns share a name.
    """
    if csv.field_size_limit() < _LARGEST_FIELD:
        csv.field_size_limit(_LARGEST_FIELD)
    lines = _TableLines(source, error)
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise error("the file holds only blank lines", where=lines.name)
    where = place(lines.name, lines.number)
    delimiter = max(delimiters, key=first.count)
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    try:
        header = [cell.strip() for cell in _checked(next(reader))]
    except (csv.Error, CorpusError) as problem:
        message = problem.problem if isinstance(problem, CorpusError) else _explained(problem)
        raise error(f"the header: {message}", where=where) from None
    named = [column for column in header if column]
    if twice := {column for column in named if named.count(column) > 1}:
        raise error(f"two columns are called {min(twice)!r}", where=where, remedy="Rename one of them")
    return Table(where, delimiter, tuple(named), _rows(reader, header, lines))


class _TableLines(Iterator[str]):
    """The lines as text, and the number of the one given last."""

    def __init__(self, source: Source, error: type[InputError]) -> None:
        self.name, self.number = name_of(source), 0
        self._lines = numbered_lines(source, blank=True, error=error)

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        # Bytes that are no UTF-8 become surrogates, so that only the row that holds them is bad.
        return line.decode("utf-8", "surrogateescape")


def _rows(
    reader: Iterator[list[str]], header: list[str], lines: _TableLines
) -> Iterator[tuple[int, Row | CorpusError]]:
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, CorpusError(_explained(error), remedy="Quote the field as CSV does")
            continue
        if any(cells):
            try:
                yield line, _row(_checked(cells), header)
            except CorpusError as error:
                yield line, error


def _row(cells: list[str], header: list[str]) -> Row:
    if len(cells) != len(header):
        raise CorpusError(f"{len(cells)} fields where the header has {len(header)}")
    return {column: cell for column, cell in zip(header, cells, strict=True) if column}


def _checked(cells: list[str]) -> list[str]:
    try:
        "".join(cells).encode("utf-8")
    except UnicodeEncodeError:
        raise CorpusError("not UTF-8", remedy="Convert the file to UTF-8, for example with iconv") from None
    return cells


def _explained(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message:
        return "a quoted field that begins here never ends: the rest of the file is in it"
    return f"not readable as a table: {message}"
