import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError
from sciverify.evaluation.trec import (
    read_trec_qrels,
    read_trec_run,
    trec_order,
    write_trec_qrels,
    write_trec_run,
)

IDS = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4)
SCORES = st.one_of(st.sampled_from([0.0, 1.0, 1.0 + 1e-12, -3.5]), st.floats(allow_nan=False, allow_infinity=False))
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=4), max_size=3)
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 9), min_size=1, max_size=4), max_size=3)


class TestOrder:
    def test_scores_fall_and_of_equal_ones_the_later_id_comes_first(self):
        assert trec_order({"a": 1.0, "b": 2.0, "c": 1.0, "10": 1.0, "9": 1.0}) == ["b", "c", "a", "9", "10"]
        assert trec_order({}) == []

    def test_scores_are_32_bit_numbers(self):
        assert trec_order({"a": 1.0 + 1e-12, "b": 1.0}) == ["b", "a"]
        assert trec_order({"a": 1.0 + 1e-6, "b": 1.0}) == ["a", "b"]
        assert trec_order({"a": 1e301, "b": 1e300, "c": -1e300}) == ["b", "a", "c"]

    @given(st.dictionaries(IDS, SCORES, max_size=6))
    def test_agrees_with_sorting_bytes(self, scores):
        with np.errstate(over="ignore"):
            keys = {id: (float(np.float32(score)), id.encode()) for id, score in scores.items()}
        assert trec_order(scores) == sorted(scores, key=keys.__getitem__, reverse=True)
        assert trec_order(dict(reversed(scores.items()))) == trec_order(scores)


class TestRoundTrip:
    @given(RUNS.filter(bool))
    @settings(max_examples=50)
    def test_a_run(self, tmp_path_factory, run):
        path = tmp_path_factory.mktemp("trec") / "run"
        write_trec_run(path, run, tag="ours")
        read = read_trec_run(path)
        assert read == run
        for query in run:
            assert list(read[query]) == trec_order(run[query])
        assert {line.split()[-1] for line in path.read_text(encoding="utf-8").splitlines()} == {"ours"}

    @given(QRELS.filter(bool))
    @settings(max_examples=50)
    def test_qrels(self, tmp_path_factory, qrels):
        path = tmp_path_factory.mktemp("trec") / "qrels"
        write_trec_qrels(path, qrels)
        assert read_trec_qrels(path) == qrels

    def test_the_form_of_the_lines(self, tmp_path):
        write_trec_run(tmp_path / "run", {"q1": {"a": 0.5, "b": 2.0}})
        assert (tmp_path / "run").read_text() == "q1 Q0 b 1 2.0 sciverify\nq1 Q0 a 2 0.5 sciverify\n"
        write_trec_qrels(tmp_path / "qrels", {"q1": {"a": 1, "b": 0}})
        assert (tmp_path / "qrels").read_text() == "q1 0 a 1\nq1 0 b 0\n"

    def test_any_white_space_and_gzip_are_read(self, tmp_path):
        path = tmp_path / "run.gz"
        path.write_bytes(gzip.compress(b"q1\tQ0\ta\t7\t1e1\tx\r\n\nq1  Q0 b 9 -2 x"))
        assert read_trec_run(path) == {"q1": {"a": 10.0, "b": -2.0}}


class TestMalformed:
    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("q Q0 b 1 2.0", "5 fields, not 6"),
            ("q Q0 b c 1 2.0 x", "7 fields, not 6"),
            ("q Q0 b 1 high x", "'high' is not a finite number"),
            ("q Q0 b 1 nan x", "'nan' is not a finite number"),
            ("q Q0 b 1 inf x", "'inf' is not a finite number"),
            ("q Q0 a 2 0.5 x", "document 'a' stands twice for query 'q'"),
        ],
    )
    def test_runs(self, write_lines, line, problem):
        path = write_lines("run", "q Q0 a 1 1.0 x", line)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_trec_run(path)
        assert caught.value.where == f"{path}:2"

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("q 0 b", "3 fields, not 4"),
            ("q 0 b yes", "'yes' is not a whole number"),
            ("q 0 b 1.0", "'1.0' is not a whole number"),
            ("q 0 b ²", "is not a whole number"),
            ("q 0 a 0", "stands twice"),
        ],
    )
    def test_qrels(self, write_lines, line, problem):
        path = write_lines("qrels", "q 0 a 1", line)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_trec_qrels(path)
        assert caught.value.where == f"{path}:2"

    def test_files_that_are_no_text(self, tmp_path):
        path = tmp_path / "run"
        with pytest.raises(RunFileError, match="no such file"):
            read_trec_run(path)
        path.write_bytes(b"")
        with pytest.raises(RunFileError, match="empty"):
            read_trec_run(path)
        path.write_bytes(b"q Q0 \xff 1 1.0 x\n")
        with pytest.raises(RunFileError, match="not UTF-8"):
            read_trec_run(path)

    @pytest.mark.parametrize("id", ["", "a b", "a\tb", "a\n", "a\u00a0b", "\u2028"])
    def test_ids_that_the_form_has_no_place_for(self, tmp_path, id):
        path = tmp_path / "file"
        for write, table in (
            (write_trec_run, {id: {"a": 1.0}}),
            (write_trec_run, {"q": {id: 1.0}}),
            (write_trec_qrels, {id: {"a": 1}}),
            (write_trec_qrels, {"q": {"a": 1, id: 1}}),
        ):
            with pytest.raises(RunFileError, match="is empty or holds white space") as caught:
                write(path, table)
            assert caught.value.remedy
            assert not path.exists()
        with pytest.raises(RunFileError, match="the tag"):
            write_trec_run(path, {"q": {"a": 1.0}}, tag=id)

    def test_scores_that_are_no_numbers_are_not_written(self, tmp_path):
        with pytest.raises(RunFileError, match="not finite"):
            write_trec_run(tmp_path / "run", {"q": {"a": float("nan")}})
