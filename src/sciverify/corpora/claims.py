"""Files of claims: JSON lines, a table with a ``claim`` column, or plain text with one claim a line."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

from sciverify.corpora.fields import document_id
from sciverify.corpora.lines import Source, decode, name_of, numbered_lines
from sciverify.corpora.metadata import shown, shown_names
from sciverify.corpora.reader import json_object
from sciverify.corpora.tabular import open_table
from sciverify.errors import CorpusError, RunFileError, place
from sciverify.records import Claim

__all__ = ["read_claims"]

_DELIMITERS = "\t,;"
_TEXT_NAMES, _ID_NAMES = ("claim", "text"), ("id", "_id", "claim_id")


def read_claims(source: Source) -> list[Claim]:
    """Read all claims of a file, plain or gzip, or of an open binary stream such as ``sys.stdin.buffer``.

    JSON lines have ``claim`` (or ``text``) and ``id`` (or ``_id``); a table has a ``claim`` column and may have an
    ``id`` column; anything else is plain text, one claim a line, outer white space taken off. What a file is, its name
    says (``.jsonl``, ``.csv``, ``.tsv``) or its first line. Ids are kept as strings; a claim without one gets its
    number, from 1. Blank lines don't count.

    Raises:
        RunFileError: the file can't be read, a line is malformed, or two claims share an id.
    """
    name = name_of(source)
    kept = source if isinstance(source, (str, Path)) else _Kept(source.read(), name)
    claims: list[Claim] = []
    lines: dict[str, int] = {}
    for line, row in _rows(kept):
        with _placed(name, line):
            claim = _claim(row, number=len(claims) + 1)
        if claim.id in lines:
            raise RunFileError(
                f"the claim id {claim.id!r} was used before, at line {lines[claim.id]}",
                where=place(name, line),
                remedy="Give every claim its own id, or all of them none",
            )
        lines[claim.id] = line
        claims.append(claim)
    return claims


class _Kept(io.BytesIO):
    """What a stream held, under the stream's name; unlike the stream it can be read twice."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def _rows(source: Path | str | _Kept) -> Iterator[tuple[int, Mapping[str, Any] | CorpusError]]:
    name = name_of(source)
    number, first = next(numbered_lines(source, error=RunFileError), (0, b""))
    if not number:
        raise RunFileError("the file holds only blank lines", where=name)
    if isinstance(source, _Kept):
        source.seek(0)
    suffix = PurePath(name.removesuffix(".gz")).suffix.lower()
    if suffix in (".csv", ".tsv") or _is_header(first):
        yield from _table_rows(source, "\t" if suffix == ".tsv" else _DELIMITERS)
        return
    is_json = suffix in (".jsonl", ".ndjson", ".json") or first.startswith(b"{")
    for line, raw in numbered_lines(source, error=RunFileError):
        with _placed(name, line):
            yield line, json_object(raw) if is_json else {"claim": decode(raw).strip()}


def _is_header(line: bytes) -> bool:
    text = line.decode("utf-8", "replace")
    return any(cell.strip().casefold() == "claim" for mark in _DELIMITERS for cell in text.replace('"', "").split(mark))


def _table_rows(source: Path | str | _Kept, delimiters: str) -> Iterator[tuple[int, Mapping[str, Any] | CorpusError]]:
    table = open_table(source, delimiters, RunFileError)
    if "claim" not in {column.casefold() for column in table.columns}:
        raise RunFileError(
            "there is no column 'claim'",
            where=table.where,
            remedy=f"It has {shown_names(table.columns)}; rename one",
        )
    for line, row in table.rows:
        yield line, row if isinstance(row, CorpusError) else {key.casefold(): cell for key, cell in row.items()}


def _claim(row: Mapping[str, Any] | CorpusError, number: int) -> Claim:
    if isinstance(row, CorpusError):
        raise row
    text_name = next((name for name in _TEXT_NAMES if name in row), None)
    if text_name is None:
        raise CorpusError("there is no 'claim'", remedy=f"It has {shown_names(row)}")
    if not isinstance(row[text_name], str):
        raise CorpusError(f"the claim {shown(row[text_name])} is not a string")
    id = next((row[name] for name in _ID_NAMES if row.get(name) is not None), None)
    return Claim(str(number) if id is None else document_id(id), row[text_name])


@contextmanager
def _placed(name: str, line: int) -> Iterator[None]:
    try:
        yield
    except CorpusError as error:
        raise RunFileError(error.problem, where=place(name, line), remedy=error.remedy) from None
