"""The promises of a reader as tests that any implementation can be put through.

Derive a test class, say what a well-formed file looks like, and how it is opened:

    class TestMyReader(ReaderSuite):
        lines = (b'{"key": "a", "body": "One."}', b'{"key": "b", "body": "Two."}', b'{"key": "c", "body": "Three."}')
        bad_line = b"{"

        def open(self, path, *, skip_bad=False):
            return MyReader(path, skip_bad=skip_bad)

The suite is for formats of text lines. A line may hold several records or none, as a header does; `records` counts
the documents in `lines`, `bad_line` is put in before the last of them.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from sciverify.errors import CorpusError
from sciverify.records import Document
from sciverify.stages import Reader

__all__ = ["ReaderSuite"]


class ReaderSuite:
    """Tests of `sciverify.stages.Reader`; derive from it as the module says."""

    lines: ClassVar[tuple[bytes, ...]]
    bad_line: ClassVar[bytes]
    records: ClassVar[int] = 3

    def open(self, path: Path, *, skip_bad: bool = False) -> Reader:
        """Open a file with the reader under test."""
        raise NotImplementedError

    def test_it_yields_documents_in_order_with_ids_of_their_own(self, tmp_path: Path) -> None:
        """As many documents as there are records, none sharing an id."""
        reader = self.open(self._write(tmp_path))
        documents = list(reader)
        assert isinstance(reader, Reader)
        assert len(documents) == self.records
        assert all(isinstance(document, Document) for document in documents)
        assert len({document.id for document in documents}) == self.records
        assert reader.problems == []

    def test_it_can_be_gone_through_again(self, tmp_path: Path) -> None:
        """A second pass gives the same documents."""
        reader = self.open(self._write(tmp_path))
        assert list(reader) == list(reader)

    def test_it_streams(self, tmp_path: Path) -> None:
        """The first document comes before a bad line further on is met."""
        documents = iter(self.open(self._write(tmp_path, lines=self._with_bad_line())))
        assert isinstance(next(documents), Document)
        assert isinstance(_error_of(lambda: list(documents)), CorpusError)

    def test_gzip_line_ends_mark_and_blank_lines_change_nothing(self, tmp_path: Path) -> None:
        """Compression, CRLF, a byte order mark and blank lines leave the documents as they are."""
        plain = b"\n".join(self.lines) + b"\n"
        expected = list(self.open(self._write(tmp_path)))
        forms = {
            "compressed.gz": gzip.compress(plain),
            "compressed_without_the_name": gzip.compress(plain),
            "carriage_returns": plain.replace(b"\n", b"\r\n"),
            "byte_order_mark": b"\xef\xbb\xbf" + plain,
            "blank_lines": b"\n\n" + plain.replace(b"\n", b"\n\n"),
            "no_end_of_line": plain.rstrip(b"\n"),
        }
        for name, content in forms.items():
            path = tmp_path / name
            path.write_bytes(content)
            assert list(self.open(path)) == expected, name

    def test_a_bad_line_is_an_error_with_its_number(self, tmp_path: Path) -> None:
        """The error names file and line, what is wrong and what to do."""
        path = self._write(tmp_path, lines=self._with_bad_line())
        error = _error_of(lambda: list(self.open(path)))
        assert isinstance(error, CorpusError)
        assert error.where == f"{path}:{len(self.lines)}"
        assert error.problem
        assert error.remedy

    def test_a_bad_line_can_be_skipped_and_is_listed(self, tmp_path: Path) -> None:
        """The other documents come, and the problem is listed once a pass."""
        path = self._write(tmp_path, lines=self._with_bad_line())
        reader = self.open(path, skip_bad=True)
        assert list(reader) == list(self.open(self._write(tmp_path, name="good")))
        assert [problem.where for problem in reader.problems] == [f"{path}:{len(self.lines)}"]
        list(reader)
        assert len(reader.problems) == 1, "going through again must not list a problem twice"

    def test_bytes_that_are_not_utf8_make_their_line_bad(self, tmp_path: Path) -> None:
        """A wrong encoding is named, with its line."""
        lines = (*self.lines[:-1], self.lines[-1].replace(b"e", b"\xe9"))
        assert lines != self.lines, "give the last line an e"
        path = self._write(tmp_path, lines=lines)
        error = _error_of(lambda: list(self.open(path)))
        assert isinstance(error, CorpusError)
        assert error.where == f"{path}:{len(lines)}"
        assert "UTF-8" in str(error)

    def test_a_file_that_cannot_be_read_is_an_error_even_when_bad_lines_are_skipped(self, tmp_path: Path) -> None:
        """Damage is never taken for the end of a file."""
        whole = gzip.compress(b"\n".join(self.lines * 50))
        contents = {
            "empty": b"",
            "binary": b"\x7fELF\x02\x01\x00\x00\x00\x00" * 20,
            "utf16": "text".encode("utf-16"),
            "zip": b"PK\x03\x04 and so on",
            "cut_off.gz": whole[:-12],
            "no_data.gz": whole[:5],
            "damaged.gz": whole[:40] + bytes(20) + whole[60:],
        }
        for name, content in contents.items():
            path = tmp_path / name
            path.write_bytes(content)
            error = _error_of(lambda path=path: list(self.open(path, skip_bad=True)))  # type: ignore[misc]
            assert isinstance(error, CorpusError), name
            assert error.where.startswith(str(path)), name

    def test_a_missing_file_and_a_directory_are_errors(self, tmp_path: Path) -> None:
        """Both are named."""
        for path in (tmp_path / "missing", tmp_path):
            error = _error_of(lambda path=path: list(self.open(path)))  # type: ignore[misc]
            assert isinstance(error, CorpusError)
            assert error.where == str(path)

    def _with_bad_line(self) -> tuple[bytes, ...]:
        return (*self.lines[:-1], self.bad_line, self.lines[-1])

    def _write(self, folder: Path, *, lines: tuple[bytes, ...] | None = None, name: str = "corpus") -> Path:
        path = folder / name
        path.write_bytes(b"\n".join(self.lines if lines is None else lines) + b"\n")
        return path


def _error_of(call: Callable[[], object]) -> Exception | None:
    try:
        call()
    except Exception as error:  # any other than the promised one is shown by the assertion on its type
        return error
    return None
