from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from sciverify.corpora import read_claims
from sciverify.errors import RunFileError
from sciverify.records import Claim


def write(folder: Path, content: bytes, name: str = "claims") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "claims"),
    [
        (
            "c.jsonl",
            b'{"id": 0, "claim": "A."}\n\n{"id": "x", "claim": " B. ", "evidence": {}}\n',
            {"0": "A.", "x": " B. "},
        ),
        ("c", b'{"claim": "A."}\n{"claim": ""}', {"1": "A.", "2": ""}),
        ("queries", b'{"_id": "PLAIN-1", "text": "A."}', {"PLAIN-1": "A."}),
        ("c.txt", '\ufeffA, b; c. \r\n\r\n  Claim: "α".\r\n'.encode(), {"1": "A, b; c.", "2": 'Claim: "α".'}),
        ("c.csv", b'id,claim\n7,"A, b."\n8,\n', {"7": "A, b.", "8": ""}),
        ("c", b'"Claim";Note\n"A; b.";x\nC.;y\n', {"1": "A; b.", "2": "C."}),
        ("c.tsv", b"claim\tid\nA, b.\t7\n", {"7": "A, b."}),
        ("c", b"claim\nA.\nB.\n", {"1": "A.", "2": "B."}),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_claims_are_read(tmp_path: Path, name: str, content: bytes, claims: dict[str, str], packed: bool) -> None:
    path = write(tmp_path, gzip.compress(content), f"{name}.gz") if packed else write(tmp_path, content, name)
    expected = [Claim(id, text) for id, text in claims.items()]
    assert read_claims(path) == expected
    assert read_claims(str(path)) == expected


@pytest.mark.parametrize("content", [b'{"id": 3, "claim": "A."}', b"id,claim\n3,A.\n"])
def test_claims_come_from_a_stream_too(content: bytes) -> None:
    assert read_claims(io.BytesIO(content)) == [Claim("3", "A.")]
    assert read_claims(io.BytesIO(gzip.compress(content))) == [Claim("3", "A.")]
    assert read_claims(io.BytesIO(b"A.\nB.")) == [Claim("1", "A."), Claim("2", "B.")]


@pytest.mark.parametrize(
    ("name", "content", "line", "problem"),
    [
        ("c.jsonl", b'{"id": 1, "claim": "A"}\n{"id": "1", "claim": "B"}', 2, "'1' was used before, at line 1"),
        ("c.jsonl", b'{"claim": "A"}\n\n{"id": 1, "claim": "B"}', 3, "'1' was used before, at line 1"),
        ("c.csv", b"id,claim\n1,A\n1,B\n", 3, "'1' was used before, at line 2"),
        ("c.jsonl", b'{"claim": "A"}\nplain', 2, "not JSON"),
        ("c.jsonl", b"plain", 1, "not JSON"),
        ("c.json", b'["A"]', 1, "not an object"),
        ("c", b'{"id": 1}', 1, "there is no 'claim'"),
        ("c", b'{"id": 1, "claim": 5}', 1, "the claim 5 is not a string"),
        ("c", b'{"id": 1.5, "claim": "A"}', 1, "neither a string nor a whole number"),
        ("c.csv", b"id,statement\n1,A\n", 1, "no column 'claim'"),
        ("c.csv", b"id,claim\n1,A\n2\n", 3, "1 fields where the header has 2"),
        ("c.csv", b"claim,claim\nA,B\n", 1, "two columns are called 'claim'"),
        ("c.txt", b"A\nB\xe9\n", 2, "not UTF-8"),
        ("c.csv", b"claim,id\nB\xe9,1\n", 2, "not UTF-8"),
        ("c", b"", None, "empty"),
        ("c", b"\n\n", None, "blank lines"),
        ("c", b"\x00\x01", None, "binary"),
        ("c.gz", gzip.compress(b"A.\n" * 1000)[:-9], None, "gzip data"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, name: str, content: bytes, line: int | None, problem: str) -> None:
    path = write(tmp_path, content, name)
    with pytest.raises(RunFileError, match=problem) as raised:
        read_claims(path)
    assert raised.value.where == (f"{path}:{line}" if line else str(path))


def test_missing_files_and_directories(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="no such file"):
        read_claims(tmp_path / "missing")
    with pytest.raises(RunFileError, match="directory"):
        read_claims(tmp_path)
