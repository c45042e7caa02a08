from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from sciverify.corpora import lines as lines_module
from sciverify.corpora.lines import decode, numbered_lines
from sciverify.errors import CorpusError, RunFileError


def write(folder: Path, content: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(content)
    return path


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    text = "a\u2028b\x0bc\x0cd\x85e\rf\n\r\n  \ng"
    assert list(numbered_lines(write(tmp_path, text.encode()))) == [(1, text.split("\n")[0].encode()), (4, b"g")]


def test_blank_lines_and_line_ends_can_be_kept(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbfa\r\n\n b")
    assert list(numbered_lines(path, blank=True)) == [(1, b"a\r\n"), (2, b"\n"), (3, b" b")]


def test_a_stream_is_read_and_left_open() -> None:
    for content in (b"a\nb\n", gzip.compress(b"a\nb\n")):
        stream = io.BytesIO(content)
        assert list(numbered_lines(stream)) == [(1, b"a"), (2, b"b")]
        assert not stream.closed


def test_several_gzip_members_are_one_file(tmp_path: Path) -> None:
    assert [line for _, line in numbered_lines(write(tmp_path, gzip.compress(b"a\n") + gzip.compress(b"b\n")))] == [
        b"a",
        b"b",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (b"\x00", "binary"),
        (gzip.compress(b"\x7fELF\x00"), "binary"),
        ("text".encode("utf-16-le").join([b"\xff\xfe", b""]), "UTF-16"),
        (b"PK\x03\x04", "zip"),
        (b"BZh91AY", "bzip2"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"%PDF-1.7", "PDF"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x1f\x8bnot gzip at all", "gzip data"),
    ],
)
def test_files_that_are_not_text(tmp_path: Path, content: bytes, problem: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(RunFileError, match=problem) as raised:
        list(numbered_lines(path, error=RunFileError))
    assert raised.value.where == str(path)
    assert raised.value.remedy


def test_damage_further_on_comes_after_the_lines_before_it(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d\n" % number for number in range(100_000)))
    lines = numbered_lines(write(tmp_path, whole[: len(whole) // 2]))
    assert next(lines) == (1, b"0")
    with pytest.raises(CorpusError, match=r"gzip data end or break after line \d\d+"):
        list(lines)


def test_a_path_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="NUL"):
        list(numbered_lines("a\0b"))
    with pytest.raises(CorpusError, match="no such file"):
        list(numbered_lines(tmp_path / "missing"))
    with pytest.raises(CorpusError, match="cannot be read"):
        list(numbered_lines(tmp_path / ("long" * 100)))


def test_a_directory_names_the_corpus_in_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="Give one file inside it"):
        list(numbered_lines(tmp_path))
    (tmp_path / "corpus.jsonl").touch()
    with pytest.raises(CorpusError, match=r"Give the file corpus\.jsonl inside it"):
        list(numbered_lines(tmp_path))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "_LONGEST_LINE", 10)
    path = write(tmp_path, b"short\n" + b"x" * 100)
    with pytest.raises(CorpusError, match="longer") as raised:
        list(numbered_lines(path))
    assert raised.value.where == f"{path}:2"


def test_bytes_that_are_no_utf8_are_counted_from_one() -> None:
    assert decode("é".encode()) == "é"
    with pytest.raises(CorpusError, match=r"byte 3 of the line \(0xe9\) is not UTF-8"):
        decode(b"ab\xe9")
