from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.corpora.tabular import CsvReader, TsvReader, open_table
from sciverify.errors import CorpusError


def write(folder: Path, text: str) -> Path:
    path = folder / "table"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_quoted_fields_go_over_lines_and_keep_what_they_hold(tmp_path: Path) -> None:
    path = write(tmp_path, 'id,title,text\n1,"a ""quoted"", title","One\r\n\r\nTwo, three"\n\n2,b,c\n3\n')
    reader = CsvReader(path, skip_bad=True)
    first, second = reader
    assert first.title == 'a "quoted", title'
    assert [element.text for element in first.elements] == ["One", "Two, three"]
    assert second.id == "2"
    assert [problem.where for problem in reader.problems] == [f"{path}:7"], "lines are those of the file"


def test_a_field_may_be_very_long(tmp_path: Path) -> None:
    text = "word " * 200_000
    (document,) = CsvReader(write(tmp_path, f'id,text\n1,"{text}"\n'))
    assert document.elements[0].text == text.strip()


@pytest.mark.parametrize("quote_that_never_ends", ['2,"b\n3,c\n', '2,"b'])
def test_a_quoted_field_that_never_ends_is_an_error_where_it_begins(tmp_path: Path, quote_that_never_ends: str) -> None:
    path = write(tmp_path, f"id,text\n1,a\n{quote_that_never_ends}")
    reader = CsvReader(path)
    with pytest.raises(CorpusError, match="never ends") as raised:
        list(reader)
    assert raised.value.where == f"{path}:3"
    skipping = CsvReader(path, skip_bad=True)
    assert [document.id for document in skipping] == ["1"]
    assert len(skipping.problems) == 1


def test_rows_of_nothing_and_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, ",id,text,\n0,a,b,x\n,,,\n1,c,d,\n")
    assert [document.id for document in CsvReader(path)] == ["a", "c"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id,text,id\n1,2,3\n", "two columns are called 'id'"),
        ("name,text\n1,2\n", "no column is known to hold the id"),
        ('id,"text\n1,2\n', "never ends"),
        ("id,text\r1,2\r", "header"),
        ("\n \n", "blank lines"),
    ],
)
def test_a_header_that_cannot_serve_is_an_error_even_when_bad_rows_are_skipped(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CorpusError, match=problem) as raised:
        list(CsvReader(path, skip_bad=True))
    assert raised.value.where.startswith(str(path))


def test_a_header_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(b"id,text,ann\xe9e\n1,2,3\n")
    with pytest.raises(CorpusError, match="the header: not UTF-8"):
        list(CsvReader(path))


def test_a_header_alone_is_a_corpus_of_none(tmp_path: Path) -> None:
    assert list(TsvReader(write(tmp_path, "id\ttext\n"))) == []


def test_a_chosen_column_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path, "PMID,Abstract\n1,2\n")
    with pytest.raises(CorpusError, match=r"no column 'Jahr', which should hold the year\. It has 'PMID', 'Abstract'"):
        list(CsvReader(path, columns={"year": "Jahr"}))


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=5), delimiter=st.sampled_from(",;\t"))
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], delimiter: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("a", "b", "c"), *rows])
    read = [row for _, row in open_table(path, "\t,;").rows]
    assert read == [dict(zip("abc", row, strict=True)) for row in rows if any(row)]
