import re

import pytest

from sciverify.errors import RunFileError
from sciverify.evaluation.form import (
    claim_id,
    evidence_label,
    evidence_object,
    parse_file,
    parse_line,
    read_lines,
    sentences,
)
from sciverify.records import Label


class TestReadLines:
    def test_yields_objects_with_their_place(self, write_lines):
        path = write_lines("a.jsonl", {"id": 1}, "", '{"id": "α"}')
        assert [(line.where, line.fields) for line in read_lines(path)] == [
            (f"{path}:1", {"id": 1}),
            (f"{path}:3", {"id": "α"}),
        ]

    def test_takes_a_byte_order_mark_before_the_first_line_only(self, tmp_path):
        path = tmp_path / "bom.jsonl"
        path.write_bytes(b'\xef\xbb\xbf{"id": 1}\n')
        assert next(read_lines(path)).fields == {"id": 1}
        path.write_bytes(b'{"id": 1}\n\xef\xbb\xbf{"id": 2}\n')
        with pytest.raises(RunFileError, match=re.escape(f"{path}:2")):
            list(read_lines(path))

    def test_a_file_that_is_not_there_or_is_a_folder(self, tmp_path):
        for path in (tmp_path / "missing.jsonl", tmp_path):
            with pytest.raises(RunFileError, match="cannot be read") as caught:
                list(read_lines(path))
            assert caught.value.where == str(path)
            assert caught.value.remedy


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"{", "not JSON"),
        (b'{"id": 1} {"id": 2}', "not JSON"),
        (b'{"id": NaN}', "not JSON"),
        (b'{"id": -Infinity}', "not JSON"),
        (b'{"id": "\xff"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"id": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b'{"id": 1, "id": 1}', "'id' stands twice"),
        (b'{"evidence": {"a": {"x": 1, "y": 2, "x": 3}}}', "'x' stands twice"),
        (b"[1]", "a list in JSON, not an object"),
        (b"3", "a number in JSON, not an object"),
        (b"null", "null in JSON, not an object"),
        (b"true", "a boolean in JSON, not an object"),
        (b'"text"', "a string in JSON, not an object"),
    ],
)
def test_a_line_that_is_not_one_object(raw, problem):
    with pytest.raises(RunFileError, match=problem) as caught:
        parse_line(raw, "run.jsonl:7")
    assert caught.value.where == "run.jsonl:7"


class TestWholeFiles:
    def test_an_object_may_go_over_several_lines(self):
        assert parse_file(b'{\n"1": "yes"\n}\n', "run.json") == {"1": "yes"}

    @pytest.mark.parametrize(
        ("raw", "where", "problem"),
        [
            (b'{\n"1": yes}', "run.json:2", "this file is not JSON"),
            (b'{"1": "\xff"}', "run.json", "this file is not JSON"),
            (b'{\n"1": "yes",\n"1": "no"}', "run.json", "'1' stands twice"),
            (b"[1]", "run.json", "this file is a list in JSON, not an object"),
            (b"[" * 100_000, "run.json", "this file is not JSON"),
        ],
    )
    def test_what_is_not_one_object(self, raw, where, problem):
        with pytest.raises(RunFileError, match=problem) as caught:
            parse_file(raw, "run.json")
        assert caught.value.where == where


def test_claim_ids_are_numbers_or_strings():
    assert claim_id({"id": 3}, "w") == claim_id({"id": "3"}, "w") == "3"
    assert claim_id({"id": 0}, "w") == "0"
    for value in (True, None, 1.5, "", [], {}):
        with pytest.raises(RunFileError, match="claim's id is"):
            claim_id({"id": value}, "w")
    with pytest.raises(RunFileError, match="no 'id'"):
        claim_id({"ID": 3}, "w")


def test_evidence_is_an_object_with_ids():
    assert evidence_object({"evidence": {}}, "w") == {}
    for fields, problem in (
        ({}, "no 'evidence'"),
        ({"evidence": []}, "is a list"),
        ({"evidence": None}, "is null"),
        ({"evidence": {"": 1}}, "document id is empty"),
    ):
        with pytest.raises(RunFileError, match=problem):
            evidence_object(fields, "w")


def test_labels_are_scifacts_two():
    assert evidence_label({"label": "SUPPORT"}, "1", "w") is Label.SUPPORTS
    assert evidence_label({"label": "CONTRADICT"}, "1", "w") is Label.REFUTES
    for name in ("NEI", "NOT_ENOUGH_INFO", "not enough info"):
        with pytest.raises(RunFileError, match="listed as evidence") as caught:
            evidence_label({"label": name}, "1", "w")
        assert "Leave out" in caught.value.remedy
    for wrong in ("SUPPORTS", "support", "REFUTES", 1, None, ["SUPPORT"], ""):
        with pytest.raises(RunFileError, match="unknown label"):
            evidence_label({"label": wrong}, "1", "w")
    with pytest.raises(RunFileError, match="has no 'label'"):
        evidence_label({}, "1", "w")


def test_sentences_are_distinct_numbers_of_the_document():
    assert sentences({"sentences": [4, 0]}, "1", "w") == (4, 0)
    assert sentences({"sentences": [4, 0]}, "1", "w", {"1": 5}) == (4, 0)
    assert sentences({"sentences": []}, "1", "w", {"1": 0}) == ()
    for numbers, problem in (
        ([1, 1], "1 stands twice"),
        ([-1], "no sentence -1"),
        (["1"], "'1' is not an integer"),
        ([1.0], "1.0 is not an integer"),
        ([True], "True is not an integer"),
        ([None], "None is not an integer"),
        ("12", "'sentences' is a string"),
        ({}, "'sentences' is an object"),
    ):
        with pytest.raises(RunFileError, match=problem):
            sentences({"sentences": numbers}, "1", "w")
    with pytest.raises(RunFileError, match="there is no 'sentences'"):
        sentences({}, "1", "w")


def test_the_corpus_bounds_documents_and_sentences():
    with pytest.raises(RunFileError, match=r"no sentence 5 \(it has 5, counted from 0\)"):
        sentences({"sentences": [5]}, "1", "w", {"1": 5})
    with pytest.raises(RunFileError, match="the corpus has no document '2'"):
        sentences({"sentences": [0]}, "2", "w", {"1": 5})
