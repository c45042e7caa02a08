"""Each format keeps the promises of a reader."""

from __future__ import annotations

from pathlib import Path

from sciverify.corpora.beir import BeirReader
from sciverify.corpora.jsonl import JsonlReader
from sciverify.corpora.scifact import ScifactReader
from sciverify.corpora.tabular import CsvReader, TsvReader
from sciverify.stages import Reader
from sciverify.testing.readers import ReaderSuite


class TestScifactReader(ReaderSuite):
    lines = (
        b'{"doc_id": 1, "title": "Statins", "abstract": ["Statins lower cholesterol.", "They are safe."]}',
        b'{"doc_id": 2, "abstract": ["No title here.\\n"]}',
        b'{"doc_id": 3, "title": "The end", "abstract": []}',
    )
    bad_line = b'{"doc_id": 4}'

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return ScifactReader(path, skip_bad=skip_bad)


class TestBeirReader(ReaderSuite):
    lines = (
        b'{"_id": "MED-1", "title": "Statins", "text": "They lower cholesterol. They are safe.", "metadata": {}}',
        b'{"_id": "MED-2", "title": "", "text": ""}',
        b'{"_id": "MED-3", "title": "The end", "text": "No final stop"}',
    )
    bad_line = b'{"_id": "MED-4", "title": "No text"}'

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return BeirReader(path, skip_bad=skip_bad)


class TestJsonlReader(ReaderSuite):
    lines = (
        b'{"PMID": 1, "Abstract": "One. Two.", "Year": 2001}',
        b'{"PMID": 2, "Abstract": null}',
        b'{"PMID": 3, "Abstract": "Three."}',
    )
    bad_line = b"{"

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return JsonlReader(path, columns={"id": "PMID", "text": "Abstract"}, skip_bad=skip_bad)


class TestCsvReader(ReaderSuite):
    lines = (b"id,title,text", b'1,"A, b","One. Two."', b"2,,", b"3,C,Three.")
    bad_line = b"4,too,many,fields"

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return CsvReader(path, skip_bad=skip_bad)


class TestCsvReaderWithSemicolons(ReaderSuite):
    lines = (b"id;title;text", b"1;A, b;One, and two.", b"2;;", b"3;C;Three.")
    bad_line = b'4;"a"b;unquotable'

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return CsvReader(path, skip_bad=skip_bad)


class TestTsvReader(ReaderSuite):
    lines = (b"id\ttitle\ttext", b"1\tA, b\tOne, and two.", b"2\t\t", b"3\tC\tThree.")
    bad_line = b"4"

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        return TsvReader(path, skip_bad=skip_bad)
