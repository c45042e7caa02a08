import gzip
import json

import pytest

from sciverify.errors import RunFileError
from sciverify.evaluation.answers import Entry, check_same_questions, read_answers, strings

LINES = [{"id": 1, "answer": "yes"}, {"id": "q2", "answer": "no"}]
MAPPING = {"1": "yes", "q2": "no"}
BIOASQ = {"questions": [{"id": "1", "type": "yesno"}, {"id": "q2", "type": "list"}]}
SQUAD = {"version": "1.1", "data": [{"paragraphs": [{"qas": [{"id": "1"}]}, {"qas": [{"id": "q2"}]}]}]}


class TestForms:
    @pytest.mark.parametrize("name", ["file", "file.jsonl", "file.json"])
    def test_json_lines(self, write_lines, name):
        path = write_lines(name, LINES[0], "", LINES[1])
        file = read_answers(path)
        assert file.form == "lines"
        assert {id: (entry.where, entry.value) for id, entry in file.entries.items()} == {
            "1": (f"{path}:1", LINES[0]),
            "q2": (f"{path}:3", LINES[1]),
        }

    def test_a_single_line(self, write_lines):
        assert read_answers(write_lines("file.jsonl", LINES[0])).form == "lines"
        assert read_answers(write_lines("file", LINES[0])).form == "lines"
        assert read_answers(write_lines("file", {"id": "yes", "other": "no"})).form == "mapping"

    @pytest.mark.parametrize(("form", "content"), [("mapping", MAPPING), ("bioasq", BIOASQ), ("squad", SQUAD)])
    @pytest.mark.parametrize("indent", [None, 2])
    @pytest.mark.parametrize("packed", [False, True])
    def test_whole_objects(self, tmp_path, form, content, indent, packed):
        raw = json.dumps(content, indent=indent).encode()
        path = tmp_path / "file.json"
        path.write_bytes(gzip.compress(raw) if packed else raw)
        file = read_answers(path)
        assert file.form == form
        assert list(file.entries) == ["1", "q2"]
        assert all(str(path) in entry.where and id in entry.where for id, entry in file.entries.items())


class TestMalformed:
    @pytest.mark.parametrize(
        ("lines", "line", "problem"),
        [
            ([LINES[0], "{"], 2, "not JSON"),
            (["{", LINES[0]], 1, "not JSON"),
            ([LINES[0], {"answer": "no"}], 2, "the question has no id"),
            ([LINES[0], {"id": 1.5}], 2, "the question has no id"),
            ([LINES[0], LINES[1], LINES[0]], 3, "question '1' was already at"),
            ([LINES[0], '{"id": 2, "answer": "yes", "answer": "no"}'], 2, "'answer' stands twice"),
            ([LINES[0], [1]], 2, "a list in JSON, not an object"),
        ],
    )
    def test_lines(self, write_lines, lines, line, problem):
        path = write_lines("file.jsonl", *lines)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_answers(path)
        assert caught.value.where == f"{path}:{line}"

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("", "holds only blank lines"),
            ("[1]", "a list in JSON"),
            ("{}", "no questions"),
            ('{"questions": []}', "no questions"),
            ('{"questions": [3]}', "question 1: 3 is not an object"),
            ('{"questions": [{"id": "1"}, {"id": 1}]}', "question '1' was already at"),
            ('{"questions": [{"id": null}]}', "question 1: the question has no id"),
            ('{"data": [{"title": "t"}]}', "article 1: there is no list of paragraphs"),
            (
                '{"data": [{"paragraphs": [{"qas": [{}]}]}]}',
                "paragraph 1, question 1: the question has no id",
            ),
            ('{"1": "yes", "1": "no"}', "'1' stands twice"),
            ('{"": "yes"}', "id is empty"),
            ('{"1": NaN}', "not JSON"),
            ('{"1": "yes"', "not JSON"),
        ],
    )
    def test_objects(self, write_lines, content, problem):
        path = write_lines("file.json", content)
        with pytest.raises(RunFileError) as caught:
            read_answers(path)
        assert problem in str(caught.value)
        assert str(path) in caught.value.where

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(RunFileError, match="no such file"):
            read_answers(tmp_path / "none.json")


class TestSameQuestions:
    def test_order_does_not_matter(self):
        check_same_questions({"a": 1, "b": 2}, {"b": 3, "a": 4})

    def test_missing_and_unknown_questions_are_named_with_the_file(self):
        with pytest.raises(RunFileError, match=r"1 of 2 questions have no answer, the first is 'b'") as caught:
            check_same_questions({"a": 1, "b": 2}, {"a": 3}, "run.json")
        assert caught.value.where == "run.json"
        with pytest.raises(RunFileError, match="question 'c' is not one of") as caught:
            check_same_questions({"a": 1}, {"a": 3, "c": 4}, "run.json")
        assert caught.value.where == "run.json"


class TestEntry:
    def test_a_bare_value_has_no_keys(self):
        with pytest.raises(RunFileError, match="'yes' is not an object"):
            Entry("w", "yes").get("answer")

    def test_strings(self):
        assert strings(Entry("w", {"a": ["x", "y"]}), "a") == ("x", "y")
        with pytest.raises(RunFileError, match="'a' is not a list of strings"):
            strings(Entry("w", {"a": ["x", 3]}), "a")
        with pytest.raises(RunFileError, match="there is no 'a'"):
            strings(Entry("w", {}), "a")
