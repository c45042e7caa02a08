from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.corpora import FORMATS, detect_format, open_corpus
from sciverify.errors import CorpusError, SciverifyError, SettingError
from sciverify.stages import Reader

SAMPLES = {
    "scifact": b'{"doc_id": 1, "title": "T", "abstract": ["One. ", "Two."]}\n',
    "beir": b'{"_id": "1", "title": "T", "text": "One. Two is more.", "metadata": {"year": 2001, "url": "x"}}\n',
    "jsonl": b'{"id": "1", "title": "T", "abstract": "One. Two is more.", "year": 2001}\n',
    "csv": b"id;title;text\n1;T;One, two.\n",
    "tsv": b"id\ttitle\ttext\n1\tT\tOne, two; three.\n",
}


def write(folder: Path, content: bytes) -> Path:
    path = folder / "corpus"
    path.write_bytes(content)
    return path


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("packed", [False, True])
def test_the_format_is_told_from_the_content(tmp_path: Path, name: str, packed: bool) -> None:
    path = write(tmp_path, gzip.compress(SAMPLES[name]) if packed else SAMPLES[name])
    assert detect_format(path) == name
    (document,) = open_corpus(path)
    assert (document.id, document.title) == ("1", "T")
    assert list(open_corpus(path, format=name)) == [document]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is(name: str, tmp_path: Path) -> None:
    assert FORMATS[name].summary
    assert isinstance(FORMATS[name].reader(tmp_path), Reader)


def test_columns_make_a_record_generic(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"_id": "1", "text": "No.", "body": "Yes.", "when": 2001}\n')
    assert detect_format(path) == "beir"
    (document,) = open_corpus(path, columns={"text": "body", "year": "when"})
    assert [element.text for element in document.elements] == ["Yes."]
    assert document.metadata.year == 2001


def test_metadata_of_beir_are_read(tmp_path: Path) -> None:
    (document,) = open_corpus(write(tmp_path, SAMPLES["beir"]))
    assert document.metadata.year == 2001
    with pytest.raises(CorpusError, match="the metadata are not a JSON object"):
        list(open_corpus(write(tmp_path, b'{"_id": "1", "text": "", "metadata": [1]}')))


def test_a_bad_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    path = write(tmp_path, b"{oops\n" + SAMPLES["scifact"])
    assert detect_format(path) == "scifact"
    reader = open_corpus(path, skip_bad=True)
    assert [document.id for document in reader] == ["1"]
    assert [problem.where for problem in reader.problems] == [f"{path}:1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Only prose, as it happens.\nMore of it.\n", "It has 'Only prose', 'as it happens.'"),
        (b"<html><body>404 Not Found</body></html>", "the format can't be told"),
        (b'[{"id": "1", "text": "a"}]', "Write each object on its own line"),
        (b'{\n  "id": "1",\n  "text": "a"\n}\n', "Write one JSON object a line"),
        (b'{"id": "1", "fulltext": "a"}', "It has 'id', 'fulltext'; say which, like text=COLUMN"),
        (b'{"a": \xe9}', "not UTF-8"),
        (b"{" + b'"a":{' * 50_000, "not usable JSON"),
        (b'{"id": ' + b"1" * 5_000 + b', "text": "a"}', "not usable JSON"),
        (b"\n\n", "blank lines"),
        (b"", "empty"),
        (b"id,id,text\n", "two columns"),
    ],
)
def test_a_format_that_cannot_be_told_is_an_error_that_says_why(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(CorpusError) as raised:
        open_corpus(path)
    assert message in str(raised.value)
    assert str(raised.value).startswith(str(path))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "not JSON: Expecting property name"),
        (b"[1]", "not an object"),
        (b'{"doc_id": 2}', "no 'abstract'"),
        (b'{"abstract": []}', "no 'doc_id'"),
        (b'{"doc_id": 2, "abstract": "text"}', "no list of sentences"),
        (b'{"doc_id": 2, "abstract": [1]}', "not a list of strings"),
        (b'{"doc_id": "", "abstract": []}', "the id is empty"),
        (b'{"doc_id": "\\ud800", "abstract": []}', "can't be shown"),
        (b'{"doc_id": 2, "title": 5, "abstract": []}', "the title 5 is not a string"),
    ],
)
def test_bad_lines_are_placed_and_skipping_them_is_offered(tmp_path: Path, line: bytes, problem: str) -> None:
    path = write(tmp_path, SAMPLES["scifact"] + line)
    with pytest.raises(CorpusError, match=problem) as raised:
        list(open_corpus(path))
    assert raised.value.where == f"{path}:2"
    assert "--skip-bad" in raised.value.remedy


def test_unknown_formats_and_columns_without_use_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, SAMPLES["scifact"])
    with pytest.raises(SettingError, match="Choose auto or scifact, beir"):
        open_corpus(path, format="xml")
    with pytest.raises(SettingError, match="the columns of the format scifact are fixed"):
        open_corpus(path, format="scifact", columns={"id": "doc_id"})
    with pytest.raises(SettingError, match="not a field"):
        open_corpus(path, columns={"identifier": "doc_id"})


@given(st.binary(max_size=60) | st.lists(st.sampled_from(list(SAMPLES.values())), max_size=3).map(b"".join))
def test_any_content_is_read_or_refused_with_its_path(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any_content"
    path.write_bytes(content)
    where = str(path)
    try:
        list(open_corpus(path))
    except SciverifyError as error:
        where = error.where
    assert where.startswith(str(path))


@given(
    st.dictionaries(
        st.sampled_from(
            ["id", "_id", "doc_id", "title", "text", "abstract", "sentences", "year", "authors", "metadata"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), st.lists, max_leaves=4
        ),
    )
)
def test_any_record_is_read_or_refused_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any_record"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    for name in ("scifact", "beir", "jsonl"):
        reader = open_corpus(path, format=name, skip_bad=True)
        assert len(list(reader)) + len(reader.problems) == 1
