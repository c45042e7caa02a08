import pytest

from sciverify.errors import RunFileError
from sciverify.evaluation.exports import write_lines


def test_lines_end_with_a_line_feed(tmp_path):
    write_lines(tmp_path / "a.txt", iter(["α", "", "b"]))
    assert (tmp_path / "a.txt").read_bytes() == "α\n\nb\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_old_file_stays_unless_it_may_be_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old\n", encoding="utf-8")
    with pytest.raises(RunFileError, match="there already") as caught:
        write_lines(path, ["new"])
    assert caught.value.where == str(path)
    assert path.read_text(encoding="utf-8") == "old\n"
    write_lines(path, ["new"], replace=True)
    assert path.read_text(encoding="utf-8") == "new\n"


def test_what_fails_halfway_leaves_nothing_behind(tmp_path):
    def lines():
        yield "first"
        raise RunFileError("the second is wrong")

    path = tmp_path / "a.txt"
    path.write_text("old\n", encoding="utf-8")
    for problem, content in (("the second is wrong", lines()), ("UTF-8", ["\ud800"])):
        with pytest.raises(RunFileError, match=problem):
            write_lines(path, content, replace=True)
        assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("a.txt", "old\n")]


@pytest.mark.parametrize("name", ["none/a.txt", "file/a.txt", "a" * 300])
def test_a_place_where_nothing_can_be_written(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFileError, match="cannot be written") as caught:
        write_lines(tmp_path / name, ["x"])
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.remedy
