"""The lines of a text file, plain or gzip, numbered as editors number them.

Lines are given as bytes and end at a line feed alone: a JSON string or a quoted field may hold U+2028, a form feed or
a vertical tab, at which Python's text files would break it. Whether a file is compressed is seen from its content.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, cast

from sciverify.errors import CorpusError, InputError, place

__all__ = ["Source", "decode", "name_of", "numbered_lines"]

Source = str | Path | BinaryIO

_LONGEST_LINE = 1 << 26  # bytes; a longer one is no record but a file without line feeds
_SNIFFED = 4096
_GZIP, _UTF8_MARK = b"\x1f\x8b", b"\xef\xbb\xbf"
_NOT_TEXT = {
    b"\xff\xfe": ("is UTF-16 text", "Save it as UTF-8"),
    b"\xfe\xff": ("is UTF-16 text", "Save it as UTF-8"),
    b"PK\x03\x04": ("is a zip archive or a spreadsheet", "Unpack it, or export the sheet as CSV"),
    b"BZh": ("is compressed with bzip2", "Unpack it, or compress it with gzip"),
    b"\xfd7zXZ": ("is compressed with xz", "Unpack it, or compress it with gzip"),
    b"\x28\xb5\x2f\xfd": ("is compressed with zstd", "Unpack it, or compress it with gzip"),
    b"%PDF-": ("is a PDF", "Give a corpus in a text format"),
}


def numbered_lines(
    source: Source, *, blank: bool = False, error: type[InputError] = CorpusError
) -> Iterator[tuple[int, bytes]]:
    """Yield ``(number, line)``, numbers from 1, one line at a time, without byte order mark.

    Blank lines are left out and line ends (LF or CRLF) taken off; with `blank` both stay, for formats in which a
    record may go over several lines.

    Raises:
        InputError: of the class `error`: the file is missing, a directory, unreadable, empty, or not text; its gzip
            data are damaged or incomplete; a line is longer than 64 MiB.
    """
    name, number = name_of(source), 0
    try:
        with ExitStack() as stack:
            stream = _text_stream(source, name, stack, error)
            while line := stream.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise error(
                        "the line is longer than 64 MiB", where=place(name, number), remedy="Write one record a line"
                    )
                if number == 1:
                    line = line.removeprefix(_UTF8_MARK)
                if blank or (line := line.strip(b" \t\r\n")):
                    yield number, line
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise error(
            f"the gzip data end or break after line {number}",
            where=name,
            remedy="Fetch or compress the file again",
        ) from problem
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror or problem}", where=name) from problem
    if not number:
        raise error("the file is empty", where=name, remedy="Check that the download or export that made it ended")


def decode(line: bytes) -> str:
    """The text of one line.

    Raises:
        CorpusError: it is not UTF-8.
    """
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8",
            remedy="Convert the file to UTF-8, for example with iconv",
        ) from None


def name_of(source: Source) -> str:
    """What to call a path or an open stream in a message."""
    return str(source) if isinstance(source, (str, Path)) else str(getattr(source, "name", "<stream>"))


def _text_stream(source: Source, name: str, stack: ExitStack, error: type[InputError]) -> io.BufferedReader:
    stream: io.BufferedReader
    if isinstance(source, (str, Path)):
        path = Path(source)
        _check_path(path, name, error)
        stream = stack.enter_context(path.open("rb"))
    else:
        # Detached at the end, so that closing the reader leaves the caller's stream open.
        stream = io.BufferedReader(cast(io.RawIOBase, source))
        stack.callback(stream.detach)
    if stream.peek(2)[:2] == _GZIP:
        stream = cast(io.BufferedReader, stack.enter_context(gzip.GzipFile(fileobj=stream, mode="rb")))
    head = stream.peek(_SNIFFED)
    for mark, (problem, remedy) in _NOT_TEXT.items():
        if head.startswith(mark):
            raise error(f"the file {problem}", where=name, remedy=remedy)
    if b"\0" in head[:_SNIFFED]:
        raise error("the file is binary, not text", where=name, remedy="Give a text file in UTF-8, plain or gzip")
    return stream


def _check_path(path: Path, name: str, error: type[InputError]) -> None:
    if "\0" in name:
        raise error("a path cannot hold a NUL character", where=repr(name))
    if path.is_dir():
        inside = next((child for child in ("corpus.jsonl", "corpus.jsonl.gz") if (path / child).is_file()), "")
        remedy = f"Give the file {inside} inside it" if inside else "Give one file inside it"
        raise error("this is a directory, not a file", where=name, remedy=remedy)
    if not path.exists():
        raise error("there is no such file", where=name, remedy="Check the path")
