"""CSV files that a spreadsheet opens and gives back: UTF-8 with a byte order mark, and no cell that runs as a formula.

A cell whose text would start a formula gets an apostrophe in front, which spreadsheets read as "this is text"; reading
takes it off again, so that every text comes back as it was.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from sciverify.errors import RunFileError, place

__all__ = ["Row", "read_csv", "write_csv"]

# What spreadsheets take for the start of a formula, full-width forms and leading blanks included. Apostrophes already
# in front are counted in, or taking one off could not be told from taking off one's own.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")
_DELIMITERS = ",;\t"  # some spreadsheets write the last two


class Row(NamedTuple):
    """One row by column name, and the spot where it begins (``path:line``)."""

    where: str
    cells: dict[str, str]


def write_csv(path: str | Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; characters that UTF-8 can't hold (lone surrogates) become ``?``.

    Raises:
        RunFileError: the file cannot be written.
    """
    try:
        with Path(path).open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([_protected(cell) for cell in row] for row in rows)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the folder and its permissions") from error


def read_csv(path: str | Path, needed: Collection[str]) -> Iterator[Row]:
    """Yield the rows of a table; commas, semicolons or tabs part the cells, as the first line has them.

    Raises:
        RunFileError: the file cannot be read, is not UTF-8, lacks one of the columns `needed`, or a row has more or
            fewer cells than the first.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise RunFileError("this is not UTF-8 text", where=place(path), remedy="Save it as CSV UTF-8") from error
    first = text.split("\n", 1)[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True)
    try:
        columns = [name.strip() for name in next(reader, [])]
        if missing := [name for name in needed if columns.count(name) != 1]:
            raise RunFileError(
                f"there is not exactly one column {missing[0]!r}",
                where=place(path, 1),
                remedy=f"The first line names the columns: {', '.join(needed)} and any others",
            )
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                yield Row(place(path, line), _by_name(columns, cells, place(path, line)))
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = "Quote cells that hold line breaks or quotes, as spreadsheets do"
        raise RunFileError(f"this is not CSV ({error})", where=place(path, reader.line_num), remedy=remedy) from error


def _by_name(columns: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    if len(cells) != len(columns):
        raise RunFileError(f"there are {len(cells)} cells for {len(columns)} columns", where=where)
    return {name: _restored(cell) for name, cell in zip(columns, cells, strict=True)}


def _protected(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _restored(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
