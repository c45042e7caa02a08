import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.errors import RunFileError
from sciverify.evaluation.csv_files import read_csv, write_csv

# Everything that UTF-8 holds, formula signs more often than chance would have them.
CELLS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("=+-@'\t\r\n ,;\"\u2028")), max_size=8
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("csv") / "table.csv"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_every_text_comes_back_as_it_was(path, rows):
    write_csv(path, ("a", "b"), rows)
    assert [(row.cells["a"], row.cells["b"]) for row in read_csv(path, ("a", "b"))] == rows


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n@x", "  =1", "＝1", "'=1"])
def test_no_cell_starts_a_formula(path, text):
    write_csv(path, ("a", "b"), [("x", text)])
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1] == ["x", f"'{text}"]


@pytest.mark.parametrize("text", ["", "5 mg", "a=b", "'quoted'", "1-2", "α"])
def test_other_cells_are_left_alone(path, text):
    write_csv(path, ("a",), [(text,), ("end",)])
    assert path.read_bytes().decode("utf-8-sig").splitlines()[1].strip('"') == text


def test_numbers_are_numbers(path):
    write_csv(path, ("a", "b"), [(-1, 0.5)])
    assert path.read_text(encoding="utf-8-sig").splitlines() == ["a,b", "-1,0.5"]


def test_lone_surrogates_become_a_question_mark(path):
    write_csv(path, ("a",), [("x\ud800",)])
    assert next(read_csv(path, ("a",))).cells == {"a": "x?"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_spreadsheets_write_is_read(path, delimiter):
    path.write_bytes(f'a{delimiter}b\n1{delimiter}"x\ny"\n\n2{delimiter}z\n'.encode())
    rows = list(read_csv(path, ("a", "b")))
    assert [row.cells for row in rows] == [{"a": "1", "b": "x\ny"}, {"a": "2", "b": "z"}]
    assert [row.where for row in rows] == [f"{path}:2", f"{path}:5"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"", ":1", "exactly one column 'kind'"),
        (b"a,b\n1,2\n", ":1", "exactly one column 'kind'"),
        (b"kind,kind\n1,2\n", ":1", "exactly one column 'kind'"),
        (b"kind,b\nx,y\nx\n", ":3", "1 cells for 2 columns"),
        (b'kind\n"x"y\n', ":2", "not CSV"),
        (b'kind\n"x', ":2", "not CSV"),
        (b"kind\n\xff\n", "", "not UTF-8"),
    ],
)
def test_malformed_tables_are_refused(path, content, line, problem):
    path.write_bytes(content)
    with pytest.raises(RunFileError, match=problem) as raised:
        list(read_csv(path, ("kind",)))
    assert raised.value.where == f"{path}{line}"


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(RunFileError, match="cannot be read"):
        list(read_csv(tmp_path / "none.csv", ()))
    with pytest.raises(RunFileError, match="cannot be written"):
        write_csv(tmp_path, ("a",), [])
